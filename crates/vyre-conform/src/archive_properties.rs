//! Properties of all archives, compressed streams and compressed blocks: the bodies of the fuzz targets of `vyre-unpack`.
//!
//! Each function panics if its property is violated.

use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use vyre_ops::compression::{
    CompressedBlock, DeflateError, deflate_stream_on_host, lz4_block_on_host, zstd_block_on_host,
};
use vyre_runtime::{Device, ReferenceDevice, RunOptions};
use vyre_unpack::{DecompressError, Entry, EntryKind, Limits, Options, Receiver, Route, Summary, Unpacker};

use crate::compression::check::{Checker, reference};
use crate::compression::zlib;

/// Limits of the fuzz targets.
fn limits() -> Limits {
    Limits::default().with_total(8 << 20).with_entry(4 << 20).with_ratio(250).with_entries(1_000).with_depth(6)
}
/// Name of all inputs. brotli has no signature, so the name must allow it.
const NAME: &[u8] = b"archive.br";
/// Maximum size of an archive that is unpacked on the reference device as well.
const MAX_DEVICE_INPUT_BYTES: usize = 4 << 10;
/// Maximum output of such an archive.
const MAX_DEVICE_OUTPUT_BYTES: u64 = 16 << 10;
/// Maximum output of a single block.
const MAX_BLOCK_OUTPUT_BYTES: u32 = 4 << 10;

/// Patches input bytes so that they pass the detection of this format. Formats without a rule are left as they are.
///
/// Checksums of tar headers and of the first LZ4 frame header are recomputed, so that the code behind them is reached.
fn with_signature(format: &str, bytes: &[u8]) -> Vec<u8> {
    let signature: &[u8] = match format {
        // The parser searches for the central directory from the end.
        "zip" => b"PK",
        "gzip" => &[0x1f, 0x8b, 8],
        "zstd" => &[0x28, 0xb5, 0x2f, 0xfd],
        "lz4" => &[0x04, 0x22, 0x4d, 0x18],
        "xz" => &[0xfd, b'7', b'z', b'X', b'Z', 0],
        "bzip2" => b"BZh",
        "asar" => &[4, 0, 0, 0],
        "ar" => b"!<arch>\n",
        "cpio" => b"0707",
        "lzip" => b"LZIP\x01",
        "lzma" => &[0x5d, 0, 0],
        "7z" => b"7z\xbc\xaf\x27\x1c",
        "rpm" => &[0xed, 0xab, 0xee, 0xdb],
        "cab" => b"MSCF\0\0\0\0",
        "squashfs" => b"hsqs",
        "cfb" => &[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1],
        _ => b"",
    };
    let mut bytes = bytes.to_vec();
    // A stream may also start with a skippable frame.
    let is_skippable = bytes.get(1..4) == Some(&[0x2a, 0x4d, 0x18]);
    if !is_skippable && let Some(start) = bytes.get_mut(..signature.len()) {
        start.copy_from_slice(signature);
    }
    match format {
        "tar" => repair_tar(&mut bytes),
        "lz4" => repair_lz4(&mut bytes),
        "7z" => repair_sevenz(&mut bytes),
        _ => {}
    }
    bytes
}

/// Recomputes the checksums of the start header and of the header at the end.
fn repair_sevenz(bytes: &mut [u8]) {
    let word = |bytes: &[u8], at: usize| bytes.get(at..)?.first_chunk().map(|word| u64::from_le_bytes(*word));
    let (Some(offset), Some(size)) = (word(bytes, 12), word(bytes, 20)) else { return };
    if bytes.len() < 32 {
        return;
    }
    let start = usize::try_from(offset).ok().and_then(|offset| offset.checked_add(32));
    let end = start.and_then(|start| start.checked_add(usize::try_from(size).ok()?));
    if let (Some(start), Some(end)) = (start, end)
        && let Some(header) = bytes.get(start..end)
    {
        let sum = crc32fast::hash(header);
        bytes[28..32].copy_from_slice(&sum.to_le_bytes());
    }
    let sum = crc32fast::hash(&bytes[12..32]);
    bytes[8..12].copy_from_slice(&sum.to_le_bytes());
}

/// Recomputes the checksums of all headers.
fn repair_tar(bytes: &mut [u8]) {
    for header in bytes.as_chunks_mut::<512>().0 {
        if &header[257..262] == b"ustar" {
            header[148..156].fill(b' ');
            let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
            header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        }
    }
}

/// Recomputes the checksum of the frame header.
fn repair_lz4(bytes: &mut [u8]) {
    let Some(&flags) = bytes.get(4) else { return };
    let length = 2 + usize::from(flags >> 3 & 1) * 8 + usize::from(flags & 1) * 4;
    let Some(descriptor) = bytes.get(4..4 + length) else { return };
    let sum = (xxhash_rust::xxh32::xxh32(descriptor, 0) >> 8) as u8;
    if let Some(checksum) = bytes.get_mut(4 + length) {
        *checksum = sum;
    }
}

