//! Work that is recorded once and launched as a whole.

use std::ptr;
use std::rc::Rc;

use cudarc::driver::sys;

use super::context::{BareCuda, succeeded};
use super::kernel::BareLaunch;
use crate::cuda::error::Error;

/// A launch, many times over, that is launched as a whole.
pub(in crate::cuda) struct BareGraph<'c> {
    cuda: &'c BareCuda,
    /// Keeps what the graph uses.
    _launch: Rc<BareLaunch<'c>>,
    executable: sys::CUgraphExec,
}

impl<'c> BareGraph<'c> {
    /// Records a launch so many times.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(in crate::cuda) fn record(launch: &Rc<BareLaunch<'c>>, count: u32) -> Result<BareGraph<'c>, Error> {
        let cuda = launch.cuda();
        cuda.enter()?;
        let mode = sys::CUstreamCaptureMode_enum::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream lives as long as `cuda`, and nothing else is recorded on it.
        succeeded("cuStreamBeginCapture", unsafe { sys::cuStreamBeginCapture_v2(cuda.stream, mode) })?;
        let enqueued = (0..count).try_for_each(|_| launch.enqueue());
        let mut graph = ptr::null_mut();
        // SAFETY: the stream records, and the pointer is to a value on the stack.
        let ended = succeeded("cuStreamEndCapture", unsafe { sys::cuStreamEndCapture(cuda.stream, &mut graph) });
        enqueued.and(ended)?;
        let mut executable = ptr::null_mut();
        // SAFETY: the graph is the one that was just recorded.
        let result = unsafe { sys::cuGraphInstantiateWithFlags(&mut executable, graph, 0) };
        // SAFETY: what can be launched does not need the graph that it was made from.
        let _ = unsafe { sys::cuGraphDestroy(graph) };
        succeeded("cuGraphInstantiate", result)?;
        Ok(BareGraph { cuda, _launch: launch.clone(), executable })
    }

    /// Puts everything that was recorded on the stream.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(in crate::cuda) fn enqueue(&self) -> Result<(), Error> {
        // SAFETY: the graph lives as long as this value, which keeps what the launches use.
        succeeded("cuGraphLaunch", unsafe { sys::cuGraphLaunch(self.executable, self.cuda.stream) })
    }
}

impl Drop for BareGraph<'_> {
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn drop(&mut self) {
        // Nobody can be told of a failure.
        let _ = self.cuda.enter();
        let _ = self.cuda.wait();
        // SAFETY: the stream is done with the graph.
        let _ = unsafe { sys::cuGraphExecDestroy(self.executable) };
    }
}
