//! Tasks of the sections of a run. They are made one by one: a run can have billions of programs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use vyre::conform::suite::{EarlyEnd, Part, SectionReport};

/// A section of the run.
pub(super) struct Work {
    pub(super) section: &'static str,
    pub(super) about: &'static str,
    pub(super) division: Division,
    /// Start of the first task.
    pub(super) start: OnceLock<Instant>,
    /// Number of failed checks of the tasks that have ended.
    failed: AtomicU64,
}

/// How a section becomes tasks. Tasks of the first kinds come first: a section of one process can take as long as all others together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Division {
    /// One task.
    Whole,
    /// A number of parts.
    Parts(u64),
    /// Generated programs: their number, and that of a process.
    Programs(u64, u64),
}

/// A section, or some of its checks.
pub(super) struct Task {
    /// Position of the section in the run.
    pub(super) place: usize,
    /// Position of the task in the section.
    pub(super) number: u64,
    pub(super) section: &'static str,
    pub(super) about: &'static str,
    pub(super) share: Share,
}

/// Checks of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Share {
    /// All of the section.
    All,
    /// A part of them.
    Part(Part),
    /// First program, and number of programs.
    Programs(u64, u64),
}

impl Work {
    pub(super) fn new((section, about): (&'static str, &'static str), division: Division) -> Work {
        Work { section, about, division, start: OnceLock::new(), failed: AtomicU64::new(0) }
    }

    /// Counts the failed checks of a task that has ended.
    pub(super) fn count(&self, report: &SectionReport) {
        self.failed.fetch_add(report.failed, Ordering::Relaxed);
    }

    /// Reports whether so many checks have failed that the section has no further tasks. 0 means no limit.
    pub(super) fn has_enough_failures(&self, max_failures: u64) -> bool {
        max_failures > 0 && self.failed.load(Ordering::Relaxed) >= max_failures
    }

    /// Number of tasks.
    fn tasks(&self) -> u64 {
        match self.division {
            Division::Whole => 1,
            Division::Parts(parts) => parts,
            Division::Programs(programs, of_a_process) => programs.div_ceil(of_a_process),
        }
    }

    fn task(&self, place: usize, number: u64) -> Task {
        let share = match self.division {
            Division::Whole => Share::All,
            Division::Parts(parts) => Share::Part(Part { number, parts }),
            Division::Programs(programs, of_a_process) => {
                let first = number.saturating_mul(of_a_process);
                Share::Programs(first, of_a_process.min(programs.saturating_sub(first)))
            }
        };
        Task { place, number, section: self.section, about: self.about, share }
    }
}

/// Gives tasks to workers.
pub(super) struct Schedule<'w> {
    works: &'w [Work],
    /// Places of the sections, in the order of their tasks.
    order: Vec<usize>,
    /// Position in the order, and number of the next task.
    next: Mutex<(usize, u64)>,
}

impl<'w> Schedule<'w> {
    pub(super) fn new(works: &'w [Work]) -> Schedule<'w> {
        let mut order: Vec<usize> = (0..works.len()).collect();
        order.sort_by_key(|&place| works[place].division);
        Schedule { works, order, next: Mutex::new((0, 0)) }
    }

    /// Number of all tasks.
    pub(super) fn len(&self) -> u64 {
        self.works.iter().map(Work::tasks).fold(0, u64::saturating_add)
    }

    /// The next task. Sections that have ended have no more.
    pub(super) fn next(&self, has_ended: impl Fn(&Work) -> bool) -> Option<Task> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let (position, number) = *next;
            let &place = self.order.get(position)?;
            let work = &self.works[place];
            if number < work.tasks() && !has_ended(work) {
                *next = (position, number + 1);
                work.start.get_or_init(Instant::now);
                return Some(work.task(place, number));
            }
            *next = (position + 1, 0);
        }
    }
}

/// Report of a section whose tasks end in any order. Its failures have the order of the tasks.
pub(super) struct Gathered<'w> {
    work: &'w Work,
    report: SectionReport,
    /// Time from the start of the first task to the end of the last one.
    milliseconds: u64,
    /// Number of tasks in the report.
    added: u64,
    /// Reports of tasks after one that has not ended.
    waiting: BTreeMap<u64, SectionReport>,
}

