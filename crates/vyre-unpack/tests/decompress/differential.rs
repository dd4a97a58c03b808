//! Round trips with other libraries: LZ4 blocks by all programs on devices, zstd frames and Deflate through the engine.

use std::sync::Arc;

use libdeflater::{CompressionLvl, Compressor};
use lzzzz::{lz4, lz4_hc};
use vyre_jit::{JitDevice, JitOptions};
use vyre_ops::ProgramVariant;
use vyre_ops::compression::{CompressedBlock, CompressionOps};
use vyre_runtime::{Device, ReferenceDevice};
use vyre_unpack::{Route, detect_format};

use crate::collect::{noise, open_clean, text};
use crate::device::on_device;
use crate::device_routes::cpu;
use crate::zip::{Part, build};

/// Block sizes: around the lengths at which the format changes, and those of frames.
const SIZES: [usize; 16] = [1, 2, 3, 4, 5, 7, 12, 13, 15, 16, 64, 255, 4096, 65_535, 65_536, 65_537];

/// Data of different compressibility: high, low, none, runs, and a mixture.
fn contents(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let words = [&b"let "[..], b"mut ", b"value", b" = ", b"self.", b"next", b"();\n", b"    ", b"// ", b"while "];
    let prose = noise(size, 7).into_iter().flat_map(|byte| words[usize::from(byte) % words.len()]);
    let prose: Vec<u8> = prose.copied().take(size).collect();
    let runs = noise(size, 8).into_iter().flat_map(|byte| vec![byte; 1 + usize::from(byte) * 3]).take(size).collect();
    let parts = noise(size, 9).into_iter().enumerate().map(|(offset, byte)| match offset >> 9 & 3 {
        0 => byte,
        1 => b'-',
        2 => prose[offset],
        _ => byte & 3,
    });
    let mixed = parts.collect();
    vec![
        ("prose", prose),
        ("runs", runs),
        ("noise", noise(size, 10)),
        ("mixed", mixed),
        ("zeros", vec![0; size]),
        ("repeated text", text(size)),
    ]
}

/// The blocks that libraries make of some bytes.
fn blocks_of(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut blocks = vec![("lz4_flex".to_owned(), lz4_flex::block::compress(bytes))];
    for acceleration in [1, 4, 65_537] {
        let mut block = Vec::new();
        lz4::compress_to_vec(bytes, &mut block, acceleration).unwrap();
        blocks.push((format!("fast {acceleration}"), block));
    }
    for level in [1, 3, 9, 12] {
        let mut block = Vec::new();
        lz4_hc::compress_to_vec(bytes, &mut block, level).unwrap();
        blocks.push((format!("high compression {level}"), block));
    }
    blocks
}

/// A block, its description, and its content.
struct Made {
    what: String,
    block: Vec<u8>,
    bytes: Vec<u8>,
}

fn made(sizes: &[usize]) -> Vec<Made> {
    let mut all = Vec::new();
    for &size in sizes {
        for (kind, bytes) in contents(size) {
            for (by, block) in blocks_of(&bytes) {
                all.push(Made { what: format!("{size} bytes of {kind} by {by}"), block, bytes: bytes.clone() });
            }
        }
    }
    all
}

/// Runs blocks with a program and counts the refused ones.
fn run(ops: &CompressionOps, program: &ProgramVariant, made: &[Made]) -> usize {
    let op = vyre_ops::find("compression.lz4").unwrap();
    let block = |bytes, room: usize| CompressedBlock { bytes, room: room as u32, is_stored: false };
    let blocks: Vec<_> = made.iter().map(|made| block(&made.block[..], made.bytes.len())).collect();
    let decompressed = ops.run(op, program, &blocks).unwrap();
    let mut refused = 0;
    for (number, (made, status)) in made.iter().zip(decompressed.statuses()).enumerate() {
        if status.code != 0 {
            println!("{}: {} has code {}", program.name, made.what, status.code);
            refused += 1;
        } else {
            assert!(decompressed.bytes(number) == &made.bytes[..], "{}: {}", program.name, made.what);
        }
    }
    refused
}

