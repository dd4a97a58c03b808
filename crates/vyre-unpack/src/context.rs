//! State that all threads of one unpack call share.

use vyre_runtime::RunOptions;

use crate::block_decoder::BlockDecoder;
use crate::error::DecompressError;
use crate::limits::{Budget, Limit, LimitExceeded};
use crate::options::Options;
use crate::route::Policy;
use crate::summary::HostReason;

/// State that all threads of one unpack call share.
pub(crate) struct Context<'a> {
    pub(crate) options: &'a Options,
    pub(crate) run_options: &'a RunOptions,
    pub(crate) budget: Budget,
    /// Block decoder of the device; none if the route excludes the device.
    pub(crate) decoder: Option<&'a BlockDecoder>,
    /// Decides which layers the device decodes.
    pub(crate) policy: Policy,
    /// Reason for decoding on the host without a decoder.
    pub(crate) other_reason: HostReason,
}

impl Context<'_> {
    /// Fails if the call was cancelled or its deadline has passed.
    pub(crate) fn check(&self) -> Result<(), DecompressError> {
        self.run_options.check().map_err(|error| match error {
            vyre_runtime::Error::Cancelled => DecompressError::Cancelled,
            error => DecompressError::Device(error),
        })
    }

    /// The depth limit, if it forbids a container at this depth.
    pub(crate) fn depth_exceeded(&self, depth: u32) -> Option<LimitExceeded> {
        let allowed = self.options.limits.depth;
        (depth > allowed).then_some(LimitExceeded {
            limit: Limit::Depth,
            requested: u64::from(depth),
            allowed: u64::from(allowed),
        })
    }

    /// Reason for decoding on the host what was not offered to a device.
    pub(crate) fn host_reason(&self) -> HostReason {
        if self.decoder.is_some() { HostReason::NoDeviceOp } else { self.other_reason }
    }
}
