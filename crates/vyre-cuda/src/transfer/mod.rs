//! Transfer layer: buffers, and copies between host and device.
//!
//! | Module | Contents |
//! |---|---|
//! | [`pinned`] | page-locked host memory |
//! | [`staging`] | uploads and downloads through pinned chunks |
//! | [`buffer`] | device memory of a buffer |
//! | [`copies`] | copies between overlapping ranges |

pub(crate) mod buffer;
pub(crate) mod copies;
pub(crate) mod pinned;
pub(crate) mod staging;
