//! LZ4 decoder with a workgroup for each block.
//!
//! Each iteration decodes as many sequences as produce one word of output for each invocation ([`speculative`]). If the next
//! sequence is not eligible for that, the iteration decodes it alone, whatever its kind and length ([`single`]).
//!
//! Words of the output are assigned to invocations in a fixed cyclic order. An invocation keeps the last word that it decoded, so
//! the word in which the output ends is completed without reading it back. An iteration reads only full words from before it and
//! writes others, so it needs one barrier.
//!
//! Indices of loads are clamped to the words of the block, which are known to be within the buffers. No other guard is needed.

mod decoder;
mod single;
mod speculative;

use vyre_ir::Program;
use vyre_ir::build::{Body, ProgramBuilder, Var, local_id};

use self::decoder::{Decoder, add_length_bytes};
use self::speculative::{PendingMatch, SequenceTable};
use super::format::{DESCRIPTOR_ERRORS, EXTENDED_LENGTH, Lz4Error};
use crate::compression::block::{Block, Buffers, STORED};

/// Builds the program for workgroups of this number of invocations, which must be a power of two.
pub(super) fn program(invocations: u32) -> Program {
    let mut p = ProgramBuilder::new([invocations, 1, 1]);
    let buffers = Buffers::declare(&mut p, invocations);
    let table = SequenceTable::declare(&mut p, invocations);
    p.entry(|b| {
        let block = buffers.open(b, DESCRIPTOR_ERRORS);
        let Block { begin, end, base, room, flags, .. } = &block;
        b.if_(begin.eq(end), |b| buffers.fail(b, &block, 0u32, 0u32));
        let last_input = b.let_("last_input", (end - 1u32) >> 2u32);
        // Never true, since the block is within the buffer. The test makes that visible to the optimizer.
        b.if_(last_input.ge(buffers.compressed.len()), |b| b.return_());
        b.if_(room.is_zero().and((flags & STORED).is_zero()), |b| decode_without_room(b, &buffers, &block));
        b.if_(room.is_zero(), |b| buffers.fail(b, &block, DESCRIPTOR_ERRORS.output, 0u32));
        let last_output = b.let_("last_output", base + ((room - 1u32) >> 2u32));
        b.if_(last_output.ge(buffers.decompressed.len()), |b| b.return_());

        let invocation = b.let_("invocation", local_id(0));
        let [written, last_word] = ["written", "last_word"].map(|name| b.let_(name, 0u32));
        let decoder = Decoder {
            buffers: &buffers,
            block: &block,
            invocations,
            invocation,
            last_input,
            last_output,
            written,
            last_word,
        };
        let code = b.let_("code", 0u32);
        b.if_else(flags & STORED, |b| decoder.stored(b, &code), |b| sequences(b, &decoder, &table, &code));
        decoder.clear_padding(b);
        buffers.set_status(b, &block, &code, &decoder.written);
    })
}

/// Decodes a block without room for output, which is valid if it has no output.
fn decode_without_room(b: &mut Body<'_>, buffers: &Buffers, block: &Block) {
    let fail = |b: &mut Body<'_>, error: Lz4Error| buffers.fail(b, block, error.code(), 0u32);
    let truncated = |b: &mut Body<'_>| fail(b, Lz4Error::CorruptToken);
    let Block { begin, end, .. } = block;
    let token = b.load_byte(&buffers.compressed, begin);
    let input = b.let_("input", begin + 1u32);
    let literals = b.let_("literals", &token >> 4u32);
    b.if_(literals.eq(EXTENDED_LENGTH), |b| add_length_bytes(b, buffers, block, &literals, &input, truncated));
    b.if_(literals.gt(end - &input), |b| fail(b, Lz4Error::LiteralOverflow));
    b.if_(&literals, |b| fail(b, Lz4Error::OutputOverflow));
    b.if_(input.eq(end), |b| buffers.fail(b, block, 0u32, 0u32));
    b.if_((end - &input).lt(2u32), truncated);
    b.assign(&input, &input + 2u32);
    let length = b.let_("length", &token & 15u32);
    b.if_(length.eq(EXTENDED_LENGTH), |b| add_length_bytes(b, buffers, block, &length, &input, truncated));
    fail(b, Lz4Error::OffsetOutOfBounds);
}

/// Decodes the sequences of the block, and assigns the error code of an invalid one.
fn sequences(b: &mut Body<'_>, decoder: &Decoder<'_>, table: &SequenceTable, code: &Var) {
    let Block { begin, end, .. } = decoder.block;
    let input = b.let_("input", begin);
    let pending = PendingMatch::none(b);
    // Every iteration consumes input or produces output.
    b.for_("iteration", 0u32, u32::MAX, |b, iteration| {
        let half = table.half(b, iteration);
        decoder.parse_speculatively(b, &half, &input);
        b.barrier();
        let at = b.let_("at", decoder.next_word_distance() << 2u32);
        let chain = decoder.follow_chain(b, &half, &at, &pending);
        b.if_else(
            chain.end.ne(&chain.start),
            |b| decoder.decode_chain(b, &half, &input, &at, &chain),
            |b| decoder.decode_single(b, &input, code),
        );
        b.if_(input.ge(end), |b| b.break_());
    });
}
