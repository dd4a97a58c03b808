//! Writes entries below a directory, and nothing anywhere else.
//!
//! Entries come from whoever made the archive, so nothing that they say is trusted. A name is refused unless it leads
//! downwards from the directory; directories are opened one after the other by their handles and never through a symbolic
//! link; files are made anew, so that nothing that was there is written to; a symbolic link is made only if it cannot lead
//! out of the tree, whatever comes after it. What is refused is told with its reason, and the rest goes on.

mod directories;
mod extractor;
mod file;
mod link;
mod name;
mod placement;
mod refusal;

pub use extractor::{ExtractError, ExtractOptions, Extractor};
pub use placement::{Extracted, Placed, Placement, Refused};
pub use refusal::Refusal;
