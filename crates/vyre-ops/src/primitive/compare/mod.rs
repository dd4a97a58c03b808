//! Comparisons and choices; a truth value is the word 0 or 1.

pub(crate) mod eq;
pub(crate) mod ge;
pub(crate) mod gt;
pub(crate) mod le;
pub(crate) mod logical_not;
pub(crate) mod lt;
pub(crate) mod ne;
pub(crate) mod select;
