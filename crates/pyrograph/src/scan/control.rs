//! Control of a running scan: cancellation and progress.

use std::fmt;

use vyre_runtime::CancelToken;

/// Cancellation and progress of a scan.
#[derive(Default)]
pub struct ScanControl {
    /// Ends the scan early. The report has what was found so far, and is marked as interrupted.
    pub cancel: CancelToken,
    /// Receiver of the progress. Worker threads call it.
    pub progress: Option<ProgressReceiver>,
}

/// Receiver of the progress of a scan.
pub type ProgressReceiver = Box<dyn Fn(ScanProgress) + Send + Sync>;

impl ScanControl {
    /// Control with this token and no receiver of the progress.
    #[must_use]
    pub fn new(cancel: CancelToken) -> ScanControl {
        ScanControl { cancel, progress: None }
    }

    /// Sets the receiver of the progress.
    #[must_use]
    pub fn with_progress(mut self, progress: impl Fn(ScanProgress) + Send + Sync + 'static) -> ScanControl {
        self.progress = Some(Box::new(progress));
        self
    }

    /// Reports whether the scan is to end.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Reports progress.
    pub fn report(&self, stage: ScanStage, done: u64, total: Option<u64>) {
        if let Some(progress) = &self.progress {
            progress(ScanProgress { stage, done, total, files: 0, total_files: None });
        }
    }

    /// Reports progress of a stage that works on files: bytes, and files with their total number.
    pub fn report_files(&self, stage: ScanStage, bytes: (u64, Option<u64>), files: (u64, Option<u64>)) {
        if let Some(progress) = &self.progress {
            progress(ScanProgress { stage, done: bytes.0, total: bytes.1, files: files.0, total_files: files.1 });
        }
    }
}

impl fmt::Debug for ScanControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ScanControl { cancel, progress } = self;
        f.debug_struct("ScanControl").field("cancel", cancel).field("progress", &progress.is_some()).finish()
    }
}

/// Progress of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanProgress {
    /// Stage.
    pub stage: ScanStage,
    /// Work that is done, in the unit of the stage.
    pub done: u64,
    /// All work of the stage. None: not known.
    pub total: Option<u64>,
    /// Files that are done. Stages that work on programs have none.
    pub files: u64,
    /// All files of the stage. None: not known.
    pub total_files: Option<u64>,
}

/// Stages of a scan in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ScanStage {
    /// Reads and unpacks the input. Unit: bytes.
    Read,
    /// Parses files and lowers them to flow modules. Unit: bytes.
    Parse,
    /// Resolves imports and links modules. Unit: files.
    Link,
    /// Solves calls and points-to sets, and builds the value-flow graph. Unit: steps of some thousand work items.
    Solve,
    /// Searches flows from sources to sinks. Unit: rules.
    Search,
    /// Builds findings with their witnesses. Unit: findings.
    Report,
}

impl ScanStage {
    /// Verb for progress bars.
    #[must_use]
    pub fn verb(self) -> &'static str {
        match self {
            ScanStage::Read => "reading",
            ScanStage::Parse => "parsing",
            ScanStage::Link => "linking",
            ScanStage::Solve => "solving",
            ScanStage::Search => "searching",
            ScanStage::Report => "reporting",
        }
    }

    /// True if the unit of the stage is bytes.
    #[must_use]
    pub fn is_in_bytes(self) -> bool {
        matches!(self, ScanStage::Read | ScanStage::Parse)
    }
}
