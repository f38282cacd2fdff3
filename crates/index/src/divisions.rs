//! How vectors were divided, kept beside the journal so that it need not be done again when a library is opened. It is
//! only a matter of time: without it, or with one of another state, the same is found.

use std::{fs, io::Write, path::Path};

use serde::{Deserialize, Serialize};

use crate::{Error, Result, vectors::Vectors};

#[derive(Serialize, Deserialize)]
struct Kept {
    space: i64,
    dimension: usize,
    divided: usize,
    centres: Vec<f32>,
    listed: Vec<u32>,
}

/// Keeps how they are divided.
pub(crate) fn write(folder: &Path, space: i64, vectors: &Vectors) -> Result<()> {
    let (centres, listed, divided) = vectors.division();
    let kept =
        Kept { space, dimension: vectors.dimension(), divided, centres: centres.to_vec(), listed: listed.to_vec() };
    let bytes = postcard::to_stdvec(&kept).map_err(|error| Error::Damaged(error.to_string()))?;
    let new = folder.join("division.new");
    let mut file = fs::File::create(&new)?;
    file.write_all(&crc32fast::hash(&bytes).to_le_bytes())?;
    file.write_all(&bytes)?;
    fs::rename(new, folder.join("division"))?;
    Ok(())
}

/// Divides vectors as they were divided, if that is known.
pub(crate) fn read(folder: &Path, space: i64, vectors: &mut Vectors) {
    let Ok(bytes) = fs::read(folder.join("division")) else { return };
    let Some((hash, bytes)) = bytes.split_first_chunk() else { return };
    if crc32fast::hash(bytes) != u32::from_le_bytes(*hash) {
        return;
    }
    let Ok(kept) = postcard::from_bytes::<Kept>(bytes) else { return };
    if kept.space == space && kept.dimension == vectors.dimension() {
        vectors.divide_as(kept.centres, &kept.listed, kept.divided);
    }
}
