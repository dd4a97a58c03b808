//! Buffers, ranges and results of the checksum ops.

use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, local_id, workgroup_id};
use vyre_ir::{DataType, Expr};

/// Number of words of a range.
pub const CHECKSUM_RANGE_WORDS: usize = 2;

/// Number of words of a result.
pub const CHECKSUM_WORDS: usize = 3;

/// Status code of a range with a checksum.
pub const ERROR_NONE: u32 = 0;

/// Status code of a range that is not within the data. Its checksum is 0.
pub const ERROR_RANGE_OUTSIDE: u32 = 1;

/// Range of bytes of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ChecksumRange {
    /// Position of the first byte.
    pub offset: u32,
    /// Number of bytes.
    pub size: u32,
}

impl ChecksumRange {
    /// Encodes the range.
    #[must_use]
    pub fn words(self) -> [u32; CHECKSUM_RANGE_WORDS] {
        [self.offset, self.size]
    }
}

/// Result for a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Checksum {
    /// [`ERROR_NONE`], or [`ERROR_RANGE_OUTSIDE`].
    pub code: u32,
    /// The checksum. The high word of a 32-bit checksum is 0.
    pub sum: u64,
}

impl Checksum {
    /// Decodes the result of each range from the words of a buffer.
    pub fn from_words(words: &[u32]) -> impl Iterator<Item = Checksum> {
        words.as_chunks().0.iter().map(|&[code, low, high]: &[u32; CHECKSUM_WORDS]| Checksum {
            code,
            sum: u64::from(high) << 32 | u64::from(low),
        })
    }
}

/// Buffers of a program.
pub(super) struct Buffers {
    pub(super) data: Handle,
    ranges: Handle,
    sums: Handle,
    /// Number of invocations of the workgroup.
    invocations: u32,
}

/// A range within the data.
pub(super) struct Range {
    /// Index of the range.
    number: Var,
    /// Position of its first byte.
    pub(super) begin: Var,
    /// Number of bytes.
    pub(super) size: Var,
}

impl Buffers {
    /// Declares the buffers, for workgroups of this number of invocations.
    pub(super) fn declare(p: &mut ProgramBuilder, invocations: u32) -> Buffers {
        let [data, ranges] = ["data", "ranges"].map(|name| p.read(name, DataType::U32));
        let sums = p.read_write("sums", DataType::U32);
        Buffers { data, ranges, sums, invocations }
    }

    /// Loads the range of the workgroup. Ends the invocation if there is no range, or if it is not within the data.
    pub(super) fn open(&self, b: &mut Body<'_>) -> Range {
        let number = b.let_("number", workgroup_id(0));
        b.if_(number.ge(self.ranges.len() / CHECKSUM_RANGE_WORDS as u32), |b| b.return_());
        let at = b.let_("range", &number * CHECKSUM_RANGE_WORDS as u32);
        let begin = b.let_("begin", self.ranges.load(&at));
        let size = b.let_("size", self.ranges.load(&at + 1u32));
        let end = b.let_("end", &begin + &size);
        let range = Range { number, begin, size };
        let words = (&end >> 2u32) + (&end & 3u32).ne(0u32);
        b.if_(end.lt(&range.begin).or(words.gt(self.data.len())), |b| {
            self.store(b, &range, ERROR_RANGE_OUTSIDE, 0u32, 0u32);
            b.return_();
        });
        range
    }

    /// Stores the checksum of a range.
    pub(super) fn finish(&self, b: &mut Body<'_>, range: &Range, low: impl Into<Expr>, high: impl Into<Expr>) {
        self.store(b, range, ERROR_NONE, low, high);
    }

    fn store(&self, b: &mut Body<'_>, range: &Range, code: u32, low: impl Into<Expr>, high: impl Into<Expr>) {
        let words = [code.into(), low.into(), high.into()];
        let store = |b: &mut Body<'_>| {
            let at = b.let_("result", &range.number * CHECKSUM_WORDS as u32);
            for (word, value) in (0u32..).zip(words) {
                b.store(&self.sums, &at + word, value);
            }
        };
        if self.invocations == 1 { store(b) } else { b.if_(local_id(0).eq(0u32), store) }
    }
}

/// A variable with the value rotated left by a constant from 1 to 31.
pub(super) fn rotate_left(b: &mut Body<'_>, value: impl Into<Expr>, by: u32) -> Var {
    let value = b.let_("value", value);
    b.let_("rotated", (&value << by) | (&value >> (32 - by)))
}
