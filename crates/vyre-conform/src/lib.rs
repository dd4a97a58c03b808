//! What tests of vyre share: the loader of the corpus and generators of programs.
//!
//! [`run_corpus`] runs the programs of `tests/corpus/run` on a device and compares. A [`Case`] is one run of a program,
//! repeated on several devices. [`corpus`] reads the expectations that stand as comments in the files of `tests/corpus`,
//! and the files that define ops. [`arbitrary`] holds proptest strategies, for properties that must hold of every program or of every plausible
//! one. [`program_from_bytes`] turns the bytes of a fuzzer into a program. [`properties`] says what must hold of any
//! input, for fuzz targets and tests, and [`uniformity_oracle`] is a second opinion on the hardest of the rules.
//!
//! Generated programs need not be valid; whoever wants valid ones validates them.

pub mod arbitrary;
mod case;
pub mod corpus;
pub mod corpus_ops;
mod generate;
mod pool;
pub mod properties;
pub mod run_corpus;
pub mod uniformity_oracle;

pub use case::{Case, CaseError, Outcome};
pub use generate::program_from_bytes;
