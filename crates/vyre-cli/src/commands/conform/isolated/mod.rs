//! `vyre conform --isolate`: every section runs in a process of its own. A driver that ends the process loses the check that it ended,
//! and no other. As many processes as the run has threads are active.

mod child;
mod crash;
mod programs;
mod queue;

use std::time::Instant;

use vyre::conform::suite::{EarlyEnd, Report, SectionReport, Suite};
use vyre::runtime::CancelToken;

use self::child::{Children, Ended};
use self::programs::GeneratedRun;
use self::queue::Task;
use super::{Tested, threads};
use crate::args::conform::ConformArgs;
use crate::graph::Bar;

/// Section that runs in several processes.
const GENERATED: &str = "generated";

/// Runs the suite, each section in a process of its own.
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
    let programs = suite.programs_on(&*tested.device);
    let generated = GeneratedRun::new(args);
    let tasks = chosen.iter().flat_map(|&(name, about)| match name {
        GENERATED => programs::tasks(about, programs),
        _ => vec![Task { section: name, about, programs: None }],
    });
    let tasks: Vec<Task> = tasks.collect();
    let execute = |children: &Children<'_>, task: &Task| match task.programs {
        Some(programs) => generated.run(children, task.about, programs),
        None => whole(children, task),
    };
    let mut reports = queue::run(&tasks, threads(args.threads), (args, cancel, bar), &execute)?.into_iter();
    let mut report = Report {
        backend: tested.backend.to_owned(),
        device: tested.device.name(),
        driver: tested.device.driver(),
        level: args.level.level(),
        seed: args.seed,
        programs,
        sections: Vec::new(),
        left_out: others.iter().map(|(name, _)| (*name).to_owned()).collect(),
        milliseconds: 0,
        is_interrupted: false,
    };
    for (name, about) in chosen {
        let count = tasks.iter().filter(|task| task.section == name).count();
        let parts: Vec<Option<SectionReport>> = reports.by_ref().take(count).collect();
        if parts.iter().all(Option::is_none) {
            report.left_out.push(name.to_owned());
            continue;
        }
        let mut section = SectionReport::empty(name, about);
        for part in parts {
            match part {
                Some(part) => section.add(part),
                None => section.ended_early = section.ended_early.or(Some(EarlyEnd::Cancelled)),
            }
        }
        if name == GENERATED {
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
fn whole(children: &Children<'_>, task: &Task) -> anyhow::Result<SectionReport> {
    let start = Instant::now();
    let mut report = SectionReport::empty(task.section, task.about);
    match children.run(task.section, None)? {
        Ended::Report(section) => return Ok(*section),
        Ended::Cancelled => report.ended_early = Some(EarlyEnd::Cancelled),
        Ended::Crash(how) => {
            for failure in crash::failures(children, &how) {
                report.add_failure(failure);
            }
            report.ended_early = Some(EarlyEnd::Crash);
        }
    }
    report.milliseconds = start.elapsed().as_millis() as u64;
    Ok(report)
}
