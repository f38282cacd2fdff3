//! Small pictures of files.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, ImageReader, RgbImage};

use crate::{ExtractionError, Input, formats, sniff};

/// A small PNG or JPEG of an image or of the first page of a PDF, at most `max_px` wide and high; nothing for other
/// kinds of files. Pictures that claim to be huge are refused before they are unpacked.
pub fn thumbnail(bytes: &[u8], max_px: u32) -> Result<Option<Vec<u8>>, ExtractionError> {
    let max_px = max_px.clamp(1, 4096);
    match sniff::kind(&Input { bytes, ..Input::default() }) {
        sniff::Kind::Pdf => {
            let (width, height, pixels) = formats::render_first_page(bytes, max_px)?;
            // A page is opaque: the fourth byte says nothing.
            let colours = pixels.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
            let page =
                RgbImage::from_raw(width, height, colours).ok_or_else(|| broken("its first page cannot be drawn"))?;
            encode(&DynamicImage::ImageRgb8(page), ImageFormat::Png).map(Some)
        }
        sniff::Kind::Image(_) => of_image(bytes, max_px).map(Some),
        _ => Ok(None),
    }
}

fn of_image(bytes: &[u8], max_px: u32) -> Result<Vec<u8>, ExtractionError> {
    let format = formats::image_format(bytes).ok_or_else(|| broken("it is no image that can be read"))?;
    let reader = || ImageReader::with_format(Cursor::new(bytes), format);
    let (width, height) = reader().into_dimensions().map_err(broken)?;
    if u64::from(width) * u64::from(height) > formats::BIGGEST_IMAGE {
        return Err(ExtractionError::TooLarge(format!("it has {width} x {height} pixels")));
    }
    let mut reader = reader();
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(formats::BIGGEST_IMAGE * 8);
    reader.limits(limits);
    let image = reader.decode().map_err(broken)?;
    let small = if width.max(height) > max_px { image.thumbnail(max_px, max_px) } else { image };
    if small.color().has_alpha() {
        encode(&DynamicImage::ImageRgba8(small.into_rgba8()), ImageFormat::Png)
    } else {
        encode(&DynamicImage::ImageRgb8(small.into_rgb8()), ImageFormat::Jpeg)
    }
}

fn encode(image: &DynamicImage, format: ImageFormat) -> Result<Vec<u8>, ExtractionError> {
    let mut out = Cursor::new(Vec::new());
    image.write_to(&mut out, format).map_err(broken)?;
    Ok(out.into_inner())
}

fn broken(error: impl ToString) -> ExtractionError {
    ExtractionError::Damaged(error.to_string())
}