impl<'w> Gathered<'w> {
    pub(super) fn new(work: &'w Work) -> Gathered<'w> {
        let report = SectionReport::empty(work.section, work.about);
        Gathered { work, report, milliseconds: 0, added: 0, waiting: BTreeMap::new() }
    }

    /// Adds the report of a task.
    pub(super) fn add(&mut self, number: u64, report: SectionReport) {
        self.milliseconds = self.work.start.get().map_or(0, |start| start.elapsed().as_millis() as u64);
        self.waiting.insert(number, report);
        while let Some(report) = self.waiting.remove(&self.added) {
            self.report.add(report);
            self.added += 1;
        }
    }

    /// The report, or `None` if the section has tasks and none has a report. A section of which tasks are missing was cancelled, unless it
    /// says why it ended or has too many failures.
    pub(super) fn finish(mut self, max_failures: u64) -> Option<SectionReport> {
        for report in std::mem::take(&mut self.waiting).into_values() {
            self.report.add(report);
            self.added += 1;
        }
        let tasks = self.work.tasks();
        if self.added < tasks {
            let has_enough = self.work.has_enough_failures(max_failures);
            let reason = if has_enough { EarlyEnd::Failures } else { EarlyEnd::Cancelled };
            self.report.ended_early.get_or_insert(reason);
        }
        self.report.milliseconds = self.milliseconds;
        (self.added > 0 || tasks == 0).then_some(self.report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn works(programs: u64) -> [Work; 4] {
        let work = |section, division| Work::new((section, ""), division);
        [
            work("casts", Division::Whole),
            work("generated", Division::Programs(programs, 1_000)),
            work("collectives", Division::Parts(2)),
            work("laws", Division::Whole),
        ]
    }

    #[test]
    fn tasks_of_any_number_of_programs_are_made_when_they_are_needed() {
        let works = works(u64::MAX);
        let schedule = Schedule::new(&works);
        let next = || schedule.next(|_| false).map(|task| (task.place, task.section, task.share));
        let part = |number| Share::Part(Part { number, parts: 2 });
        assert_eq!(schedule.len(), u64::MAX.div_ceil(1_000) + 4);
        assert_eq!(next(), Some((0, "casts", Share::All)));
        assert_eq!(next(), Some((3, "laws", Share::All)));
        assert_eq!(next(), Some((2, "collectives", part(0))));
        assert_eq!(next(), Some((2, "collectives", part(1))));
        assert_eq!(next(), Some((1, "generated", Share::Programs(0, 1_000))));
        assert_eq!(next(), Some((1, "generated", Share::Programs(1_000, 1_000))));
        assert!(schedule.next(|work| work.section == "generated").is_none() && next().is_none());
    }

    #[test]
    fn all_programs_are_in_tasks() {
        for (programs, expected) in
            [(0, vec![]), (1, vec![(0, 1)]), (2_500, vec![(0, 1_000), (1_000, 1_000), (2_000, 500)])]
        {
            let works = works(programs);
            let schedule = Schedule::new(&works);
            let tasks = std::iter::from_fn(|| schedule.next(|_| false));
            let programs = tasks.filter_map(|task| match task.share {
                Share::Programs(first, count) => Some((first, count)),
                _ => None,
            });
            assert_eq!(programs.collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn reports_have_the_order_of_tasks() {
        let part = |checked| SectionReport { checked, ..SectionReport::empty("generated", "") };
        let works = works(3_000);
        let mut gathered = Gathered::new(&works[1]);
        gathered.add(2, part(1));
        assert_eq!((gathered.report.checked, gathered.waiting.len()), (0, 1));
        gathered.add(0, part(10));
        assert_eq!((gathered.report.checked, gathered.waiting.len()), (10, 1));
        let report = gathered.finish(0).expect("a report");
        assert_eq!((report.checked, report.ended_early), (11, Some(EarlyEnd::Cancelled)));
        assert_eq!(Gathered::new(&works[0]).finish(0), None);
    }

    /// A section without tasks made no check, which its report says. It was not left out.
    #[test]
    fn sections_without_tasks_have_a_report() {
        let works = works(0);
        let report = Gathered::new(&works[1]).finish(100).expect("a report");
        assert_eq!(report, SectionReport::empty("generated", ""));
        assert!(report.is_missing());
    }

    #[test]
    fn sections_with_too_many_failures_have_no_further_tasks() {
        for (failed, max, expected) in [(3, 4, false), (4, 4, true), (1_000, 0, false)] {
            let works = works(0);
            let schedule = Schedule::new(&works);
            let is_of_parts = |task: &Task| task.section == "collectives";
            let next = || schedule.next(|work| work.has_enough_failures(max));
            assert!(std::iter::from_fn(next).any(|task| is_of_parts(&task)), "the first part");
            let report = SectionReport { checked: failed, failed, ..SectionReport::empty("collectives", "") };
            works[2].count(&report);
            assert_eq!(next().is_none(), expected, "{failed} of {max}");
            let mut gathered = Gathered::new(&works[2]);
            gathered.add(0, report);
            let reason = if expected { EarlyEnd::Failures } else { EarlyEnd::Cancelled };
            assert_eq!(gathered.finish(max).and_then(|report| report.ended_early), Some(reason));
        }
    }
}
