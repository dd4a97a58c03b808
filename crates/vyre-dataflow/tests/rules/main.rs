//! Tests of rules: what they mean for nodes, and what is said of wrong ones.

mod errors;
mod labels;
mod page;
mod properties;
