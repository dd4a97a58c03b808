//! Tests of every op of the library. They iterate over the registry, so a new op needs no change here.

mod agreement;
mod arguments;
mod evaluator;
mod laws;
mod registry;
mod samples;
mod values;
