//! The conformance suite: everything that a backend must do as the reference does, in one run.
//!
//! ```
//! use vyre_conform::suite::{Level, Silent, Suite};
//! use vyre_runtime::ReferenceBackend;
//!
//! let suite = Suite::new(Level::Quick).with_only(["casts"])?;
//! let report = suite.run(&ReferenceBackend, &mut Silent)?;
//! assert!(report.is_conformant(), "{report}");
//! # Ok::<(), vyre_conform::suite::SuiteError>(())
//! ```
//!
//! A [`Section`] checks one subject. [`sections()`] lists those of this crate; an application adds others with
//! [`Suite::with_section`]. An [`Observer`] sees the progress. The [`Report`] counts, for every item of every section, the checks, the
//! failures and what was skipped and why: nothing that was skipped counts as passed. A failure of a program is reduced to a minimal one,
//! with the expected and the observed bytes.
//!
//! A [`Level`] is a set of amounts, not of sections: every level runs all sections. Equal levels and seeds run equal checks.

mod bounded_device;
mod context;
mod ending;
mod judge;
mod level;
mod observer;
mod report;
mod runner;
mod running;
mod samples;
mod section;
mod section_run;
mod sections;

pub use crate::embedded_corpus::{Corpus, CorpusFile};
pub use context::{Context, Item, Part, Settings};
pub use ending::EarlyEnd;
pub use level::{Amounts, Level};
pub use observer::{Observer, Progress, Silent};
pub use report::{Example, Failure, ItemReport, Report, SectionReport};
pub use runner::{Suite, SuiteError};
pub use section::{Section, sections};
pub use sections::generated::{GENERATED, GENERATORS, Generator};
