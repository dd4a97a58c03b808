//! Taint analysis of packages: which untrusted inputs reach which dangerous calls, along which steps.

pub mod coverage;
pub mod finding;
pub mod fingerprint;
pub mod flow;
pub mod input;
pub mod knowledge;
pub mod lines;
pub mod report;
pub mod scan;
pub mod score;
