//! Raw Deflate streams into outputs of known size.

use std::io::Write;

use super::{noise, text};
use crate::limits::{Budget, Limits};
use crate::stream::{InflateError, Inflated, Threads, inflate_into};

fn budget() -> Budget {
    Budget::new(Limits::default())
}

/// A raw Deflate stream.
fn deflate(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::new(6));
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn consumed_and_produced_sizes_are_exact() {
    for data in [Vec::new(), text(1), text(100_000), noise(70_000), vec![0; 1_000_000]] {
        let stream = deflate(&data);
        let followed = [&stream[..], b"what comes after"].concat();
        for extra in [0, 1, 1_000] {
            let mut output = vec![0xaa; data.len() + extra];
            let inflated = inflate_into(&followed, &mut output, &budget(), Threads::One);
            assert_eq!(inflated, Ok(Inflated { consumed: stream.len(), produced: data.len() }));
            assert!(output[..data.len()] == data);
        }
    }
}

#[test]
fn a_small_output_is_reported() {
    let data = text(100_000);
    for room in [0, 1, 50_000, 99_999] {
        let mut output = vec![0xaa; room];
        assert_eq!(inflate_into(&deflate(&data), &mut output, &budget(), Threads::One), Err(InflateError::OutputFull));
        assert!(output == data[..room]);
    }
}

#[test]
fn truncation_at_every_byte_is_reported() {
    for data in [text(3_000), noise(100), Vec::new(), vec![0; 5_000]] {
        let stream = deflate(&data);
        for length in 0..stream.len() {
            let mut output = vec![0xaa; data.len()];
            match inflate_into(&stream[..length], &mut output, &budget(), Threads::One) {
                Err(InflateError::Truncated(so_far)) => assert!(data[..so_far.produced] == output[..so_far.produced]),
                other => panic!("{length} of {}: {other:?}", stream.len()),
            }
        }
    }
}

#[test]
fn output_before_the_damage_is_kept() {
    let data = text(200_000);
    let mut encoder = flate2::Compress::new(flate2::Compression::new(6), false);
    let mut stream = Vec::with_capacity(300_000);
    encoder.compress_vec(&data, &mut stream, flate2::FlushCompress::Full).unwrap();
    let damage = stream.len();
    // A block of the reserved type.
    stream.extend_from_slice(&[0b111, 1, 2, 3]);
    let mut output = vec![0; data.len() + 100];
    let Err(InflateError::Corrupt(so_far)) = inflate_into(&stream, &mut output, &budget(), Threads::One) else {
        panic!("it is damaged")
    };
    assert_eq!((so_far.consumed, so_far.produced), (damage + 1, data.len()));
    assert!(output[..data.len()] == data);
}

#[test]
fn every_byte_flipped_agrees_with_another_decoder() {
    for data in [text(400), noise(50), vec![3; 2_000]] {
        let mut stream = deflate(&data);
        for offset in 0..stream.len() {
            for flip in 1..=255 {
                stream[offset] ^= flip;
                let mut output = vec![0; 4_000];
                let found = inflate_into(&stream, &mut output, &budget(), Threads::One);
                let mut other = flate2::Decompress::new(false);
                let mut expected = Vec::with_capacity(4_000);
                let status = other.decompress_vec(&stream, &mut expected, flate2::FlushDecompress::Finish);
                if let (Ok(found), Ok(flate2::Status::StreamEnd)) = (found, &status) {
                    assert!(output[..found.produced] == expected);
                    assert_eq!(found.consumed as u64, other.total_in());
                }
                if found.is_err() {
                    assert!(!matches!(status, Ok(flate2::Status::StreamEnd)), "{flip:02x} at {offset}");
                }
                stream[offset] ^= flip;
            }
        }
    }
}
