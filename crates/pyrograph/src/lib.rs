//! Taint analysis of packages: which untrusted inputs reach which dangerous calls, along which steps.

pub mod adjacency;
pub mod baseline;
pub mod capability;
pub mod compare;
pub mod configuration;
pub mod coverage;
pub mod finding;
pub mod fingerprint;
pub mod flow;
pub mod input;
pub mod knowledge;
pub mod lang;
pub mod limits;
pub mod lines;
mod lists;
pub mod points_to;
pub mod program;
pub mod report;
pub mod scan;
pub mod score;
pub mod search;
mod unchecked;
pub mod uri;
pub mod value_flow;
