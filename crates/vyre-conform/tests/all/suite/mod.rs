//! The conformance suite: devices that conform pass, and a planted bug is found in its section.

mod certificates;
mod counts;
mod limits;
mod passes;
mod planted;
mod toy;
