//! ONNX Runtime: loaded once for the process, and sessions in it.

use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};

use ort::{
    environment::Environment,
    logging::LogLevel,
    session::{Session, builder::GraphOptimizationLevel},
    value::TensorRef,
};

use super::{EncodedPair, LocalModelError};

/// A process has one environment, and it lives as long as the process.
static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

/// Loads the library, unless one is loaded already.
pub(super) fn load_runtime(library: &Path) -> Result<Environment, LocalModelError> {
    let mut slot = ENVIRONMENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(environment) = &*slot {
        return Ok(environment.clone());
    }
    let broken = |error: String| LocalModelError::NotInstalled(format!("ONNX Runtime cannot be loaded: {error}"));
    let builder = ort::init_from(library).map_err(|error| broken(error.to_string()))?;
    let environment = builder.with_name("ibid").with_telemetry(false).build();
    let environment = environment.map_err(|error| broken(error.to_string()))?;
    environment.set_log_level(LogLevel::Error);
    Ok(slot.insert(environment).clone())
}

/// A model, ready to run. One thread uses it at a time and computes in that thread.
pub(crate) struct ModelSession(Session);

impl ModelSession {
    pub fn load(environment: &Environment, graph: &Path) -> Result<Self, LocalModelError> {
        let load = || -> ort::Result<Session> {
            Session::builder(environment)?
                .with_intra_threads(1)?
                .with_optimization_level(GraphOptimizationLevel::All)?
                // Texts have many lengths: remembering a plan of the memory for each would only grow.
                .with_memory_pattern(false)?
                .commit_from_file(graph)
        };
        load().map(Self).map_err(|error| LocalModelError::NotInstalled(format!("{}: {error}", graph.display())))
    }

    /// Computes the vector of one tokenized text.
    pub fn compute_vector(&mut self, tokens: &[i64]) -> Result<Vec<f32>, LocalModelError> {
        let mut run = || -> ort::Result<Vec<f32>> {
            let shape = [1, tokens.len()];
            let mask = vec![1_i64; tokens.len()];
            let outputs = self.0.run(ort::inputs![
                "input_ids" => TensorRef::from_array_view((shape, tokens))?,
                "attention_mask" => TensorRef::from_array_view((shape, mask.as_slice()))?,
            ])?;
            Ok(outputs[0].try_extract_tensor::<f32>()?.1.to_vec())
        };
        run().map_err(|error| LocalModelError::Failed(error.to_string()))
    }

    /// Computes what a network says of one pair of texts: each of its outputs, by name.
    pub fn compute_pair<const OUTPUTS: usize>(
        &mut self,
        pair: &EncodedPair,
        outputs: [&str; OUTPUTS],
    ) -> Result<[Vec<f32>; OUTPUTS], LocalModelError> {
        let mut run = || -> ort::Result<[Vec<f32>; OUTPUTS]> {
            let shape = [1, pair.ids.len()];
            let mask = vec![1_i64; pair.ids.len()];
            let computed = self.0.run(ort::inputs![
                "input_ids" => TensorRef::from_array_view((shape, pair.ids.as_slice()))?,
                "token_type_ids" => TensorRef::from_array_view((shape, pair.types.as_slice()))?,
                "attention_mask" => TensorRef::from_array_view((shape, mask.as_slice()))?,
            ])?;
            let mut found = std::array::from_fn(|_| Vec::new());
            for (name, values) in outputs.iter().zip(&mut found) {
                *values = computed[*name].try_extract_tensor::<f32>()?.1.to_vec();
            }
            Ok(found)
        };
        run().map_err(|error| LocalModelError::Failed(error.to_string()))
    }
}
