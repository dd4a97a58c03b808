//! Runs of sections, each on a thread of its own, so that a call that does not return cannot hold the run.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use super::context::{Context, Event, Item, Settings, caught};
use super::ending::EarlyEnd;
use super::observer::Observer;
use super::report::SectionReport;
use super::section::Section;
use crate::differential::Subject;

/// Number of events that wait for the observer.
const MAX_EVENTS: usize = 1 << 10;

/// Bytes of the stack of a section: those of the first thread of a process, which compilers of drivers may rely on.
const STACK_BYTES: usize = 8 << 20;

/// Pause between two looks at the clock and at the cancellation token.
const PAUSE: Duration = Duration::from_millis(50);

/// Maximum time for a section to return after a cancellation: who cancels a run waits for it.
const CANCEL_GRACE: Duration = Duration::from_secs(5);

/// A section that runs.
pub(super) struct SectionRun {
    context: Arc<Context>,
    events: Receiver<Event>,
    /// `None` if there was no thread for the section.
    thread: Option<JoinHandle<()>>,
    start: Instant,
    /// Progress that the observer has seen.
    done: u64,
}

impl SectionRun {
    /// Starts a section. Its place in the run is the cost before it, its own, and that of all sections.
    pub(super) fn start(
        section: &Arc<dyn Section>,
        settings: &Arc<Settings>,
        subjects: (&Subject, &[Subject]),
        place: (u64, u64, u64),
    ) -> SectionRun {
        let start = Instant::now();
        let (sender, events) = sync_channel(MAX_EVENTS);
        let context = Context::new(settings, (section.name(), section.about()), subjects, sender, place);
        let context = Arc::new(context);
        let thread = Builder::new().name(format!("vyre-{}", section.name())).stack_size(STACK_BYTES).spawn({
            let (section, context) = (Arc::clone(section), Arc::clone(&context));
            move || run(&*section, &context)
        });
        if let Err(error) = &thread {
            context.failed(&Item::new("thread"), format!("there is no thread for the section: {error}"), None);
        }
        SectionRun { context, events, thread: thread.ok(), start, done: 0 }
    }

    /// Shows the events of the section to an observer until the section returns. Abandons it if it does not return within `grace` after it
    /// had to end.
    pub(super) fn watch(mut self, grace: Duration, observer: &mut dyn Observer) -> SectionReport {
        let mut had_to_end: Option<Instant> = None;
        while self.thread.is_some() {
            match self.events.recv_timeout(PAUSE) {
                Ok(Event::Returned) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(event) => self.show(event, observer),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let Some(reason) = self.context.end() else { continue };
            let grace = if reason == EarlyEnd::Cancelled { grace.min(CANCEL_GRACE) } else { grace };
            if had_to_end.get_or_insert_with(Instant::now).elapsed() >= grace {
                self.thread = None;
                self.context.ended_early(EarlyEnd::NoReturn);
            }
        }
        if let Some(thread) = self.thread {
            // Its panics are caught.
            let _ = thread.join();
        }
        let mut report = self.context.report();
        report.milliseconds = self.start.elapsed().as_millis() as u64;
        report
    }

    /// Shows an event. Those of several threads may arrive in another order than the progress was made in.
    fn show(&mut self, event: Event, observer: &mut dyn Observer) {
        let section = self.context.section();
        match event {
            Event::Advanced(progress) if progress.done >= self.done => {
                self.done = progress.done;
                observer.advanced(progress);
            }
            Event::Advanced(_) | Event::Returned => {}
            Event::Failing { item, message } => observer.failing(section, &item, &message),
            Event::Failed(failure) => observer.failed(section, &failure),
        }
    }
}

/// Runs a section to its end. A panic is a failure.
fn run(section: &dyn Section, context: &Context) {
    context.advanced(0, 1);
    match caught(|| section.run(context)) {
        Ok(()) => context.advanced(1, 1),
        Err(message) => {
            context.failed(&Item::new("panic"), message, None);
            context.ended_early(EarlyEnd::Panic);
        }
    }
    context.send(Event::Returned);
}
