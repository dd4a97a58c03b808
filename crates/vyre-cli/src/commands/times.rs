//! Table of the times of lowering, passes and code generation.

use std::time::Duration;

use vyre::kernel::{Kernel, PassRun};

use crate::output::{duration, number, print_note};
use crate::passes::name_width;

/// A table with a row for each step.
pub(super) struct Times {
    rows: Vec<String>,
    total: Duration,
}

impl Times {
    pub(super) fn new() -> Times {
        let names = name_width();
        let heading = format!("{:>2}  {:names$}  {:>10}  {:>10}", "", "pass", "statements", "time");
        Times { rows: vec![heading], total: Duration::ZERO }
    }

    /// Adds the row of lowering, which produced this kernel.
    pub(super) fn lowering(&mut self, kernel: &Kernel, time: Duration) {
        self.add("", "lower", &number(kernel.statement_count()), time, "");
    }

    /// Adds the row of a pass, which produced this kernel.
    pub(super) fn pass(&mut self, run: &PassRun, kernel: &Kernel) {
        let note = if run.changed { "" } else { "no change" };
        self.add(&run.position.to_string(), run.name, &number(kernel.statement_count()), run.time, note);
    }

    /// Adds the row of code generation, which has no statements.
    pub(super) fn code(&mut self, time: Duration) {
        self.add("", "code", "", time, "");
    }

    fn add(&mut self, position: &str, name: &str, statements: &str, time: Duration, note: &str) {
        self.rows.push(row(position, name, statements, time, note));
        self.total += time;
    }

    /// Prints the table on standard error.
    pub(super) fn print(&self) {
        self.rows.iter().for_each(|row| print_note(row));
        print_note(&row("", "in all", "", self.total, ""));
    }
}

fn row(position: &str, name: &str, statements: &str, time: Duration, note: &str) -> String {
    let names = name_width();
    let row = format!("{position:>2}  {name:names$}  {statements:>10}  {:>10}  {note}", duration(time));
    row.trim_end().to_owned()
}
