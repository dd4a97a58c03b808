//! Tests of the front end.

use crate::flow::FlowModule;
use crate::lang::LowerOptions;

use super::lower;

mod scratch;

/// Flow module of a program that is correct.
fn module(text: &str) -> FlowModule {
    module_of("test.js", text)
}

/// Flow module of a file that is correct.
fn module_of(path: &str, text: &str) -> FlowModule {
    match lower(path, text, &LowerOptions::default()) {
        Ok(module) => module,
        Err(error) => panic!("{error}"),
    }
}
