//! What is left of a context that nobody has any more.

use std::collections::BTreeSet;

use crate::adapter::Gpu;
use crate::context::{create, pop, push};
use crate::driver::{ContextHandle, GraphExecHandle, PoolHandle, StreamHandle};

/// What is left of a context that nobody has any more.
pub(crate) struct Remains {
    pub(crate) gpu: Gpu,
    pub(crate) raw: ContextHandle,
    pub(crate) main: Option<StreamHandle>,
    pub(crate) pool: Option<PoolHandle>,
    /// The addresses of what came from the pool and has not gone back.
    pub(crate) pooled: BTreeSet<u64>,
    pub(crate) graphs: Vec<GraphExecHandle>,
    pub(crate) is_lost: bool,
}

impl Remains {
    /// What is left of a context in which nothing has been done.
    pub(crate) fn of_empty(gpu: &Gpu, raw: ContextHandle) -> Remains {
        let (gpu, pooled, graphs) = (gpu.clone(), BTreeSet::new(), Vec::new());
        Remains { gpu, raw, main: None, pool: None, pooled, graphs, is_lost: false }
    }

    /// Destroys everything. What the driver says is of no use to anybody: whatever it does not free is freed with the
    /// process.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(crate) fn clear_away(self) {
        let driver = self.gpu.driver;
        if push(driver, self.raw).is_ok() {
            for graph in &self.graphs {
                // SAFETY: nobody has the graph any more, and nobody ran it when the last call on the context ended.
                unsafe { (driver.cuGraphExecDestroy)(graph.0) };
            }
            if let Some(main) = self.main.filter(|_| !self.is_lost) {
                for &address in &self.pooled {
                    // SAFETY: the address came from the pool and has not gone back; buffers that still have it find
                    // that the context is gone.
                    unsafe { (driver.cuMemFreeAsync)(address, main.0) };
                }
                // SAFETY: the stream belongs to the context, which is that of this thread.
                unsafe { (driver.cuStreamSynchronize)(main.0) };
                self.destroy_pool();
            }
            pop(driver);
        }
        // SAFETY: nobody has the context any more, and with it go its streams, events, modules and memory.
        unsafe { (driver.cuCtxDestroy_v2)(self.raw.0) };
        if self.is_lost && self.pool.is_some() {
            self.free_pool_elsewhere();
        }
    }

    /// Memory of a pool belongs to the device and not to the context, and a lost context cannot free anything.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn free_pool_elsewhere(&self) {
        let driver = self.gpu.driver;
        let Ok(raw) = create(&self.gpu) else { return };
        if push(driver, raw).is_ok() {
            for &address in &self.pooled {
                // SAFETY: the address came from the pool and has not gone back; the context in which kernels used it has
                // been destroyed.
                unsafe { (driver.cuMemFree_v2)(address) };
            }
            self.destroy_pool();
            pop(driver);
        }
        // SAFETY: the context was made above for this.
        unsafe { (driver.cuCtxDestroy_v2)(raw.0) };
    }

    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn destroy_pool(&self) {
        if let Some(pool) = self.pool {
            // SAFETY: nobody has the pool any more; what has not gone back to it is freed when it does.
            unsafe { (self.gpu.driver.cuMemPoolDestroy)(pool.0) };
        }
    }
}
