//! Tests of graphs in memory: construction, validation, transposition, generators.

mod construction;
mod fingerprints;
mod transposition;
mod validation;
