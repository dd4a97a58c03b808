//! vyre
pub use vyre_ir as ir;
