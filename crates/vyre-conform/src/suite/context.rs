//! Context of a section: the device, the settings, and the record of its checks.

use std::borrow::Cow;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use vyre_runtime::{CancelToken, Device};

use super::bounded_device::BoundedDevice;
use super::ending::{EarlyEnd, Ending};
use super::level::{Amounts, Level};
use super::observer::Progress;
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
    /// Number of failures of a section after which it ends. 0 means that it never ends for that reason.
    pub max_failures: u64,
    /// Maximum duration of a section.
    pub section_limit: Option<Duration>,
    /// Folder of the programs that run now.
    pub running: Option<PathBuf>,
    /// The part of the checks that the run makes, in sections that can be divided.
    pub part: Part,
}

/// A part of the checks of a section: those whose numbers have a remainder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The remainder, below the number of parts.
    pub number: u64,
    /// Number of parts.
    pub parts: u64,
}

impl Part {
    /// All checks.
    pub const ALL: Part = Part { number: 0, parts: 1 };

    /// Reports whether this is the part that makes the checks without a number.
    pub(super) fn is_first(self) -> bool {
        self.number == 0
    }

    /// Reports whether this part makes the check of a number.
    fn has(self, check: u64) -> bool {
        check % self.parts.max(1) == self.number
    }
}

impl Settings {
    /// The part of an amount of the level that is left out because the device interprets programs. It is 0 if other amounts were set.
    pub(super) fn left_out(&self, amount: impl Fn(&Amounts) -> u64) -> u64 {
        let all = self.level.amounts();
        let is_reduced = self.is_interpreter && amount(&self.amounts) == amount(&all.for_interpreter());
        if is_reduced { amount(&all).saturating_sub(amount(&self.amounts)) } else { 0 }
    }
}

/// Reason why checks of a corpus are not made.
pub(super) const NO_CORPUS: &str =
    "the corpus has no such files; a build from a package has no corpus, and needs its folder";

/// Reason why checks are left out on devices that interpret programs.
pub(super) const INTERPRETS: &str = "the device interprets programs";

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

    /// The op that it counts for.
    pub(super) fn op(&self) -> Option<&'static str> {
        self.op
    }
}

/// Maximum number of failures of an item that are described in detail.
const MAX_DETAILS: u64 = 5;

/// Maximum number of failures of a section whose programs are reduced. A reduction takes seconds to minutes.
const MAX_REDUCED: u64 = 3;

/// Everything that a section needs.
pub struct Context {
    settings: Arc<Settings>,
    section: &'static str,
    subject: Subject,
    variants: Vec<Subject>,
    ending: Arc<Ending>,
    /// Nobody receives the events of a section that was abandoned.
    events: SyncSender<Event>,
    record: Mutex<Record>,
}

/// Something that the observer of the run is to see.
pub(super) enum Event {
    Advanced(Progress),
    Failing {
        item: String,
        message: String,
    },
    Failed(Failure),
    /// The section has returned.
    Returned,
}

/// Record of a section.
struct Record {
    report: SectionReport,
    positions: HashMap<Item, usize>,
    reduced: u64,
    progress: Progress,
    /// Cost of the whole section, and the cost before it.
    cost: u64,
    before: u64,
}

impl Context {
    /// The context of a section that begins now.
    pub(super) fn new(
        settings: &Arc<Settings>,
        (section, about): (&'static str, &'static str),
        (subject, variants): (&Subject, &[Subject]),
        events: SyncSender<Event>,
        (before, cost, total): (u64, u64, u64),
    ) -> Context {
        let progress = Progress { section, done: before, total };
        let report = SectionReport::empty(section, about);
        let record = Record { report, positions: HashMap::new(), reduced: 0, progress, cost, before };
        let ending = Arc::new(Ending::new(settings.cancel.clone(), settings.section_limit));
        let bounded = |subject: &Subject| {
            let device = BoundedDevice { inner: Arc::clone(&subject.device), ending: Arc::clone(&ending) };
            Subject { name: subject.name.clone(), device: Arc::new(device) }
        };
        let (subject, variants) = (bounded(subject), variants.iter().map(bounded).collect());
        Context {
            settings: Arc::clone(settings),
            section,
            subject,
            variants,
            ending,
            events,
            record: Mutex::new(record),
        }
    }

