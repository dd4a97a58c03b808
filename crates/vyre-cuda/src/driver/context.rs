//! Owned CUDA context: the driver's handle, its streams and memory pool, and its liveness.
//!
//! After a kernel fault a context is unusable, and everything in it is lost. The device then opens another one. Only the
//! device owns a context. Memory, modules and graphs refer to it weakly, and calls keep it alive while they last. Dropping
//! the last reference destroys it.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex};

use vyre_runtime::{Cause, Error, LossReason, MemoryKind};

use super::current::{create, pop, push};
use super::gpu::Gpu;
use super::host_ranges::HostRanges;
use super::library::{ContextHandle, Driver, Failure, GraphExecHandle, Status};
use super::liveness::Liveness;
use super::pool::MemoryPool;
use super::streams::{Streams, create_event};
use super::teardown::Teardown;
use super::upload_order::UploadOrder;
use crate::sync::lock;

/// CUDA context of a GPU.
pub(crate) struct Context {
    pub(crate) gpu: Gpu,
    raw: ContextHandle,
    pub(crate) streams: Streams,
    /// Source of device memory, if the device supports stream-ordered allocation.
    pub(crate) pool: Option<MemoryPool>,
    /// Graphs whose owners were dropped after the loss of the context. They are destroyed with it.
    orphaned_graphs: Mutex<Vec<GraphExecHandle>>,
    pub(crate) host_ranges: HostRanges,
    pub(crate) upload_order: UploadOrder,
    liveness: Arc<Liveness>,
}

/// Scope in which a context is current on this thread.
pub(crate) struct Current<'c> {
    pub(crate) context: &'c Context,
    /// The scope belongs to the thread.
    _not_send: PhantomData<*const ()>,
}

impl Context {
    /// Creates a context of its own, so that its loss does not affect other users of the device in this process.
    pub(crate) fn open(gpu: &Gpu) -> Result<Arc<Context>, Failure> {
        let raw = create(gpu)?;
        if let Err(failure) = push(gpu.driver, raw) {
            Teardown::of_empty(gpu, raw).destroy();
            return Err(failure);
        }
        let outcome = Context::initialise(gpu, raw);
        pop(gpu.driver);
        match outcome {
            Ok(context) => Ok(Arc::new(context)),
            Err(failure) => {
                Teardown::of_empty(gpu, raw).destroy();
                Err(failure)
            }
        }
    }

    /// Creates the streams and the pool. The context must be current on this thread.
    fn initialise(gpu: &Gpu, raw: ContextHandle) -> Result<Context, Failure> {
        let streams = Streams::create(gpu.driver)?;
        Ok(Context {
            // A device that reports pools but fails to create one is used without.
            pool: if gpu.has_memory_pools { MemoryPool::create(gpu).ok() } else { None },
            gpu: gpu.clone(),
            raw,
            streams,
            orphaned_graphs: Mutex::default(),
            host_ranges: HostRanges::default(),
            upload_order: UploadOrder::new(create_event(gpu.driver, false)?),
            liveness: Arc::default(),
        })
    }

    pub(crate) fn driver(&self) -> &'static Driver {
        self.gpu.driver
    }

    pub(crate) fn liveness(&self) -> &Arc<Liveness> {
        &self.liveness
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.liveness.is_lost()
    }

    /// Makes this context current on the thread, until the returned scope ends.
    pub(crate) fn enter(&self) -> Result<Current<'_>, Error> {
        if let Some(loss) = self.liveness.loss() {
            return Err(loss);
        }
        push(self.driver(), self.raw).map_err(|failure| self.failed("cuCtxPushCurrent", failure))?;
        Ok(Current { context: self, _not_send: PhantomData })
    }

    /// Runs `work` with this context current on the thread.
    pub(crate) fn with_current<T>(
        &self,
        work: impl FnOnce(&'static Driver) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        push(self.driver(), self.raw)?;
        let outcome = work(self.driver());
        pop(self.driver());
        outcome
    }

    /// Error of a failed call of a driver function. A sticky failure marks the context as lost.
    pub(crate) fn failed(&self, call: &'static str, failure: Failure) -> Error {
        if failure.is_sticky() {
            return self.lost_by(failure);
        }
        if let Some(loss) = self.liveness.loss() {
            return loss;
        }
        if failure.is_out_of_memory() {
            return Error::OutOfMemory { memory: MemoryKind::Device, bytes: None, free: None };
        }
        Error::Driver { call, code: Some(i64::from(failure.status)), cause: Cause::new(failure.to_string()) }
    }

    /// Marks the context as lost by a failure.
    pub(crate) fn lost_by(&self, failure: Failure) -> Error {
        let (code, cause) = (i64::from(failure.status), Cause::new(failure.to_string()));
        self.liveness.mark_lost(|programs| LossReason::Fault { programs, code, cause })
    }

    /// Marks the context as lost because the end of submitted work cannot be observed.
    pub(crate) fn not_observed(&self) -> Error {
        self.liveness.mark_lost(|programs| LossReason::NotObserved { programs })
    }

    /// Takes over a graph that its owner could not destroy because the context is lost.
    pub(crate) fn adopt_graph(&self, graph: GraphExecHandle) {
        lock(&self.orphaned_graphs).push(graph);
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let graphs = std::mem::take(&mut *lock(&self.orphaned_graphs));
        let allocated = self.pool.as_ref().map(|pool| std::mem::take(&mut *lock(&pool.allocated)));
        let teardown = Teardown {
            gpu: self.gpu.clone(),
            raw: self.raw,
            streams: Some(self.streams),
            pool: self.pool.as_ref().map(|pool| pool.raw),
            allocated: allocated.unwrap_or_default(),
            graphs,
            pinned: self.host_ranges.take_owned(),
            is_lost: self.is_lost(),
        };
        if !teardown.is_lost {
            teardown.destroy();
            return;
        }
        // A kernel may still run in a lost context, perhaps forever, and the destruction waits for it.
        let thread = std::thread::Builder::new().name("vyre-cuda-teardown".to_owned());
        // If no thread can be started, the memory of the context stays in use.
        let _ = thread.spawn(move || teardown.destroy());
    }
}

impl Current<'_> {
    pub(crate) fn driver(&self) -> &'static Driver {
        self.context.driver()
    }

    /// Fails for every status other than success.
    pub(crate) fn check(&self, call: &'static str, status: Status) -> Result<(), Error> {
        Failure::check(status).map_err(|failure| self.context.failed(call, failure))
    }
}

impl Drop for Current<'_> {
    fn drop(&mut self) {
        pop(self.driver());
    }
}
