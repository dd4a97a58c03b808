//! A GPU that is in use.
//!
//! A context holds everything that lives on the device. After a fault of a kernel nothing can be done with it any more, so
//! it is given up: what was in it is lost, and the device opens another. Only the device keeps a context; buffers, modules
//! and graphs know it without keeping it, and calls keep it while they last.

use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use cudarc::driver::sys::{CUctx_flags, CUstream_flags};
use vyre_runtime::Error;

use crate::adapter::Gpu;
use crate::cancel::Words;
use crate::driver::{ContextHandle, Driver, EventHandle, Failure, Handle, PoolHandle, Status, StreamHandle};
use crate::event::Events;
use crate::graph::Graphs;
use crate::memory::create_pool;
use crate::remains::Remains;
use crate::staging::{Downloads, Uploads};

/// A GPU that is in use.
pub(crate) struct Context {
    pub(crate) gpu: Gpu,
    raw: ContextHandle,
    /// Where everything is done in order.
    pub(crate) main: StreamHandle,
    /// Where a word can be written while a kernel runs.
    pub(crate) side: StreamHandle,
    /// Where commands become graphs.
    pub(crate) capture: StreamHandle,
    /// Where memory comes from, if it comes in the order of a stream.
    pub(crate) pool: Option<PoolHandle>,
    /// The addresses of what came from the pool and has not gone back.
    pub(crate) pooled: Mutex<BTreeSet<u64>>,
    pub(crate) events: Events,
    pub(crate) words: Words,
    pub(crate) uploads: Mutex<Option<Uploads>>,
    pub(crate) downloads: Mutex<Option<Downloads>>,
    pub(crate) graphs: Mutex<Graphs>,
    /// Held while commands of a list are added.
    lane: Mutex<Lane>,
    /// By the ticket of a run that has not ended: what its programs are called.
    running: Mutex<BTreeMap<u64, Vec<Arc<str>>>>,
    fate: Arc<Fate>,
}

/// What became of a context.
#[derive(Debug, Default)]
pub(crate) struct Fate {
    /// What has happened, as in "program 12 failed", once nothing can be done with it any more.
    lost: OnceLock<String>,
}

impl Fate {
    /// Whether nothing can be done with the context any more.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.get().is_some()
    }

    /// Why what a buffer held is gone.
    pub(crate) fn lost_contents(&self) -> Error {
        let message = match self.lost.get() {
            Some(reason) => format!("the contents of a buffer were lost when {reason}"),
            None => "a buffer is used after its device has gone".to_owned(),
        };
        Error::Backend { message }
    }

    /// What has happened, if it is lost.
    pub(crate) fn reason(&self) -> Option<&str> {
        self.lost.get().map(String::as_str)
    }

    fn error(&self) -> Option<Error> {
        self.reason().map(|message| Error::Backend { message: message.to_owned() })
    }
}

/// Who was the last to add commands.
pub(crate) struct Lane {
    /// Reached when the commands of that run are done, as far as they were added.
    pub(crate) last: EventHandle,
    /// The ticket of that run.
    pub(crate) owner: u64,
}

/// Makes a context that of this thread for a while.
pub(crate) struct Current<'c> {
    pub(crate) context: &'c Context,
    /// It belongs to the thread.
    _pushed: PhantomData<*const ()>,
}

/// A list that is run: while this is there, the programs of the list may be those that fail.
pub(crate) struct Listed<'c> {
    context: &'c Context,
    pub(crate) ticket: u64,
}

/// Numbers that tell things of this process apart: runs, pipelines.
pub(crate) fn fresh_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// What is held is whole at every moment, so a thread that has panicked with it does not matter.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a context that of this thread.
#[expect(unsafe_code, reason = "the driver is a C library")]
pub(crate) fn push(driver: &Driver, raw: ContextHandle) -> Result<(), Failure> {
    // SAFETY: the context has not been destroyed: it is destroyed when nobody has it any more.
    Failure::check(unsafe { (driver.cuCtxPushCurrent_v2)(raw.0) })
}

/// Makes the context that this thread had before its own again.
#[expect(unsafe_code, reason = "the driver is a C library")]
pub(crate) fn pop(driver: &Driver) {
    let mut popped = std::ptr::null_mut();
    // SAFETY: this thread has pushed a context; which one it was is written to a handle.
    unsafe { (driver.cuCtxPopCurrent_v2)(&raw mut popped) };
}

/// A context that is that of no thread.
#[expect(unsafe_code, reason = "the driver is a C library")]
pub(crate) fn create(gpu: &Gpu) -> Result<ContextHandle, Failure> {
    let mut raw = std::ptr::null_mut();
    // Who waits sleeps: the short waits are done before the driver is asked to wait.
    let flags = CUctx_flags::CU_CTX_SCHED_BLOCKING_SYNC as u32;
    // SAFETY: the device is one of the driver's, and the context is written to a handle.
    Failure::check(unsafe { (gpu.driver.cuCtxCreate_v2)(&raw mut raw, flags, gpu.device) })?;
    // A new context is that of the thread.
    pop(gpu.driver);
    Ok(Handle(raw))
}

impl Context {
    /// A context of its own, so that giving it up does no harm to others who use the device.
    pub(crate) fn open(gpu: &Gpu) -> Result<Arc<Context>, Failure> {
        let raw = create(gpu)?;
        if let Err(failure) = push(gpu.driver, raw) {
            Remains::of_empty(gpu, raw).clear_away();
            return Err(failure);
        }
        let outcome = Context::furnish(gpu, raw);
        pop(gpu.driver);
        match outcome {
            Ok(context) => Ok(Arc::new(context)),
            Err(failure) => {
                Remains::of_empty(gpu, raw).clear_away();
                Err(failure)
            }
        }
    }

