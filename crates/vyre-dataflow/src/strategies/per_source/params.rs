//! Format of the buffer `params` of the queue-based BFS programs.
//!
//! | Word | Name | Meaning |
//! |---|---|---|
//! | 0 | `UNITS` | number of sources, or of groups of sources |
//! | 1 | `NODES` | number of nodes |
//! | 2 | `MAX_DEPTH` | maximum number of edges of a path |
//! | 3 | `SINKS` | number of sinks |
//! | 4 | `FIRST` | position of the first unit: its row of the depth matrix |
//! | 5 | `STAMP` | stamp of the first search; each search has its own |
//! | 6 | `MAX_RECORDS` | maximum number of records in the access list of a source |

pub(crate) const UNITS: u32 = 0;
pub(crate) const NODES: u32 = 1;
pub(crate) const MAX_DEPTH: u32 = 2;
pub(crate) const SINKS: u32 = 3;
pub(crate) const FIRST: u32 = 4;
pub(crate) const STAMP: u32 = 5;
pub(crate) const MAX_RECORDS: u32 = 6;
