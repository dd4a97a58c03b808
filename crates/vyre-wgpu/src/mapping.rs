//! Mappings of buffers into host memory.

use std::ops::Range;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::time::{Duration, Instant};

use vyre_runtime::Error;
use wgpu::{BufferAsyncError, Device, MapMode, PollType, SubmissionIndex};

use crate::health::Health;

/// Time for which a thread polls before it sleeps: a thread that sleeps in the driver keeps others from submitting, and
/// wakes late.
const SPIN_TIME: Duration = Duration::from_micros(300);

/// Mapping that has been requested.
pub(crate) struct Mapping {
    outcome: Receiver<Result<(), BufferAsyncError>>,
    /// Last submission that uses the buffer. `None` waits for all submissions.
    submission: Option<SubmissionIndex>,
}

impl Mapping {
    /// Requests a mapping of the first bytes of a buffer. It is complete after the submission.
    pub(crate) fn request(
        buffer: &wgpu::Buffer,
        bytes: u64,
        mode: MapMode,
        submission: Option<SubmissionIndex>,
    ) -> Mapping {
        Mapping::request_range(buffer, 0..bytes, mode, submission)
    }

    /// Requests a mapping of a range of a buffer.
    pub(crate) fn request_range(
        buffer: &wgpu::Buffer,
        range: Range<u64>,
        mode: MapMode,
        submission: Option<SubmissionIndex>,
    ) -> Mapping {
        let (sender, outcome) = mpsc::channel();
        buffer.slice(range).map_async(mode, move |outcome| {
            // The receiver is gone only if the transfer has failed.
            let _ = sender.send(outcome);
        });
        Mapping { outcome, submission }
    }

    /// Reports whether the mapping is complete. Does not wait.
    pub(crate) fn is_complete(&self, device: &Device, health: &Health) -> Result<bool, Error> {
        match self.outcome.try_recv() {
            Ok(outcome) => complete(health, outcome).map(|()| true),
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => {
                let _ = device.poll(PollType::Poll);
                match self.outcome.try_recv() {
                    Ok(outcome) => complete(health, outcome).map(|()| true),
                    Err(_) => Ok(false),
                }
            }
        }
    }

    /// Waits for the mapping.
    pub(crate) fn wait(self, device: &Device, health: &Health) -> Result<(), Error> {
        let start = Instant::now();
        while start.elapsed() < SPIN_TIME {
            if self.is_complete(device, health)? {
                return Ok(());
            }
            health.check()?;
            std::thread::yield_now();
        }
        loop {
            let polled = device.poll(PollType::Wait { submission_index: self.submission.clone(), timeout: None });
            // Another thread that polls may be about to deliver the outcome.
            match self.outcome.recv_timeout(Duration::from_millis(1)) {
                Ok(outcome) => return complete(health, outcome),
                Err(_) => {
                    health.check()?;
                    polled.map_err(|error| Error::driver("waiting for the device", error))?;
                }
            }
        }
    }
}

fn complete(health: &Health, outcome: Result<(), BufferAsyncError>) -> Result<(), Error> {
    let Err(error) = outcome else { return Ok(()) };
    // The loss of the device is the better error.
    health.check()?;
    Err(Error::driver("mapping a buffer", error))
}