    /// Name of the section.
    pub(super) fn section(&self) -> &'static str {
        self.section
    }

    /// The report so far.
    pub(super) fn report(&self) -> SectionReport {
        self.record().report.clone()
    }

    /// Sends an event to the observer.
    pub(super) fn send(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// The settings of the run.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The device. Its compilations and runs end with the section.
    #[must_use]
    pub fn device(&self) -> &Arc<dyn Device> {
        &self.subject.device
    }

    /// The device with its name.
    #[must_use]
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Other configurations of the same backend, such as other numbers of threads, whose results must be equal.
    #[must_use]
    pub fn variants(&self) -> &[Subject] {
        &self.variants
    }

    /// Reports whether the section must end, although checks are left: the run was cancelled, the time limit was reached, or too many
    /// checks have failed. Sections ask before each check. The report then says that the section ended early.
    #[must_use]
    pub fn must_end(&self) -> bool {
        let mut record = self.record();
        let max = self.settings.max_failures;
        let has_enough = max > 0 && record.report.failed >= max;
        let reason = self.ending.reason().or(has_enough.then_some(EarlyEnd::Failures));
        if let Some(reason) = reason {
            record.report.ended_early.get_or_insert(reason);
        }
        reason.is_some()
    }

    /// The reason from outside why the section must end now, if it must.
    pub(super) fn end(&self) -> Option<EarlyEnd> {
        self.ending.reason()
    }

    /// Time at which the section must end.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.ending.deadline()
    }

    /// Reports whether the end of the section stopped a call of the device, so that the check has no result.
    pub(super) fn has_stopped_a_call(&self) -> bool {
        self.ending.has_stopped_a_call() && self.must_end()
    }

    /// Ends the section because the host cannot store the programs that run.
    pub(super) fn end_for_storage(&self) {
        self.ending.no_storage();
        // It may have been the last check, after which nobody asks.
        self.record().report.ended_early.get_or_insert(EarlyEnd::Storage);
    }

    /// Records that the section ended early.
    pub(super) fn ended_early(&self, reason: EarlyEnd) {
        self.record().report.ended_early = Some(reason);
    }

    /// Reports whether this run makes the checks that a section makes once, beside those of [`Context::in_parallel`].
    #[must_use]
    pub fn is_first_part(&self) -> bool {
        self.settings.part.is_first()
    }

    /// Calls `check` with each number below `all`, on the threads of the run, until the section must end. If the section is divided, only the
    /// numbers of this part count. The progress of the section is that of these calls. A panic of a check is a failure.
    pub fn in_parallel(&self, all: u64, check: impl Fn(u64) + Sync) {
        self.run_in_parallel(all, &|_| None, &check);
    }

    /// Does what [`Context::in_parallel`] does for checks that depend on a seed, which `check` gets beside the number. Each seed is that of
    /// `checks` consecutive numbers.
    pub fn in_parallel_by_seed(&self, all: u64, checks: u64, check: impl Fn(u64, u64) + Sync) {
        let seed = |number: u64| self.settings.seed.wrapping_add(number / checks.max(1));
        self.run_in_parallel(all, &|number| Some(seed(number)), &|number| check(number, seed(number)));
    }

    fn run_in_parallel(&self, all: u64, seed: &(dyn Fn(u64) -> Option<u64> + Sync), check: &(dyn Fn(u64) + Sync)) {
        let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
        let work = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= all || self.must_end() {
                    return;
                }
                if self.settings.part.has(number)
                    && let Err(message) = caught(|| check(number))
                {
                    let message = format!("check {number}: {message}");
                    self.failed(&Item::new("panic"), message, seed(number));
                }
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

    /// Counts a check that failed. A check that failed because the end of the section stopped a call of the device has no result, and
    /// does not count.
    pub fn failed(&self, item: &Item, message: impl Into<String>, seed: Option<u64>) {
        if !self.has_stopped_a_call() {
            self.had_failed(item, 1, message, seed);
        }
    }

    /// Counts checks that failed for one reason, before the end of the section could stop a call.
    pub(super) fn had_failed(&self, item: &Item, checks: u64, message: impl Into<String>, seed: Option<u64>) {
        if checks == 0 {
            return;
        }
        let failure = Failure { item: item.name().to_owned(), message: message.into(), seed, example: None };
        self.record_failures(item, checks, failure);
    }

    /// Counts checks that are not made because the device interprets programs, if there are such.
    pub(super) fn skipped_by_interpreter(&self, item: &Item, checks: u64) {
        if checks > 0 {
            self.skipped(item, checks, INTERPRETS);
        }
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
        let event = Event::Advanced(record.progress);
        drop(record);
        self.send(event);
    }

    /// Announces a failure. True if its program is to be reduced.
    pub(super) fn announce(&self, item: &Item, message: &str) -> bool {
        self.send(Event::Failing { item: item.name().to_owned(), message: message.to_owned() });
        let mut record = self.record();
        record.reduced += 1;
        record.reduced <= MAX_REDUCED
    }

    /// Counts a failed check with its details.
    pub(super) fn record_failure(&self, item: &Item, failure: Failure) {
        self.record_failures(item, 1, failure);
    }

    /// Counts failed checks that have the same details.
    fn record_failures(&self, item: &Item, checks: u64, failure: Failure) {
        let mut record = self.record();
        record.report.checked += checks;
        record.report.failed += checks;
        let counts = record.item(item);
        let has_details = counts.failed < MAX_DETAILS;
        counts.checked += checks;
        counts.failed += checks;
        record.report.failures_left_out += checks - u64::from(has_details);
        if !has_details {
            return;
        }
        record.report.failures.push(failure.clone());
        drop(record);
        self.send(Event::Failed(failure));
    }

    /// True if an item has so many failures that further details are left out.
    pub(super) fn has_enough_failures(&self, item: &Item) -> bool {
        self.record().item(item).failed >= MAX_DETAILS
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        // A panic of a backend does not make the counts wrong.
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes a check. A panic is an error with its message.
pub(super) fn caught<T>(check: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(check)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        format!("a panic: {}", text.unwrap_or("no message"))
    })
}

impl Record {
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
