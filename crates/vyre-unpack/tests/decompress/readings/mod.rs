//! Archives on which readers disagree: every reading is unpacked, and the disagreement is reported.

mod build;
pub(crate) mod crafted;
mod matrix;
mod rules;
