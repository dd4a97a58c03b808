//! CUDA graphs: work that is recorded and launched as a whole.

use std::ptr;
use std::rc::Rc;

use cudarc::driver::sys;

use super::context::{BareCuda, check};
use super::kernel::BareLaunch;
use crate::error::Error;

/// Recorded sequence of equal launches.
pub(in crate::cuda) struct BareGraph<'c> {
    cuda: &'c BareCuda,
    /// Keeps the kernel and the buffers of the graph alive.
    _launch: Rc<BareLaunch<'c>>,
    executable: sys::CUgraphExec,
}

impl<'c> BareGraph<'c> {
    /// Records `count` launches.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(in crate::cuda) fn record(launch: &Rc<BareLaunch<'c>>, count: u32) -> Result<BareGraph<'c>, Error> {
        let cuda = launch.cuda();
        cuda.enter()?;
        let mode = sys::CUstreamCaptureMode_enum::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream lives as long as `cuda`, and no other capture is active on it.
        check("cuStreamBeginCapture", unsafe { sys::cuStreamBeginCapture_v2(cuda.stream, mode) })?;
        let enqueued = (0..count).try_for_each(|_| launch.enqueue());
        let mut graph = ptr::null_mut();
        // SAFETY: a capture is active, and the pointer is to a value on the stack.
        let ended = check("cuStreamEndCapture", unsafe { sys::cuStreamEndCapture(cuda.stream, &mut graph) });
        enqueued.and(ended)?;
        let mut executable = ptr::null_mut();
        // SAFETY: the graph was just recorded.
        let result = unsafe { sys::cuGraphInstantiateWithFlags(&mut executable, graph, 0) };
        // SAFETY: the executable graph does not depend on the graph that it was instantiated from.
        let _ = unsafe { sys::cuGraphDestroy(graph) };
        check("cuGraphInstantiate", result)?;
        Ok(BareGraph { cuda, _launch: launch.clone(), executable })
    }

    /// Enqueues the recorded launches.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(in crate::cuda) fn enqueue(&self) -> Result<(), Error> {
        // SAFETY: the graph lives as long as this value, which keeps kernel and buffers alive.
        check("cuGraphLaunch", unsafe { sys::cuGraphLaunch(self.executable, self.cuda.stream) })
    }
}

impl Drop for BareGraph<'_> {
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn drop(&mut self) {
        // A failure cannot be reported from here.
        let _ = self.cuda.enter();
        let _ = self.cuda.wait();
        // SAFETY: the stream has finished the graph.
        let _ = unsafe { sys::cuGraphExecDestroy(self.executable) };
    }
}
