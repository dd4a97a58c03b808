//! State of an open GPU: everything that lives as long as one context.

use std::sync::Arc;

use crate::driver::context::Context;
use crate::driver::gpu::Gpu;
use crate::driver::library::Failure;
use crate::submit::queue::SubmissionQueue;
use crate::transfer::staging::Staging;

/// State of an open GPU. Calls share it while they last.
pub(crate) struct OpenGpu {
    pub(crate) staging: Staging,
    pub(crate) queue: SubmissionQueue,
}

impl OpenGpu {
    pub(crate) fn open(gpu: &Gpu) -> Result<OpenGpu, Failure> {
        let queue = SubmissionQueue::open(gpu)?;
        Ok(OpenGpu { staging: Staging::open(&queue.context)?, queue })
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.queue.context
    }
}
