//! The pixels of a picture file: PNG, JPEG, and PNM from P1 to P6.

use super::grid::{Picture, Pixel};
use std::io::Cursor;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// The most pixels of a picture.
const MAX_PIXELS: usize = 1 << 26;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
const JPEG: &[u8] = b"\xff\xd8\xff";

/// Whether an input with these first bytes is a picture.
pub(super) fn is_picture(first_bytes: &[u8]) -> bool {
    first_bytes.starts_with(PNG) || first_bytes.starts_with(JPEG) || is_pnm(first_bytes)
}

/// Decodes a file. The error says what the file is instead of a picture that can be read.
pub(super) fn decode(bytes: &[u8]) -> Result<Picture, String> {
    match bytes {
        _ if bytes.starts_with(PNG) => decode_png(bytes),
        _ if bytes.starts_with(JPEG) => decode_jpeg(bytes),
        _ => decode_pnm(bytes),
    }
}

fn is_pnm(first_bytes: &[u8]) -> bool {
    let is_space = |byte: u8| byte.is_ascii_whitespace();
    matches!(first_bytes, [b'P', b'1'..=b'6', space, header @ ..] if is_space(*space)
        && header.iter().find(|byte| !is_space(**byte)).is_some_and(|byte| byte.is_ascii_digit() || *byte == b'#')
        && pnm_header(first_bytes).is_some())
}

fn decode_png(bytes: &[u8]) -> Result<Picture, String> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|error| format!("a damaged PNG ({error})"))?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    let size = reader.output_buffer_size().filter(|_| width.saturating_mul(height) <= MAX_PIXELS);
    let Some(size) = size else { return Err(format!("a picture of {width} x {height} pixels")) };
    let mut data = vec![0; size];
    let frame = reader.next_frame(&mut data).map_err(|error| format!("a damaged PNG ({error})"))?;
    let pixel: fn(&[u8]) -> Pixel = match frame.color_type.samples() {
        1 => |sample| over_white([sample[0]; 3], 255),
        2 => |sample| over_white([sample[0]; 3], sample[1]),
        3 => |sample| over_white([sample[0], sample[1], sample[2]], 255),
        _ => |sample| over_white([sample[0], sample[1], sample[2]], sample[3]),
    };
    let pixels = data[..frame.buffer_size()].chunks_exact(frame.color_type.samples()).map(pixel).collect();
    Ok(Picture { width, height, pixels, is_lossy: false })
}

fn decode_jpeg(bytes: &[u8]) -> Result<Picture, String> {
    let damaged = |error: &dyn std::fmt::Display| format!("a damaged JPEG ({error})");
    // A decoder that is not strict invents the missing end of a truncated file.
    let options = DecoderOptions::default().set_strict_mode(true).jpeg_set_out_colorspace(ColorSpace::RGB);
    let options = options.set_max_width(MAX_PIXELS).set_max_height(MAX_PIXELS);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(|error| damaged(&error))?;
    let (width, height) = decoder.dimensions().ok_or_else(|| damaged(&"no size"))?;
    if width.saturating_mul(height) > MAX_PIXELS {
        return Err(format!("a picture of {width} x {height} pixels"));
    }
    if decoder.exif().is_some_and(|exif| is_turned(exif)) {
        return Err("a JPEG that its EXIF data turn or mirror (save it upright, without EXIF data)".to_owned());
    }
    let data = decoder.decode().map_err(|error| damaged(&error))?;
    let pixels: Vec<Pixel> = data.chunks_exact(3).map(|rgb| [rgb[0], rgb[1], rgb[2], 255]).collect();
    if pixels.len() != width * height {
        return Err(damaged(&"too few pixels"));
    }
    Ok(Picture { width, height, pixels, is_lossy: true })
}

