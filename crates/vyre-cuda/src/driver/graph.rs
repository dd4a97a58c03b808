//! Executable graphs: commands that were captured from a stream and can be launched again at low cost.

use std::sync::{Arc, Weak};

use cudarc::driver::sys::CUstreamCaptureMode;
use vyre_runtime::Error;

use super::context::{Context, Current};
use super::library::{Failure, GraphExecHandle, Handle};
use super::module::LoadedKernel;

/// Executable graph.
pub(crate) struct Graph {
    context: Weak<Context>,
    exec: GraphExecHandle,
    /// Kernels of the graph. They must not be unloaded before it.
    _kernels: Vec<Arc<LoadedKernel>>,
}

impl Drop for Graph {
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn drop(&mut self) {
        let Some(context) = self.context.upgrade() else { return };
        let Ok(current) = context.enter() else {
            // A lost context destroys its graphs when it is torn down.
            return context.adopt_graph(self.exec);
        };
        // SAFETY: this is the only owner of the graph, and a submission owns the graphs that it runs until they are complete.
        let status = unsafe { (current.driver().cuGraphExecDestroy)(self.exec.0) };
        // A drop cannot report the error, but a kernel fault may appear here first, and then marks the context as lost.
        let _ = current.check("cuGraphExecDestroy", status);
    }
}

impl Graph {
    /// Graph of no context, for tests of containers.
    #[cfg(test)]
    pub(crate) fn detached() -> Graph {
        Graph { context: Weak::new(), exec: Handle(std::ptr::null_mut()), _kernels: Vec::new() }
    }
}

#[expect(unsafe_code, reason = "the driver is a C library")]
impl Current<'_> {
    /// Captures the commands that `add` adds to the capture stream, and instantiates them as a graph. The caller must hold
    /// the submission lock, and `context` must be the current one.
    ///
    /// Returns `None` if the device lacks the memory for a graph: the caller then submits the commands one by one. Every
    /// other failure is an error.
    pub(crate) fn capture(
        &self,
        context: &Arc<Context>,
        kernels: Vec<Arc<LoadedKernel>>,
        add: impl FnOnce() -> Result<(), Error>,
    ) -> Result<Option<Graph>, Error> {
        let (driver, stream) = (self.driver(), self.context.streams.capture.0);
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED as u32;
        // SAFETY: the stream belongs to the context, which is current on this thread, and the submission lock gives this
        // thread exclusive use of it. The relaxed mode permits all calls of other threads on other streams.
        let status = unsafe { (driver.cuStreamBeginCapture_v2)(stream, mode) };
        self.check("cuStreamBeginCapture", status)?;
        let added = add();
        let mut graph = std::ptr::null_mut();
        // SAFETY: as above; the pointer is valid for a write of a handle, which stays null if a command failed.
        let status = unsafe { (driver.cuStreamEndCapture)(stream, &raw mut graph) };
        let mut exec = std::ptr::null_mut();
        let outcome = added.and_then(|()| self.check("cuStreamEndCapture", status)).map(|()| {
            // SAFETY: the graph was created above; the pointer is valid for a write of a handle.
            Failure::check(unsafe { (driver.cuGraphInstantiateWithFlags)(&raw mut exec, graph, 0) })
        });
        if !graph.is_null() {
            // SAFETY: the graph was created above, and its executable form does not need it.
            unsafe { (driver.cuGraphDestroy)(graph) };
        }
        match outcome? {
            Ok(()) => Ok(Some(Graph { context: Arc::downgrade(context), exec: Handle(exec), _kernels: kernels })),
            Err(failure) if failure.is_out_of_memory() => Ok(None),
            Err(failure) => Err(self.context.failed("cuGraphInstantiate", failure)),
        }
    }

    /// Launches a graph on the main stream. The caller must hold the submission lock, so that no two threads launch the
    /// graph at the same time.
    pub(crate) fn launch_graph(&self, graph: &Graph) -> Result<(), Error> {
        // SAFETY: graph and stream belong to the context, which is current on this thread. The buffers of the graph exist,
        // since only commands that hold them find it.
        let status = unsafe { (self.driver().cuGraphLaunch)(graph.exec.0, self.context.streams.main.0) };
        self.check("cuGraphLaunch", status)
    }
}
