//! Tests of rules: labelling of nodes, and error messages.

mod descriptions;
mod errors;
mod labels;
mod page;
mod properties;
