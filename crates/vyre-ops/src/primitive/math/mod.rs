//! Arithmetic on words, unsigned unless an op says otherwise.

pub(crate) mod abs;
pub(crate) mod abs_diff;
pub(crate) mod add;
pub(crate) mod clamp;
pub(crate) mod div;
pub(crate) mod max;
pub(crate) mod min;
pub(crate) mod modulo;
pub(crate) mod mul;
pub(crate) mod negate;
pub(crate) mod sub;