fn expect_none_refused(device: Arc<dyn Device>, made: &[Made]) {
    let name = device.name().to_owned();
    let ops = CompressionOps::new(device);
    let programs: Vec<ProgramVariant> = vyre_ops::find("compression.lz4").unwrap().programs().collect();
    assert!(programs.len() >= 4);
    for program in &programs {
        let refused = run(&ops, program, made);
        println!("{name}, {}: {} blocks, {refused} refused", program.name, made.len());
        assert_eq!(refused, 0);
    }
}

#[test]
fn lz4_blocks_of_other_libraries_on_the_jit() {
    expect_none_refused(Arc::new(JitDevice::new(&JitOptions::default()).unwrap()), &made(&SIZES));
}

#[test]
fn small_lz4_blocks_of_other_libraries_on_the_reference() {
    expect_none_refused(Arc::new(ReferenceDevice::new()), &made(&SIZES[..12]));
}

#[test]
fn large_lz4_blocks_on_the_jit() {
    let mut large = made(&[1 << 20]);
    large.retain(|made| ["lz4_flex", "fast 1", "compression 9"].iter().any(|by| made.what.ends_with(by)));
    let mut largest = made(&[4 << 20]);
    largest.retain(|made| made.what.ends_with("mixed by fast 1") || made.what.ends_with("prose by lz4_flex"));
    large.extend(largest);
    assert_eq!(large.len(), 6 * 3 + 2);
    expect_none_refused(Arc::new(JitDevice::new(&JitOptions::default()).unwrap()), &large);
}

/// All frames of libzstd are decoded on the device, which refuses none.
#[test]
fn zstd_frames_on_the_jit() {
    let (mut blocks, mut compressed) = (0, 0);
    for level in [-5, 1, 3, 9, 19] {
        for size in [1, 5, 255, 4096, 65_537, 300_000, 1 << 20] {
            for (kind, bytes) in contents(size) {
                let mut frame = Vec::with_capacity(zstd_safe::compress_bound(size));
                zstd_safe::compress(&mut frame, &bytes, level).unwrap();
                assert_eq!(detect_format(&frame), Some("zstd"));
                let (collected, summary) = on_device("x.zst", frame, Route::Device);
                assert!(collected.entries[0].bytes[..] == bytes[..], "{size} bytes of {kind} at {level}");
                assert!(summary.blocks.host.is_empty(), "{size} bytes of {kind}: {:?}", summary.blocks);
                assert_eq!(summary.blocks.device_output, size as u64);
                blocks += summary.blocks.device;
                compressed += summary.blocks.zstd.compressed;
            }
        }
    }
    assert!(compressed > 100);
    println!("{blocks} blocks of zstd on the device, {compressed} of them compressed, none refused");
}

/// A frame of libzstd, with or without the size of its content.
fn zstd_frame(bytes: &[u8], level: i32, has_size: bool) -> Vec<u8> {
    let mut context = zstd_safe::CCtx::create();
    context.set_parameter(zstd_safe::CParameter::CompressionLevel(level)).unwrap();
    context.set_parameter(zstd_safe::CParameter::ContentSizeFlag(has_size)).unwrap();
    let mut frame = Vec::with_capacity(zstd_safe::compress_bound(bytes.len()));
    context.compress2(&mut frame, bytes).unwrap();
    frame
}

/// Frames of 256 KiB to 4 MiB by all programs of the op: windows, long matches and tables that are used again across many blocks.
#[test]
fn large_zstd_frames_on_the_jit() {
    let ops = CompressionOps::new(cpu());
    let op = vyre_ops::find("compression.zstd_full").unwrap();
    for (size, levels) in [(256 << 10, &[-5, 3, 12][..]), (1 << 20, &[1, 9]), (4 << 20, &[3])] {
        let mut frames = Vec::new();
        for (kind, bytes) in contents(size) {
            for &level in levels {
                frames.push((
                    format!("{size} bytes of {kind} at {level}"),
                    zstd_frame(&bytes, level, level != 3),
                    bytes.clone(),
                ));
            }
        }
        for program in op.programs() {
            // Programs of one structure: all of them on the smaller frames.
            let some = if size > 1 << 20 && program.name != ProgramVariant::CANONICAL { 2 } else { frames.len() };
            let blocks: Vec<_> = frames[..some]
                .iter()
                .map(|(_, frame, bytes)| CompressedBlock { bytes: frame, room: bytes.len() as u32, is_stored: false })
                .collect();
            let decompressed = ops.run(op, &program, &blocks).unwrap();
            for (number, (what, _, bytes)) in frames[..some].iter().enumerate() {
                assert_eq!(decompressed.statuses()[number].code, 0, "{}: {what}", program.name);
                assert!(decompressed.bytes(number) == &bytes[..], "{}: {what}", program.name);
            }
        }
    }
}