/// Any bytes are unpacked or rejected by the parser of this format, with the properties of [`check_archives`].
pub fn check_container(format: &str, bytes: &[u8]) {
    let bytes = with_signature(format, bytes);
    let (entries, result) = open(&bytes, false);
    // Few bytes may be a stream of another format.
    if let ("zip", Ok(summary)) = (format, &result)
        && summary.problem_count == 0
        && bytes.starts_with(b"PK")
    {
        check_sums(&bytes, &entries);
    }
}

/// Any bytes are unpacked or rejected, nested archives included. The limits bound the emitted bytes, and a device emits the same
/// entries as the host.
pub fn check_archives(bytes: &[u8]) {
    let _ = open(bytes, true);
}

type Opened = (Vec<Entry>, Result<Summary, DecompressError>);

/// Unpacks an archive on the host and, if it is small, on the reference device too.
fn open(bytes: &[u8], nested: bool) -> Opened {
    let bytes = Bytes::copy_from_slice(bytes);
    let options = Options::default().with_limits(limits()).with_route(Route::Host).with_nested(nested);
    let mut collected = Collected::default();
    let result = Unpacker::on_host(options.clone()).unpack(NAME, bytes.clone(), &mut collected);
    let entries = collected.0;
    check_limits(&entries, &result, bytes.len() as u64);
    if let Ok(summary) = &result
        && bytes.len() <= MAX_DEVICE_INPUT_BYTES
        && summary.output <= MAX_DEVICE_OUTPUT_BYTES
    {
        let unpacker = Unpacker::on_device(device(), options.with_route(Route::Device));
        let mut collected = Collected::default();
        let on_device = unpacker.unpack(NAME, bytes, &mut collected);
        let on_device = on_device.unwrap_or_else(|error| panic!("only on a device: {error}"));
        assert_same(&entries, &collected.0);
        let independent_of_route = |summary: &Summary| {
            let Summary { format, entries, damaged, problems, problem_count, output, layers, .. } = summary.clone();
            (format, entries, damaged, problems, problem_count, output, layers)
        };
        assert_eq!(independent_of_route(&on_device), independent_of_route(summary));
    }
    (entries, result)
}

#[derive(Default)]
struct Collected(Vec<Entry>);

impl Receiver for Collected {
    fn entries(&mut self, entries: Vec<Entry>) -> Result<(), DecompressError> {
        self.0.extend(entries);
        Ok(())
    }
}

/// The reference device, created once.
fn device() -> Arc<dyn Device> {
    static DEVICE: LazyLock<Arc<ReferenceDevice>> = LazyLock::new(|| Arc::new(ReferenceDevice::new()));
    Arc::clone(&*DEVICE) as Arc<dyn Device>
}

