//! The reference of `compression.deflate` against zlib: the same streams are accepted, with the same bytes.

use vyre_conform::compression::deflate::stream;
use vyre_conform::compression::generated::{OwnedBlock, damages};
use vyre_conform::generated::Seeds;
use vyre_ops::compression::{DeflateError, deflate_stream_on_host};
use zlib_rs::{DeflateConfig, Inflate, InflateFlush, ReturnCode, Status, Strategy, compress_bound, compress_slice};

/// The output of zlib, if it accepts the stream, the stream has no bytes after its end, and the output fits the room.
fn zlib(stream: &[u8], room: usize) -> Option<Vec<u8>> {
    // One byte more than the room, so that zlib need not be called again to see the end.
    let mut output = vec![0; room + 1];
    let mut decoder = Inflate::new(false, 15);
    let status = decoder.decompress(stream, &mut output, InflateFlush::Finish);
    let is_whole = status == Ok(Status::StreamEnd) && decoder.total_in() == stream.len() as u64;
    output.truncate(decoder.total_out() as usize);
    (is_whole && output.len() <= room).then_some(output)
}

/// Compares the reference with zlib. Returns true if they accept the stream.
#[track_caller]
fn agree(stream: &[u8], room: usize) -> bool {
    let (error, output) = deflate_stream_on_host(stream, room);
    assert!(output.len() <= room);
    match zlib(stream, room) {
        Some(bytes) => assert!(error.is_none() && output == bytes, "{error:?} for {stream:02x?}, which zlib accepts"),
        None => assert!(error.is_some(), "zlib refuses {stream:02x?}"),
    }
    error.is_none()
}

/// Random bytes (splitmix64).
fn random_bytes(seed: u64, count: usize) -> Vec<u8> {
    let word = |index: u64| {
        let mut word = (seed << 32 | index).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    };
    (0..count as u64).map(|index| word(index) as u8).collect()
}

/// Data of different compressibility.
fn contents(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let noise = random_bytes(size as u64, size);
    let words = [&b"let "[..], b"mut ", b"value", b" = ", b"self.", b"next", b"();\n", b"    ", b"// ", b"while "];
    let text = noise.iter().flat_map(|byte| words[usize::from(byte % 10)]).copied().take(size).collect();
    let runs = noise.iter().flat_map(|&byte| vec![byte; 1 + usize::from(byte) * 3]).take(size).collect();
    // Repetitions at the maximum distance.
    let distant = (0..size).map(|index| noise[index % 32_768]).collect();
    vec![("text", text), ("runs", runs), ("distant", distant), ("zeros", vec![0; size]), ("noise", noise)]
}

fn compressed(bytes: &[u8], config: DeflateConfig) -> Vec<u8> {
    let mut stream = vec![0; compress_bound(bytes.len()) + 64];
    let (stream, code) = compress_slice(&mut stream, bytes, config);
    assert_eq!(code, ReturnCode::Ok);
    stream.to_vec()
}

fn configs() -> Vec<DeflateConfig> {
    let raw = |level| DeflateConfig { window_bits: -15, ..DeflateConfig::new(level) };
    let mut configs: Vec<DeflateConfig> = (0..=9).map(raw).collect();
    for strategy in [Strategy::Filtered, Strategy::HuffmanOnly, Strategy::Rle, Strategy::Fixed] {
        configs.push(DeflateConfig { strategy, ..raw(6) });
    }
    configs.extend([-9, -12].map(|window_bits| DeflateConfig { window_bits, mem_level: 1, ..raw(9) }));
    configs
}

/// No stream of zlib is refused.
#[test]
fn streams_of_zlib() {
    let mut streams = 0;
    for size in [0, 1, 2, 3, 7, 100, 1000, 5000, 65_535, 70_000] {
        for (what, bytes) in contents(size) {
            for config in configs() {
                let stream = compressed(&bytes, config);
                let (error, output) = deflate_stream_on_host(&stream, size);
                assert!(error.is_none() && output == bytes, "{size} bytes of {what}, {config:?}: {error:?}");
                streams += 1;
            }
        }
    }
    println!("{streams} streams, none refused");
    assert_eq!(streams, 10 * 5 * 16);
}

#[test]
fn generated_streams_are_valid() {
    let (mut streams, mut bytes) = (0, 0);
    for seed in Seeds::from_environment(3000).iter() {
        let (stream, size) = stream(seed);
        let output = zlib(&stream, size as usize).unwrap_or_else(|| panic!("seed {seed}: zlib refuses {stream:02x?}"));
        assert_eq!(output.len(), size as usize);
        assert!(agree(&stream, size as usize));
        streams += 1;
        bytes += output.len();
    }
    println!("{streams} streams of {bytes} bytes, none refused");
}

#[test]
fn damaged_streams() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in Seeds::from_environment(400).iter() {
        let (bytes, size) = stream(seed);
        if bytes.len() > 60 {
            continue;
        }
        for damaged in damages(&OwnedBlock { bytes, room: size + 300, is_stored: false }) {
            let is_accepted = agree(&damaged.bytes, damaged.room as usize);
            *if is_accepted { &mut accepted } else { &mut refused } += 1;
        }
    }
    println!("{accepted} damaged streams accepted, {refused} refused");
    assert!(accepted > 100 && refused > 1000);
}

/// Random bits after the header of a dynamic block, and random headers of blocks.
#[test]
fn noise() {
    let mut accepted = 0;
    let mut errors = [0; 10];
    for seed in Seeds::from_environment(20_000).iter() {
        let mut bytes = random_bytes(seed, (seed % 120) as usize);
        if let Some(first) = bytes.first_mut()
            && seed % 3 > 0
        {
            *first = *first & !7 | 5;
        }
        accepted += u32::from(agree(&bytes, 5000));
        errors[deflate_stream_on_host(&bytes, 5000).0.map_or(0, DeflateError::code) as usize] += 1;
    }
    println!("{accepted} accepted; streams by error: {errors:?}");
}
