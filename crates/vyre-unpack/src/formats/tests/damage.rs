//! Damaged streams of all formats.

use super::encode::{Lz4Options, lz4, lz4_legacy, one_of_each, skippable};
use super::{BZIP2, LZ4, Problem, ProblemKind, StreamFormat, XZ, ZSTD, decode, detect, noise, only_problem, text};

/// Small streams of all formats with checksums, and their contents.
fn small_streams() -> Vec<(&'static StreamFormat, Vec<u8>, Vec<u8>)> {
    let mut streams = Vec::new();
    for data in [Vec::new(), text(300), vec![9; 1_000], noise(60)] {
        streams.extend(one_of_each(&data).into_iter().map(|(format, stream)| (format, stream, data.clone())));
    }
    streams
}

#[test]
fn truncation_at_every_byte_is_reported() {
    for (format, stream, data) in small_streams() {
        for length in 0..stream.len() {
            let decoded = decode(format, &stream[..length]);
            assert_eq!(decoded.problems.len(), 1, "{format:?} {length} of {}", stream.len());
            assert!(matches!(decoded.problems[0].kind, ProblemKind::Truncated { .. } | ProblemKind::Corrupt { .. }));
            assert!(data.starts_with(&decoded.bytes), "{format:?} {length} of {}", stream.len());
        }
    }
}

#[test]
fn truncation_between_members_is_not_a_problem() {
    for (format, stream, data) in small_streams() {
        let both = stream.repeat(2);
        let decoded = decode(format, &both[..stream.len()]);
        assert_eq!((decoded.problems, decoded.bytes), (vec![], data.clone().into()));
        for length in stream.len() + 1..both.len() {
            let decoded = decode(format, &both[..length]);
            assert_eq!(decoded.problems.len(), 1, "{format:?} {length} of {}", both.len());
            assert!(decoded.bytes.starts_with(&data));
            assert!(data.repeat(2).starts_with(&decoded.bytes));
        }
    }
}

#[test]
fn truncated_large_streams_keep_the_output_before_the_end() {
    let data = text(400_000);
    for (format, stream) in one_of_each(&data) {
        let decoded = decode(format, &stream[..stream.len() / 2]);
        assert!(matches!(only_problem(&decoded).1, ProblemKind::Truncated { .. }), "{format:?}");
        assert!(data.starts_with(&decoded.bytes));
        if format != BZIP2 {
            assert!(decoded.bytes.len() > 100_000, "{format:?}: {}", decoded.bytes.len());
        }
    }
}

#[test]
fn flipped_bits_are_reported_or_harmless() {
    for (format, stream, data) in small_streams() {
        let mut damaged = stream.clone();
        for position in 0..stream.len() {
            for flip in [1, 0x80, 0xff, 0x10] {
                damaged[position] ^= flip;
                let decoded = decode(format, &damaged);
                assert!(decoded.problems.len() <= 2);
                // Some header bits have no meaning.
                assert!(!decoded.problems.is_empty() || decoded.bytes == data, "{format:?} {flip:02x} at {position}");
                damaged[position] ^= flip;
            }
        }
    }
}

#[test]
fn flipped_bits_without_checksums() {
    for data in [text(300), vec![9; 1_000], noise(60)] {
        let lz4_blocks = |is_linked| {
            let options = Lz4Options {
                block: 4,
                is_linked,
                has_block_sums: false,
                has_content_sum: false,
                has_size: false,
                level: 0,
            };
            lz4(&data, options)
        };
        let zstd = super::encode::zstd(&data, 3, false, false);
        for mut stream in [lz4_blocks(false), lz4_blocks(true), lz4_legacy(&data), zstd] {
            let format = detect(&stream).unwrap();
            for position in 0..stream.len() {
                for flip in 1..=255 {
                    stream[position] ^= flip;
                    decode(format, &stream);
                    stream[position] ^= flip;
                }
            }
        }
    }
}

#[test]
fn damage_in_the_middle_of_a_large_stream() {
    let data = super::mixture(3 << 20);
    for (format, mut stream) in one_of_each(&data) {
        let position = stream.len() / 2;
        stream[position] ^= 0x55;
        stream[position + 1] ^= 0x55;
        let decoded = decode(format, &stream);
        let Problem { offset, kind } = &decoded.problems[0];
        assert!(matches!(kind, ProblemKind::Corrupt { .. } | ProblemKind::Checksum { .. }), "{format:?} {kind:?}");
        // Only the checksum at the end may reveal it.
        if matches!(kind, ProblemKind::Corrupt { .. }) {
            assert!(*offset > stream.len() as u64 / 4, "{format:?}: {offset} of {}", stream.len());
        }
        let same = data.iter().zip(&decoded.bytes).take_while(|(one, other)| one == other).count();
        let least = if format == BZIP2 { 0 } else { data.len() / 4 };
        assert!(same >= least, "{format:?}: {same} of {}", data.len());
    }
}

#[test]
fn garbage_after_the_end() {
    let data = text(1_000);
    for (format, stream) in one_of_each(&data) {
        for garbage in [&b"x"[..], b"garbage", &[0xff; 100], &[0x1f], &[0x28, 0xb5, 0x2f], &[0, 0, 0, 1]] {
            let damaged = [&stream[..], garbage].concat();
            let decoded = decode(format, &damaged);
            let (offset, kind) = only_problem(&decoded);
            assert!(decoded.bytes == data);
            // Zeros before the garbage are padding of xz streams, a multiple of 4 bytes.
            if garbage[0] == 0 && format == XZ {
                assert!(matches!(kind, ProblemKind::Corrupt { .. }));
            } else {
                let bytes = garbage.len() as u64;
                assert_eq!(
                    (offset, kind),
                    (stream.len() as u64, &ProblemKind::TrailingGarbage { bytes }),
                    "{format:?}"
                );
            }
        }
    }
}

#[test]
fn garbage_after_a_legacy_frame() {
    let data = text(1_000);
    let stream = lz4_legacy(&data);
    let decoded = decode(LZ4, &[&stream[..], b"garbage"].concat());
    assert_eq!(only_problem(&decoded), (stream.len() as u64, &ProblemKind::TrailingGarbage { bytes: 7 }));
    assert!(decoded.bytes == data);
}

#[test]
fn empty_input_is_not_a_stream() {
    for (format, stream) in one_of_each(&text(100)) {
        assert!(matches!(only_problem(&decode(format, &[])), (0, ProblemKind::Truncated { .. })));
        assert!(matches!(only_problem(&decode(format, b"something else")), (0, ProblemKind::Corrupt { .. })));
        let other = [&b"?"[..], &stream].concat();
        assert!(matches!(only_problem(&decode(format, &other)), (0, ProblemKind::Corrupt { .. })));
    }
}

#[test]
fn truncated_skippable_frames() {
    for (format, stream) in one_of_each(b"abc") {
        if [ZSTD, LZ4].contains(&format) {
            let skipped = skippable(4, b"0123456789");
            for length in 4..skipped.len() {
                let decoded = decode(format, &[&stream[..], &skipped[..length]].concat());
                let problem = only_problem(&decoded);
                assert_eq!(problem, (stream.len() as u64, &ProblemKind::Truncated { what: "skippable frame" }));
            }
        }
    }
}
