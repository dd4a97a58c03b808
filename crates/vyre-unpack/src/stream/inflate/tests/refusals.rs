//! What libdeflate accepts and zlib refuses, in any block of a stream of any size.

use vyre_ops::compression::deflate_stream_on_host;

use super::writer::{Code, Writer};
use super::*;

/// Verdicts of libdeflate, of zlib, of this decoder, and of the op.
#[track_caller]
fn verdicts(stream: &[u8]) -> [bool; 4] {
    let expected = zlib(stream, LARGE_ROOM);
    check(stream, &mut Random(31));
    let mut output = vec![0; LARGE_ROOM];
    let lenient = libdeflater::Decompressor::new().deflate_decompress(stream, &mut output).is_ok();
    let own =
        matches!(inflate_whole(stream, &mut output), WholeInflate::Done { consumed, .. } if consumed == stream.len());
    let op = deflate_stream_on_host(stream, output.len()).0.is_none();
    [lenient, expected.consumed.is_some(), own, op]
}

const ALL: [bool; 4] = [true; 4];
const ONLY_LIBDEFLATE: [bool; 4] = [true, false, false, false];
const NONE: [bool; 4] = [false; 4];

/// Blocks before the last one: none, an empty one, stored blocks of 17 and 70 KiB, and symbols of fixed codes.
fn beginnings() -> Vec<Writer> {
    let fixed = Code::fixed_literals();
    let mut writers = vec![Writer::default(); 5];
    writers[1].block(false, 1).symbol(&fixed, 256);
    writers[2].stored(false, &vec![97; 17 << 10]);
    writers[3].stored(false, &vec![97; 35 << 10]).stored(false, &vec![98; 35 << 10]);
    writers[4].block(false, 1);
    for number in 0..33_000 {
        writers[4].symbol(&fixed, number * number % 251);
    }
    writers[4].symbol(&fixed, 256);
    writers
}

/// Asserts the verdicts on a block after each of the beginnings.
#[track_caller]
fn expect(expected: [bool; 4], mut write: impl FnMut(&mut Writer)) {
    for (number, mut writer) in beginnings().into_iter().enumerate() {
        write(&mut writer);
        assert_eq!(verdicts(&writer.bytes()), expected, "after beginning {number}");
    }
}

/// Lengths of `count` literal codes: `a` and the first length with two bits each, the end of the block with one.
fn literals(count: usize) -> Code {
    let mut lengths = vec![0; count];
    (lengths[97], lengths[256], lengths[257]) = (2, 1, 2);
    Code::new(lengths)
}

/// A block with `a`, a match of length 3 with this bit as the distance, and the end.
fn one_match(writer: &mut Writer, literals: &Code, distances: Vec<u8>, distance: usize) {
    writer.dynamic(true, literals, &Code::new(distances));
    writer.symbol(literals, 97).symbol(literals, 257).number(distance, 1).symbol(literals, 256);
}

#[test]
fn reserved_symbols_are_refused_in_every_block() {
    let (fixed, distances) = (Code::fixed_literals(), Code::fixed_distances());
    for symbol in [285, 286, 287] {
        expect(if symbol == 285 { ALL } else { ONLY_LIBDEFLATE }, |writer| {
            writer.block(true, 1).symbol(&fixed, 97);
            writer.symbol(&fixed, symbol).symbol(&distances, 0).symbol(&fixed, 256);
        });
    }
    // Behind enough output for the distances that libdeflate gives these symbols.
    for symbol in [29, 30, 31] {
        let mut writer = beginnings().remove(3);
        writer.block(true, 1).a_match([&fixed, &distances], [257, symbol], [0, 0]).symbol(&fixed, 256);
        let found = verdicts(&writer.bytes());
        assert_eq!(found[1..], [symbol == 29; 3], "{symbol}");
        // Among other symbols.
        let mut writer = beginnings().remove(3);
        writer.block(true, 1);
        for number in 0..300 {
            writer.symbol(&fixed, number % 200).symbol(&fixed, 257).symbol(&distances, 1);
            if number == 150 {
                writer.a_match([&fixed, &distances], [257, symbol], [0, 0]);
            }
        }
        let found = verdicts(&writer.symbol(&fixed, 256).bytes());
        assert_eq!(found[1..], [symbol == 29; 3], "{symbol}");
    }
}

