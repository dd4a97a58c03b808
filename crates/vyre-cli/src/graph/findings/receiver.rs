//! Receiver of findings, batch by batch: counts, buffers, finds witnesses, writes.

use std::io;

use vyre::engine::dataflow::{DataflowError, Finding};
use vyre::runtime::{CancelToken, Error};

use super::{FindingWriter, Fingerprint, Totals};

/// Finds a witness for each finding.
pub(crate) type FindPaths<'r> = dyn Fn(&[Finding]) -> Result<Vec<Vec<u32>>, DataflowError> + 'r;

/// Reason why not all findings were received.
#[derive(Debug)]
pub(crate) enum Failure {
    /// They could not be written.
    Writing(io::Error),
    /// The analysis failed, or was cancelled.
    Analysis(DataflowError),
    /// There are more than there may be.
    TooMany {
        found: u64,
        limit: u64,
        /// Number of findings written before the failure.
        written: u64,
    },
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Writing(error)
    }
}

impl From<DataflowError> for Failure {
    fn from(error: DataflowError) -> Failure {
        Failure::Analysis(error)
    }
}

/// Takes findings as they come. No more of them are in memory than the budget has room for.
pub(crate) struct Receiver<'r> {
    writer: Option<Box<dyn FindingWriter + 'r>>,
    find_paths: Option<&'r FindPaths<'r>>,
    cancel: CancelToken,
    /// Maximum bytes of buffered findings and witnesses.
    budget: u64,
    limit: Option<u64>,
    /// Findings that are written when it is known that there are not too many; none once they have not fitted the budget.
    held: Option<Vec<Finding>>,
    totals: Totals,
    written: u64,
    has_begun: bool,
}

