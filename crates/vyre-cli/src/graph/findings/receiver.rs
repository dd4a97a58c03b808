//! Receiver of batches of findings: counts and buffers findings, finds their witnesses, writes them.

use std::borrow::Cow;
use std::io;

use rayon::prelude::*;
use vyre::engine::dataflow::{DataflowError, Finding, Fingerprint};
use vyre::graph::drawing::DrawingError;
use vyre::runtime::{CancelToken, Error};

use super::{FindingWriter, Totals};

/// Function that returns a witness for each finding.
pub(crate) type FindWitnesses<'r> = dyn Fn(&[Finding]) -> Result<Vec<Vec<u32>>, DataflowError> + 'r;

/// Function that returns true for findings that are suppressed.
pub(crate) type FindSuppression<'r> = dyn Fn(&Finding) -> bool + Sync + 'r;

/// Reason for incomplete findings.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Output failed.
    Writing(io::Error),
    /// The witnesses are too many for a drawing.
    Drawing(DrawingError),
    /// The analysis failed, or was cancelled.
    Analysis(DataflowError),
    /// The number of findings exceeds the limit.
    TooMany {
        found: u64,
        limit: u64,
        /// Number of findings written before the failure.
        written: u64,
    },
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.downcast::<DrawingError>() {
            Ok(error) => Failure::Drawing(error),
            Err(error) => Failure::Writing(error),
        }
    }
}

impl From<DataflowError> for Failure {
    fn from(error: DataflowError) -> Failure {
        Failure::Analysis(error)
    }
}

/// Receives batches of findings. Buffered findings and witnesses never exceed the budget.
pub(crate) struct Receiver<'r> {
    writer: Option<Box<dyn FindingWriter + 'r>>,
    find_witnesses: Option<&'r FindWitnesses<'r>>,
    is_suppressed: Option<&'r FindSuppression<'r>>,
    cancel: CancelToken,
    /// Maximum bytes of buffered findings and witnesses.
    budget: u64,
    limit: Option<u64>,
    /// Findings that wait until their number is known to be within the limit; `None` after they exceeded the budget.
    buffered: Option<Vec<Finding>>,
    totals: Totals,
    written: u64,
    has_begun: bool,
}

impl<'r> Receiver<'r> {
    /// Writes findings, or only counts them without a writer. More findings than the limit are a failure.
    pub(crate) fn new(
        writer: Option<Box<dyn FindingWriter + 'r>>,
        find_witnesses: Option<&'r FindWitnesses<'r>>,
        cancel: CancelToken,
        budget: u64,
        limit: Option<u64>,
    ) -> Receiver<'r> {
        Receiver {
            writer,
            find_witnesses,
            is_suppressed: None,
            cancel,
            budget,
            limit,
            buffered: limit.map(|_| Vec::new()),
            totals: Totals { findings: 0, suppressed: 0, fingerprint: Fingerprint::EMPTY },
            written: 0,
            has_begun: false,
        }
    }

    /// Counts suppressed findings apart. They are written only in formats that have them, and are not limited.
    pub(crate) fn with_suppressions(mut self, is_suppressed: Option<&'r FindSuppression<'r>>) -> Receiver<'r> {
        self.is_suppressed = is_suppressed;
        self
    }

    /// Receives a batch. Beyond the limit, findings are only counted.
    pub(crate) fn receive(&mut self, batch: &[Finding]) -> Result<(), Failure> {
        self.check_cancelled()?;
        let kept: Cow<'_, [Finding]> = match self.is_suppressed {
            None => Cow::Borrowed(batch),
            Some(is_suppressed) => {
                Cow::Owned(batch.par_iter().filter(|finding| !is_suppressed(finding)).copied().collect())
            }
        };
        self.totals.findings += kept.len() as u64;
        self.totals.suppressed += (batch.len() - kept.len()) as u64;
        self.totals.fingerprint.add(&kept);
        let Some(writer) = &self.writer else { return Ok(()) };
        let batch = if writer.lists_suppressed() { batch } else { &kept[..] };
        if self.limit.is_some_and(|limit| self.totals.findings > limit) {
            self.buffered = None;
            return Ok(());
        }
        match &mut self.buffered {
            Some(buffered) if bytes_of(buffered.len() + batch.len()) <= self.budget => {
                buffered.extend_from_slice(batch);
                Ok(())
            }
            buffered => {
                let buffered = buffered.take().unwrap_or_default();
                self.write(&buffered)?;
                self.write(batch)?;
                self.writer.as_mut().map_or(Ok(()), |writer| writer.flush()).map_err(Failure::from)
            }
        }
    }

    /// Writes the buffered findings and the trailer.
    pub(crate) fn finish(mut self) -> Result<Totals, Failure> {
        let Totals { findings: found, .. } = self.totals;
        if let Some(limit) = self.limit.filter(|limit| found > *limit) {
            return Err(Failure::TooMany { found, limit, written: self.written });
        }
        let buffered = self.buffered.take().unwrap_or_default();
        self.write(&buffered)?;
        self.check_cancelled()?;
        if let Some(writer) = &mut self.writer {
            writer.end(&self.totals)?;
        }
        Ok(self.totals)
    }

    fn write(&mut self, findings: &[Finding]) -> Result<(), Failure> {
        if !std::mem::replace(&mut self.has_begun, true)
            && let Some(writer) = &mut self.writer
        {
            writer.begin()?;
        }
        match self.find_witnesses {
            None => self.write_with_witnesses(findings, None),
            Some(find_witnesses) => {
                let mut rest = findings;
                while !rest.is_empty() {
                    let (batch, remaining) = rest.split_at(batch_within(rest, self.budget));
                    self.check_cancelled()?;
                    let witnesses = find_witnesses(batch)?;
                    self.write_with_witnesses(batch, Some(&witnesses))?;
                    rest = remaining;
                }
                Ok(())
            }
        }
    }

    fn write_with_witnesses(&mut self, findings: &[Finding], witnesses: Option<&[Vec<u32>]>) -> Result<(), Failure> {
        let mut witnesses = witnesses.map(|witnesses| witnesses.iter());
        for finding in findings {
            self.check_cancelled()?;
            let Some(writer) = &mut self.writer else { break };
            let witness = witnesses.as_mut().map(|witnesses| witnesses.next().map_or(&[][..], |path| path));
            writer.finding(finding, witness)?;
            self.written += 1;
        }
        Ok(())
    }

    fn check_cancelled(&self) -> Result<(), Failure> {
        if self.cancel.is_cancelled() {
            return Err(Failure::Analysis(DataflowError::Device(Error::Cancelled)));
        }
        Ok(())
    }
}