#[test]
fn more_codes_than_zlib_allows_are_refused_in_every_block() {
    for (count, verdict) in [(286, ALL), (287, ONLY_LIBDEFLATE), (288, ONLY_LIBDEFLATE)] {
        expect(verdict, |writer| one_match(writer, &literals(count), vec![1, 1], 0));
    }
    for (count, verdict) in [(30, ALL), (31, ONLY_LIBDEFLATE), (32, ONLY_LIBDEFLATE)] {
        let mut distances = vec![0; count];
        distances[0] = 1;
        expect(verdict, |writer| one_match(writer, &literals(258), distances.clone(), 0));
    }
}

#[test]
fn bits_without_a_code_are_refused_in_every_block() {
    // One distance, and none.
    expect(ALL, |writer| one_match(writer, &literals(258), vec![1], 0));
    expect(ONLY_LIBDEFLATE, |writer| one_match(writer, &literals(258), vec![1], 1));
    expect(ONLY_LIBDEFLATE, |writer| one_match(writer, &literals(258), vec![0], 0));
    // No distance, and no match.
    expect(ALL, |writer| {
        writer
            .dynamic(true, &literals(258), &Code::new(vec![0]))
            .symbol(&literals(258), 97)
            .symbol(&literals(258), 256);
    });
    // Only the end of the block, with one bit; the other bit has no code.
    let mut lengths = vec![0; 257];
    lengths[256] = 1;
    let only_end = Code::new(lengths);
    expect(ALL, |writer| {
        writer.dynamic(true, &only_end, &Code::new(vec![0])).symbol(&only_end, 256);
    });
    expect(ONLY_LIBDEFLATE, |writer| {
        writer.dynamic(true, &only_end, &Code::new(vec![0])).number(1, 1);
    });
}

#[test]
fn codes_that_are_no_codes_are_refused_in_every_block() {
    // Lengths of distances that leave bits without a code, or use some twice; one symbol with two bits.
    for distances in [vec![1, 2], vec![2, 2, 2], vec![1, 1, 1], vec![2], vec![15, 15], vec![1, 1, 15]] {
        expect(NONE, |writer| one_match(writer, &literals(258), distances.clone(), 0));
    }
    // The end of the block has no code.
    let mut lengths = vec![0; 258];
    (lengths[97], lengths[257]) = (1, 1);
    let endless = Code::new(lengths);
    for (number, mut writer) in beginnings().into_iter().enumerate() {
        writer.dynamic(true, &endless, &Code::new(vec![1, 1])).symbol(&endless, 97);
        let [_, others @ ..] = verdicts(&writer.bytes());
        assert_eq!(others, NONE[..3], "after beginning {number}");
    }
    // Literals that are over-subscribed or incomplete.
    for lengths in [[2, 1, 1], [2, 2, 2], [3, 1, 2], [2, 0, 2]] {
        let mut all = vec![0; 258];
        (all[97], all[256], all[257]) = lengths.into();
        let code = Code::new(all);
        for (number, mut writer) in beginnings().into_iter().enumerate() {
            writer.dynamic(true, &code, &Code::new(vec![1, 1])).symbol(&code, 256);
            let [_, others @ ..] = verdicts(&writer.bytes());
            assert_eq!(others, NONE[..3], "{lengths:?} after beginning {number}");
        }
    }
}

#[test]
fn headers_that_are_wrong_are_refused_in_every_block() {
    expect(NONE, |writer| {
        writer.block(true, 3);
    });
    // A stored block whose length is not confirmed.
    expect(NONE, |writer| {
        writer.stored(true, b"abc");
        let mut bytes = writer.bytes();
        let length = bytes.len();
        bytes[length - 4] ^= 1;
        *writer = Writer::default();
        for byte in bytes {
            writer.number(byte.into(), 8);
        }
    });
    // A repetition at the start, and one beyond the last code.
    for (first, repeats) in [(16, 0), (18, 127)] {
        expect(NONE, |writer| {
            // Codes of the lengths 18, 16, 1 and 0, each with two bits.
            writer.block(true, 2).number(0, 5).number(0, 5).number(14, 4);
            for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1] {
                writer.number(if [16, 18, 0, 1].contains(&symbol) { 2 } else { 0 }, 3);
            }
            let mut lengths = vec![0; 19];
            for symbol in [0, 1, 16, 18] {
                lengths[symbol] = 2;
            }
            let code = Code::new(lengths);
            writer.symbol(&code, first).number(repeats, if first == 16 { 2 } else { 7 });
            writer.symbol(&code, 18).number(127, 7).symbol(&code, 18).number(127, 7);
            writer.number(0, 64);
        });
    }
}
