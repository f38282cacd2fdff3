//! Images: no text, but a size.

use std::io::Cursor;

use image::{ImageFormat, ImageReader};

use super::{ExtractionDraft, damaged_file};
use crate::ExtractionError;

/// More pixels than this are not unpacked: a few bytes can claim to be a picture of many gigabytes.
pub(crate) const BIGGEST: u64 = 100_000_000;

pub(super) fn read(bytes: &[u8], draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
    let format = format_of(bytes).ok_or_else(|| damaged_file("it is no image that can be read"))?;
    let reader = ImageReader::with_format(Cursor::new(bytes), format);
    let size = reader.into_dimensions().map_err(|error| damaged_file(format!("the image cannot be read ({error})")))?;
    draft.dimensions = Some(size);
    Ok(())
}

/// Detects the image format from the first bytes.
pub(crate) fn format_of(bytes: &[u8]) -> Option<ImageFormat> {
    let format = image::guess_format(bytes).ok()?;
    use ImageFormat::{Bmp, Gif, Jpeg, Png, Tiff, WebP};
    matches!(format, Bmp | Gif | Jpeg | Png | Tiff | WebP).then_some(format)
}
