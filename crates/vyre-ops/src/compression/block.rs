//! Buffers, block descriptors and block status of the compression ops.

use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, local_id, workgroup_id};
use vyre_ir::{DataType, Expr};

/// Number of words of a descriptor.
pub const DESCRIPTOR_WORDS: usize = 5;

/// Number of words of a status.
pub const STATUS_WORDS: usize = 2;

/// Flag of a block that is stored without compression.
pub const STORED: u32 = 1;

/// Descriptor of a block: its location in the compressed data, and the location and size of its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Descriptor {
    /// Position of the block in the compressed data, in bytes.
    pub input: u32,
    /// Size of the block in bytes.
    pub input_size: u32,
    /// Position of its output in the decompressed data, in bytes; a multiple of 4.
    pub output: u32,
    /// Expected size of its output in bytes. No more is written.
    pub output_size: u32,
    /// [`STORED`], or 0.
    pub flags: u32,
}

impl Descriptor {
    /// Encodes the descriptor.
    #[must_use]
    pub fn words(self) -> [u32; DESCRIPTOR_WORDS] {
        [self.input, self.input_size, self.output, self.output_size, self.flags]
    }
}

/// Status of a decoded block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Status {
    /// Error code, or 0.
    pub code: u32,
    /// Number of bytes of output, also of a block with an error.
    pub size: u32,
}

impl Status {
    /// Decodes the status of each block from the words of a buffer.
    pub fn from_words(words: &[u32]) -> impl Iterator<Item = Status> {
        words.as_chunks().0.iter().map(|&[code, size]: &[u32; STATUS_WORDS]| Status { code, size })
    }
}

/// Status codes of invalid descriptors.
#[derive(Clone, Copy)]
pub(crate) struct DescriptorErrorCodes {
    /// The block is not within the compressed data.
    pub(crate) input: u32,
    /// The output is misaligned, or not within the decompressed data.
    pub(crate) output: u32,
}

/// Buffers of a program.
pub(crate) struct Buffers {
    pub(crate) compressed: Handle,
    descriptors: Handle,
    pub(crate) decompressed: Handle,
    status: Handle,
    /// Number of invocations of the workgroup.
    invocations: u32,
}

/// A block with a valid descriptor.
pub(crate) struct Block {
    /// Index of the block.
    number: Var,
    /// Position of its first byte.
    pub(crate) begin: Var,
    /// Position after its last byte.
    pub(crate) end: Var,
    /// First word of its output.
    pub(crate) base: Var,
    /// Maximum size of its output in bytes.
    pub(crate) room: Var,
    pub(crate) flags: Var,
}

impl Buffers {
    /// Declares the buffers, for workgroups of this number of invocations.
    pub(crate) fn declare(p: &mut ProgramBuilder, invocations: u32) -> Buffers {
        let [compressed, descriptors] = ["compressed_data", "descriptors"].map(|name| p.read(name, DataType::U32));
        let [decompressed, status] = ["decompressed_data", "status"].map(|name| p.read_write(name, DataType::U32));
        Buffers { compressed, descriptors, decompressed, status, invocations }
    }

    /// Loads the descriptor of the workgroup's block. Ends the invocation if there is no block or its descriptor is invalid.
    pub(crate) fn open(&self, b: &mut Body<'_>, codes: DescriptorErrorCodes) -> Block {
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

    /// Stores the status of a block.
    pub(crate) fn set_status(&self, b: &mut Body<'_>, block: &Block, code: impl Into<Expr>, size: impl Into<Expr>) {
        let (code, size) = (code.into(), size.into());
        let store = |b: &mut Body<'_>| {
            b.store(&self.status, &block.number * STATUS_WORDS as u32, code);
            b.store(&self.status, &block.number * STATUS_WORDS as u32 + 1u32, size);
        };
        if self.invocations == 1 { store(b) } else { b.if_(local_id(0).eq(0u32), store) }
    }

    /// Stores the status of a block with an error, and ends the invocation.
    pub(crate) fn fail(&self, b: &mut Body<'_>, block: &Block, code: u32, size: impl Into<Expr>) {
        self.set_status(b, block, code, size);
        b.return_();
    }
}

/// Number of words that hold a number of bytes.
fn words_of(bytes: &Var) -> Expr {
    (bytes >> 2u32) + (bytes & 3u32).ne(0u32)
}

impl Buffers {
    /// Appends a byte to the output, in programs with one invocation for each block. The bytes after it in its word become 0.
    pub(crate) fn append_byte(&self, b: &mut Body<'_>, block: &Block, position: &Var, byte: impl Into<Expr>) {
        let word = b.let_("word", &block.base + (position >> 2u32));
        let shift = b.let_("shift", (position & 3u32) << 3u32);
        let before = self.decompressed.load(&word) & ((1u32 << &shift) - 1u32);
        b.store(&self.decompressed, &word, before | (byte.into() << &shift));
        b.assign(position, position + 1u32);
    }

    /// Loads a byte of the output.
    pub(crate) fn output_byte(&self, b: &mut Body<'_>, block: &Block, position: impl Into<Expr>) -> Var {
        let position = b.let_("position", position);
        let word = self.decompressed.load(&block.base + (&position >> 2u32));
        b.let_("byte", (word >> ((&position & 3u32) << 3u32)) & 0xffu32)
    }
}
