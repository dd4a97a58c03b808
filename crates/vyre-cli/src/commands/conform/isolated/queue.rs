//! Processes side by side.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use vyre::conform::suite::SectionReport;
use vyre::runtime::CancelToken;

use super::child::Children;
use crate::args::conform::ConformArgs;
use crate::graph::Bar;
use crate::termination::kill_all_children;

/// Time that processes have to end after Ctrl-C, which reaches them too, unless the signal was sent to this process alone. It is longer than
/// their own time for it, and shorter than that of this process.
const CANCEL_GRACE: Duration = Duration::from_secs(7);

/// How often a cancellation is looked for.
const POLL: Duration = Duration::from_millis(200);

/// A section, or some generated programs of it.
pub(super) struct Task {
    pub(super) section: &'static str,
    pub(super) about: &'static str,
    /// First program, and number of programs.
    pub(super) programs: Option<(u64, u64)>,
}

/// What a worker does.
enum Event {
    Started(usize),
    Done(usize, anyhow::Result<SectionReport>),
}

/// Executes tasks, several at a time. A task that a cancellation left out has no report.
pub(super) fn run(
    tasks: &[Task],
    workers: usize,
    (args, cancel, bar): (&ConformArgs, &CancelToken, &Bar),
    execute: &(dyn Fn(&Children<'_>, &Task) -> anyhow::Result<SectionReport> + Sync),
) -> anyhow::Result<Vec<Option<SectionReport>>> {
    let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let workers = (0..workers.clamp(1, tasks.len().max(1))).map(|_| Children::new(args, cancel));
    let workers: Vec<Children<'_>> = workers.collect::<anyhow::Result<_>>()?;
    let (sender, events) = mpsc::channel();
    std::thread::scope(|scope| {
        for children in workers {
            let (sender, next, stopped) = (sender.clone(), &next, &stopped);
            scope.spawn(move || {
                while !cancel.is_cancelled() && !stopped.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(task) = tasks.get(index) else { break };
                    // The receiver lives as long as this thread.
                    let _ = sender.send(Event::Started(index));
                    let _ = sender.send(Event::Done(index, execute(&children, task)));
                }
            });
        }
        drop(sender);
        let mut reports: Vec<Option<SectionReport>> = tasks.iter().map(|_| None).collect();
        let (mut done, mut error, mut cancelled) = (0, None, None);
        let name = |index: usize| tasks.get(index).map_or("", |task| task.section);
        loop {
            match events.recv_timeout(POLL) {
                Ok(Event::Started(index)) => {
                    bar.part(name(index), done, tasks.len() as u64);
                }
                Ok(Event::Done(index, Ok(report))) => {
                    done += 1;
                    bar.part(name(index), done, tasks.len() as u64);
                    if let Some(place) = reports.get_mut(index) {
                        *place = Some(report);
                    }
                }
                Ok(Event::Done(_, Err(failure))) => {
                    stopped.store(true, Ordering::Relaxed);
                    kill_all_children();
                    error = error.or(Some(failure));
                }
                Err(mpsc::RecvTimeoutError::Timeout) if cancel.is_cancelled() => {
                    let since = *cancelled.get_or_insert_with(Instant::now);
                    if since.elapsed() >= CANCEL_GRACE {
                        kill_all_children();
                    }
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
        error.map_or(Ok(reports), Err)
    })
}
