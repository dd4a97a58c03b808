//! Times of the stages of a command, for `--time` and `--explain`.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use vyre::memory::peak_bytes;

use crate::output::{duration, print_note, size};

/// Stage of a graph command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandStage {
    /// Reads and checks files.
    Read,
    /// Builds the arrays of the graph.
    Build,
    /// Computes the result.
    Analysis,
    /// Writes the result.
    Output,
}

impl CommandStage {
    const NAMES: [&'static str; 4] = ["read", "build", "analysis", "output"];
}

/// Clock of the command of this process.
struct Clock {
    stage: CommandStage,
    since: Instant,
    times: [Duration; 4],
}

impl Clock {
    fn begin(&mut self, stage: CommandStage) {
        let now = Instant::now();
        self.times[self.stage as usize] += now - self.since;
        (self.stage, self.since) = (stage, now);
    }
}

static CLOCK: Mutex<Option<Clock>> = Mutex::new(None);

/// Starts the clock with the first stage.
pub(crate) fn start_clock() {
    let clock = Clock { stage: CommandStage::Read, since: Instant::now(), times: [Duration::ZERO; 4] };
    *CLOCK.lock().unwrap_or_else(PoisonError::into_inner) = Some(clock);
}

/// Begins a stage, which may be one that was begun before. Has no effect without a clock.
pub(crate) fn begin_stage(stage: CommandStage) {
    if let Some(clock) = CLOCK.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        clock.begin(stage);
    }
}

/// Stops the clock and prints the time of each stage below a title. `has_memory` adds the peak of the memory.
pub(crate) fn print_clock(title: &str, has_memory: bool) {
    let Some(mut clock) = CLOCK.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
    clock.begin(CommandStage::Output);
    let total = [("total", clock.times.iter().sum(), None)];
    let stages = CommandStage::NAMES.into_iter().zip(clock.times).map(|(name, time)| (name, time, None));
    print_note(&times_line(title, stages.filter(|(_, time, _)| !time.is_zero()).chain(total)));
    if let Some(bytes) = peak_bytes().filter(|_| has_memory) {
        print_note(&format!("memory: at most {}", size(bytes)));
    }
}

/// Names and times in a line, each with its estimate if there is one.
pub(crate) fn times_line<'n>(
    title: &str,
    times: impl IntoIterator<Item = (&'n str, Duration, Option<Duration>)>,
) -> String {
    let mut line = format!("{title}:");
    for (index, (name, time, estimate)) in times.into_iter().enumerate() {
        let separator = if index == 0 { "" } else { "," };
        line.push_str(&format!("{separator} {name} {}", duration(time)));
        if let Some(estimate) = estimate.filter(|estimate| !estimate.is_zero()) {
            line.push_str(&format!(" (estimated {})", duration(estimate)));
        }
    }
    line
}
