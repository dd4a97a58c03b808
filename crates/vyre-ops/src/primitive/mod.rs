//! Layer 1: functions of one or two words.

pub(crate) mod bitwise;
pub(crate) mod compare;
pub(crate) mod math;
mod word;
