//! Fork-join on threads of one call, which also works where the system refuses threads.
//!
//! A process can reach its limit of threads or of memory for their stacks. Work that finds no thread runs on the calling thread.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, ScopedJoinHandle, scope};

/// Runs `other` on a thread of its own and `own` on this one, and returns both results. Without a thread, `other` runs on this
/// thread after `own`.
///
/// # Panics
///
/// If one of them panics.
pub fn join<A: Send, B>(other: impl FnOnce() -> A + Send, own: impl FnOnce() -> B) -> (A, B) {
    join_with(Builder::new(), other, own)
}

fn join_with<A: Send, B>(builder: Builder, other: impl FnOnce() -> A + Send, own: impl FnOnce() -> B) -> (A, B) {
    // A refused thread drops its closure, so the closure only borrows the work.
    let (work, result) = (Mutex::new(Some(other)), Mutex::new(None));
    let run = || {
        let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(work) = work {
            let value = work();
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
        }
    };
    let own = scope(|scope| {
        let thread = builder.spawn_scoped(scope, run);
        let own = own();
        match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => run(),
        }
        own
    });
    let Some(other) = result.into_inner().unwrap_or_else(PoisonError::into_inner) else {
        unreachable!("the work has run, and its panic would have ended this function");
    };
    (other, own)
}

/// Runs `work` on each item, each on a thread of its own, and returns the results in the order of the items. An item without a
/// thread is processed on this thread.
///
/// # Panics
///
/// If `work` panics.
pub fn map_on_threads<T: Copy + Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    map_with(Builder::new, items, work)
}

/// Result of an item, or the thread that computes it.
enum Pending<'scope, R> {
    Running(ScopedJoinHandle<'scope, R>),
    Done(R),
}

fn map_with<T: Copy + Send, R: Send>(
    builder: impl Fn() -> Builder,
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let work = &work;
    scope(|scope| {
        let start = |item: T| match builder().spawn_scoped(scope, move || work(item)) {
            Ok(thread) => Pending::Running(thread),
            Err(_) => Pending::Done(work(item)),
        };
        let pending: Vec<Pending<'_, R>> = items.into_iter().map(start).collect();
        let finish = |pending| match pending {
            Pending::Running(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Pending::Done(result) => result,
        };
        pending.into_iter().map(finish).collect()
    })
}

#[cfg(test)]
mod tests {
    use std::thread::current;

    use super::*;

    /// Builder of a thread whose stack no system provides.
    fn refused() -> Builder {
        Builder::new().stack_size(1 << 60)
    }

    #[test]
    fn both_parts_run() {
        let here = current().id();
        let id = || current().id();
        let (other, own) = join(id, id);
        assert!(own == here && other != here);
        let (other, own) = join_with(refused(), id, id);
        assert!(own == here && other == here, "a refused thread is replaced by the caller");
    }

    #[test]
    fn results_have_the_order_of_the_items() {
        for builder in [Builder::new, refused] {
            assert_eq!(
                map_with(builder, 0..20, |item| item * item),
                (0..20).map(|item| item * item).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn panics_reach_the_caller() {
        for builder in [Builder::new, refused] {
            let call = || join_with(builder(), || resume_unwind(Box::new("expected")), || ());
            assert!(std::panic::catch_unwind(call).is_err());
            let call = || map_with(builder, [0], |_| resume_unwind(Box::new("expected")));
            assert!(std::panic::catch_unwind(call).is_err());
        }
    }
}
