//! The engine on LZ4 frames of few and many blocks: by the cores of the host, and by a device with all that this takes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use rayon::{ThreadPool, ThreadPoolBuilder};
use vyre_runtime::Device;
use vyre_unpack::{DecompressError, Entry, Options, Receiver, Route, Unpacker};

use super::blocks::BLOCK_BYTES;
use super::error::Error;
use super::stream_file;

/// The ways a frame can go.
pub struct Routes {
    on_host: Unpacker,
    on_device: Unpacker,
    pools: Vec<ThreadPool>,
}

impl Routes {
    /// The ways to this device and around it.
    ///
    /// # Errors
    ///
    /// No thread can be started.
    pub fn new(device: Arc<dyn Device>) -> Result<Routes, Error> {
        let to_device = Options { route: Route::Device, ..Options::default() };
        let all = rayon::current_num_threads();
        let threads = [1, 2, 4, 8].into_iter().filter(|&threads| threads < all).chain([all]);
        let pools = threads.map(|threads| ThreadPoolBuilder::new().num_threads(threads).build());
        Ok(Routes {
            on_host: Unpacker::on_host(Options::default()),
            on_device: Unpacker::on_device(device, to_device),
            pools: pools.collect::<Result<_, _>>().map_err(|error| Error::Unavailable(error.to_string()))?,
        })
    }

    /// What the ways are called.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let host = self.pools.iter().map(|pool| match pool.current_num_threads() {
            1 => "1 core".to_owned(),
            threads => format!("{threads} cores"),
        });
        host.chain(["device".to_owned()]).collect()
    }

    /// How long it takes to unpack a frame each way.
    ///
    /// # Errors
    ///
    /// The frame cannot be unpacked, or what comes out is not this text.
    pub fn run(&self, frame: &Bytes, text: &[u8]) -> Result<Vec<Duration>, Error> {
        let time = |unpacker: &Unpacker| {
            let mut content = Content(Bytes::new());
            let begin = Instant::now();
            let done = unpacker.unpack(b"text.lz4", frame.clone(), &mut content);
            let time = begin.elapsed();
            let wrong = |what: String| Error::Wrong { who: "the engine".to_owned(), what };
            done.map_err(|error| wrong(error.to_string()))?;
            match content.0 == text {
                true => Ok(time),
                false => Err(wrong("the text is another one".to_owned())),
            }
        };
        let mut times = Vec::new();
        for pool in &self.pools {
            times.push(pool.install(|| time(&self.on_host))?);
        }
        times.push(time(&self.on_device)?);
        Ok(times)
    }
}

/// A text of so many blocks, and a frame of it.
///
/// # Errors
///
/// The compressor fails.
pub fn frame_of(text: &[u8], blocks: usize) -> Result<(Vec<u8>, Bytes), Error> {
    let text: Vec<u8> = text.iter().copied().cycle().take(blocks * BLOCK_BYTES).collect();
    let frame = stream_file::lz4(&text).map_err(|what| Error::Wrong { who: "liblz4".to_owned(), what })?;
    Ok((text, frame.into()))
}

/// Keeps what it is given.
struct Content(Bytes);

impl Receiver for Content {
    fn entries(&mut self, entries: Vec<Entry>) -> Result<(), DecompressError> {
        for entry in entries {
            self.0 = entry.bytes;
        }
        Ok(())
    }
}
