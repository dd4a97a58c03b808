//! The engine: opens archives layer by layer.

use std::sync::Arc;

use bytes::Bytes;
use vyre_runtime::{Device, RunOptions};

use super::blocks::BlockDecoder;
use super::entry::Receiver;
use super::error::DecompressError;
use super::layers::Layers;
use super::limits::Budget;
use super::options::{Options, Route};
use super::summary::Summary;

/// Opens archives and compressed streams, and the archives inside.
pub struct Unpacker {
    device: Option<(Arc<dyn Device>, BlockDecoder)>,
    options: Options,
    run_options: RunOptions,
}

/// What all threads of one work share.
pub(crate) struct Shared<'a> {
    pub(crate) options: &'a Options,
    pub(crate) run_options: &'a RunOptions,
    pub(crate) budget: Budget,
    /// The device, where it may be used.
    pub(crate) decoder: Option<&'a BlockDecoder>,
    /// How many blocks a layer must have for the device to be used.
    pub(crate) fewest_blocks: u64,
}

/// How many blocks of a layer a GPU must be given to be faster than one core of the host, with the way there and back. Two cores
/// are as fast as an H200 then, and four are faster (`decompress_report --part route`).
const FEWEST_BLOCKS: u64 = 512;

impl Unpacker {
    /// Decodes all on the host, on all its cores.
    #[must_use]
    pub fn on_host(options: Options) -> Unpacker {
        Unpacker { device: None, options, run_options: RunOptions::default() }
    }

    /// Decodes on this device what it can decode, as [`Options::route`] says, and all else on the host.
    #[must_use]
    pub fn on_device(device: Arc<dyn Device>, options: Options) -> Unpacker {
        let decoder = BlockDecoder::new(Arc::clone(&device));
        Unpacker { device: Some((device, decoder)), options, run_options: RunOptions::default() }
    }

    /// The same with a deadline, a token to cancel the work with, or a search for races.
    #[must_use]
    pub fn with_run_options(mut self, options: RunOptions) -> Unpacker {
        self.device = self.device.map(|(device, _)| {
            let decoder = BlockDecoder::new(Arc::clone(&device)).with_run_options(options.clone());
            (device, decoder)
        });
        self.run_options = options;
        self
    }

    /// Opens an archive or a compressed stream, and hands what is in it to the receiver. `name` is the file name of the
    /// archive, after which the content of a stream is named.
    ///
    /// # Errors
    ///
    /// Bytes that are no archive or cannot be read at all, limits of the whole that are used up, a device or a receiver that
    /// fails, and the end of the work by others. Entries that were done before were handed on. What is wrong with single
    /// entries is in their problems, and what is wrong with archives in those of the summary.
    pub fn unpack(&self, name: &[u8], archive: Bytes, receiver: &mut dyn Receiver) -> Result<Summary, DecompressError> {
        let (decoder, fewest_blocks) = match (&self.device, self.options.route) {
            (Some((_, decoder)), Route::Device) => (Some(decoder), 0),
            (Some((device, decoder)), Route::Auto) if device.is_wide() && rayon::current_num_threads() == 1 => {
                (Some(decoder), FEWEST_BLOCKS)
            }
            _ => (None, 0),
        };
        let shared = Shared {
            options: &self.options,
            run_options: &self.run_options,
            budget: Budget::new(self.options.limits).with_run_options(self.run_options.clone()),
            decoder,
            fewest_blocks,
        };
        Layers::new(&shared, receiver).run(name, archive)
    }
}

impl Shared<'_> {
    /// Fails if the work is to end.
    pub(crate) fn check(&self) -> Result<(), DecompressError> {
        self.run_options.check().map_err(|error| match error {
            vyre_runtime::Error::Cancelled => DecompressError::Cancelled,
            error => DecompressError::Device(error),
        })
    }
}
