//! Progress bar on the terminal.

use std::io::{self, IsTerminal as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use vyre::engine::dataflow::Progress as DataflowProgress;
use vyre::graph::{Progress, Stage};
use vyre::ops::graph::Progress as OpProgress;
use vyre::pyrograph::scan::ScanProgress;

use crate::output::{counted, print_note};

/// Delay before the bar is drawn, so that short work shows none.
const DRAW_DELAY: Duration = Duration::from_millis(500);

/// A progress bar on standard error, if that is a terminal and notes are enabled. Clones share one bar.
#[derive(Clone)]
pub(crate) struct Bar {
    bar: Option<ProgressBar>,
    since: Instant,
    is_drawn: std::sync::Arc<AtomicBool>,
    /// The bar counts items, and does not show the stages of each.
    is_counting: std::sync::Arc<AtomicBool>,
    is_quiet: bool,
}

impl Bar {
    /// A hidden bar.
    pub(crate) fn new(quiet: bool) -> Bar {
        let is_enabled = !quiet && io::stderr().is_terminal();
        let bar = is_enabled.then(|| ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()));
        Bar {
            bar,
            since: Instant::now(),
            is_drawn: std::sync::Arc::default(),
            is_counting: std::sync::Arc::default(),
            is_quiet: quiet,
        }
    }

    /// Clears the bar from the terminal before other output.
    pub(crate) fn clear(&self) {
        self.is_counting.store(false, Ordering::Relaxed);
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Prints a note unless notes are disabled.
    pub(crate) fn note(&self, line: &str) {
        if !self.is_quiet {
            self.clear();
            print_note(line);
        }
    }

    /// Shows the progress of an op.
    pub(crate) fn op(&self, progress: OpProgress) {
        self.advance_to(progress.unit, progress.done, progress.total);
    }

    /// Shows the progress of an analysis.
    pub(crate) fn analysis(&self, progress: DataflowProgress) {
        self.advance_to("sources", progress.done, Some(progress.total));
    }

    /// Shows the progress of a scan. Worker threads may call it.
    pub(crate) fn scan(&self, progress: ScanProgress) {
        let Some(bar) = self.bar.as_ref().filter(|_| !self.is_counting.load(Ordering::Relaxed)) else { return };
        let what = progress.stage.verb();
        if bar.is_finished() || bar.message() != what {
            self.start(what, progress.total, progress.stage.is_in_bytes());
        }
        if let Some(total) = progress.total {
            bar.set_length(total);
        }
        match (progress.files, progress.total_files) {
            (0, _) => bar.set_prefix(""),
            (files, Some(total)) => bar.set_prefix(format!(" {files}/{total} files")),
            (files, None) => bar.set_prefix(format!(" {}", counted(files, "file"))),
        }
        bar.set_position(progress.done);
        self.draw_when_due(bar);
    }

    /// Shows a number of items of a known total.
    pub(crate) fn count(&self, what: &'static str, done: u64, total: u64) {
        self.is_counting.store(true, Ordering::Relaxed);
        self.advance_to(what, done, Some(total));
    }

    /// Shows a number of units.
    pub(crate) fn units(&self, unit: &'static str, done: u64) {
        self.advance_to(unit, done, None);
    }

    /// Shows the progress in bytes. The total may grow.
    pub(crate) fn bytes(&self, what: &'static str, done: u64, known: u64) {
        let Some(bar) = &self.bar else { return };
        if bar.is_finished() || bar.message() != what {
            self.start(what, Some(known), true);
        }
        bar.set_length(known);
        bar.set_position(done);
        self.draw_when_due(bar);
    }

    fn advance_to(&self, unit: &'static str, done: u64, total: Option<u64>) {
        let Some(bar) = &self.bar else { return };
        if bar.is_finished() || bar.message() != unit {
            self.start(unit, total, false);
        }
        bar.set_position(done);
        self.draw_when_due(bar);
    }

    fn start(&self, what: &'static str, total: Option<u64>, in_bytes: bool) {
        let Some(bar) = &self.bar else { return };
        let template = match (in_bytes, total.is_some()) {
            (true, true) => "{msg}{prefix} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec}, {eta} left",
            (true, false) => "{msg}{prefix} {spinner} {bytes} {bytes_per_sec}",
            (false, true) => "{msg} {wide_bar} {human_pos}/{human_len}, {eta} left",
            (false, false) => "{msg} {spinner} {human_pos}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(what);
        bar.set_prefix("");
        match total {
            Some(total) => bar.set_length(total),
            None => bar.unset_length(),
        }
        bar.reset();
    }

    /// Draws the bar after [`DRAW_DELAY`].
    fn draw_when_due(&self, bar: &ProgressBar) {
        if self.since.elapsed() > DRAW_DELAY && !self.is_drawn.swap(true, Ordering::Relaxed) {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Progress for Bar {
    fn begin(&self, stage: Stage, total: Option<u64>) {
        let (what, in_bytes) = match stage {
            Stage::Reading => ("reading", true),
            Stage::Building => ("building", false),
            Stage::Checking => ("checking", true),
            Stage::Writing => ("writing", false),
            _ => ("working", false),
        };
        self.start(what, total, in_bytes);
    }

    fn advance(&self, amount: u64) {
        if let Some(bar) = &self.bar {
            bar.inc(amount);
            self.draw_when_due(bar);
        }
    }
}
