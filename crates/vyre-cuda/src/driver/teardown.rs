//! Destruction of a context and of the driver objects that do not go with it: graphs and pool memory.

use std::collections::BTreeSet;

use vyre_memory::Pages;

use super::current::{create, pop, push};
use super::gpu::Gpu;
use super::library::{ContextHandle, GraphExecHandle, PoolHandle};
use super::streams::Streams;

/// Handles of a context that no thread uses any more.
pub(crate) struct Teardown {
    pub(crate) gpu: Gpu,
    pub(crate) raw: ContextHandle,
    /// `None` if the context was never initialised.
    pub(crate) streams: Option<Streams>,
    pub(crate) pool: Option<PoolHandle>,
    /// Addresses of the pool that were allocated and not freed.
    pub(crate) allocated: BTreeSet<u64>,
    pub(crate) graphs: Vec<GraphExecHandle>,
    /// Pinned memory. Copies may access it until the context is destroyed.
    pub(crate) pinned: Vec<Pages>,
    pub(crate) is_lost: bool,
}

impl Teardown {
    /// Teardown of a context in which nothing was created.
    pub(crate) fn of_empty(gpu: &Gpu, raw: ContextHandle) -> Teardown {
        let (gpu, allocated) = (gpu.clone(), BTreeSet::new());
        let (graphs, pinned) = (Vec::new(), Vec::new());
        Teardown { gpu, raw, streams: None, pool: None, allocated, graphs, pinned, is_lost: false }
    }

    /// Destroys everything. Errors are ignored: the operating system frees the rest at the end of the process.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(crate) fn destroy(mut self) {
        let driver = self.gpu.driver;
        if push(driver, self.raw).is_ok() {
            for graph in &self.graphs {
                // SAFETY: the owner of the graph is gone, and no call on the context, which could run it, is active.
                unsafe { (driver.cuGraphExecDestroy)(graph.0) };
            }
            if let Some(streams) = self.streams.filter(|_| !self.is_lost) {
                for stream in [streams.main, streams.upload, streams.download] {
                    // SAFETY: the stream belongs to the context, which is current on this thread.
                    unsafe { (driver.cuStreamSynchronize)(stream.0) };
                }
                let main = streams.main;
                for &address in &self.allocated {
                    // SAFETY: the address was allocated from the pool and not freed; owners that still hold it see that
                    // the context is gone and do not free it.
                    unsafe { (driver.cuMemFreeAsync)(address, main.0) };
                }
                // SAFETY: the stream belongs to the context, which is current on this thread.
                unsafe { (driver.cuStreamSynchronize)(main.0) };
                self.destroy_pool();
                for pages in &mut self.pinned {
                    // SAFETY: the memory is registered with the context, and no copy accesses it any more.
                    unsafe { (driver.cuMemHostUnregister)(pages.as_mut_ptr().cast()) };
                }
            }
            pop(driver);
        }
        // SAFETY: no thread uses the context any more. The driver destroys its streams, events, modules and memory with it.
        unsafe { (driver.cuCtxDestroy_v2)(self.raw.0) };
        if self.is_lost && self.pool.is_some() {
            self.free_pool_in_new_context();
        }
    }

    /// Frees the pool of a lost context: pool memory belongs to the device, and a lost context cannot free anything.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn free_pool_in_new_context(&self) {
        let driver = self.gpu.driver;
        let Ok(raw) = create(&self.gpu) else { return };
        if push(driver, raw).is_ok() {
            for &address in &self.allocated {
                // SAFETY: the address was allocated from the pool and not freed; the context whose kernels used it has been
                // destroyed.
                unsafe { (driver.cuMemFree_v2)(address) };
            }
            self.destroy_pool();
            pop(driver);
        }
        // SAFETY: the context was created above, and only this thread has used it.
        unsafe { (driver.cuCtxDestroy_v2)(raw.0) };
    }

    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn destroy_pool(&self) {
        if let Some(pool) = self.pool {
            // SAFETY: nothing is allocated from the pool any more. The driver delays the destruction until all its memory is
            // freed.
            unsafe { (self.gpu.driver.cuMemPoolDestroy)(pool.0) };
        }
    }
}
