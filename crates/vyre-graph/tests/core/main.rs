//! Tests of graphs in memory: construction, validation, transposition, generators, drawings.

mod construction;
mod drawing;
mod fingerprints;
mod transposition;
mod validation;
