//! Valid streams of all sizes, and matches of all distances and lengths.

use super::writer::{Code, Writer, distance_bits, length_bits};
use super::*;

#[test]
fn valid_streams_of_all_sizes_are_decoded() {
    let mut random = Random(21);
    let sizes = (0..400).chain((0..cases(200)).map(|number| 400 + number * number * 7 % 100_000));
    for size in sizes {
        let bytes = content(&mut random, size);
        let stream = compress_anyhow(&mut random, &bytes);
        let expected = Expected { consumed: Some(stream.len()), output: bytes };
        for room in [size, size + 1, size + 31, size + 32, size + 33, size + 300, size.saturating_sub(1), size / 2] {
            check_room(&stream, &expected, room);
        }
        // The stream ends before the input.
        let mut followed = stream;
        followed.extend_from_slice(&CANARY[..random.below(64)]);
        check_room(&followed, &expected, size);
    }
}

/// Symbol and extra bits of a length or of a distance.
fn symbol_of(value: usize, first: usize, last: usize, first_base: usize, bits: fn(usize) -> usize) -> (usize, usize) {
    let mut base = first_base;
    for symbol in first..=last {
        let next = base + (1 << bits(symbol));
        if value < next {
            return (symbol, value - base);
        }
        base = next;
    }
    panic!("{value} has no symbol");
}

fn length(length: usize) -> (usize, usize) {
    if length == 258 { (285, 0) } else { symbol_of(length, 257, 284, 3, length_bits) }
}

fn distance(distance: usize) -> (usize, usize) {
    symbol_of(distance, 0, 29, 1, distance_bits)
}

/// A stream: stored bytes, and a block of matches.
fn with_matches(stored: &[u8], matches: &[(usize, usize)]) -> Vec<u8> {
    let (literals, distances) = (Code::fixed_literals(), Code::fixed_distances());
    let mut writer = Writer::default();
    writer.stored(false, stored).block(true, 1);
    for &(of_distance, of_length) in matches {
        let ((length, length_extra), (distance, distance_extra)) = (length(of_length), distance(of_distance));
        writer.a_match([&literals, &distances], [length, distance], [length_extra, distance_extra]);
    }
    writer.symbol(&literals, 256).bytes()
}

#[test]
fn matches_of_all_distances_and_lengths_are_copied() {
    let mut random = Random(22);
    let stored: Vec<u8> = (0..33_000).map(|_| random.next() as u8).collect();
    let distances: Vec<usize> = (1..70).chain([255, 256, 257, 4096, 32_767, 32_768]).collect();
    for distance in distances {
        let matches: Vec<(usize, usize)> = (3..=258).map(|length| (distance, length)).collect();
        let mut expected = stored.clone();
        for &(distance, length) in &matches {
            for _ in 0..length {
                expected.push(expected[expected.len() - distance]);
            }
        }
        let stream = with_matches(&stored, &matches);
        let size = expected.len();
        let expected = Expected { consumed: Some(stream.len()), output: expected };
        for room in [size, size + 100, size - 1, size - 258] {
            check_room(&stream, &expected, room);
        }
    }
}

#[test]
fn matches_near_the_end_of_the_output_are_copied() {
    let mut random = Random(23);
    for _ in 0..cases(2_000) {
        let stored: Vec<u8> = (0..1 + random.below(60)).map(|_| random.next() as u8).collect();
        let mut expected = stored.clone();
        let mut matches = Vec::new();
        for _ in 0..1 + random.below(4) {
            let far = 1 + random.below(expected.len());
            let (distance, length) = (random.one_of(&[1, 2, 3, far]).min(far), random.one_of(&[3, 4, 5, 33, 258]));
            matches.push((distance, length));
            for _ in 0..length {
                expected.push(expected[expected.len() - distance]);
            }
        }
        let stream = with_matches(&stored, &matches);
        let size = expected.len();
        let expected = Expected { consumed: Some(stream.len()), output: expected };
        for room in size.saturating_sub(70)..size + 70 {
            check_room(&stream, &expected, room);
        }
    }
}

#[test]
fn distances_end_at_the_start_of_the_output() {
    for stored in [0, 1, 2, 15, 16, 17, 40, 300, 32_767, 32_768, 32_769, 40_000] {
        let bytes = vec![7; stored];
        for distance in (1..=32_768).filter(|distance| stored.abs_diff(*distance) < 3 || *distance == 32_768) {
            let stream = with_matches(&bytes, &[(distance, 3)]);
            let is_valid = check(&stream, &mut Random(24));
            assert_eq!(is_valid, distance <= stored, "distance {distance} behind {stored} bytes");
            // Far from both ends.
            let after: Vec<(usize, usize)> = (0..200).map(|_| (1, 3)).collect();
            let stream = with_matches(&bytes, &[&[(distance, 3)], &after[..]].concat());
            assert_eq!(check(&stream, &mut Random(24)), distance <= stored);
        }
    }
}

#[test]
fn streams_behind_other_output_may_refer_to_it() {
    let mut random = Random(25);
    for _ in 0..cases(200) {
        let before = {
            let size = random.one_of(&[1, 15, 16, 300, 40_000]);
            content(&mut random, size)
        };
        let content = content(&mut random, 500);
        let distance = 1 + random.below(before.len().min(32_768));
        let stream = with_matches(&content[..random.below(2) * 100], &[(distance, 40), (1, 258), (distance, 3)]);
        let mut output = [&before[..], &[0; 500]].concat();
        let result = inflate_behind(before.len(), &stream, &mut output);
        // The same, with the output before it as stored blocks.
        let mut whole = Writer::default();
        for part in before.chunks(60_000) {
            whole.stored(false, part);
        }
        let whole = [whole.bytes(), stream.clone()].concat();
        let expected = zlib(&whole, LARGE_ROOM);
        assert_eq!(expected.consumed, Some(whole.len()));
        let size = expected.output.len();
        assert_eq!(result, WholeInflate::Done { consumed: stream.len(), produced: size - before.len() });
        assert!(output[..size] == expected.output);
    }
    let stream = with_matches(&[], &[(6, 3)]);
    assert_eq!(inflate_behind(5, &stream, &mut [0; 50]), WholeInflate::Failed);
    assert_eq!(inflate_behind(6, &stream, &mut [0; 9]), WholeInflate::Done { consumed: stream.len(), produced: 3 });
    assert_eq!(inflate_behind(6, &stream, &mut [0; 8]), WholeInflate::OutputFull);
}
