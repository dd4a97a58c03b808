//! What the compression ops have in common: buffers, descriptors of blocks and their status.

use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, local_id, workgroup_id};
use vyre_ir::{DataType, Expr};

/// How many words describe a block.
pub const DESCRIPTOR_WORDS: usize = 5;

/// How many words say what became of a block.
pub const STATUS_WORDS: usize = 2;

/// The flag of a block that is stored without compression.
pub const STORED: u32 = 1;

/// Where a block is, where its output goes, and how much room is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Descriptor {
    /// Where the block begins in the compressed data, in bytes.
    pub input: u32,
    /// Its size in bytes.
    pub input_size: u32,
    /// Where its output goes in the decompressed data, in bytes; a multiple of 4.
    pub output: u32,
    /// The size that its output should have. No more is written.
    pub output_size: u32,
    /// [`STORED`], or 0.
    pub flags: u32,
}

impl Descriptor {
    /// The words of the descriptor.
    #[must_use]
    pub fn words(self) -> [u32; DESCRIPTOR_WORDS] {
        [self.input, self.input_size, self.output, self.output_size, self.flags]
    }
}

/// What became of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Status {
    /// The code of the error, or 0.
    pub code: u32,
    /// How many bytes of output there are, also where there is an error.
    pub size: u32,
}

impl Status {
    /// The status of each block, from the words of a buffer.
    pub fn of_words(words: &[u32]) -> impl Iterator<Item = Status> {
        words.as_chunks().0.iter().map(|&[code, size]: &[u32; STATUS_WORDS]| Status { code, size })
    }
}

/// The codes of errors that both ops can meet before they look at a block.
#[derive(Clone, Copy)]
pub(crate) struct Codes {
    /// The block is not within the compressed data.
    pub(crate) input: u32,
    /// The output is not within the decompressed data, or not aligned, or larger than it may be.
    pub(crate) output: u32,
}

/// The buffers of a program.
pub(crate) struct Buffers {
    pub(crate) compressed: Handle,
    descriptors: Handle,
    pub(crate) decompressed: Handle,
    status: Handle,
    lanes: u32,
}

/// A block whose descriptor was found to be right.
pub(crate) struct Block {
    /// The number of the block.
    number: Var,
    /// Where its bytes begin and end.
    pub(crate) begin: Var,
    pub(crate) end: Var,
    /// The word where its output begins.
    pub(crate) base: Var,
    /// The most bytes of its output.
    pub(crate) room: Var,
    pub(crate) flags: Var,
}

impl Buffers {
    /// Declares the buffers, for workgroups of so many lanes.
    pub(crate) fn declare(p: &mut ProgramBuilder, lanes: u32) -> Buffers {
        let [compressed, descriptors] = ["compressed_data", "descriptors"].map(|name| p.read(name, DataType::U32));
        let [decompressed, status] = ["decompressed_data", "status"].map(|name| p.read_write(name, DataType::U32));
        Buffers { compressed, descriptors, decompressed, status, lanes }
    }

    /// The block of the workgroup. Ends the invocation where there is none, and where its descriptor is wrong.
    pub(crate) fn open(&self, b: &mut Body<'_>, codes: Codes) -> Block {
        let number = b.let_("block", workgroup_id(0));
        b.if_(number.ge(self.descriptors.len() / DESCRIPTOR_WORDS as u32), |b| b.return_());
        let descriptor = b.let_("descriptor", &number * DESCRIPTOR_WORDS as u32);
        let begin = b.let_("begin", self.descriptors.load(&descriptor));
        let end = b.let_("end", &begin + self.descriptors.load(&descriptor + 1u32));
        let output = b.let_("output", self.descriptors.load(&descriptor + 2u32));
        let room = b.let_("room", self.descriptors.load(&descriptor + 3u32));
        let flags = b.let_("flags", self.descriptors.load(&descriptor + 4u32));
        let base = b.let_("base", &output >> 2u32);
        let block = Block { number, begin, end, base, room, flags };
        let Block { begin, end, base, room, .. } = &block;
        let is_outside = end.lt(begin).or(words_of(end).gt(self.compressed.len()));
        b.if_(is_outside, |b| self.fail(b, &block, codes.input, 0u32));
        let is_unaligned = (&output & 3u32).ne(0u32);
        let is_outside = (base + words_of(room)).gt(self.decompressed.len());
        b.if_(is_unaligned.or(is_outside), |b| self.fail(b, &block, codes.output, 0u32));
        block
    }

    /// Says what became of a block.
    pub(crate) fn say(&self, b: &mut Body<'_>, block: &Block, code: impl Into<Expr>, size: impl Into<Expr>) {
        let (code, size) = (code.into(), size.into());
        let words = |b: &mut Body<'_>| {
            b.store(&self.status, &block.number * STATUS_WORDS as u32, code);
            b.store(&self.status, &block.number * STATUS_WORDS as u32 + 1u32, size);
        };
        if self.lanes == 1 { words(b) } else { b.if_(local_id(0).eq(0u32), words) }
    }

    /// Says what is wrong with a block, and ends the invocation.
    pub(crate) fn fail(&self, b: &mut Body<'_>, block: &Block, code: u32, size: impl Into<Expr>) {
        self.say(b, block, code, size);
        b.return_();
    }
}

/// How many words hold so many bytes.
fn words_of(bytes: &Var) -> Expr {
    (bytes >> 2u32) + (bytes & 3u32).ne(0u32)
}

impl Buffers {
    /// Writes the next byte of an output by the only lane. The bytes behind it in its word become zero.
    pub(crate) fn append_byte(&self, b: &mut Body<'_>, block: &Block, position: &Var, byte: impl Into<Expr>) {
        let word = b.let_("word", &block.base + (position >> 2u32));
        let shift = b.let_("shift", (position & 3u32) << 3u32);
        let before = self.decompressed.load(&word) & ((1u32 << &shift) - 1u32);
        b.store(&self.decompressed, &word, before | (byte.into() << &shift));
        b.assign(position, position + 1u32);
    }

    /// A byte of the output that was written before.
    pub(crate) fn byte_before(&self, b: &mut Body<'_>, block: &Block, position: impl Into<Expr>) -> Var {
        let position = b.let_("position", position);
        let word = self.decompressed.load(&block.base + (&position >> 2u32));
        b.let_("byte", (word >> ((&position & 3u32) << 3u32)) & 0xffu32)
    }
}
