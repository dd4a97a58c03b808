//! What tests of vyre share: corpora, generators of programs, the evaluator of kernels, the reducer.
//!
//! Corpora: [`corpus`] reads the expectations that stand as comments in the files of `tests/corpus`, and the files that
//! define ops; [`run_corpus`] runs programs on a device and compares; [`opt_corpus`] shows what passes do.
//!
//! Generators: [`arbitrary`] holds proptest strategies, for properties that must hold of every program or of every
//! plausible one. [`program_from_bytes`] turns the bytes of a fuzzer into a program. Those programs need not be valid;
//! whoever wants valid ones validates them. [`race_free`] makes valid programs whose result is the same on every device.
//!
//! Judges: a [`Case`] is one run of a program, repeated on several devices, and [`differential`] compares them with the
//! reference device; [`generated`] does so for the programs of many seeds. [`kernel_device`] evaluates kernels, strictly.
//! [`uniformity_oracle`] is a second opinion on the hardest of the rules, [`properties`] and [`archive_properties`] say what must hold
//! of any input, for fuzz targets and tests, and [`reduce`] makes a failure small.
//!
//! A backend is tested with [`run_corpus::check_all`], [`generated::check_seeds`], [`device_checks!`], [`graph_checks!`] and [`compression_checks!`]; [`settings`] are the variables of the
//! environment that choose what they run.

pub mod arbitrary;
pub mod archive_properties;
mod case;
pub mod compression;
pub mod corpus;
pub mod corpus_ops;
pub mod device_checks;
pub mod differential;
mod generate;
pub mod generated;
pub mod graphs;
pub mod kernel_device;
pub mod opt_corpus;
mod pool;
pub mod properties;
pub mod race_free;
pub mod reduce;
pub mod run_corpus;
pub mod settings;
pub mod uniformity_oracle;

pub use case::{Case, CaseError, Outcome};
pub use generate::program_from_bytes;
