//! The engine on LZ4 frames of few and many blocks: by the cores of the host, and by a device with all that this takes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use rayon::{ThreadPool, ThreadPoolBuilder};
use vyre_engine::decompress::{DecompressError, Entry, Options, Receiver, Route, Unpacker};
use vyre_runtime::Device;

use super::blocks::BLOCK_BYTES;
use super::error::Error;
use super::stream_file;

/// The ways a frame can go.
pub struct Routes {
    on_host: Unpacker,
    on_device: Unpacker,
    one_thread: ThreadPool,
}

/// How long each way takes.
#[derive(Clone, Copy, Debug)]
pub struct RouteTimes {
    /// One core of the host.
    pub one_core: Duration,
    /// All of them.
    pub all_cores: Duration,
    /// The device.
    pub device: Duration,
}

impl Routes {
    /// The ways to this device and around it.
    ///
    /// # Errors
    ///
    /// No thread can be started.
    pub fn new(device: Arc<dyn Device>) -> Result<Routes, Error> {
        let to_device = Options { route: Route::Device, ..Options::default() };
        let one_thread = ThreadPoolBuilder::new().num_threads(1).build();
        let one_thread = one_thread.map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Routes {
            on_host: Unpacker::on_host(Options::default()),
            on_device: Unpacker::on_device(device, to_device),
            one_thread,
        })
    }

    /// Unpacks a frame each way.
    ///
    /// # Errors
    ///
    /// The frame cannot be unpacked, or what comes out is not this text.
    pub fn run(&self, frame: &Bytes, text: &[u8]) -> Result<RouteTimes, Error> {
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
        Ok(RouteTimes {
            one_core: self.one_thread.install(|| time(&self.on_host))?,
            all_cores: time(&self.on_host)?,
            device: time(&self.on_device)?,
        })
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
