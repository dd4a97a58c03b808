//! BCJ2: conversion of branches of x86 code, with the targets of calls and jumps in streams of their own.
//!
//! The main stream has the code without these targets. A binary range coder, adaptive by the byte before the opcode, says of
//! each opcode whether its target was taken out.

use crate::archive::BlockOutput;
use crate::problem::ProblemKind;

/// Bits of the probabilities of the range coder.
const PROBABILITY_BITS: u32 = 11;
/// Shift of the adaption of a probability.
const MOVE_BITS: u32 = 5;
/// Number of bytes that are written to the output at once.
const STEP_BYTES: usize = 1 << 16;

const CUT: ProblemKind = ProblemKind::Truncated { what: "BCJ2 stream" };

/// Binary range decoder.
struct RangeDecoder<'a> {
    input: std::slice::Iter<'a, u8>,
    range: u32,
    code: u32,
}

impl<'a> RangeDecoder<'a> {
    fn new(input: &'a [u8]) -> Option<RangeDecoder<'a>> {
        let mut input = input.iter();
        let mut code = 0u32;
        for _ in 0..5 {
            code = code << 8 | u32::from(*input.next()?);
        }
        Some(RangeDecoder { input, range: u32::MAX, code })
    }

    fn bit(&mut self, probability: &mut u16) -> Option<bool> {
        if self.range < 1 << 24 {
            self.range <<= 8;
            self.code = self.code << 8 | u32::from(*self.input.next()?);
        }
        let bound = (self.range >> PROBABILITY_BITS) * u32::from(*probability);
        let is_set = self.code >= bound;
        if is_set {
            self.range -= bound;
            self.code -= bound;
            *probability -= *probability >> MOVE_BITS;
        } else {
            self.range = bound;
            *probability += ((1 << PROBABILITY_BITS) - *probability) >> MOVE_BITS;
        }
        Some(is_set)
    }
}

/// Takes a target from its stream.
fn target(stream: &mut &[u8]) -> Option<u32> {
    let (target, rest) = stream.split_first_chunk()?;
    *stream = rest;
    Some(u32::from_be_bytes(*target))
}

/// Decodes the main stream, calls, jumps and range coder to `size` bytes.
pub(super) fn decode(
    [main, mut calls, mut jumps, ranges]: [&[u8]; 4],
    size: u64,
    output: &mut BlockOutput<'_>,
) -> Result<(), ProblemKind> {
    let mut main = main.iter();
    let mut ranges = RangeDecoder::new(ranges).ok_or(CUT)?;
    // One for calls after each byte, one for jumps, one for conditional jumps.
    let mut probabilities = [1u16 << (PROBABILITY_BITS - 1); 258];
    let mut previous = 0u8;
    let mut written = 0u64;
    let mut pending = Vec::with_capacity(STEP_BYTES + 8);
    while written < size {
        if pending.len() >= STEP_BYTES {
            output.append(&pending)?;
            pending.clear();
        }
        let Some(&byte) = main.next() else {
            output.append(&pending)?;
            return Err(CUT);
        };
        pending.push(byte);
        written += 1;
        let is_conditional = previous == 0x0f && byte & 0xf0 == 0x80;
        if !(byte & 0xfe == 0xe8 || is_conditional) {
            previous = byte;
            continue;
        }
        if written == size {
            break;
        }
        let index = match byte {
            0xe8 => usize::from(previous),
            0xe9 => 256,
            _ => 257,
        };
        if !ranges.bit(&mut probabilities[index]).ok_or(CUT)? {
            previous = byte;
            continue;
        }
        let absolute = target(if byte == 0xe8 { &mut calls } else { &mut jumps }).ok_or(CUT)?;
        let relative = absolute.wrapping_sub((written as u32).wrapping_add(4));
        let bytes = relative.to_le_bytes();
        let length = (size - written).min(4) as usize;
        pending.extend(&bytes[..length]);
        written += length as u64;
        previous = bytes[3];
    }
    output.append(&pending)
}