fn check_limits(entries: &[Entry], result: &Result<Summary, DecompressError>, input: u64) {
    let delivered: u64 = entries.iter().map(|entry| entry.bytes.len() as u64).sum();
    // Uncompressed members are emitted with their archive and on their own, in each layer.
    let allowed = (limits().total + input) * u64::from(limits().depth);
    assert!(delivered <= allowed, "{delivered} bytes delivered");
    assert!(entries.len() as u64 <= limits().entries, "{} entries delivered", entries.len());
    for entry in entries {
        assert!(entry.bytes.len() as u64 <= limits().entry, "{}", entry.path.display());
        assert!(entry.kind == EntryKind::File || entry.bytes.is_empty(), "{}", entry.path.display());
        if entry.problems.is_empty() && entry.kind == EntryKind::File {
            let length = entry.bytes.len() as u64;
            assert!(entry.size.is_none_or(|size| size == length), "{}: {length}", entry.path.display());
        }
        for problem in &entry.problems {
            assert!(!problem.to_string().contains('\n'), "{problem}");
        }
    }
    match result {
        Ok(summary) => {
            assert!(summary.output <= limits().total + input && summary.layers <= limits().depth, "{summary:?}");
            assert_eq!(summary.entries, entries.len() as u64);
            let damaged = entries.iter().filter(|entry| !entry.problems.is_empty()).count();
            assert_eq!(summary.damaged, damaged as u64);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn assert_same(expected: &[Entry], found: &[Entry]) {
    assert_eq!(expected.len(), found.len());
    for (expected, found) in expected.iter().zip(found) {
        let name = expected.path.display();
        assert_eq!((&expected.path, &expected.kind), (&found.path, &found.kind));
        assert!(expected.bytes == found.bytes, "{name}: other bytes on a device");
        assert_eq!(expected.problems, found.problems, "{name}");
        assert_eq!((expected.size, expected.is_opened), (found.size, found.is_opened), "{name}");
    }
}

/// A record of the central directory has the checksum of each entry without problems.
fn check_sums(archive: &[u8], entries: &[Entry]) {
    let records = archive.windows(20).filter(|bytes| bytes.starts_with(b"PK\x01\x02"));
    let sums: Vec<u32> =
        records.map(|record| u32::from_le_bytes([record[16], record[17], record[18], record[19]])).collect();
    for entry in entries.iter().filter(|entry| entry.problems.is_empty() && entry.kind == EntryKind::File) {
        let sum = crc32fast::hash(&entry.bytes);
        assert!(sums.contains(&sum), "{}: no record has the CRC-32 {sum:08x}", entry.path.display());
    }
}

/// Any bytes after the first two, which set the output size, are an LZ4 block, a zstd block and a Deflate
/// stream. All programs of the ops agree with
/// the references, and the engine decodes such a block in a frame or a member as the references do. Another LZ4 decoder gives the same bytes
/// for every block that it accepts.
pub fn check_blocks(bytes: &[u8]) {
    let Some((&[low, high], block)) = bytes.split_first_chunk() else { return };
    let room = u32::from(u16::from_le_bytes([low, high])) % (MAX_BLOCK_OUTPUT_BYTES + 1);
    for id in ["compression.lz4", "compression.zstd", "compression.deflate"] {
        let op = vyre_ops::find(id).expect("is in the library");
        let judged: Vec<_> = [false, true]
            .map(|is_stored| {
                let block = CompressedBlock { bytes: block, room, is_stored };
                (block, reference(op, &block))
            })
            .into();
        let checked = Checker::new(&device(), &RunOptions::default()).check(op, &judged);
        checked.unwrap_or_else(|message| panic!("{id}: {message}"));
    }

    let room = room as usize;
    let (error, expected) = lz4_block_on_host(block, room);
    let mut output = vec![0; room];
    if let Ok(length) = lz4_flex::block::decompress_into(block, &mut output) {
        assert_eq!(error, None, "another decoder accepts it");
        assert!(output[..length] == expected[..], "another decoder gives other bytes");
    }
    check_lz4_in_frame(block);
    check_zstd_in_frame(block);
    check_deflate_in_member(block);
}

/// The engine decodes a block in an LZ4 frame as the reference does.
fn check_lz4_in_frame(block: &[u8]) {
    const MAX_BLOCK_BYTES: usize = 64 << 10;
    if block.is_empty() || block.len() > MAX_BLOCK_BYTES {
        return;
    }
    let mut frame = vec![0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0];
    repair_lz4(&mut frame);
    frame.extend((block.len() as u32).to_le_bytes());
    frame.extend(block);
    frame.extend([0; 4]);
    let (error, expected) = lz4_block_on_host(block, MAX_BLOCK_BYTES);
    expect_in_frame(&frame, error.is_none(), &expected);
}

/// The engine decodes a raw or RLE block in a zstd frame as the reference does.
fn check_zstd_in_frame(block: &[u8]) {
    const MAX_BLOCK_BYTES: usize = 128 << 10;
    let Some((&[first, second, third], payload)) = block.split_first_chunk() else { return };
    let header = u32::from_le_bytes([first, second, third, 0]);
    let (kind, size) = (header >> 1 & 3, (header >> 3) as usize);
    let length = if kind == 1 { 1 } else { size };
    if kind > 1 || size > MAX_BLOCK_BYTES || payload.len() != length {
        return;
    }
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x38, first | 1, second, third];
    frame.extend(payload);
    let expected = zstd_block_on_host(block, MAX_BLOCK_BYTES);
    expect_in_frame(&frame, expected.is_ok(), &expected.unwrap_or_default());
}

/// The engine decodes a Deflate stream in a gzip member as zlib and the reference do.
fn check_deflate_in_member(stream: &[u8]) {
    const MAX_STREAM_BYTES: usize = 64 << 10;
    let (error, expected) = deflate_stream_on_host(stream, MAX_STREAM_BYTES);
    // Bytes behind the stream may be a trailer and another member.
    if let Some(DeflateError::OutputOverflow | DeflateError::TrailingBytes) = error {
        return;
    }
    let by_zlib = zlib::decode(stream, MAX_STREAM_BYTES);
    assert_eq!(by_zlib.as_deref(), error.is_none().then_some(&expected[..]), "zlib has another result");
    let sum = crc32fast::hash(&expected).to_le_bytes();
    let size = (expected.len() as u32).to_le_bytes();
    let member = [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff], stream, &sum, &size].concat();
    expect_in_frame(&member, error.is_none(), &expected);
}

fn expect_in_frame(frame: &[u8], is_right: bool, expected: &[u8]) {
    let (entries, result) = open(frame, false);
    // The content may look like an archive, with problems of its own.
    let is_clean = result.as_ref().is_ok_and(|summary| {
        summary.damaged == 0
            && summary.problems.iter().all(|problem| !matches!(problem.format, "lz4" | "zstd" | "gzip"))
    });
    assert_eq!(is_clean, is_right, "{result:?}");
    // The content may be an archive, which is then unpacked instead.
    if is_clean && let [Entry { method: "lz4" | "zstd" | "gzip", bytes, .. }] = &entries[..] {
        assert!(bytes[..] == *expected, "other bytes than the reference");
    }
}