/// Size of a number of findings in bytes.
fn bytes_of(findings: usize) -> u64 {
    (findings * size_of::<Finding>()) as u64
}

/// Number of leading findings that fit the budget with their witnesses, at least one.
fn batch_within(findings: &[Finding], budget: u64) -> usize {
    let mut bytes = 0u64;
    let over = findings.iter().position(|finding| {
        let nodes = u64::from(finding.depth) + 1;
        bytes += (size_of::<Vec<u32>>() as u64) + nodes * 4;
        bytes > budget
    });
    over.unwrap_or(findings.len()).max(1)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn finding(depth: u32) -> Finding {
        Finding { source: 0, sink: 1, depth, source_index: 0, facts: 1 }
    }

    /// A writer that records its calls.
    struct Recorder<'n>(&'n RefCell<Vec<String>>);

    impl FindingWriter for Recorder<'_> {
        fn begin(&mut self) -> io::Result<()> {
            self.0.borrow_mut().push("begin".to_owned());
            Ok(())
        }

        fn finding(&mut self, finding: &Finding, path: Option<&[u32]>) -> io::Result<()> {
            self.0.borrow_mut().push(format!("{} {path:?}", finding.depth));
            Ok(())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }

        fn end(&mut self, totals: &Totals) -> io::Result<()> {
            self.0.borrow_mut().push(format!("end {}", totals.findings));
            Ok(())
        }
    }

    fn receiver<'r>(calls: &'r RefCell<Vec<String>>, budget: u64, limit: Option<u64>) -> Receiver<'r> {
        Receiver::new(Some(Box::new(Recorder(calls))), None, CancelToken::default(), budget, limit)
    }

    #[test]
    fn findings_are_written_batch_by_batch_without_a_limit() {
        let calls = RefCell::default();
        let mut receiver = receiver(&calls, 1, None);
        receiver.receive(&[finding(1), finding(2)]).expect("the batch is received");
        assert_eq!(*calls.borrow(), ["begin", "1 None", "2 None"]);
        let totals = receiver.finish().expect("all batches were received");
        assert_eq!((totals.findings, calls.borrow().last()), (2, Some(&"end 2".to_owned())));
    }

    #[test]
    fn findings_beyond_the_limit_are_not_written_if_they_fit_the_budget() {
        let calls = RefCell::default();
        let mut receiver = receiver(&calls, 1000, Some(2));
        for depth in 1..=3 {
            receiver.receive(&[finding(depth)]).expect("the batch is counted");
        }
        assert!(matches!(receiver.finish(), Err(Failure::TooMany { found: 3, limit: 2, written: 0 })));
        assert!(calls.borrow().is_empty());
    }

    #[test]
    fn findings_beyond_the_budget_are_written_before_the_count_is_known() {
        let calls = RefCell::default();
        let mut receiver = receiver(&calls, bytes_of(1), Some(2));
        for depth in 1..=4 {
            receiver.receive(&[finding(depth)]).expect("the batch is counted");
        }
        assert!(matches!(receiver.finish(), Err(Failure::TooMany { found: 4, limit: 2, written: 2 })));
        assert_eq!(*calls.borrow(), ["begin", "1 None", "2 None"]);
    }

    #[test]
    fn witnesses_are_found_in_batches_within_the_budget() {
        let calls = RefCell::default();
        let sizes = RefCell::new(Vec::new());
        let find_witnesses = |findings: &[Finding]| {
            sizes.borrow_mut().push(findings.len());
            Ok(findings.iter().map(|finding| vec![finding.depth]).collect())
        };
        let writer: Option<Box<dyn FindingWriter>> = Some(Box::new(Recorder(&calls)));
        let mut receiver = Receiver::new(writer, Some(&find_witnesses), CancelToken::default(), 80, None);
        receiver.receive(&[finding(1), finding(2), finding(100), finding(3)]).expect("the batch is received");
        receiver.finish().expect("all batches were received");
        assert_eq!(*sizes.borrow(), [2, 1, 1]);
        assert_eq!(calls.borrow()[1..5], ["1 Some([1])", "2 Some([2])", "100 Some([100])", "3 Some([3])"]);
    }

    #[test]
    fn a_cancelled_token_stops_the_receiver() {
        let calls = RefCell::default();
        let mut receiver = receiver(&calls, 1000, None);
        receiver.cancel.cancel();
        let failure = receiver.receive(&[finding(1)]);
        assert!(matches!(failure, Err(Failure::Analysis(DataflowError::Device(Error::Cancelled)))));
    }
}
