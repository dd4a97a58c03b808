//! Processes side by side.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use vyre::conform::suite::SectionReport;
use vyre::runtime::CancelToken;

use super::child::Children;
use super::work::{Gathered, Schedule, Task, Work};
use crate::graph::Bar;
use crate::termination::{end_all_children, kill_all_children};

/// Time that processes have to end after Ctrl-C. It is longer than their own time for it, and shorter than that of this process.
const CANCEL_GRACE: Duration = Duration::from_secs(7);

/// How often a cancellation is looked for.
const POLL: Duration = Duration::from_millis(200);

/// What a worker does.
enum Event {
    Started(&'static str),
    Done(Task, SectionReport),
}

/// What workers execute.
pub(super) struct Queue<'q> {
    pub(super) schedule: &'q Schedule<'q>,
    /// Reports whether a section has no more tasks.
    pub(super) has_ended: &'q (dyn Fn(&Work) -> bool + Sync),
    pub(super) execute: &'q (dyn Fn(&Children<'_>, &Task) -> SectionReport + Sync),
    pub(super) cancel: &'q CancelToken,
}

impl Queue<'_> {
    /// Executes all tasks, one at a time by each worker, and gathers their reports by section. A cancellation leaves tasks out.
    pub(super) fn run(&self, workers: Vec<Children<'_>>, bar: &Bar, gathered: &mut [Gathered<'_>]) {
        let (sender, events) = mpsc::channel();
        let (mut done, total) = (0, self.schedule.len());
        let mut cancelled = None;
        std::thread::scope(|scope| {
            for children in workers {
                let sender = sender.clone();
                scope.spawn(move || self.work(&children, &sender));
            }
            drop(sender);
            loop {
                match events.recv_timeout(POLL) {
                    Ok(Event::Started(section)) => bar.part(section, done, total),
                    Ok(Event::Done(task, report)) => {
                        done += 1;
                        bar.part(task.section, done, total);
                        if let Some(gathered) = gathered.get_mut(task.place) {
                            gathered.add(task.number, report);
                        }
                    }
                    Err(mpsc::RecvTimeoutError::Timeout) if self.cancel.is_cancelled() => end(&mut cancelled),
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                }
            }
        });
    }

    fn work(&self, children: &Children<'_>, events: &mpsc::Sender<Event>) {
        while !self.cancel.is_cancelled() {
            let Some(task) = self.schedule.next(self.has_ended) else { break };
            // The receiver lives as long as this thread.
            let _ = events.send(Event::Started(task.section));
            let report = (self.execute)(children, &task);
            let _ = events.send(Event::Done(task, report));
        }
    }
}

/// Asks the processes to end, so that their sections have reports, and kills them later. The signal may have been sent to this process alone.
/// Processes that have it already take the second one for the same.
fn end(cancelled: &mut Option<Instant>) {
    match cancelled {
        None => {
            *cancelled = Some(Instant::now());
            end_all_children();
        }
        Some(since) if since.elapsed() >= CANCEL_GRACE => kill_all_children(),
        Some(_) => {}
    }
}
