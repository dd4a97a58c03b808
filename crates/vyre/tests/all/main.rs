//! Tests of the library as its users call it. One program, because every test program contains all compilers.

mod session;
mod specification_names;
#[cfg(feature = "dataflow")]
mod taint;
#[cfg(feature = "unpack")]
mod unpack;
