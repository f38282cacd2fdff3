//! Where the parts of the local model are looked for.

use std::{
    env,
    path::{Path, PathBuf},
};

use super::{LocalEmbedderConfig, MODEL};
use crate::EmbedError;

/// The graph, in the model's folder.
pub(super) const GRAPH: &str = "model.int8.onnx";
/// The vocabulary and rules of its tokenizer, in the same folder.
pub(super) const TOKENIZER: &str = "tokenizer.json";
const LIBRARY: &str = "libonnxruntime.so";

/// Returns the folder that contains the model and its tokenizer.
pub(super) fn find_model_folder(config: &LocalEmbedderConfig) -> Result<PathBuf, EmbedError> {
    let mut candidates = Vec::new();
    match config.models.clone().or_else(|| from_environment("IBID_MODELS")) {
        // Who names a place does not want another.
        Some(named) => candidates.extend([named.join(MODEL), named]),
        None => {
            candidates.extend(cache_folder().map(|cache| cache.join("models").join(MODEL)));
            candidates.extend(program_folder().map(|folder| folder.join("models").join(MODEL)));
        }
    }
    let complete = |folder: &&PathBuf| folder.join(GRAPH).is_file() && folder.join(TOKENIZER).is_file();
    candidates.iter().find(complete).cloned().ok_or_else(|| {
        not_installed_error(
            &format!("{MODEL} ({GRAPH} and {TOKENIZER})"),
            &candidates,
            "scripts/model.sh",
            "IBID_MODELS",
        )
    })
}

/// Returns the path of the ONNX Runtime library.
pub(super) fn find_library(config: &LocalEmbedderConfig) -> Result<PathBuf, EmbedError> {
    let mut candidates = Vec::new();
    match config.library.clone().or_else(|| from_environment("IBID_ONNXRUNTIME")) {
        Some(named) => candidates.push(named),
        None => {
            candidates.extend(cache_folder().map(|cache| cache.join("lib").join(LIBRARY)));
            candidates
                .extend(program_folder().into_iter().flat_map(|at| [at.join(LIBRARY), at.join("lib").join(LIBRARY)]));
        }
    }
    let found = candidates.iter().find(|file| file.is_file()).cloned();
    found.ok_or_else(|| not_installed_error("ONNX Runtime", &candidates, "scripts/onnxruntime.sh", "IBID_ONNXRUNTIME"))
}

fn not_installed_error(what: &str, candidates: &[PathBuf], script: &str, variable: &str) -> EmbedError {
    let places: Vec<_> = candidates.iter().map(|path| path.display().to_string()).collect();
    EmbedError::NotInstalled(format!(
        "{what} is not at {}; `{script}` fetches it, as does `make run`, or {variable} says where it is",
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

/// The folder of the running program.
fn program_folder() -> Option<PathBuf> {
    env::current_exe().ok()?.parent().map(Path::to_path_buf)
}