impl<'r> Receiver<'r> {
    /// Writes findings, or only counts them if there is no writer. More than the limit are a failure.
    pub(crate) fn new(
        writer: Option<Box<dyn FindingWriter + 'r>>,
        find_paths: Option<&'r FindPaths<'r>>,
        cancel: CancelToken,
        budget: u64,
        limit: Option<u64>,
    ) -> Receiver<'r> {
        Receiver {
            writer,
            find_paths,
            cancel,
            budget,
            limit,
            held: limit.map(|_| Vec::new()),
            totals: Totals { findings: 0, fingerprint: Fingerprint::EMPTY },
            written: 0,
            has_begun: false,
        }
    }

    /// Takes a batch. After one too many, findings are only counted.
    pub(crate) fn receive(&mut self, batch: &[Finding]) -> Result<(), Failure> {
        self.check_cancelled()?;
        self.totals.findings += batch.len() as u64;
        for finding in batch {
            self.totals.fingerprint.add([finding.source, finding.sink, finding.depth]);
        }
        if self.writer.is_none() {
            return Ok(());
        }
        if self.limit.is_some_and(|limit| self.totals.findings > limit) {
            self.held = None;
            return Ok(());
        }
        match &mut self.held {
            Some(held) if bytes_of(held.len() + batch.len()) <= self.budget => {
                held.extend_from_slice(batch);
                Ok(())
            }
            held => {
                let held = held.take().unwrap_or_default();
                self.write(&held)?;
                self.write(batch)?;
                self.writer.as_mut().map_or(Ok(()), |writer| writer.flush()).map_err(Failure::from)
            }
        }
    }

    /// Writes what was held back and what stands behind the findings.
    pub(crate) fn finish(mut self) -> Result<Totals, Failure> {
        let Totals { findings: found, .. } = self.totals;
        if let Some(limit) = self.limit.filter(|limit| found > *limit) {
            return Err(Failure::TooMany { found, limit, written: self.written });
        }
        let held = self.held.take().unwrap_or_default();
        self.write(&held)?;
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
        match self.find_paths {
            None => self.write_with_paths(findings, None),
            Some(find_paths) => {
                let mut rest = findings;
                while !rest.is_empty() {
                    let (part, behind) = rest.split_at(fitting(rest, self.budget));
                    self.check_cancelled()?;
                    let paths = find_paths(part)?;
                    self.write_with_paths(part, Some(&paths))?;
                    rest = behind;
                }
                Ok(())
            }
        }
    }

    fn write_with_paths(&mut self, findings: &[Finding], paths: Option<&[Vec<u32>]>) -> Result<(), Failure> {
        let mut paths = paths.map(|paths| paths.iter());
        for finding in findings {
            self.check_cancelled()?;
            let Some(writer) = &mut self.writer else { break };
            let path = paths.as_mut().map(|paths| paths.next().map_or(&[][..], |path| path));
            writer.finding(finding, path)?;
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

/// The bytes of so many findings.
fn bytes_of(findings: usize) -> u64 {
    (findings * size_of::<Finding>()) as u64
}

/// Number of findings that fit the budget with their witnesses, at least one.
fn fitting(findings: &[Finding], budget: u64) -> usize {
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

    /// Records its calls.
    struct Notes<'n>(&'n RefCell<Vec<String>>);

    impl FindingWriter for Notes<'_> {
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

    fn receiver<'r>(notes: &'r RefCell<Vec<String>>, budget: u64, limit: Option<u64>) -> Receiver<'r> {
        Receiver::new(Some(Box::new(Notes(notes))), None, CancelToken::default(), budget, limit)
    }

    #[test]
    fn findings_are_written_as_they_come() {
        let notes = RefCell::default();
        let mut receiver = receiver(&notes, 1, None);
        receiver.receive(&[finding(1), finding(2)]).expect("is taken");
        assert_eq!(*notes.borrow(), ["begin", "1 None", "2 None"]);
        let totals = receiver.finish().expect("all were taken");
        assert_eq!((totals.findings, notes.borrow().last()), (2, Some(&"end 2".to_owned())));
    }

    #[test]
    fn nothing_is_written_of_too_many_that_fit_the_budget() {
        let notes = RefCell::default();
        let mut receiver = receiver(&notes, 1000, Some(2));
        for depth in 1..=3 {
            receiver.receive(&[finding(depth)]).expect("is counted");
        }
        assert!(matches!(receiver.finish(), Err(Failure::TooMany { found: 3, limit: 2, written: 0 })));
        assert!(notes.borrow().is_empty());
    }

    #[test]
    fn what_does_not_fit_the_budget_is_written_before_all_is_known() {
        let notes = RefCell::default();
        let mut receiver = receiver(&notes, bytes_of(1), Some(2));
        for depth in 1..=4 {
            receiver.receive(&[finding(depth)]).expect("is counted");
        }
        assert!(matches!(receiver.finish(), Err(Failure::TooMany { found: 4, limit: 2, written: 2 })));
        assert_eq!(*notes.borrow(), ["begin", "1 None", "2 None"]);
    }

    #[test]
    fn ways_are_found_for_as_many_as_fit() {
        let notes = RefCell::default();
        let sizes = RefCell::new(Vec::new());
        let find_paths = |findings: &[Finding]| {
            sizes.borrow_mut().push(findings.len());
            Ok(findings.iter().map(|finding| vec![finding.depth]).collect())
        };
        let writer: Option<Box<dyn FindingWriter>> = Some(Box::new(Notes(&notes)));
        let mut receiver = Receiver::new(writer, Some(&find_paths), CancelToken::default(), 80, None);
        receiver.receive(&[finding(1), finding(2), finding(100), finding(3)]).expect("is taken");
        receiver.finish().expect("all were taken");
        assert_eq!(*sizes.borrow(), [2, 1, 1]);
        assert_eq!(notes.borrow()[1..5], ["1 Some([1])", "2 Some([2])", "100 Some([100])", "3 Some([3])"]);
    }

    #[test]
    fn a_cancelled_token_ends_it() {
        let notes = RefCell::default();
        let mut receiver = receiver(&notes, 1000, None);
        receiver.cancel.cancel();
        let failure = receiver.receive(&[finding(1)]);
        assert!(matches!(failure, Err(Failure::Analysis(DataflowError::Device(Error::Cancelled)))));
    }
}
