//! Tasks of the sections of a run. They are made one by one: a run can have billions of programs.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use vyre::conform::suite::{EarlyEnd, SectionReport};

/// Number of generated programs of a process.
const PROGRAMS_OF_A_PROCESS: u64 = 1_000;

/// A section of the run.
pub(super) struct Work {
    pub(super) section: &'static str,
    pub(super) about: &'static str,
    /// Number of programs, if the section is one of generated programs.
    pub(super) programs: Option<u64>,
}

/// A section, or some of its generated programs.
pub(super) struct Task {
    /// Position of the section in the run.
    pub(super) place: usize,
    /// Position of the task in the section.
    pub(super) number: u64,
    pub(super) section: &'static str,
    pub(super) about: &'static str,
    /// First program, and number of programs.
    pub(super) programs: Option<(u64, u64)>,
}

impl Work {
    /// Number of tasks.
    fn tasks(&self) -> u64 {
        self.programs.map_or(1, |programs| programs.div_ceil(PROGRAMS_OF_A_PROCESS))
    }

    fn task(&self, place: usize, number: u64) -> Task {
        let range = |programs: u64| {
            let first = number.saturating_mul(PROGRAMS_OF_A_PROCESS);
            (first, PROGRAMS_OF_A_PROCESS.min(programs.saturating_sub(first)))
        };
        Task { place, number, section: self.section, about: self.about, programs: self.programs.map(range) }
    }
}

/// Gives tasks to workers, in the order of the sections.
pub(super) struct Schedule<'w> {
    works: &'w [Work],
    /// Place and number of the next task.
    next: Mutex<(usize, u64)>,
}

impl<'w> Schedule<'w> {
    pub(super) fn new(works: &'w [Work]) -> Schedule<'w> {
        Schedule { works, next: Mutex::new((0, 0)) }
    }

    /// Number of all tasks.
    pub(super) fn len(&self) -> u64 {
        self.works.iter().map(Work::tasks).fold(0, u64::saturating_add)
    }

    /// The next task. Sections that have ended have no more.
    pub(super) fn next(&self, has_ended: impl Fn(&str) -> bool) -> Option<Task> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let (place, number) = *next;
            let work = self.works.get(place)?;
            if number < work.tasks() && !has_ended(work.section) {
                *next = (place, number + 1);
                return Some(work.task(place, number));
            }
            *next = (place + 1, 0);
        }
    }
}

/// Report of a section whose tasks end in any order. Its failures have the order of the tasks.
pub(super) struct Gathered {
    report: SectionReport,
    tasks: u64,
    /// Number of tasks in the report.
    added: u64,
    /// Reports of tasks after one that has not ended.
    waiting: BTreeMap<u64, SectionReport>,
}

impl Gathered {
    pub(super) fn new(work: &Work) -> Gathered {
        let report = SectionReport::empty(work.section, work.about);
        Gathered { report, tasks: work.tasks(), added: 0, waiting: BTreeMap::new() }
    }

    /// Adds the report of a task.
    pub(super) fn add(&mut self, number: u64, report: SectionReport) {
        self.waiting.insert(number, report);
        while let Some(report) = self.waiting.remove(&self.added) {
            self.report.add(report);
            self.added += 1;
        }
    }

    /// The report, or `None` if no task has one. A section of which tasks are missing was cancelled, unless it says why it ended.
    pub(super) fn finish(mut self) -> Option<SectionReport> {
        for report in std::mem::take(&mut self.waiting).into_values() {
            self.report.add(report);
            self.added += 1;
        }
        if self.added < self.tasks {
            self.report.ended_early = self.report.ended_early.or(Some(EarlyEnd::Cancelled));
        }
        (self.added > 0).then_some(self.report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn works(programs: u64) -> [Work; 3] {
        let work = |section, programs| Work { section, about: "", programs };
        [work("casts", None), work("generated", Some(programs)), work("laws", None)]
    }

    #[test]
    fn tasks_of_any_number_of_programs_are_made_when_they_are_needed() {
        let works = works(u64::MAX);
        let schedule = Schedule::new(&works);
        let next = || schedule.next(|_| false).map(|task| (task.section, task.programs));
        assert_eq!(schedule.len(), u64::MAX.div_ceil(1_000) + 2);
        assert_eq!(next(), Some(("casts", None)));
        assert_eq!(next(), Some(("generated", Some((0, 1_000)))));
        assert_eq!(next(), Some(("generated", Some((1_000, 1_000)))));
        let after = schedule.next(|section| section == "generated").map(|task| (task.place, task.section));
        assert_eq!((after, next()), (Some((2, "laws")), None));
    }

    #[test]
    fn all_programs_are_in_tasks() {
        for (programs, expected) in
            [(0, vec![]), (1, vec![(0, 1)]), (2_500, vec![(0, 1_000), (1_000, 1_000), (2_000, 500)])]
        {
            let works = works(programs);
            let schedule = Schedule::new(&works);
            let tasks = std::iter::from_fn(|| schedule.next(|_| false));
            assert_eq!(tasks.filter_map(|task| task.programs).collect::<Vec<_>>(), expected);
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
        let report = gathered.finish().expect("a report");
        assert_eq!((report.checked, report.ended_early), (11, Some(EarlyEnd::Cancelled)));
        assert_eq!(Gathered::new(&works[0]).finish(), None);
    }
}
