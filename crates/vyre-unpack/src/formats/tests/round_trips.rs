//! Round trips: streams of other compressors are decoded to the original data.

use super::encode::{Lz4Options, bzip2, gzip, lz4, lz4_legacy, one_of_each, skippable, xz, zstd};
use super::{BZIP2, GZIP, LZ4, XZ, ZSTD, decode, decode_whole, detect, mixture, noise, text};

/// Data of many kinds and sizes.
fn samples() -> Vec<Vec<u8>> {
    let mut samples = vec![Vec::new(), vec![0], b"ab".to_vec(), vec![7; 100], vec![b'x'; 300_000]];
    for length in [13, 1_000, 65_535, 65_536, 65_537, 300_000] {
        samples.push(text(length));
        samples.push(noise(length));
    }
    samples.push(mixture(1 << 20));
    samples
}

#[test]
fn gzip_streams_of_all_levels_are_decoded() {
    for data in samples() {
        for level in [0, 1, 6, 9] {
            let decoded = decode(GZIP, &gzip(&data, level));
            assert_eq!(decoded.problems, []);
            assert!(decoded.bytes == data);
            assert_eq!((decoded.name.as_deref(), decoded.blocks.units), (Some(&b"name.txt"[..]), 1));
        }
    }
}

#[test]
fn zstd_streams_of_all_levels_are_decoded() {
    for (number, data) in samples().into_iter().enumerate() {
        for level in if number % 4 == 1 { 1..=19 } else { 3..=3 } {
            for (has_size, has_sum) in [(false, false), (false, true), (true, false), (true, true)] {
                assert!(decode_whole(ZSTD, &zstd(&data, level, has_size, has_sum)) == data);
            }
        }
    }
}

#[test]
fn lz4_streams_with_all_flags_are_decoded() {
    for data in samples() {
        for options in Lz4Options::all() {
            assert!(decode_whole(LZ4, &lz4(&data, options)) == data, "{options:?}");
        }
        for level in [3, 9, 12] {
            let options = Lz4Options { level, ..Lz4Options::all().next().unwrap() };
            assert!(decode_whole(LZ4, &lz4(&data, options)) == data);
        }
        assert!(decode_whole(LZ4, &lz4_legacy(&data)) == data);
    }
}

#[test]
fn xz_and_bzip2_streams_are_decoded() {
    for data in samples() {
        for level in [1, 6] {
            assert!(decode_whole(XZ, &xz(&data, level)) == data);
            assert!(decode_whole(BZIP2, &bzip2(&data, level)) == data);
        }
    }
}

#[test]
fn large_streams_are_decoded() {
    let data = mixture(8 << 20);
    for (format, stream) in one_of_each(&data) {
        assert!(decode_whole(format, &stream) == data, "{format:?}");
    }
    for options in Lz4Options::all().filter(|options| options.has_block_sums == options.has_size) {
        assert!(decode_whole(LZ4, &lz4(&data, options)) == data, "{options:?}");
    }
    let larger = mixture((8 << 20) + 12_345);
    assert!(decode_whole(LZ4, &lz4_legacy(&larger)) == larger);
}

#[test]
fn concatenated_streams_are_decoded() {
    let parts = [text(1_000), Vec::new(), noise(70_000), vec![1; 5]];
    let all = parts.concat();
    for kind in 0..one_of_each(&[]).len() {
        let streams: Vec<_> = parts.iter().map(|part| one_of_each(part).swap_remove(kind)).collect();
        let format = streams[0].0;
        let stream: Vec<u8> = streams.into_iter().flat_map(|(_, stream)| stream).collect();
        let decoded = decode(format, &stream);
        assert_eq!(decoded.problems, []);
        assert!(decoded.bytes == all, "{format:?}");
    }
}

#[test]
fn skippable_frames_are_skipped() {
    let data = text(5_000);
    let options = Lz4Options::all().last().unwrap();
    for (format, frame) in [(ZSTD, zstd(&data, 3, true, true)), (LZ4, lz4(&data, options))] {
        let stream = [
            skippable(0, b"abcd"),
            frame.clone(),
            skippable(15, &[]),
            skippable(3, &noise(99)),
            frame,
            skippable(7, b"z"),
        ];
        let stream = stream.concat();
        assert_eq!(detect(&stream), Some(format));
        assert!(decode_whole(format, &stream) == [&data[..], &data[..]].concat());
    }
    // A stream without content.
    assert_eq!(detect(&skippable(1, b"nothing else")), Some(ZSTD));
}

#[test]
fn legacy_frames_end_at_the_next_frame() {
    let data = text(5_000);
    let modern = lz4(&data, Lz4Options::all().next().unwrap());
    let stream = [lz4_legacy(&data), lz4_legacy(&data), modern, lz4_legacy(&data), skippable(2, b"!")].concat();
    assert!(decode_whole(LZ4, &stream) == data.repeat(4));
}

#[test]
fn many_frames_are_decoded_in_parallel() {
    let data = mixture(5 << 20);
    let frames: Vec<u8> = data.chunks(100_000).flat_map(|chunk| zstd(chunk, 1, true, true)).collect();
    assert!(frames.len() > 1 << 20);
    assert!(decode_whole(ZSTD, &frames) == data);
}

#[test]
fn formats_are_distinguished() {
    for (format, stream) in one_of_each(&text(1_000)) {
        assert_eq!(detect(&stream), Some(format));
        assert_eq!(detect(&stream[1..]), None);
    }
    assert_eq!(detect(&lz4_legacy(b"abc")), Some(LZ4));
    assert_eq!(detect(&bzip2(&[], 1)), Some(BZIP2));
    assert_eq!(detect(&[]), None);
    assert_eq!(detect(b"PK\x03\x04"), None);
}
