//! Dependencies of a project by its `package-lock.json`: fetched, verified and scanned one by one.

mod bundled;
mod integrity;
mod other;
mod packages;
mod parse;
mod reach;
mod report;

pub(crate) use bundled::check_bundled;
pub(crate) use other::refuse_other;
pub(crate) use packages::{Package, PackageResult, Scanned, fetch_all};
pub(crate) use parse::Lockfile;
pub(crate) use reach::{Reach, reach};
pub(crate) use report::{Row, Summary, write_json, write_text};
