//! Formats of the buffers that the programs of the distances strategy share.

/// Words of the buffer `params`.
///
/// | Word | Name | Meaning |
/// |---|---|---|
/// | 0 | `NODES` | number of nodes |
/// | 1 | `BUCKETS` | number of buckets |
/// | 2 | `BUCKET_SHIFT` | log2 of the number of nodes of a bucket |
/// | 3 | `WINDOW` | maximum difference of distances that are processed together |
/// | 4 | `LIST_SHIFT` | log2 of the number of distances that share a list |
/// | 5 | `MAX_DEPTH` | maximum number of edges of a path |
/// | 6 | `VISITS` | maximum number of visits of a dispatch |
/// | 7 | `FIRST` | position of the first source |
/// | 8 | `SOURCES` | number of sources |
pub(crate) mod params {
    pub(crate) const NODES: u32 = 0;
    pub(crate) const BUCKETS: u32 = 1;
    pub(crate) const BUCKET_SHIFT: u32 = 2;
    pub(crate) const WINDOW: u32 = 3;
    pub(crate) const LIST_SHIFT: u32 = 4;
    pub(crate) const MAX_DEPTH: u32 = 5;
    pub(crate) const VISITS: u32 = 6;
    pub(crate) const FIRST: u32 = 7;
    pub(crate) const SOURCES: u32 = 8;
    pub(crate) const WORDS: usize = 9;
}

/// Words of the part of the buffer `state` that a workgroup owns.
///
/// | Word | Name | Meaning |
/// |---|---|---|
/// | 0 | `FILLED` | one bit for each list: 1 if it has nodes |
/// | 1 | `CURRENT_LIST` | list of the last visit |
/// | 2 | `BUCKET` | bucket whose nodes are in the lists |
/// | 3 | `STEP` | direction of the sweep over the buckets: 1 or -1 |
/// | 4 | `LIMIT` | maximum key of nodes in the lists |
/// | 5 | `VISITS` | number of visits so far |
/// | 6 | `IS_DONE` | 1 if no node is queued |
pub(crate) mod state {
    pub(crate) const FILLED: u32 = 0;
    pub(crate) const CURRENT_LIST: u32 = 1;
    pub(crate) const BUCKET: u32 = 2;
    pub(crate) const STEP: u32 = 3;
    pub(crate) const LIMIT: u32 = 4;
    pub(crate) const VISITS: u32 = 5;
    pub(crate) const IS_DONE: u32 = 6;
    pub(crate) const WORDS: u32 = 8;
}

/// Distance of a node that is not reached. A weight can be added without overflow.
pub(crate) const UNREACHED: u32 = 0x7fff_ffff;
/// No node; also the key of a node that is not queued.
pub(crate) const NONE: u32 = u32::MAX;
