//! Taint analysis of packages: which untrusted inputs reach which dangerous calls, along which steps.

pub mod coverage;
pub mod finding;
pub mod flow;
pub mod knowledge;
pub mod lang;
pub mod scan;
