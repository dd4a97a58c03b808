//! The host reference of `compression.zstd_full` beside libzstd.

use vyre_conform::compression::zstd_frames::{self, FrameOptions, decompressed, frame};
use vyre_conform::compression::zstd_writer::written_frame;
use vyre_conform::settings;
use vyre_ops::compression::zstd_frame_on_host;

/// Frames of all levels and sizes, with and without checksums and sizes of content, in one and several blocks.
#[test]
fn frames_of_libzstd_are_accepted() {
    let mut bytes = 0;
    let seeds = settings::seeds(250);
    for seed in 0..seeds {
        let (content, options) = zstd_frames::sample(seed);
        let frame = frame(&content, &options);
        let (error, output) = zstd_frame_on_host(&frame, content.len());
        assert_eq!(error, None, "seed {seed}: {options:?}, {} bytes", content.len());
        assert!(output == content, "seed {seed}: {options:?}, {} bytes", content.len());
        bytes += content.len();
    }
    println!("{seeds} frames of {bytes} bytes, 0 refused");
}

/// Frames with the features that libzstd seldom writes. It agrees that they are valid.
#[test]
fn frames_of_the_generator_are_accepted() {
    for seed in 0..settings::seeds(400) {
        let (frame, content) = written_frame(seed);
        assert!(decompressed(&frame, content.len()).as_ref() == Some(&content), "seed {seed}: libzstd");
        let (error, output) = zstd_frame_on_host(&frame, content.len());
        assert!(error.is_none() && output == content, "seed {seed}: {error:?}");
    }
}

/// Every level, on content of a few megabytes.
#[test]
fn large_frames_are_accepted() {
    for (seed, level) in (0..).zip([-5, 1, 3, 19]) {
        let content = zstd_frames::content_of(seed, 400_000);
        for has_checksum in [false, true] {
            let frame = frame(&content, &FrameOptions { level, has_checksum, ..FrameOptions::default() });
            let (error, output) = zstd_frame_on_host(&frame, content.len());
            assert!(error.is_none() && output == content, "level {level}: {error:?}");
        }
    }
}

/// Damaged frames: the reference never accepts other bytes than libzstd does, and what it refuses although libzstd accepts it is
/// rare.
#[test]
fn damaged_frames_have_the_verdict_of_libzstd() {
    let (mut both, mut neither, mut stricter) = (0, 0, 0);
    for seed in 0..settings::seeds(40) {
        for damaged in zstd_frames::damaged_frames(seed) {
            let room = damaged.room as usize;
            let (error, output) = zstd_frame_on_host(&damaged.bytes, room);
            match (error, decompressed(&damaged.bytes, room)) {
                (None, Some(expected)) => {
                    assert!(output == expected, "seed {seed}: other bytes: {:02x?}", damaged.bytes);
                    both += 1;
                }
                (None, None) => panic!("seed {seed}: libzstd refuses {:02x?}", damaged.bytes),
                (Some(_), Some(_)) => stricter += 1,
                (Some(_), None) => neither += 1,
            }
        }
    }
    println!("{both} accepted, {neither} refused, {stricter} refused by the reference alone");
    assert!(both > 0 && neither * 10 > both && stricter * 20 <= both, "{both} {neither} {stricter}");
}
