//! Extraction of entries to the file system: below one directory, and nowhere else.
//!
//! Entries are untrusted. These rules hold:
//!
//! - **Path traversal ("zip slip").** A name must be relative and must not contain `..`, with `/` or `\` as separator.
//! - **Links.** Directories are opened one component at a time, relative to the handle of their parent, and never through a
//!   symbolic link. A concurrent process cannot redirect a path between check and use (TOCTOU).
//! - **Symbolic links** are created only if they cannot lead out of the tree, whatever entry follows. **Hard links** must refer
//!   to a file of the same archive.
//! - **Equal names.** The last file of a name gets it, as installers do; earlier ones are kept with the suffix `.duplicate`.
//! - **Existing files** are never written to. New files are created exclusively; replacement renames a complete file.
//! - **Special files** and set-user-ID bits are never created.
//!
//! An entry that violates a rule is refused with a [`Refusal`]; extraction continues.
//!
//! | Module | Content |
//! |---|---|
//! | `path` | destination paths and name checks |
//! | `directories` | directory handles |
//! | `file` | exclusive creation and replacement of files |
//! | `symlink` | containment check of symbolic links |
//! | `tree` | the tree below the directory: created files, pending files |
//! | `links`, `damaged`, `duplicate` | creation of links, names of damaged files and of files with the same name |
//! | `plan` | prediction of refusals without a file system |
//! | `extractor` | order of operations and statistics |

mod attributes;
mod damaged;
mod directories;
mod duplicate;
mod extractor;
mod file;
mod integrity;
mod links;
mod options;
mod outcome;
mod path;
mod plan;
mod refusal;
mod symlink;
mod tree;

pub use extractor::Extractor;
pub use options::{ExtractError, ExtractOptions};
pub use outcome::{EntryOutcome, ExtractTotals, ExtractedEntry, RefusedEntry};
pub use plan::ExtractPlan;
pub use refusal::Refusal;
