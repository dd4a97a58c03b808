//! Generated programs in processes. If a process ends, its programs run again in halves, until the program that ended it is known.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use vyre::conform::suite::{EarlyEnd, Failure, GENERATED, GENERATORS, ItemReport, SectionReport};

use super::child::{Checks, Children, Ended, Programs, failure_of_process};
use super::{PROCESS, crash};
use crate::args::conform::ConformArgs;

/// Number of programs of a seed.
pub(super) const PROGRAMS_OF_A_SEED: u64 = GENERATORS.len() as u64;

/// What the processes of generated programs share.
pub(super) struct GeneratedRun<'r> {
    args: &'r ConformArgs,
    /// Maximum duration of all processes together.
    limit: Option<Duration>,
    start: OnceLock<Instant>,
    failed: AtomicU64,
    /// True if a report says why the section ended.
    has_ended: AtomicBool,
}

impl<'r> GeneratedRun<'r> {
    pub(super) fn new(args: &'r ConformArgs) -> GeneratedRun<'r> {
        let limit = match (args.section_seconds, args.programs) {
            (Some(0), _) | (None, Some(_)) => None,
            (Some(seconds), _) => Some(Duration::from_secs(seconds)),
            (None, None) => Some(args.level.level().section_limit()),
        };
        let (failed, has_ended) = (AtomicU64::new(0), AtomicBool::new(false));
        GeneratedRun { args, limit, start: OnceLock::new(), failed, has_ended }
    }

    /// Reports whether the section has ended before all its programs ran.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }

    /// Runs programs.
    pub(super) fn run(&self, children: &Children<'_>, about: &str, (first, count): (u64, u64)) -> SectionReport {
        self.start.get_or_init(Instant::now);
        let mut run = RangeRun { shared: self, children, report: SectionReport::empty(GENERATED, about), crashes: 0 };
        run.range(first, count);
        run.report
    }

    /// Time that is left, if there is a limit.
    fn left(&self) -> Option<Duration> {
        let start = *self.start.get_or_init(Instant::now);
        self.limit.map(|limit| limit.saturating_sub(start.elapsed()))
    }
}

/// Some generated programs.
struct RangeRun<'r> {
    shared: &'r GeneratedRun<'r>,
    children: &'r Children<'r>,
    report: SectionReport,
    /// Number of ends of processes that are reported.
    crashes: u64,
}

impl RangeRun<'_> {
    /// False if the section must end, which its report then says.
    fn may_continue(&mut self) -> bool {
        let max = self.shared.args.max_failures;
        let reason = if self.children.is_cancelled() {
            Some(EarlyEnd::Cancelled)
        } else if self.shared.left().is_some_and(|left| left.is_zero()) {
            Some(EarlyEnd::TimeLimit)
        } else {
            (max > 0 && self.shared.failed.load(Ordering::Relaxed) >= max).then_some(EarlyEnd::Failures)
        };
        if let Some(reason) = reason {
            self.end(reason);
        }
        self.report.ended_early.is_none()
    }

    /// Ends the section.
    fn end(&mut self, reason: EarlyEnd) {
        self.report.ended_early = self.report.ended_early.or(Some(reason));
        self.shared.has_ended.store(true, Ordering::Relaxed);
    }

    fn add_failure(&mut self, failure: Failure) {
        self.report.add_failure(failure, None);
        self.shared.failed.fetch_add(1, Ordering::Relaxed);
    }

    /// Runs programs. Those of a process that ends run again in halves.
    fn range(&mut self, first: u64, count: u64) {
        if !self.may_continue() {
            return;
        }
        let seconds = self.shared.left().map_or(0, |left| left.as_secs().max(1));
        let seed = self.shared.args.seed.wrapping_add(first / PROGRAMS_OF_A_SEED);
        match self.children.run(GENERATED, Checks::Programs(Programs { seed, count, seconds })) {
            Ended::Report(section) => {
                self.shared.failed.fetch_add(section.failed, Ordering::Relaxed);
                self.report.add(*section);
            }
            Ended::Cancelled => self.end(EarlyEnd::Cancelled),
            Ended::Failed(error) | Ended::Invalid(error) => {
                self.add_failure(failure_of_process(&error, Some(seed)));
                self.end(EarlyEnd::Crash);
            }
            Ended::Crash(how) if count > PROGRAMS_OF_A_SEED => {
                let known = self.crashes;
                let half = (count / 2).next_multiple_of(PROGRAMS_OF_A_SEED).min(count - 1);
                self.range(first, half);
                self.range(first + half, count - half);
                // The end is a failure, also if a limit or Ctrl-C leaves programs of the second run out.
                if self.crashes == known {
                    self.crashes += 1;
                    let second = match self.report.ended_early {
                        None => "no process ended in a second run",
                        Some(_) => "its second run did not end",
                    };
                    let message = format!("the process of {count} programs ended, {how}, and {second}");
                    self.add_failure(Failure { item: PROCESS.to_owned(), message, seed: Some(seed), example: None });
                }
            }
            Ended::Crash(how) => {
                self.crashes += 1;
                self.crashed(count, seed, &how);
            }
        }
    }

    /// Counts the programs of a seed that ended the process.
    fn crashed(&mut self, count: u64, seed: u64, how: &str) {
        let failures = crash::failures(self.children, how);
        let failed: Vec<String> = failures.iter().map(|crash| crash.failure.item.clone()).collect();
        for crash::Crash { failure, .. } in failures {
            self.add_failure(Failure { seed: failure.seed.or(Some(seed)), ..failure });
        }
        let of_seed = GENERATORS.iter().take(count as usize);
        for generator in of_seed.filter(|one| failed.iter().all(|item| item != one.name)) {
            let reason = "the process ended before the result of the program was known";
            self.report.add_item(ItemReport {
                name: generator.name.to_owned(),
                op: None,
                checked: 0,
                failed: 0,
                skipped: 1,
                reason: Some(reason.to_owned()),
            });
            self.report.skipped += 1;
        }
    }
}
