//! Interleaved comparison of contenders: the measurement method of every report.
//!
//! A [`Contender`] is one implementation of a task, ours or a peer's. [`compare`] verifies every contender, warms all of them up, runs
//! each of them once per iteration, and verifies them again. A ratio is taken within an iteration, between runs that are next
//! to each other in time; the report shows the median of these ratios. A machine that slows down for a while therefore slows
//! down both sides of a ratio.
//!
//! A [`Report`] prints Markdown as figures arrive. With `--out DIR` it also writes the page `DIR/<report>.md` and the chart
//! `DIR/<report>.svg`. The chart is drawn from the tables of the page, so that `cargo run -p vyre-benches --bin chart` draws the
//! same chart from a recorded page.
//!
//! The harness runs on wall-clock time or on times that a device reports. It does not pin threads and does not count
//! instructions.

mod chart;
mod comparison;
mod contender;
mod machine;
mod memory;
mod process;
mod progress;
mod report;
mod series;
mod svg;
mod table;

pub use chart::{ChartError, ChartSpec, chart_of_page};
pub use comparison::{Comparison, Measured, Order, Plan, compare};
pub use contender::{Contender, Measure, Role, Runs, Timed, time};
pub use machine::Machine;
pub use memory::{peak_kib, resident_kib};
pub use process::LineProcess;
pub use progress::{exit_code, finished, step};
pub use report::{OutputArgs, Report};
pub use series::{Series, median};
pub use table::{RatioTable, Table, Unit, verdict};
