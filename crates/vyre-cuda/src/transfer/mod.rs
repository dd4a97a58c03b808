//! Transfer layer: buffers, and copies between host and device.
//!
//! | Module | Contents |
//! |---|---|
//! | [`pinned`] | page-locked host memory |
//! | [`host_memory`] | pinned memory of callers |
//! | [`pieces`] | division of a transfer among threads |
//! | [`lanes`] | pinned chunks of threads |
//! | [`small`] | small transfers |
//! | [`staging`] | uploads and downloads |
//! | [`buffer`] | device memory of a buffer |
//! | [`copies`] | copies between overlapping ranges |

pub(crate) mod buffer;
pub(crate) mod copies;
pub(crate) mod host_memory;
mod lanes;
mod pieces;
pub(crate) mod pinned;
mod small;
pub(crate) mod staging;
