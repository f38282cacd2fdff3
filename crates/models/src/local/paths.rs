//! Where the parts of a local model are looked for.

use std::{env, path::PathBuf};

use super::{LocalModelConfig, LocalModelError};

/// The vocabulary and rules of a model's tokenizer, in its folder.
pub(super) const TOKENIZER: &str = "tokenizer.json";
const LIBRARY: &str = "libonnxruntime.so";

/// The names of a model's files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModelFiles {
    /// Name of the model, and of its folder in the folder of models.
    pub folder: &'static str,
    /// The graph, in that folder.
    pub graph: &'static str,
}

impl ModelFiles {
    /// Returns the folder that contains the model and its tokenizer.
    pub fn find_folder(self, config: &LocalModelConfig) -> Result<PathBuf, LocalModelError> {
        let Self { folder, graph } = self;
        let mut candidates = Vec::new();
        match config.models.clone().or_else(|| from_environment("IBID_MODELS")) {
            // Who names a place does not want another.
            Some(named) => candidates.extend([named.join(folder), named]),
            None => {
                candidates.extend(bundle_folder().map(|bundle| bundle.join("models").join(folder)));
                candidates.extend(cache_folder().map(|cache| cache.join("models").join(folder)));
            }
        }
        let is_complete = |folder: &&PathBuf| folder.join(graph).is_file() && folder.join(TOKENIZER).is_file();
        candidates.iter().find(is_complete).cloned().ok_or_else(|| {
            let what = format!("{folder} ({graph} and {TOKENIZER})");
            not_installed_error(&what, &candidates, "IBID_MODELS")
        })
    }
}

/// Returns the path of the ONNX Runtime library.
pub(super) fn find_library(config: &LocalModelConfig) -> Result<PathBuf, LocalModelError> {
    let mut candidates = Vec::new();
    match config.library.clone().or_else(|| from_environment("IBID_ONNXRUNTIME")) {
        Some(named) => candidates.push(named),
        None => {
            candidates.extend(bundle_folder().map(|bundle| bundle.join(LIBRARY)));
            candidates.extend(cache_folder().map(|cache| cache.join("lib").join(LIBRARY)));
        }
    }
    let found = candidates.iter().find(|file| file.is_file()).cloned();
    found.ok_or_else(|| not_installed_error("ONNX Runtime", &candidates, "IBID_ONNXRUNTIME"))
}

fn not_installed_error(what: &str, candidates: &[PathBuf], variable: &str) -> LocalModelError {
    let places: Vec<_> = candidates.iter().map(|path| path.display().to_string()).collect();
    LocalModelError::NotInstalled(format!(
        "{what} is not at {}; install Ibid again (in a clone, `make run` fetches it), or set {variable}",
        places.join(" nor at ")
    ))
}

fn from_environment(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The cache that the scripts fill.
fn cache_folder() -> Option<PathBuf> {
    from_environment("IBID_CACHE")
        .or_else(|| from_environment("XDG_CACHE_HOME").map(|cache| cache.join("ibid")))
        .or_else(|| from_environment("HOME").map(|home| home.join(".cache/ibid")))
}

/// The folder of what is installed with the program: `lib/ibid` beside the folder of the program.
fn bundle_folder() -> Option<PathBuf> {
    let program = env::current_exe().ok()?.canonicalize().ok()?;
    Some(program.parent()?.parent()?.join("lib/ibid"))
}
