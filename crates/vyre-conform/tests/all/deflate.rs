//! The reference of `compression.deflate` against zlib: the same streams are accepted, with the same bytes.

use vyre_conform::compression::deflate::stream;
use vyre_conform::compression::generated::{OwnedBlock, damages};
use vyre_conform::compression::zlib::{self, ZlibStream, decode, random_bytes};
use vyre_conform::generated::Seeds;
use vyre_ops::compression::{DeflateError, deflate_stream_on_host};

/// Compares the reference with zlib. Returns true if they accept the stream.
#[track_caller]
fn agree(stream: &[u8], room: usize) -> bool {
    let (error, output) = deflate_stream_on_host(stream, room);
    assert!(output.len() <= room);
    match decode(stream, room) {
        Some(bytes) => assert!(error.is_none() && output == bytes, "{error:?} for {stream:02x?}, which zlib accepts"),
        None => assert!(error.is_some(), "zlib refuses {stream:02x?}"),
    }
    error.is_none()
}

/// No stream of zlib is refused.
#[test]
fn streams_of_zlib() {
    let streams = zlib::streams(&[0, 1, 2, 3, 7, 100, 1000, 5000, 70_000]);
    for ZlibStream { what, stream, bytes } in &streams {
        let (error, output) = deflate_stream_on_host(stream, bytes.len());
        assert!(error.is_none() && output == *bytes, "{what}: {error:?}");
    }
    println!("{} streams, none refused", streams.len());
    assert_eq!(streams.len(), 9 * 5 * 16);
}

#[test]
fn generated_streams_are_valid() {
    let (mut streams, mut bytes) = (0, 0);
    for seed in Seeds::from_environment(3000).iter() {
        let (stream, size) = stream(seed);
        let output =
            decode(&stream, size as usize).unwrap_or_else(|| panic!("seed {seed}: zlib refuses {stream:02x?}"));
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
