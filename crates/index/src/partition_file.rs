//! How vectors were divided, kept beside the journal so that it need not be done again when a library is opened. It is
//! only a matter of time: without it, or with one of another state, the same is found.

use std::{fs, io::Write, path::Path};

use serde::{Deserialize, Serialize};

use crate::{IndexError, Result, vectors::VectorIndex};

#[derive(Serialize, Deserialize)]
struct StoredPartition {
    space: i64,
    dimension: usize,
    divided: usize,
    centres: Vec<f32>,
    listed: Vec<u32>,
}

/// Keeps how they are divided.
pub(crate) fn write_partition(folder: &Path, space: i64, vectors: &VectorIndex) -> Result<()> {
    let (centres, listed, divided) = vectors.current_partition();
    let kept = StoredPartition {
        space,
        dimension: vectors.dimension(),
        divided,
        centres: centres.to_vec(),
        listed: listed.to_vec(),
    };
    let bytes = postcard::to_stdvec(&kept).map_err(|error| IndexError::Damaged(error.to_string()))?;
    let new = folder.join("division.new");
    let mut file = fs::File::create(&new)?;
    file.write_all(&crc32fast::hash(&bytes).to_le_bytes())?;
    file.write_all(&bytes)?;
    fs::rename(new, folder.join("division"))?;
    Ok(())
}

/// Divides vectors as they were divided, if that is known.
pub(crate) fn read_partition(folder: &Path, space: i64, vectors: &mut VectorIndex) {
    let Ok(bytes) = fs::read(folder.join("division")) else { return };
    let Some((hash, bytes)) = bytes.split_first_chunk() else { return };
    if crc32fast::hash(bytes) != u32::from_le_bytes(*hash) {
        return;
    }
    let Ok(kept) = postcard::from_bytes::<StoredPartition>(bytes) else { return };
    if kept.space == space && kept.dimension == vectors.dimension() {
        vectors.adopt_partition(kept.centres, &kept.listed, kept.divided);
    }
}