/// A sample of flipped bits in a frame of several blocks: the op accepts nothing that libzstd refuses, and never other bytes.
#[test]
fn flipped_bits_of_a_large_zstd_frame_on_the_jit() {
    const SIZE: usize = 512 << 10;
    let ops = CompressionOps::new(cpu());
    let op = vyre_ops::find("compression.zstd_full").unwrap();
    let (_, content) = contents(SIZE).into_iter().find(|(kind, _)| *kind == "mixed").unwrap();
    let frame = zstd_frame(&content, 3, true);
    let places = noise(3 * 240, 11);
    let damaged: Vec<Vec<u8>> = places
        .as_chunks::<3>()
        .0
        .iter()
        .enumerate()
        .map(|(number, &[high, low, bit])| {
            // The first bytes of all have the headers of the frame, its first block and its tables.
            let range = if number % 4 == 0 { 300 } else { frame.len() };
            let mut damaged = frame.clone();
            damaged[(usize::from(high) << 8 | usize::from(low)) * 7919 % range] ^= 1 << (bit & 7);
            damaged
        })
        .collect();
    let (mut accepted, mut refused, mut stricter) = (0, 0, 0);
    for program in op.programs().filter(|program| [ProgramVariant::CANONICAL, "cooperative_8"].contains(&program.name))
    {
        for some in damaged.chunks(40) {
            let blocks: Vec<_> =
                some.iter().map(|bytes| CompressedBlock { bytes, room: SIZE as u32, is_stored: false }).collect();
            let decompressed = ops.run(op, &program, &blocks).unwrap();
            for (number, bytes) in some.iter().enumerate() {
                let mut expected = Vec::with_capacity(SIZE);
                let library = zstd_safe::decompress(&mut expected, bytes);
                match (decompressed.statuses()[number].code, library) {
                    (0, Ok(_)) => {
                        assert!(decompressed.bytes(number) == &expected[..], "{}: {number}", program.name);
                        accepted += 1;
                    }
                    (0, Err(_)) => panic!("{}: libzstd refuses frame {number}", program.name),
                    (_, Ok(_)) => stricter += 1,
                    (_, Err(_)) => refused += 1,
                }
            }
        }
    }
    println!("{accepted} accepted, {refused} refused, {stricter} refused by the op alone");
    assert!(accepted > 40 && refused > 20 && stricter * 10 <= refused, "{accepted} {refused} {stricter}");
}

/// All levels of two libraries, as gzip streams and as zip entries.
#[test]
fn deflate_of_all_levels() {
    let mut streams = 0;
    for size in SIZES.into_iter().chain([1 << 20]) {
        for (kind, bytes) in contents(size) {
            // The slowest levels add nothing on large data.
            let highest = if size > 70_000 { 6 } else { 12 };
            for level in 0..=highest {
                let mut compressor = Compressor::new(CompressionLvl::new(level).unwrap());
                let mut stream = vec![0; compressor.gzip_compress_bound(size)];
                let length = compressor.gzip_compress(&bytes, &mut stream).unwrap();
                stream.truncate(length);
                let what = format!("{size} bytes of {kind} at {level}");
                assert!(open_clean("x.gz", stream).entries[0].bytes[..] == bytes[..], "{what}");
                let mut data = vec![0; compressor.deflate_compress_bound(size)];
                let length = compressor.deflate_compress(&bytes, &mut data).unwrap();
                data.truncate(length);
                let part = Part { method: 8, data, ..Part::stored("n", &bytes) };
                assert!(open_clean("x.zip", build(&[part])).entries[0].bytes[..] == bytes[..], "{what}");
                streams += 2;
            }
            for level in 0..=highest.min(9) as u32 {
                use std::io::Write;
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(level));
                encoder.write_all(&bytes).unwrap();
                let stream = encoder.finish().unwrap();
                assert!(open_clean("x.gz", stream).entries[0].bytes[..] == bytes[..], "{size} of {kind} at {level}");
                streams += 1;
            }
        }
    }
    println!("{streams} Deflate streams");
}
