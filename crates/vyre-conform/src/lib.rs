//! Conformance tests: corpora, program generators, oracles and the test case reducer.
//!
//! The product: [`suite`] is everything that a backend must do, in one run, and [`certificate`] is what a run has proven.
//!
//! Corpora: [`corpus`] reads the expectations in the comments of `tests/corpus`, and the files that define ops.
//! [`run_corpus`] runs programs on a device and compares the results. [`opt_corpus`] checks the output of optimizer passes.
//!
//! Generators: [`arbitrary`] has proptest strategies for arbitrary and for plausible programs. [`program_from_bytes`] decodes
//! the bytes of a fuzzer to a program. These programs need not be valid. [`race_free`] generates valid programs whose
//! result is equal on every device, from a grammar. [`splice`] generates programs of the same guarantee in another way: it mutates
//! and splices the programs of the run corpus and the ops.
//!
//! Oracles: a [`Case`] is one run of a program. [`differential`] compares several devices with the reference device, and
//! [`generated`] does so for generated programs. [`kernel_device`] is a strict kernel evaluator. [`uniformity_oracle`] is an
//! independent implementation of the uniformity rules. [`properties`] and [`archive_properties`] are properties of any input,
//! for fuzz targets and tests; the feature `scan` adds `scan_properties`. [`reduce`] reduces failing cases.
//! [`wrapped_device`] is a device around another one, with which tests plant defects.
//!
//! The tests of a backend run [`suite::Suite`], and the macros [`device_checks!`], [`graph_checks!`], [`compression_checks!`] and
//! [`checksum_checks!`] with larger inputs. [`settings`] reads the environment variables that select test cases.

#[cfg(feature = "arbitrary")]
pub mod arbitrary;
pub mod archive_properties;
mod case;
pub mod certificate;
pub mod checksums;
pub mod compression;
pub mod corpus;
pub mod corpus_ops;
pub mod device_checks;
pub mod differential;
pub mod embedded_corpus;
mod generate;
pub mod generated;
pub mod graphs;
mod hash;
pub mod kernel_device;
mod op_pipelines;
pub mod opt_corpus;
mod pool;
pub mod properties;
pub mod race_free;
pub mod reduce;
pub mod run_corpus;
#[cfg(feature = "scan")]
pub mod scan_properties;
pub mod settings;
pub mod splice;
pub mod suite;
pub mod uniformity_oracle;
pub mod wrapped_device;

pub use case::{Case, CaseError, Outcome};
pub use generate::program_from_bytes;
