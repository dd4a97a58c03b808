//! Wall-clock times of the stages of an analysis.

use std::fmt;
use std::time::{Duration, Instant};

use vyre_ir::units::duration;

/// A stage of an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Grouping of sources, sampled searches and the choice of a strategy.
    Choose,
    /// Transposition, pruning and renumbering of the graph.
    Prepare,
    /// Compilation of programs, allocation of buffers and upload of the graph.
    Load,
    /// Search on the device.
    Search,
    /// Transfer of depths from the device.
    Read,
    /// Conversion of depths to findings.
    Collect,
    /// Processing of findings by the receiver of the caller.
    Receive,
}

impl Stage {
    /// All stages, in their usual order.
    pub const ALL: [Stage; 7] =
        [Stage::Choose, Stage::Prepare, Stage::Load, Stage::Search, Stage::Read, Stage::Collect, Stage::Receive];

    /// Name of the stage in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Stage::Choose => "choose",
            Stage::Prepare => "prepare",
            Stage::Load => "load",
            Stage::Search => "search",
            Stage::Read => "read",
            Stage::Collect => "collect",
            Stage::Receive => "receive",
        }
    }
}

/// Time of each stage of an analysis. Stages of several batches are added up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stages {
    times: [Duration; Stage::ALL.len()],
}

impl Stages {
    /// Time of a stage; zero if the analysis did not have it.
    #[must_use]
    pub fn time(&self, stage: Stage) -> Duration {
        self.times[stage as usize]
    }

    /// Sets the time of a stage.
    pub(crate) fn set(&mut self, stage: Stage, time: Duration) {
        self.times[stage as usize] = time;
    }

    /// Time of all stages.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.times.iter().sum()
    }
}

/// Prints the stages that took time: `prepare 12.1 ms, search 3.0 ms`.
impl fmt::Display for Stages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stages = Stage::ALL.into_iter().filter(|&stage| !self.time(stage).is_zero());
        for (number, stage) in stages.enumerate() {
            let separator = if number == 0 { "" } else { ", " };
            write!(f, "{separator}{} {}", stage.name(), duration(self.time(stage)))?;
        }
        Ok(())
    }
}

/// Clock that assigns all time to the current stage.
pub(crate) struct StageClock {
    stages: Stages,
    current: Stage,
    since: Instant,
}

impl StageClock {
    /// Starts the first stage.
    pub(crate) fn start(stage: Stage) -> StageClock {
        StageClock { stages: Stages::default(), current: stage, since: Instant::now() }
    }

    /// Ends the current stage and begins another, which may be the same.
    pub(crate) fn enter(&mut self, stage: Stage) {
        let now = Instant::now();
        self.stages.times[self.current as usize] += now - self.since;
        (self.current, self.since) = (stage, now);
    }

    /// Ends the last stage and returns the times.
    pub(crate) fn finish(mut self) -> Stages {
        self.enter(self.current);
        self.stages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_added_up_and_named_in_order() {
        let mut stages = Stages::default();
        assert_eq!(stages.to_string(), "");
        stages.times[Stage::Search as usize] = Duration::from_micros(1500);
        stages.times[Stage::Prepare as usize] = Duration::from_millis(12);
        assert_eq!(stages.to_string(), "prepare 12 ms, search 1.5 ms");
        assert_eq!(stages.total(), Duration::from_micros(13_500));
        assert!(Stage::ALL.iter().enumerate().all(|(index, stage)| *stage as usize == index));
    }

    #[test]
    fn a_clock_assigns_all_time() {
        let begin = Instant::now();
        let mut clock = StageClock::start(Stage::Prepare);
        clock.enter(Stage::Search);
        std::thread::sleep(Duration::from_millis(2));
        clock.enter(Stage::Prepare);
        let stages = clock.finish();
        assert!(stages.time(Stage::Search) >= Duration::from_millis(2));
        assert!(stages.total() <= begin.elapsed());
    }
}
