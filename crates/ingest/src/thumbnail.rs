//! Small pictures of files.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, ImageReader, RgbImage};

use crate::{ExtractionError, ExtractionInput, formats, sniff};

/// A small PNG or JPEG of an image or of the first page of a PDF, at most `max_px` wide and high; nothing for other
/// kinds of files. Pictures that claim to be huge are refused before they are unpacked.
pub fn thumbnail(bytes: &[u8], max_px: u32) -> Result<Option<Vec<u8>>, ExtractionError> {
    let max_px = max_px.clamp(1, 4096);
    match sniff::detect_kind(&ExtractionInput { bytes, ..ExtractionInput::default() }) {
        sniff::FileKind::Pdf => {
            let (width, height, pixels) = formats::render_first_page(bytes, max_px)?;
            // A page is opaque: the fourth byte says nothing.
            let colours = pixels.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
            let page = RgbImage::from_raw(width, height, colours)
                .ok_or_else(|| image_error("its first page cannot be drawn"))?;
            encode_image(&DynamicImage::ImageRgb8(page), ImageFormat::Png).map(Some)
        }
        sniff::FileKind::Image(_) => of_image(bytes, max_px).map(Some),
        _ => Ok(None),
    }
}

fn of_image(bytes: &[u8], max_px: u32) -> Result<Vec<u8>, ExtractionError> {
    let format = formats::image_format(bytes).ok_or_else(|| image_error("it is no image that can be read"))?;
    let reader = || ImageReader::with_format(Cursor::new(bytes), format);
    let (width, height) = reader().into_dimensions().map_err(image_error)?;
    if u64::from(width) * u64::from(height) > formats::BIGGEST_IMAGE {
        return Err(ExtractionError::TooLarge(format!("it has {width} x {height} pixels")));
    }
    let mut reader = reader();
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(formats::BIGGEST_IMAGE * 8);
    reader.limits(limits);
    let image = reader.decode().map_err(image_error)?;
    let small = if width.max(height) > max_px { image.thumbnail(max_px, max_px) } else { image };
    if small.color().has_alpha() {
        encode_image(&DynamicImage::ImageRgba8(small.into_rgba8()), ImageFormat::Png)
    } else {
        encode_image(&DynamicImage::ImageRgb8(small.into_rgb8()), ImageFormat::Jpeg)
    }
}

fn encode_image(image: &DynamicImage, format: ImageFormat) -> Result<Vec<u8>, ExtractionError> {
    let mut out = Cursor::new(Vec::new());
    image.write_to(&mut out, format).map_err(image_error)?;
    Ok(out.into_inner())
}

fn image_error(error: impl ToString) -> ExtractionError {
    ExtractionError::Damaged(error.to_string())
}