    /// Makes what every context has. The context is that of this thread.
    fn furnish(gpu: &Gpu, raw: ContextHandle) -> Result<Context, Failure> {
        let (driver, events) = (gpu.driver, Events::default());
        let lane = Lane { last: events.create(driver, false)?, owner: 0 };
        let (main, side, capture) = (create_stream(driver)?, create_stream(driver)?, create_stream(driver)?);
        let words = Words::create(driver)?;
        Ok(Context {
            // A device that says that it has pools and has none is used as one that has none.
            pool: if gpu.has_pools { create_pool(gpu).ok() } else { None },
            gpu: gpu.clone(),
            raw,
            main,
            side,
            capture,
            pooled: Mutex::default(),
            events,
            words,
            uploads: Mutex::default(),
            downloads: Mutex::default(),
            graphs: Mutex::default(),
            lane: Mutex::new(lane),
            running: Mutex::default(),
            fate: Arc::default(),
        })
    }

    pub(crate) fn driver(&self) -> &'static Driver {
        self.gpu.driver
    }

    pub(crate) fn fate(&self) -> &Arc<Fate> {
        &self.fate
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.fate.is_lost()
    }

    pub(crate) fn lane(&self) -> &Mutex<Lane> {
        &self.lane
    }

    /// Makes this the context of the thread.
    pub(crate) fn enter(&self) -> Result<Current<'_>, Error> {
        if let Some(error) = self.fate.error() {
            return Err(error);
        }
        push(self.driver(), self.raw).map_err(|failure| self.failed("entering the context", failure))?;
        Ok(Current { context: self, _pushed: PhantomData })
    }

    /// Notes that programs are run.
    pub(crate) fn listed(&self, programs: Vec<Arc<str>>) -> Listed<'_> {
        let ticket = fresh_number();
        locked(&self.running).insert(ticket, programs);
        Listed { context: self, ticket }
    }

    /// The error for something that the driver did not do. A context that can do nothing any more is given up.
    pub(crate) fn failed(&self, doing: &str, failure: Failure) -> Error {
        if failure.is_lasting() {
            return self.broken(failure);
        }
        let message = format!("{doing} failed: {failure}");
        self.fate.error().unwrap_or(Error::Backend { message })
    }

    /// Gives the context up after a failure that tells that it can do nothing any more.
    pub(crate) fn broken(&self, failure: Failure) -> Error {
        self.give_up(|programs| format!("{programs} failed: {failure}"))
    }

    /// Gives the context up; `reason` is given the programs that are run.
    pub(crate) fn give_up(&self, reason: impl FnOnce(&str) -> String) -> Error {
        let message = self.fate.lost.get_or_init(|| reason(&suspects(&locked(&self.running)))).clone();
        Error::Backend { message }
    }
}

/// What may have failed, in words.
fn suspects(running: &BTreeMap<u64, Vec<Arc<str>>>) -> String {
    const MOST: usize = 4;
    let mut names: Vec<&str> = Vec::new();
    for name in running.values().flatten() {
        if !names.contains(&&**name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(MOST);
    names.truncate(MOST);
    match (names.as_slice(), more) {
        ([], _) => "a transfer or the driver itself".to_owned(),
        ([only], _) => (*only).to_owned(),
        (several, 0) => format!("one of {}", several.join(", ")),
        (several, more) => format!("one of {} and {more} more", several.join(", ")),
    }
}

#[expect(unsafe_code, reason = "the driver is a C library")]
fn create_stream(driver: &Driver) -> Result<StreamHandle, Failure> {
    let mut stream = std::ptr::null_mut();
    let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
    // SAFETY: a context is that of this thread; the stream is written to a handle.
    Failure::check(unsafe { (driver.cuStreamCreate)(&raw mut stream, flags) })?;
    Ok(Handle(stream))
}

impl Drop for Context {
    fn drop(&mut self) {
        let graphs = locked(&self.graphs).take();
        let pooled = std::mem::take(&mut *locked(&self.pooled));
        let remains = Remains {
            gpu: self.gpu.clone(),
            raw: self.raw,
            main: Some(self.main),
            pool: self.pool,
            pooled,
            graphs,
            is_lost: self.is_lost(),
        };
        if !remains.is_lost {
            remains.clear_away();
            return;
        }
        // A kernel may still run in it, for ever even; nobody is to wait for that.
        let thread = std::thread::Builder::new().name("vyre-cuda-cleaner".to_owned());
        // Where there are no threads its memory stays in use.
        let _ = thread.spawn(move || remains.clear_away());
    }
}

impl Current<'_> {
    pub(crate) fn driver(&self) -> &'static Driver {
        self.context.driver()
    }

    /// Fails for a status that is not good.
    pub(crate) fn check(&self, doing: &str, status: Status) -> Result<(), Error> {
        Failure::check(status).map_err(|failure| self.context.failed(doing, failure))
    }
}

impl Drop for Current<'_> {
    fn drop(&mut self) {
        pop(self.driver());
    }
}

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        locked(&self.context.running).remove(&self.ticket);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suspects_are_named_once() {
        let run = |names: &[&str]| names.iter().map(|name| Arc::from(*name)).collect::<Vec<Arc<str>>>();
        let mut running = BTreeMap::new();
        assert!(suspects(&running).contains("driver"));
        running.insert(1, run(&["program a"]));
        running.insert(2, run(&["program a"]));
        assert_eq!(suspects(&running), "program a");
        running.insert(3, run(&["program b"]));
        assert_eq!(suspects(&running), "one of program a, program b");
        running.insert(4, run(&["program c", "program d", "program e"]));
        assert!(suspects(&running).ends_with("program d and 1 more"));
    }
}
