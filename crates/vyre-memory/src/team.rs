//! Fork-join over persistent threads.
//!
//! [`Team::run`] executes one task on the calling thread and on idle threads of the team, and returns when all of them have
//! finished. Threads are started by the first call that needs them and wait for later calls, because the start of a thread takes
//! longer than the copy of a megabyte. Calls of several threads share the team: a call never waits for threads that are busy
//! with another one, and never executes a part of another call, so a caller may hold locks.

#![expect(unsafe_code, reason = "threads of a team borrow the task of a call, which outlives their use of it")]

use std::collections::VecDeque;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle, available_parallelism};
use std::time::{Duration, Instant};

/// Time for which a thread polls before it sleeps, a helper for another call and a caller for the end of its own: calls often
/// follow each other, and waking a thread takes tens of microseconds.
const SPIN_TIME: Duration = Duration::from_micros(100);

/// Pauses of the processor between two checks whether helpers have finished.
const SPINS_PER_CHECK: u32 = 32;

/// Threads that execute a task together.
pub struct Team {
    name: &'static str,
    /// Maximum number of members of a call: the caller and the helpers.
    size: usize,
    shared: Arc<Shared>,
    helpers: Mutex<Vec<JoinHandle<()>>>,
}

/// State that helpers share with callers.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Number of the last call, for helpers that poll.
    last: AtomicU64,
    /// A call has begun, or the team ends.
    begun: Condvar,
    /// A helper has finished its part of a call.
    finished: Condvar,
}

#[derive(Default)]
struct State {
    /// Calls that helpers may join, the oldest first.
    calls: VecDeque<Call>,
    /// Number of helpers that sleep.
    sleeping: usize,
    is_ending: bool,
}

/// Call in progress.
struct Call {
    number: u64,
    task: Task,
    /// Number of helpers that may still join.
    seats: usize,
    /// Number of helpers that execute the task.
    active: usize,
    has_panicked: bool,
}

/// Task of a call without its lifetime.
#[derive(Clone, Copy)]
struct Task(*const (dyn Fn() + Sync));

// SAFETY: the task is `Sync`, and `Team::run` keeps it alive until no thread uses it.
unsafe impl Send for Task {}

impl Shared {
    /// Locks the state. No code that can panic changes it, so a poisoned state is consistent.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Executes the calls of the team until it ends.
    fn help(&self) {
        let mut state = self.lock();
        loop {
            let Some(call) = state.calls.iter_mut().find(|call| call.seats > 0) else {
                if state.is_ending {
                    return;
                }
                state = self.next_call(state);
                continue;
            };
            call.seats -= 1;
            call.active += 1;
            let (number, task) = (call.number, call.task);
            drop(state);
            // SAFETY: the call counts this thread as active, and `Team::run` does not return before it is not.
            let task = unsafe { &*task.0 };
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(task));
            state = self.lock();
            if let Some(call) = state.calls.iter_mut().find(|call| call.number == number) {
                call.active -= 1;
                call.has_panicked |= outcome.is_err();
                if call.active == 0 {
                    self.finished.notify_all();
                }
            }
        }
    }

    /// Waits until a call begins or the team ends: polls for a moment, then sleeps. May return earlier.
    fn next_call<'s>(&'s self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        let (seen, start) = (self.last.load(Ordering::Acquire), Instant::now());
        drop(state);
        while start.elapsed() < SPIN_TIME {
            if self.last.load(Ordering::Acquire) != seen {
                return self.lock();
            }
            std::hint::spin_loop();
        }
        let mut state = self.lock();
        if self.last.load(Ordering::Acquire) == seen && !state.is_ending {
            state.sleeping += 1;
            state = self.begun.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.sleeping -= 1;
        }
        state
    }
}

