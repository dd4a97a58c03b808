//! Context of a section: the device, the settings, and the record of its checks.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use vyre_runtime::{CancelToken, Device};

use super::level::{Amounts, Level};
use super::observer::{Observer, Progress};
use super::report::{Failure, ItemReport, SectionReport};
use crate::differential::Subject;
use crate::embedded_corpus::Corpus;

/// Settings of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The level.
    pub level: Level,
    /// Amounts of checks.
    pub amounts: Amounts,
    /// First seed of everything random.
    pub seed: u64,
    /// Number of threads that run independent checks.
    pub threads: usize,
    /// True if the device interprets programs, so that graphs and blocks are small.
    pub is_interpreter: bool,
    /// The corpus.
    pub corpus: Corpus,
    /// Ends the run.
    pub cancel: CancelToken,
}

/// What a check is about: a part of a section that is counted by itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    name: Cow<'static, str>,
    op: Option<&'static str>,
}

impl Item {
    /// An item of this name.
    #[must_use]
    pub fn new(name: impl Into<Cow<'static, str>>) -> Item {
        Item { name: name.into(), op: None }
    }

    /// An item that counts for an op.
    #[must_use]
    pub fn of_op(op: &'static str, name: impl Into<Cow<'static, str>>) -> Item {
        Item { name: name.into(), op: Some(op) }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Maximum number of failures of an item that are described in detail.
const MAX_DETAILS: u64 = 5;

/// Maximum number of failures of a section whose programs are reduced. A reduction takes seconds to minutes.
const MAX_REDUCED: u64 = 3;

/// Everything that a section needs.
pub struct Context<'s> {
    settings: &'s Settings,
    section: &'static str,
    subject: &'s Subject,
    variants: &'s [Subject],
    record: Mutex<Record<'s>>,
}

/// Record of a section.
struct Record<'s> {
    report: SectionReport,
    positions: HashMap<Item, usize>,
    observer: &'s mut dyn Observer,
    reduced: u64,
    progress: Progress,
    /// Cost of the whole section, and the cost before it.
    cost: u64,
    before: u64,
}

impl<'s> Context<'s> {
    pub(super) fn new(
        settings: &'s Settings,
        (section, about): (&'static str, &'static str),
        (subject, variants): (&'s Subject, &'s [Subject]),
        observer: &'s mut dyn Observer,
        (before, cost, total): (u64, u64, u64),
    ) -> Context<'s> {
        let progress = Progress { section, done: before, total };
        let report = SectionReport::new(section, about);
        let record = Record { report, positions: HashMap::new(), observer, reduced: 0, progress, cost, before };
        Context { settings, section, subject, variants, record: Mutex::new(record) }
    }

    pub(super) fn into_report(self) -> SectionReport {
        self.record.into_inner().unwrap_or_else(PoisonError::into_inner).report
    }

    /// The settings of the run.
    #[must_use]
    pub fn settings(&self) -> &'s Settings {
        self.settings
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &'s Arc<dyn Device> {
        &self.subject.device
    }

    /// The device with its name.
    #[must_use]
    pub fn subject(&self) -> &'s Subject {
        self.subject
    }

    /// Other configurations of the same backend, such as other numbers of threads, whose results must be equal.
    #[must_use]
    pub fn variants(&self) -> &'s [Subject] {
        self.variants
    }

    /// Reports whether the run was cancelled. Sections check it between checks.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.settings.cancel.is_cancelled()
    }

    /// Calls `check` with each number below `all`, on the threads of the run, until the run is cancelled. The progress of the section
    /// is that of these calls.
    pub fn in_parallel(&self, all: u64, check: impl Fn(u64) + Sync) {
        let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
        let work = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= all || self.is_cancelled() {
                    return;
                }
                check(number);
                self.advanced(done.fetch_add(1, Ordering::Relaxed) + 1, all);
            }
        };
        std::thread::scope(|scope| {
            for number in 1..self.settings.threads {
                // Without a thread the others do its work.
                let _ = std::thread::Builder::new().name(format!("vyre-conform-{number}")).spawn_scoped(scope, work);
            }
            work();
        });
    }

    /// Counts checks that passed.
    pub fn passed(&self, item: &Item, checks: u64) {
        let mut record = self.record();
        record.item(item).checked += checks;
        record.report.checked += checks;
    }

    /// Counts a check that failed.
    pub fn failed(&self, item: &Item, message: impl Into<String>, seed: Option<u64>) {
        self.record_failure(
            item,
            Failure { item: item.name().to_owned(), message: message.into(), seed, example: None },
        );
    }

    /// Counts checks that were not made.
    pub fn skipped(&self, item: &Item, checks: u64, reason: impl Into<String>) {
        let mut record = self.record();
        record.report.skipped += checks;
        let item = record.item(item);
        item.skipped += checks;
        item.reason.get_or_insert(reason.into());
    }

    /// Shows that `done` of `all` checks of the section are done.
    pub fn advanced(&self, done: u64, all: u64) {
        let mut record = self.record();
        let part = u128::from(record.cost) * u128::from(done.min(all)) / u128::from(all.max(1));
        let done = record.before.saturating_add(part as u64);
        record.progress.done = record.progress.done.max(done);
        let progress = record.progress;
        record.observer.advanced(progress);
    }

    /// Announces a failure. True if its program is to be reduced.
    pub(super) fn announce(&self, item: &Item, message: &str) -> bool {
        let mut record = self.record();
        record.observer.failing(self.section, item.name(), message);
        record.reduced += 1;
        record.reduced <= MAX_REDUCED
    }

    /// Counts a failed check with its details.
    pub(super) fn record_failure(&self, item: &Item, failure: Failure) {
        let mut record = self.record();
        record.report.checked += 1;
        record.report.failed += 1;
        let counts = record.item(item);
        counts.checked += 1;
        counts.failed += 1;
        if counts.failed > MAX_DETAILS {
            record.report.failures_left_out += 1;
            return;
        }
        record.observer.failed(self.section, &failure);
        record.report.failures.push(failure);
    }

    /// True if an item has so many failures that further details are left out.
    pub(super) fn has_enough_failures(&self, item: &Item) -> bool {
        self.record().item(item).failed >= MAX_DETAILS
    }

    fn record(&self) -> MutexGuard<'_, Record<'s>> {
        // A panic of a backend does not make the counts wrong.
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Record<'_> {
    fn item(&mut self, item: &Item) -> &mut ItemReport {
        let items = &mut self.report.items;
        let position = *self.positions.entry(item.clone()).or_insert_with(|| {
            let op = item.op.map(str::to_owned);
            items.push(ItemReport { name: item.name.to_string(), op, checked: 0, failed: 0, skipped: 0, reason: None });
            items.len() - 1
        });
        &mut items[position]
    }
}
