//! Entry point of the engine.

use std::sync::Arc;

use bytes::Bytes;
use vyre_runtime::{Device, RunOptions};

use crate::block_decoder::BlockDecoder;
use crate::context::Context;
use crate::error::DecompressError;
use crate::layers::Layers;
use crate::limits::Budget;
use crate::options::Options;
use crate::receiver::Receiver;
use crate::route::Policy;
use crate::summary::{HostReason, Summary};

/// Unpacks archives and compressed streams, and the containers nested in them.
pub struct Unpacker {
    device: Option<(Arc<dyn Device>, BlockDecoder)>,
    options: Options,
    run_options: RunOptions,
}

impl Unpacker {
    /// Creates an unpacker that decodes on all cores of the host.
    #[must_use]
    pub fn on_host(options: Options) -> Unpacker {
        Unpacker { device: None, options, run_options: RunOptions::default() }
    }

    /// Creates an unpacker that decodes blocks on the device, as [`Options::route`] selects, and everything else on the host.
    #[must_use]
    pub fn on_device(device: Arc<dyn Device>, options: Options) -> Unpacker {
        let decoder = BlockDecoder::new(Arc::clone(&device));
        Unpacker { device: Some((device, decoder)), options, run_options: RunOptions::default() }
    }

    /// Sets a deadline, a cancellation token or race checking.
    #[must_use]
    pub fn with_run_options(mut self, options: RunOptions) -> Unpacker {
        self.device = self.device.map(|(device, _)| {
            let decoder = BlockDecoder::new(Arc::clone(&device)).with_run_options(options.clone());
            (device, decoder)
        });
        self.run_options = options;
        self
    }

    /// Unpacks an archive or compressed stream and emits its entries to the receiver. `name` is the file name of the archive;
    /// the content of a stream derives its name from it.
    ///
    /// # Errors
    ///
    /// The format is unknown, the outermost archive cannot be read at all, a limit on the whole is exhausted, the device or
    /// the receiver fails, or the call is cancelled. Entries that were decoded before are emitted. Problems of single entries
    /// are part of the [`Entry`](crate::Entry), problems of containers are part of the [`Summary`].
    pub fn unpack(&self, name: &[u8], archive: Bytes, receiver: &mut dyn Receiver) -> Result<Summary, DecompressError> {
        let threads = rayon::current_num_threads();
        let device = self
            .device
            .as_ref()
            .and_then(|(device, decoder)| Some((decoder, self.options.route.policy(&**device, threads)?)));
        let context = Context {
            options: &self.options,
            run_options: &self.run_options,
            budget: Budget::new(self.options.limits)
                .with_input(archive.len() as u64)
                .with_run_options(self.run_options.clone()),
            decoder: device.map(|(decoder, _)| decoder),
            policy: device.map_or(Policy::Always, |(_, policy)| policy),
            other_reason: HostReason::HostRoute,
        };
        Layers::new(&context, receiver).run(name, archive)
    }
}
