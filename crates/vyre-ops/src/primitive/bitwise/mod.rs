//! Bits of words.

pub(crate) mod and;
pub(crate) mod clz;
pub(crate) mod ctz;
pub(crate) mod extract_bits;
pub(crate) mod insert_bits;
pub(crate) mod not;
pub(crate) mod or;
pub(crate) mod popcount;
pub(crate) mod reverse_bits;
pub(crate) mod rotl;
pub(crate) mod rotr;
pub(crate) mod shl;
pub(crate) mod shr;
pub(crate) mod xor;
