//! `vyre conform --isolate`: every section runs in a process of its own. A driver that ends the process loses the check that it ended,
//! and no other. As many processes as the run has threads are active.

mod child;
mod crash;
mod programs;
mod queue;
mod report;
mod work;

use std::time::Instant;

use anyhow::bail;
use vyre::conform::certificate::Certificate;
use vyre::conform::suite::{EarlyEnd, GENERATED, Report, SectionReport, Suite};
use vyre::runtime::CancelToken;

use self::child::{Checks, Children, Ended, Health, failure_of_process};
use self::programs::{GeneratedRun, PROGRAMS_OF_A_SEED};
use self::queue::Queue;
use self::work::{Division, Gathered, Schedule, Share, Task, Work};
use super::{Tested, threads};
use crate::args::conform::ConformArgs;
use crate::graph::Bar;

/// Item of the failures of processes whose programs are unknown.
pub(super) const PROCESS: &str = "process";

/// Number of generated programs of a process: all programs of some seeds.
const PROGRAMS_OF_A_PROCESS: u64 = 500 * PROGRAMS_OF_A_SEED;

/// Number of generated programs of a process on a device that computes on the CPU.
const PROGRAMS_OF_A_SLOW_PROCESS: u64 = 50 * PROGRAMS_OF_A_SEED;

/// Runs the suite, each section in a process of its own. Fails if no process works.
pub(super) fn run(
    args: &ConformArgs,
    suite: &Suite,
    tested: &Tested,
    cancel: &CancelToken,
    bar: &Bar,
) -> anyhow::Result<Report> {
    let start = Instant::now();
    let is_chosen = |name: &str| args.only.is_empty() || args.only.iter().any(|only| only == name);
    let (chosen, others): (Vec<_>, Vec<_>) = suite.sections().partition(|(name, _)| is_chosen(name));
    let mut report = suite.empty_report(tested.backend, &*tested.device);
    let programs = report.programs;
    let generated = GeneratedRun::new(args);
    // A device that computes on the CPU compiles on one thread, so more processes make it faster, and more threads do not.
    let is_software = tested.device.is_software();
    let division = |section: &str| match section {
        GENERATED if is_software => Division::Programs(programs, PROGRAMS_OF_A_SLOW_PROCESS),
        GENERATED => Division::Programs(programs, PROGRAMS_OF_A_PROCESS),
        section if is_software && suite.can_be_divided(section) => Division::Parts(threads(args.threads) as u64),
        _ => Division::Whole,
    };
    let works: Vec<Work> = chosen.iter().map(|&section| Work::new(section, division(section.0))).collect();
    let schedule = Schedule::new(&works);
    let mut gathered: Vec<Gathered<'_>> = works.iter().map(Gathered::new).collect();
    let health = Health::default();
    let workers = threads(args.threads).min(usize::try_from(schedule.len()).unwrap_or(usize::MAX)).max(1);
    let of_section = if is_software { 1 } else { threads(args.threads) };
    let expected = Certificate::of(&report);
    let children = (0..workers).map(|_| Children::new(args, &expected, of_section, cancel, &health));
    let workers = children.collect::<anyhow::Result<Vec<_>>>()?;
    let queue = Queue {
        schedule: &schedule,
        has_ended: &|work| {
            work.has_enough_failures(args.max_failures) || work.section == GENERATED && generated.has_ended()
        },
        execute: &|children, task| {
            let work = &works[task.place];
            let report = match task.share {
                Share::Programs(first, count) => generated.run(children, task.about, (first, count)),
                Share::Part(part) => {
                    let elapsed = work.start.get().map_or(0, |start| start.elapsed().as_secs());
                    let left = |limit: u64| if limit == 0 { 0 } else { limit.saturating_sub(elapsed).max(1) };
                    in_one_process(children, task, Checks::Part(part, args.section_seconds.map(left)))
                }
                Share::All => in_one_process(children, task, Checks::All),
            };
            work.count(&report);
            report
        },
        cancel,
    };
    queue.run(workers, bar, &mut gathered);
    if let Some(error) = health.failure() {
        bail!("no process of a section worked: {error}");
    }
    report.left_out = others.iter().map(|(name, _)| (*name).to_owned()).collect();
    for (work, gathered) in works.iter().zip(gathered) {
        match gathered.finish(args.max_failures) {
            Some(section) => report.sections.push(section),
            None => report.left_out.push(work.section.to_owned()),
        }
    }
    report.is_interrupted =
        cancel.is_cancelled() || report.sections.iter().any(|section| section.ended_early.is_some());
    report.milliseconds = start.elapsed().as_millis() as u64;
    Ok(report)
}

/// Runs checks of a section in one process. If it ends, the checks after the one that ended it are not made.
fn in_one_process(children: &Children<'_>, task: &Task, checks: Checks) -> SectionReport {
    let start = Instant::now();
    let mut report = SectionReport::empty(task.section, task.about);
    match children.run(task.section, checks) {
        Ended::Report(section) => return *section,
        Ended::Cancelled => report.ended_early = Some(EarlyEnd::Cancelled),
        Ended::Failed(error) | Ended::Invalid(error) => {
            report.add_failure(failure_of_process(&error, None), None);
            report.ended_early = Some(EarlyEnd::Crash);
        }
        Ended::Crash(how) => {
            for crash in crash::failures(children, &how) {
                crash.add_to(&mut report);
            }
            report.ended_early = Some(EarlyEnd::Crash);
        }
    }
    report.milliseconds = start.elapsed().as_millis() as u64;
    report
}
