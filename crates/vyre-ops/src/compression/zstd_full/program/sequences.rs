//! Sequences section of a block: decoding of sequences, a batch at a time.

use vyre_ir::build::{Body, Var, broadcast, select};

use super::Decoder;
use super::literals::Literals;
use crate::compression::words::{bits_before, bytes_within, highest};
use crate::compression::zstd_full::format::ZstdFullError;

/// First cells of the tables of literal lengths, offsets and match lengths.
const CELLS_AT: [u32; 3] = [0, 1024, 512];

/// Bitstream of a sequences section, and the states of its decoder. Only invocation 0 has the position and the states.
struct Bitstream {
    /// Word from which positions count bits.
    origin: Var,
    /// Position of the first bit.
    start: Var,
    /// Position after the last bit that is not read.
    position: Var,
    /// Cells of literal lengths, offsets and match lengths.
    states: [Var; 3],
    /// Binary logarithms of the sizes of the tables.
    logs: [Var; 3],
    /// Number of sequences.
    count: Var,
}

/// Progress within a block.
pub(super) struct BlockState {
    pub(super) literals: Literals,
    /// Number of literals that are used.
    pub(super) used: Var,
    /// Number of bytes of output that the block may still have.
    pub(super) block_left: Var,
}

impl Decoder<'_> {
    /// Decodes the sequences section of the block of this size at the input, after its literals. An error ends the loop around it.
    pub(super) fn sequences_section(&self, b: &mut Body<'_>, size: &Var, literals: Literals) {
        let Decoder { input, written, code, max_block, invocation, invocations, .. } = self;
        let compressed = &self.buffers.compressed;
        let fail = |b: &mut Body<'_>| self.fail(b, ZstdFullError::CorruptSequences);
        let end = b.let_("block_end", input + size);
        let at = b.let_("at", &literals.end);
        let size = b.let_("size", &end - &at);
        b.if_(size.is_zero(), fail);
        let header = b.load_word(compressed, &at);
        let first = b.let_("first", &header & 0xffu32);
        let second = b.let_("second", (&header >> 8u32) & 0xffu32);
        let header_size = b.let_("header_size", first.ge(128u32) + first.eq(255u32) + 1u32);
        b.if_(header_size.gt(&size), fail);
        let long = ((&header >> 8u32) & 0xffffu32) + 0x7f00u32;
        let medium = ((&first - 128u32) << 8u32) | second;
        let count = select(header_size.eq(1u32), &first, select(header_size.eq(2u32), medium, long));
        let count = b.let_("count", count);
        b.assign(&at, &at + &header_size);
        let used = b.let_("used", 0u32);
        let block_left = b.let_("block_left", max_block);
        let state = BlockState { literals, used, block_left };

        b.if_else(
            &count,
            |b| {
                b.if_(at.ge(&end), fail);
                let modes = b.load_byte(compressed, &at);
                b.if_(&modes & 3u32, fail);
                b.assign(&at, &at + 1u32);
                self.read_tables(b, &modes, &at, &end);
                b.if_(code, |b| b.break_());
                let last = b.load_byte(compressed, &end - 1u32);
                b.if_(at.ge(&end).or(last.is_zero()), fail);
                let stream = self.open_bitstream(b, &at, &end, &last, &count);
                let is_short = broadcast(stream.position.lt(&stream.start), 0u32);
                b.if_(is_short, fail);
                b.for_("batch", 0u32, (&count + (invocations - 1)) / *invocations, |b, batch| {
                    let before = b.let_("before", batch * *invocations);
                    let wanted = b.let_("wanted", (&count - &before).min(*invocations));
                    let decoded = b.let_("decoded", 0u32);
                    b.if_(invocation.eq(0u32), |b| {
                        b.for_("sequence", 0u32, &wanted, |b, sequence| {
                            self.decode_sequence(b, &stream, &before, sequence);
                            b.assign(&decoded, sequence + 1u32);
                        });
                    });
                    let decoded = b.let_("decoded", broadcast(decoded, 0u32));
                    b.barrier();
                    self.execute(b, &state, &decoded);
                    b.if_(code.is_zero().and(decoded.lt(&wanted)), fail);
                    b.if_(code, |b| b.break_());
                });
                b.if_(code, |b| b.break_());
                let has_more = broadcast(stream.position.ne(&stream.start), 0u32);
                b.if_(has_more, fail);
            },
            |b| b.if_(at.ne(&end), fail),
        );
        let BlockState { literals, used, block_left } = &state;
        let rest = b.let_("rest", &literals.count - used);
        b.if_(rest.gt(block_left), |b| self.fail(b, ZstdFullError::CorruptBlock));
        let left = self.left(b);
        b.if_(rest.gt(left), |b| self.fail(b, ZstdFullError::OutputOverflow));
        let to = b.let_("to", written + &rest);
        // Literals count from the word before the scratch memory, as the first word of the output may begin before them.
        let distance = b.let_("distance", used - written + 4u32);
        self.output().store(b, written, &to, |b, at| {
            bytes_within(b, self.scratch, at + &distance, (&self.block.base, &self.last_word))
        });
        b.assign(written, &to);
    }

    fn open_bitstream(&self, b: &mut Body<'_>, begin: &Var, end: &Var, last: &Var, count: &Var) -> Bitstream {
        let logs = [0u32, 1, 2].map(|kind| b.let_("log", self.memory.logs.load(kind)));
        // Positions count bits from two words before the stream, so that they stay positive.
        let origin = b.let_("origin", (begin >> 2u32) - 2u32);
        let start = b.let_("start", ((begin & 3u32) << 3u32) + 64u32);
        let position = b.let_("position", &start + ((end - begin) << 3u32) - (last.clz() - 23u32));
        let bits = bits_before(b, &self.buffers.compressed, &origin, &position, &self.last_input);
        let states = [0, 1, 2].map(|kind| {
            let log: &Var = &logs[kind];
            let state = b.let_("state", highest(&bits, log) + CELLS_AT[kind]);
            b.assign(&bits, &bits << log);
            b.assign(&position, &position - log);
            state
        });
        Bitstream { origin, start, position, states, logs, count: count.clone() }
    }

    /// Decodes a sequence, and stores it in the batch. Ends the loop if there are too few bits. `before` counts the sequences of
    /// earlier batches.
    fn decode_sequence(&self, b: &mut Body<'_>, stream: &Bitstream, before: &Var, sequence: &Var) {
        let Decoder { memory, invocations, last_offsets, last_input, .. } = self;
        let compressed = &self.buffers.compressed;
        let Bitstream { origin, start, position, states, logs, count } = stream;
        let [literal_cell, offset_cell, match_cell] =
            [0, 1, 2].map(|kind| b.let_("cell", memory.tables.load(&states[kind])));
        let extra_bits = |cell: &Var| (cell >> 17u32) & 31u32;
        let offset_bits = b.let_("offset_bits", extra_bits(&offset_cell));
        let match_bits = b.let_("match_bits", extra_bits(&match_cell));
        let literal_bits = b.let_("literal_bits", extra_bits(&literal_cell));
        let bits = bits_before(b, compressed, origin, position, last_input);
        let value = b.let_("value", (1u32 << &offset_bits) + highest(&bits, &offset_bits));
        let before_offset = b.let_("before_offset", position - &offset_bits);
        let bits = bits_before(b, compressed, origin, &before_offset, last_input);
        let length = b.let_("length", (&match_cell & 0x1ffffu32) + highest(&bits, &match_bits));
        let bits = b.let_("bits", bits << &match_bits);
        let literals = b.let_("literals", (&literal_cell & 0x1ffffu32) + highest(&bits, &literal_bits));
        let before_lengths = b.let_("before_lengths", before_offset - match_bits - literal_bits);

        // The bits of the next states follow in the order literal length, match length, offset. The last sequence has none.
        let bits = bits_before(b, compressed, origin, &before_lengths, last_input);
        let is_last = b.let_("is_last", (before + sequence + 1u32).eq(count));
        let rest = b.let_("rest", &before_lengths);
        let mut next = Vec::new();
        for (kind, cell) in [(0, &literal_cell), (2, &match_cell), (1, &offset_cell)] {
            let number = b.let_("number", cell >> 22u32);
            let width = b.let_("width", number.clz() + &logs[kind] - 31u32);
            let state = (number << &width) + highest(&bits, &width) - (1u32 << &logs[kind]) + CELLS_AT[kind];
            next.push((kind, b.let_("next_state", state)));
            b.assign(&bits, &bits << &width);
            b.assign(&rest, &rest - &width);
        }
        let rest = b.let_("rest", select(is_last, before_lengths, rest));
        // At most 89 bits are taken at a time, and positions of the stream are at least 64: a position below 0 exceeds them all.
        b.if_(rest.lt(start).or(rest.gt(position)), |b| b.break_());
        b.assign(position, rest);
        for (kind, state) in next {
            b.assign(&states[kind], state);
        }

        // Values 1 to 3 stand for the last offsets; without literals, for the second, the third, and the first less 1.
        let [first, second, third] = [0, 1, 2].map(|index| &last_offsets[index]);
        let is_new = b.let_("is_new", value.gt(3u32));
        let index = b.let_("index", select(is_new, 5u32, &value + literals.is_zero()));
        let old =
            select(index.eq(1u32), first, select(index.eq(2u32), second, select(index.eq(3u32), third, first - 1u32)));
        let offset = b.let_("offset", select(index.eq(5u32), value - 3u32, old));
        b.assign(third, select(index.ge(3u32), second, third));
        b.assign(second, select(index.ge(2u32), first, second));
        b.assign(first, &offset);
        b.store(&memory.batch, sequence, literals);
        b.store(&memory.batch, sequence + *invocations, length);
        b.store(&memory.batch, sequence + 2 * *invocations, offset);
    }
}
