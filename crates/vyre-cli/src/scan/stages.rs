//! Notes about the stages of a scan: `--verbose`.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use vyre::pyrograph::scan::{ScanProgress, ScanStage};

use crate::graph::Bar;
use crate::output::{duration, quantity, size};

/// Prints a note when a stage ends.
pub(crate) struct StageNotes {
    bar: Bar,
    state: Mutex<Option<(ScanProgress, Instant)>>,
}

impl StageNotes {
    pub(crate) fn new(bar: &Bar) -> StageNotes {
        StageNotes { bar: bar.clone(), state: Mutex::new(None) }
    }

    /// Takes progress, which worker threads report.
    pub(crate) fn advance(&self, progress: ScanProgress) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *state {
            Some((known, _)) if known.stage == progress.stage => {
                known.done = known.done.max(progress.done);
                known.files = known.files.max(progress.files);
            }
            state => {
                self.end(state.take());
                *state = Some((progress, Instant::now()));
            }
        }
    }

    /// Prints the note about the last stage.
    pub(crate) fn finish(&self) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.end(state);
    }

    fn end(&self, stage: Option<(ScanProgress, Instant)>) {
        let Some((ScanProgress { stage, done, files, .. }, start)) = stage else { return };
        let amount = match stage {
            ScanStage::Read | ScanStage::Parse => format!(": {}, {}", quantity(files, "file"), size(done)),
            _ => String::new(),
        };
        self.bar.note(&format!("{}{amount}, {}", stage.verb(), duration(start.elapsed())));
    }
}
