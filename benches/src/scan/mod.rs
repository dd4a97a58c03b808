//! Scans of npm packages: `vyre scan` against Semgrep, in processes of their own.

mod package;
mod process;
mod scanner;

pub use package::ScanPackage;
pub use process::{Usage, measure};
pub use scanner::{ScanSample, Scanner};
