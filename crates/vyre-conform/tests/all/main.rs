//! Tests of generators, oracles, corpora and devices. One program, because every test program contains all compilers.

mod checksums;
mod compression;
mod coverage;
mod deflate;
mod differential;
mod graphs;
mod host_algorithms;
mod interpreter;
mod kernel_device;
mod kernel_uniformity;
mod opt_corpus;
mod race_free;
mod reduce;
mod round_trip;
mod run_corpus;
mod saved_inputs;
mod second_opinion;
mod splice;
mod suite;
mod text_mutation;
mod uniformity;
mod validate_corpus;
mod validity;
mod wire_mutation;
mod zstd_reference;