/// Scope of a call. Dropping it removes the call after its last helper has finished.
struct Scope<'t> {
    shared: &'t Shared,
    number: u64,
}

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        let (mut state, start) = (self.shared.lock(), Instant::now());
        loop {
            let Some(at) = state.calls.iter().position(|call| call.number == self.number) else { return };
            state.calls[at].seats = 0;
            if state.calls[at].active == 0 {
                let has_panicked = state.calls.remove(at).is_some_and(|call| call.has_panicked);
                drop(state);
                if has_panicked && !std::thread::panicking() {
                    std::panic::resume_unwind(Box::new("a thread of the team panicked"));
                }
                return;
            }
            if start.elapsed() < SPIN_TIME {
                drop(state);
                (0..SPINS_PER_CHECK).for_each(|_| std::hint::spin_loop());
                state = self.shared.lock();
            } else {
                state = self.shared.finished.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

impl Team {
    /// Creates a team of at most `max_size` threads, and of at most one for each core. `name` is the name of its threads.
    #[must_use]
    pub fn new(name: &'static str, max_size: usize) -> Team {
        let cores = available_parallelism().map_or(1, NonZeroUsize::get);
        Team::with_size(name, max_size.min(cores).max(1))
    }

    fn with_size(name: &'static str, size: usize) -> Team {
        Team { name, size, shared: Arc::default(), helpers: Mutex::default() }
    }

    /// Maximum number of threads that execute a task, including the caller.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Executes a task on this thread and on up to `members - 1` idle threads of the team, each once. The task must divide its
    /// work dynamically: the number of threads that execute it is not known in advance.
    ///
    /// # Panics
    ///
    /// If the task panics on any thread.
    pub fn run(&self, members: usize, task: &(dyn Fn() + Sync)) {
        let seats = members.min(self.size).saturating_sub(1).min(self.start_helpers(members));
        if seats == 0 {
            task();
            return;
        }
        // SAFETY: only the lifetime changes. Helpers use the task while the call counts them as active, and the scope below,
        // which is dropped before this function returns or unwinds, waits until there are none.
        let erased: *const (dyn Fn() + Sync + 'static) =
            unsafe { std::mem::transmute::<&(dyn Fn() + Sync), &'static (dyn Fn() + Sync)>(task) };
        let mut state = self.shared.lock();
        let number = self.shared.last.fetch_add(1, Ordering::AcqRel) + 1;
        state.calls.push_back(Call { number, task: Task(erased), seats, active: 0, has_panicked: false });
        let sleeping = state.sleeping;
        drop(state);
        let scope = Scope { shared: &self.shared, number };
        // One call that wakes all costs the caller less than one for each, and few helpers have nothing to do.
        match sleeping {
            0 => {}
            1 => self.shared.begun.notify_one(),
            _ => self.shared.begun.notify_all(),
        }
        task();
        drop(scope);
    }

    /// Starts the helpers that a call of so many members needs, and returns the number of all helpers. A thread that cannot be
    /// started is missing, and the others do its work.
    fn start_helpers(&self, members: usize) -> usize {
        let mut helpers = self.helpers.lock().unwrap_or_else(PoisonError::into_inner);
        while helpers.len() + 1 < members.min(self.size) {
            let shared = Arc::clone(&self.shared);
            let thread = Builder::new().name(format!("{}-{}", self.name, helpers.len()));
            match thread.spawn(move || shared.help()) {
                Ok(helper) => helpers.push(helper),
                Err(_) => break,
            }
        }
        helpers.len()
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.shared.lock().is_ending = true;
        self.shared.begun.notify_all();
        let helpers = std::mem::take(&mut *self.helpers.lock().unwrap_or_else(PoisonError::into_inner));
        for helper in helpers {
            // Panics of tasks are caught, so the thread ends normally.
            let _ = helper.join();
        }
    }
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Team").field("name", &self.name).field("size", &self.size).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn team(size: usize) -> Team {
        Team::with_size("test", size)
    }

    #[test]
    fn each_item_is_processed_once() {
        let team = team(5);
        for members in [0, 1, 2, 5, 99] {
            let (next, counts) = (AtomicUsize::new(0), [const { AtomicUsize::new(0) }; 1_000]);
            team.run(members, &|| {
                while let Some(count) = counts.get(next.fetch_add(1, Ordering::Relaxed)) {
                    count.fetch_add(1, Ordering::Relaxed);
                }
            });
            assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) == 1), "{members} members");
        }
    }

    #[test]
    fn a_call_does_not_wait_for_threads_that_are_busy() {
        let team = team(2);
        let (begun, may_end) = (Mutex::new(0), Condvar::new());
        std::thread::scope(|scope| {
            // Both threads of the first call wait for the end of the second one.
            scope.spawn(|| {
                team.run(2, &|| {
                    let mut count = begun.lock().expect("no panic");
                    *count += 1;
                    while *count < 3 {
                        count = may_end.wait(count).expect("no panic");
                    }
                });
            });
            while *begun.lock().expect("no panic") < 2 {
                std::thread::yield_now();
            }
            let executed = AtomicUsize::new(0);
            team.run(2, &|| {
                executed.fetch_add(1, Ordering::Relaxed);
            });
            assert_eq!(executed.load(Ordering::Relaxed), 1);
            *begun.lock().expect("no panic") = 3;
            may_end.notify_all();
        });
    }

    #[test]
    fn a_panic_reaches_the_caller_and_the_team_stays_usable() {
        let team = team(3);
        let executed = AtomicUsize::new(0);
        for _ in 0..20 {
            let panicking = || {
                executed.fetch_add(1, Ordering::Relaxed);
                std::panic::resume_unwind(Box::new("expected"));
            };
            let call = std::panic::AssertUnwindSafe(|| team.run(3, &panicking));
            assert!(std::panic::catch_unwind(call).is_err());
        }
        assert!(executed.load(Ordering::Relaxed) >= 20);
        team.run(3, &|| {});
    }
}
