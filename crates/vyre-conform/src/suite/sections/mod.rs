//! Sections of the suite, a file each.

pub(super) mod atomics;
pub(super) mod barriers;
pub(super) mod bounds;
pub(super) mod casts;
pub(super) mod checksums;
pub(super) mod collectives;
pub(super) mod composition;
pub(super) mod compression;
pub(super) mod compression_archetypes;
pub(super) mod dataflow;
pub(super) mod determinism;
pub(super) mod generated;
pub(super) mod graph_archetypes;
pub(super) mod graph_ops;
pub(super) mod laws;
pub(super) mod op_calls;
pub(super) mod probes;
pub(super) mod round_trips;
pub(super) mod run_corpus;
