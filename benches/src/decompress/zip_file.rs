//! Zip files of deflate streams, as packages have them (APPNOTE 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16).

use bytes::Bytes;
use rayon::prelude::*;

use super::compressors::deflate_stream;

/// Version that is needed to extract deflate streams.
const VERSION: u16 = 20;

/// Compression method of deflate.
const DEFLATE: u16 = 8;

/// 1 January 1980, as MS-DOS writes dates.
const DATE: u16 = 1 << 5 | 1;

/// Zip file with an entry for each part.
pub(super) fn zip_file(parts: &[Bytes]) -> Result<Vec<u8>, String> {
    let streams: Result<Vec<_>, _> = parts.par_iter().map(|part| deflate_stream(part)).collect();
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (number, (part, stream)) in parts.iter().zip(streams?).enumerate() {
        let offset = u32::try_from(file.len()).map_err(|_| "a zip file of more than 4 GiB")?;
        let name = format!("text/{number:05}.rs");
        let mut common = Vec::new();
        for field in [VERSION, 0, DEFLATE, 0, DATE] {
            common.extend_from_slice(&field.to_le_bytes());
        }
        for field in [libdeflater::crc32(part), stream.len() as u32, part.len() as u32] {
            common.extend_from_slice(&field.to_le_bytes());
        }
        for field in [name.len() as u16, 0] {
            common.extend_from_slice(&field.to_le_bytes());
        }
        file.extend_from_slice(b"PK\x03\x04");
        file.extend_from_slice(&common);
        file.extend_from_slice(name.as_bytes());
        file.extend_from_slice(&stream);
        directory.extend_from_slice(b"PK\x01\x02");
        directory.extend_from_slice(&VERSION.to_le_bytes());
        directory.extend_from_slice(&common);
        // Length of the comment, disk, and attributes.
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&offset.to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
    }
    let directory_offset = u32::try_from(file.len()).map_err(|_| "a zip file of more than 4 GiB")?;
    let entries = u16::try_from(parts.len()).map_err(|_| "a zip file of more than 65,535 entries")?;
    file.extend_from_slice(&directory);
    file.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    file.extend_from_slice(&entries.to_le_bytes());
    file.extend_from_slice(&entries.to_le_bytes());
    file.extend_from_slice(&(directory.len() as u32).to_le_bytes());
    file.extend_from_slice(&directory_offset.to_le_bytes());
    file.extend_from_slice(&[0, 0]);
    Ok(file)
}