/// Whether EXIF data have an orientation other than 1, which is upright.
fn is_turned(exif: &[u8]) -> bool {
    // The tag of the orientation, its type and its count, in big and in little endian.
    let tags = [[1, 0x12, 0, 3, 0, 0, 0, 1], [0x12, 1, 3, 0, 1, 0, 0, 0]];
    exif.windows(10).any(|field| tags.iter().any(|tag| field.starts_with(tag)) && field[8] | field[9] != 1)
}

fn over_white(colour: [u8; 3], alpha: u8) -> Pixel {
    let mix = |value: u8| ((u32::from(value) * u32::from(alpha) + 255 * (255 - u32::from(alpha))) / 255) as u8;
    let [r, g, b] = colour.map(mix);
    [r, g, b, alpha]
}

struct PnmHeader {
    width: usize,
    height: usize,
    /// The largest value; 1 in a bitmap (P1, P4), where 1 is black.
    max_value: usize,
    /// Where the pixels begin.
    pixels_at: usize,
}

fn pnm_header(bytes: &[u8]) -> Option<PnmHeader> {
    let mut at = 2;
    let mut numbers = [1; 3];
    let count = if is_bitmap(bytes) { 2 } else { 3 };
    for number in &mut numbers[..count] {
        loop {
            match bytes.get(at)? {
                b'#' => at += bytes[at..].iter().position(|byte| *byte == b'\n')?,
                byte if byte.is_ascii_whitespace() => at += 1,
                _ => break,
            }
        }
        let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        *number = std::str::from_utf8(&bytes[at..at + digits]).ok()?.parse().ok()?;
        at += digits;
    }
    let [width, height, max_value] = numbers;
    bytes.get(at)?.is_ascii_whitespace().then_some(PnmHeader { width, height, max_value, pixels_at: at + 1 })
}

fn is_bitmap(bytes: &[u8]) -> bool {
    matches!(bytes, [b'P', b'1' | b'4', ..])
}

fn decode_pnm(bytes: &[u8]) -> Result<Picture, String> {
    let damaged = || "a damaged PNM".to_owned();
    let PnmHeader { width, height, max_value, pixels_at } = pnm_header(bytes).ok_or_else(damaged)?;
    let pixels = width.saturating_mul(height);
    if !(1..=MAX_PIXELS).contains(&pixels) || !(1..=255).contains(&max_value) {
        return Err(format!("a picture of {width} x {height} pixels with values up to {max_value}"));
    }
    let kind = bytes[1];
    let samples = if matches!(kind, b'3' | b'6') { 3 } else { 1 };
    let raw = &bytes[pixels_at..];
    let values: Vec<usize> = match kind {
        // Eight pixels a byte; each row begins a byte.
        b'4' => {
            let row_bytes = width.div_ceil(8);
            let row = |row: &[u8]| (0..width).map(|x| usize::from(row[x / 8] >> (7 - x % 8) & 1)).collect::<Vec<_>>();
            raw.chunks_exact(row_bytes).take(height).flat_map(row).collect()
        }
        b'5' | b'6' => raw.iter().take(samples * pixels).map(|&byte| byte.into()).collect(),
        // The digits of a bitmap need no spaces between them.
        b'1' => raw.iter().filter(|b| !b.is_ascii_whitespace()).map(|b| b.wrapping_sub(b'0').into()).collect(),
        _ => {
            let text = std::str::from_utf8(raw).map_err(|_| damaged())?;
            let numbers = text.split_ascii_whitespace().take(samples * pixels).map(str::parse);
            numbers.collect::<Result<_, _>>().map_err(|_| damaged())?
        }
    };
    if values.len() < samples * pixels || values.iter().any(|&value| value > max_value) {
        return Err(damaged());
    }
    let scale = |value: usize| {
        let channel = (value * 255 / max_value) as u8;
        if is_bitmap(bytes) { 255 - channel } else { channel }
    };
    let pixel = |pixel: &[usize]| over_white([pixel[0], pixel[samples / 2], pixel[samples - 1]].map(scale), 255);
    let pixels = values[..samples * pixels].chunks_exact(samples).map(pixel).collect();
    Ok(Picture { width, height, pixels, is_lossy: false })
}
