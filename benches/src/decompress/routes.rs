//! The engine on LZ4 frames of few and of many blocks: on cores of the host, and on a device with all transfers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use rayon::{ThreadPool, ThreadPoolBuilder};
use vyre_runtime::Device;
use vyre_unpack::{DecompressError, Entry, Options, Receiver, Route, Unpacker};

use super::blocks::BLOCK_BYTES;
use super::compressors::lz4_frame;
use crate::error::Error;
use crate::harness::{Contender, Role};

/// Routes of the engine: numbers of cores of the host, and a device.
pub struct Routes {
    on_host: Unpacker,
    on_device: Unpacker,
    pools: Vec<ThreadPool>,
}

/// Contender of a route.
pub type RouteContender<'c> = Contender<'c, Duration, Error>;

impl Routes {
    /// Creates the routes of this host and a device.
    ///
    /// # Errors
    ///
    /// A thread cannot be started.
    pub fn new(device: Arc<dyn Device>) -> Result<Routes, Error> {
        let to_device = Options::default().with_route(Route::Device);
        let all = rayon::current_num_threads();
        let threads = [1, 2, 4, 8].into_iter().filter(|&threads| threads < all).chain([all]);
        let pools = threads.map(|threads| ThreadPoolBuilder::new().num_threads(threads).build());
        Ok(Routes {
            on_host: Unpacker::on_host(Options::default()),
            on_device: Unpacker::on_device(device, to_device),
            pools: pools.collect::<Result<_, _>>().map_err(Error::unavailable)?,
        })
    }

    /// Names of the routes.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let host = self.pools.iter().map(|pool| match pool.current_num_threads() {
            1 => "1 core".to_owned(),
            threads => format!("{threads} cores"),
        });
        host.chain(["device".to_owned()]).collect()
    }

    /// Contenders that unpack a frame of `text` on each route, and verify every result.
    #[must_use]
    pub fn contenders<'c>(&'c self, frame: &'c Bytes, text: &'c [u8]) -> Vec<RouteContender<'c>> {
        let pools = self.pools.iter().map(Some).chain([None]);
        let contender = |(name, pool): (String, Option<&'c ThreadPool>)| {
            Contender::new(name, Role::Ours, move |_| match pool {
                Some(pool) => pool.install(|| unpack(&self.on_host, frame, text)),
                None => unpack(&self.on_device, frame, text),
            })
        };
        self.names().into_iter().zip(pools).map(contender).collect()
    }
}

/// Unpacks a frame, verifies that it has this text, and returns the time.
fn unpack(unpacker: &Unpacker, frame: &Bytes, text: &[u8]) -> Result<Duration, Error> {
    let mut content = Content(Bytes::new());
    let start = Instant::now();
    let outcome = unpacker.unpack(b"text.lz4", frame.clone(), &mut content);
    let time = start.elapsed();
    let wrong = |message: String| Error::WrongResult { contender: "the engine".to_owned(), message };
    outcome.map_err(|error| wrong(error.to_string()))?;
    if content.0 == text { Ok(time) } else { Err(wrong("the text differs".to_owned())) }
}

/// Text of `blocks` blocks, and its LZ4 frame.
///
/// # Errors
///
/// The compressor fails.
pub fn frame_of(text: &[u8], blocks: usize) -> Result<(Vec<u8>, Bytes), Error> {
    let text: Vec<u8> = text.iter().copied().cycle().take(blocks * BLOCK_BYTES).collect();
    let failed = |message| Error::WrongResult { contender: "liblz4".to_owned(), message };
    let frame = lz4_frame(&text).map_err(failed)?;
    Ok((text, frame.into()))
}

/// Receiver that keeps the content of the last entry.
struct Content(Bytes);

impl Receiver for Content {
    fn entries(&mut self, entries: Vec<Entry>) -> Result<(), DecompressError> {
        for entry in entries {
            self.0 = entry.bytes;
        }
        Ok(())
    }
}
