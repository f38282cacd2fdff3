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

use crate::EmbedError;

/// A process has one environment, and it lives as long as the process.
static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

/// Loads the library, unless one is loaded already.
pub(super) fn load_runtime(library: &Path) -> Result<Environment, EmbedError> {
    let mut slot = ENVIRONMENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(environment) = &*slot {
        return Ok(environment.clone());
    }
    let broken = |error: String| EmbedError::NotInstalled(format!("ONNX Runtime cannot be loaded: {error}"));
    let builder = ort::init_from(library).map_err(|error| broken(error.to_string()))?;
    let environment = builder.with_name("ibid").with_telemetry(false).build();
    let environment = environment.map_err(|error| broken(error.to_string()))?;
    environment.set_log_level(LogLevel::Error);
    Ok(slot.insert(environment).clone())
}

/// A model, ready to run. One thread uses it at a time and computes in that thread.
pub(super) struct ModelSession(Session);

impl ModelSession {
    pub fn load(environment: &Environment, graph: &Path) -> Result<Self, EmbedError> {
        let load = || -> ort::Result<Session> {
            Session::builder(environment)?
                .with_intra_threads(1)?
                .with_optimization_level(GraphOptimizationLevel::All)?
                // Texts have many lengths: remembering a plan of the memory for each would only grow.
                .with_memory_pattern(false)?
                .commit_from_file(graph)
        };
        load().map(Self).map_err(|error| EmbedError::NotInstalled(format!("{}: {error}", graph.display())))
    }

    /// Computes the vector of one tokenized text.
    pub fn compute_vector(&mut self, tokens: &[i64]) -> Result<Vec<f32>, EmbedError> {
        let mut run = || -> ort::Result<Vec<f32>> {
            let shape = [1, tokens.len()];
            let mask = vec![1_i64; tokens.len()];
            let outputs = self.0.run(ort::inputs![
                "input_ids" => TensorRef::from_array_view((shape, tokens))?,
                "attention_mask" => TensorRef::from_array_view((shape, mask.as_slice()))?,
            ])?;
            Ok(outputs[0].try_extract_tensor::<f32>()?.1.to_vec())
        };
        run().map_err(|error| EmbedError::Unavailable(format!("the local model failed: {error}")))
    }
}
