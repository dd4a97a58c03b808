//! `vyre conform --isolate`: every section runs in a process of its own. A driver that ends the process loses the check that it ended,
//! and no other. As many processes as the run has threads are active.

mod child;
mod crash;
mod programs;
mod queue;
mod work;

use std::time::Instant;

use anyhow::bail;
use vyre::conform::suite::{EarlyEnd, Report, SectionReport, Suite};
use vyre::runtime::CancelToken;

use self::child::{Children, Ended, Health, failure_of_process};
use self::programs::GeneratedRun;
use self::queue::Queue;
use self::work::{Gathered, Schedule, Task, Work};
use super::{Tested, threads};
use crate::args::conform::ConformArgs;
use crate::graph::Bar;

/// Section that runs in several processes.
const GENERATED: &str = "generated";

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
    let work = |&(section, about): &(&'static str, &'static str)| Work {
        section,
        about,
        programs: (section == GENERATED).then_some(programs),
    };
    let works: Vec<Work> = chosen.iter().map(work).collect();
    let schedule = Schedule::new(&works);
    let mut gathered: Vec<Gathered> = works.iter().map(Gathered::new).collect();
    let health = Health::default();
    let workers = threads(args.threads).min(usize::try_from(schedule.len()).unwrap_or(usize::MAX)).max(1);
    // A device that computes on the CPU has no more of it for threads than the processes use.
    let of_section = if tested.device.is_software() { 1 } else { threads(args.threads) };
    let children = (0..workers).map(|_| Children::new(args, of_section, cancel, &health));
    let workers = children.collect::<anyhow::Result<Vec<_>>>()?;
    let queue = Queue {
        schedule: &schedule,
        has_ended: &|section| section == GENERATED && generated.has_ended(),
        execute: &|children, task| match task.programs {
            Some(programs) => generated.run(children, task.about, programs),
            None => whole(children, task),
        },
        cancel,
    };
    queue.run(workers, bar, &mut gathered);
    if let Some(error) = health.failure() {
        bail!("no process of a section worked: {error}");
    }
    report.left_out = others.iter().map(|(name, _)| (*name).to_owned()).collect();
    for (work, gathered) in works.iter().zip(gathered) {
        let Some(mut section) = gathered.finish() else {
            report.left_out.push(work.section.to_owned());
            continue;
        };
        if work.programs.is_some() {
            section.milliseconds = generated.milliseconds();
        }
        report.sections.push(section);
    }
    report.is_interrupted =
        cancel.is_cancelled() || report.sections.iter().any(|section| section.ended_early.is_some());
    report.milliseconds = start.elapsed().as_millis() as u64;
    Ok(report)
}

/// Runs a section in one process. If it ends, the checks after the one that ended it are not made.
fn whole(children: &Children<'_>, task: &Task) -> SectionReport {
    let start = Instant::now();
    let mut report = SectionReport::empty(task.section, task.about);
    match children.run(task.section, None) {
        Ended::Report(section) => return *section,
        Ended::Cancelled => report.ended_early = Some(EarlyEnd::Cancelled),
        Ended::Failed(error) => {
            report.add_failure(failure_of_process(&error, None));
            report.ended_early = Some(EarlyEnd::Crash);
        }
        Ended::Crash(how) => {
            for failure in crash::failures(children, &how) {
                report.add_failure(failure);
            }
            report.ended_early = Some(EarlyEnd::Crash);
        }
    }
    report.milliseconds = start.elapsed().as_millis() as u64;
    report
}
