//! Progress bar on the terminal.

use std::fmt;
use std::io::{self, IsTerminal as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use vyre::engine::dataflow::Progress as DataflowProgress;
use vyre::graph::{Progress, Stage};
use vyre::ops::graph::Progress as OpProgress;
use vyre::pyrograph::scan::ScanProgress;

use super::stages::{CommandStage, begin_stage};
use crate::output::{duration, number, print_note, quantity, size};

/// Delay before the bar is drawn, so that short work shows none.
const DRAW_DELAY: Duration = Duration::from_millis(500);

/// Interval in which a bar of unknown work is drawn.
const TICK: Duration = Duration::from_millis(100);

/// A progress bar on standard error, if that is a terminal and notes are enabled. Clones share one bar.
#[derive(Clone)]
pub(crate) struct Bar {
    bar: Option<ProgressBar>,
    since: Instant,
    is_drawn: std::sync::Arc<AtomicBool>,
    /// The bar counts items, and does not show the stages of each.
    is_counting: std::sync::Arc<AtomicBool>,
    is_quiet: bool,
    _clear: Option<std::sync::Arc<ClearOnDrop>>,
}

/// Clears a bar with its last clone, so that an error does not follow it on its line.
struct ClearOnDrop(ProgressBar);

impl Drop for ClearOnDrop {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

impl Bar {
    /// A hidden bar.
    pub(crate) fn new(quiet: bool) -> Bar {
        let is_enabled = !quiet && io::stderr().is_terminal();
        let bar = is_enabled.then(|| ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()));
        let clear = bar.clone().map(|bar| std::sync::Arc::new(ClearOnDrop(bar)));
        Bar {
            bar,
            since: Instant::now(),
            is_drawn: std::sync::Arc::default(),
            is_counting: std::sync::Arc::default(),
            is_quiet: quiet,
            _clear: clear,
        }
    }

    /// Clears the bar from the terminal before other output.
    pub(crate) fn clear(&self) {
        self.is_counting.store(false, Ordering::Relaxed);
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Reports whether notes are disabled.
    pub(crate) fn is_quiet(&self) -> bool {
        self.is_quiet
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
            (files, Some(total)) => bar.set_prefix(format!(" {}/{} files", number(files), number(total))),
            (files, None) => bar.set_prefix(format!(" {}", quantity(files, "file"))),
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

    /// Prints a note above the bar, which stays.
    pub(crate) fn above(&self, line: &str) {
        match &self.bar {
            _ if self.is_quiet => {}
            Some(bar) if self.is_drawn.load(Ordering::Relaxed) => bar.suspend(|| print_note(line)),
            _ => print_note(line),
        }
    }

    /// Shows a part of all work, in percent. The name may change.
    pub(crate) fn part(&self, what: &'static str, done: u64, total: u64) {
        let Some(bar) = &self.bar else { return };
        if bar.length() != Some(total) {
            self.start(what, Some(total), false);
            bar.set_style(style("{msg:22} {wide_bar} {percent} %, {left} left", number));
        }
        bar.set_message(what);
        bar.set_position(done);
        self.draw_when_due(bar);
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
        let template = match total {
            Some(_) => "{msg}{prefix} {wide_bar} {done}/{all}, {rate}, {left} left",
            None => "{msg}{prefix} {spinner} {done}, {rate}",
        };
        bar.disable_steady_tick();
        bar.set_style(style(template, if in_bytes { size } else { |count| number(count) }));
        bar.set_message(what);
        bar.set_prefix("");
        match total {
            Some(total) => bar.set_length(total),
            None => bar.unset_length(),
        }
        bar.reset();
    }

    /// Shows that work goes on whose amount is not known, with the time that it takes.
    pub(crate) fn working(&self, what: &'static str) {
        begin_stage(CommandStage::Analysis);
        let Some(bar) = &self.bar else { return };
        self.start(what, None, false);
        bar.set_style(style("{msg} {spinner} {time}", number));
        // The work itself draws nothing, so a thread begins after the delay, unless the work has ended.
        let (weak, is_drawn) = (bar.downgrade(), self.is_drawn.clone());
        let delay = DRAW_DELAY.saturating_sub(self.since.elapsed());
        let draw = move || {
            std::thread::sleep(delay);
            let Some(bar) = weak.upgrade().filter(|bar| !bar.is_finished() && bar.message() == what) else { return };
            if !is_drawn.swap(true, Ordering::Relaxed) {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            bar.enable_steady_tick(TICK);
        };
        // Without a thread the work goes on and nothing is drawn.
        let _ = std::thread::Builder::new().spawn(draw);
    }

    /// Draws the bar after [`DRAW_DELAY`].
    fn draw_when_due(&self, bar: &ProgressBar) {
        if self.since.elapsed() > DRAW_DELAY && !self.is_drawn.swap(true, Ordering::Relaxed) {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

/// Style of a bar, with amounts and times in the style of all other output.
fn style(template: &str, amount: fn(u64) -> String) -> ProgressStyle {
    let Ok(style) = ProgressStyle::with_template(template) else { return ProgressStyle::default_bar() };
    let seconds = |time: Duration| match time.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds => duration(Duration::from_secs(seconds)),
    };
    style
        .with_key("done", move |state: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = write!(out, "{}", amount(state.pos()));
        })
        .with_key("all", move |state: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = write!(out, "{}", amount(state.len().unwrap_or_default()));
        })
        .with_key("rate", move |state: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = write!(out, "{}/s", amount(state.per_sec() as u64));
        })
        .with_key("left", move |state: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = match state.pos() {
                0 => write!(out, "unknown time"),
                _ => write!(out, "{}", seconds(state.eta())),
            };
        })
        .with_key("time", move |state: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = write!(out, "{}", seconds(state.elapsed()));
        })
}

impl Progress for Bar {
    fn begin(&self, stage: Stage, total: Option<u64>) {
        let (what, in_bytes, command_stage) = match stage {
            Stage::Reading => ("reading", true, CommandStage::Read),
            Stage::Building => ("building", false, CommandStage::Build),
            Stage::Checking => ("checking", true, CommandStage::Read),
            Stage::Writing => ("writing", false, CommandStage::Output),
            _ => ("working", false, CommandStage::Analysis),
        };
        begin_stage(command_stage);
        self.start(what, total, in_bytes);
    }

    fn advance(&self, amount: u64) {
        if let Some(bar) = &self.bar {
            bar.inc(amount);
            self.draw_when_due(bar);
        }
    }
}
