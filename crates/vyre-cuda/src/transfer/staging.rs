//! Transfers between host and device.
//!
//! | Transfer | Way |
//! |---|---|
//! | from or to pinned memory of the caller | one copy of the device |
//! | up to [`SMALL_BYTES`] | through the block of small transfers, by the calling thread |
//! | larger | in pieces through staging lanes, by several threads |
//!
//! In a large upload each thread fills the pinned chunks of its lane in turn, while the device copies those that are full. In
//! a download each thread empties the chunks that the device has filled.

use std::collections::VecDeque;
use std::sync::Mutex;

use vyre_memory::{Team, try_zeroed_bytes};
use vyre_runtime::Error;

use super::lanes::{Chunk, LANE_CHUNKS, Lanes};
use super::pieces::{Pieces, thread_count};
use super::small::{SMALL_BYTES, SmallStaging};
use crate::driver::context::{Context, Current};
use crate::driver::library::{EventHandle, Failure, StreamHandle};
use crate::driver::streams::create_event;
use crate::sync::lock;

/// Maximum number of threads of a transfer. More threads wait for each other in the driver.
const MAX_THREADS: usize = 8;

/// Number of lanes beyond those of one transfer, for transfers of other threads at the same time.
const SPARE_LANES: usize = 2;

/// Staging memory and copying threads of a context.
pub(crate) struct Staging {
    small: SmallStaging,
    lanes: Lanes,
    /// Events of direct transfers that are not in use.
    events: Mutex<Vec<EventHandle>>,
    pub(crate) team: Team,
}

/// First error of several threads.
#[derive(Default)]
struct FirstError {
    error: Mutex<Option<Error>>,
}

impl FirstError {
    fn note(&self, outcome: Result<(), Error>) {
        if let Err(error) = outcome {
            lock(&self.error).get_or_insert(error);
        }
    }

    fn into_result(self) -> Result<(), Error> {
        match lock(&self.error).take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

impl Staging {
    pub(crate) fn open(context: &Context) -> Result<Staging, Failure> {
        let team = Team::new("vyre-cuda-copy", MAX_THREADS);
        let lanes = Lanes::new(team.size() + SPARE_LANES);
        Ok(Staging { small: SmallStaging::open(context)?, lanes, events: Mutex::default(), team })
    }

    /// Uploads bytes to device memory. The device may still copy them when this returns; a later call reports errors of the
    /// copy.
    pub(crate) fn write(&self, context: &Context, bytes: &[u8], target: u64) -> Result<(), Error> {
        if bytes.is_empty() {
            return Ok(());
        }
        let current = context.enter()?;
        if context.host_ranges.contains(bytes) {
            let stream = context.streams.upload;
            self.direct(&current, stream, || current.upload(stream, bytes.as_ptr().cast(), target, bytes.len()))?;
        } else if bytes.len() > SMALL_BYTES || !self.small.upload(&current, bytes, target)? {
            self.upload_pieces(&current, bytes, target)?;
        }
        current.mark_upload()
    }

    /// Downloads device memory.
    pub(crate) fn read(&self, context: &Context, source: u64, size: u64) -> Result<Vec<u8>, Error> {
        let no_memory = || Error::out_of_host_memory(size);
        let length = usize::try_from(size).map_err(|_| no_memory())?;
        let mut bytes = try_zeroed_bytes(length).ok_or_else(no_memory)?;
        self.read_into(context, source, &mut bytes)?;
        Ok(bytes)
    }

    /// Downloads device memory into a slice.
    pub(crate) fn read_into(&self, context: &Context, source: u64, target: &mut [u8]) -> Result<(), Error> {
        if target.is_empty() {
            return Ok(());
        }
        let current = context.enter()?;
        let stream = context.streams.download;
        current.wait_for_uploads(stream)?;
        if context.host_ranges.contains(target) {
            let (start, length) = (target.as_mut_ptr(), target.len());
            return self.direct(&current, stream, || current.download(stream, source, start.cast(), length));
        }
        if target.len() > SMALL_BYTES || !self.small.download(&current, source, target)? {
            self.download_pieces(&current, source, target)?;
        }
        Ok(())
    }

    /// Submits a copy between device memory and memory of the caller, and waits for it.
    fn direct(
        &self,
        current: &Current<'_>,
        stream: StreamHandle,
        submit: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let free = lock(&self.events).pop();
        let event = match free {
            Some(event) => event,
            None => create_event(current.driver(), false)
                .map_err(|failure| current.context.failed("cuEventCreate", failure))?,
        };
        submit()?;
        // If the end of the copy cannot be observed, the context is lost: the device may access the memory of the caller
        // until the context is destroyed.
        current.record(event, stream).map_err(|_| current.context.not_observed())?;
        current.wait(event)?;
        lock(&self.events).push(event);
        Ok(())
    }

    #[expect(unsafe_code, reason = "bytes are copied to memory of a C library")]
    fn upload_pieces(&self, current: &Current<'_>, bytes: &[u8], target: u64) -> Result<(), Error> {
        let context = current.context;
        let stream = context.streams.upload;
        let threads = thread_count(bytes.len(), self.team.size());
        let (pieces, errors) = (Pieces::of(bytes, threads), FirstError::default());
        let upload = |current: &Current<'_>, Chunk { start, free }: Chunk, (offset, piece): (u64, &[u8])| {
            current.wait(free)?;
            // SAFETY: a piece fits a chunk. The device has finished with the chunk, and this thread alone uses its lane.
            unsafe { start.copy_from_nonoverlapping(piece.as_ptr(), piece.len()) };
            current.upload(stream, start.cast_const().cast(), target + offset, piece.len())?;
            current.record(free, stream)
        };
        let member = || {
            let Some(first) = pieces.take() else { return Ok(()) };
            let current = context.enter()?;
            self.lanes.with(&current, |lane| {
                let all = std::iter::once(first).chain(std::iter::from_fn(|| pieces.take()));
                all.enumerate().try_for_each(|(number, piece)| upload(&current, lane.chunk(number), piece))
            })
        };
        self.team.run(threads, &|| errors.note(member()));
        errors.into_result()
    }

    #[expect(unsafe_code, reason = "bytes are copied from memory of a C library")]
    fn download_pieces(&self, current: &Current<'_>, source: u64, target: &mut [u8]) -> Result<(), Error> {
        let context = current.context;
        let stream = context.streams.download;
        let threads = thread_count(target.len(), self.team.size());
        let (pieces, errors) = (Pieces::of_mut(target, threads), FirstError::default());
        let begin = |current: &Current<'_>, Chunk { start, free }: Chunk, (offset, piece): (u64, &[u8])| {
            current.wait(free)?;
            current.download(stream, source + offset, start.cast(), piece.len())?;
            current.record(free, stream)
        };
        let finish = |current: &Current<'_>, Chunk { start, free }: Chunk, piece: &mut [u8]| {
            current.wait(free)?;
            // SAFETY: the device has written this many bytes, and this thread alone uses its lane.
            piece.copy_from_slice(unsafe { std::slice::from_raw_parts(start, piece.len()) });
            Ok(())
        };
        let member = || {
            let Some(first) = pieces.take() else { return Ok(()) };
            let current = context.enter()?;
            self.lanes.with(&current, |lane| {
                let mut begun = VecDeque::with_capacity(LANE_CHUNKS);
                for (number, (offset, piece)) in
                    std::iter::once(first).chain(std::iter::from_fn(|| pieces.take())).enumerate()
                {
                    if begun.len() == LANE_CHUNKS
                        && let Some((chunk, piece)) = begun.pop_front()
                    {
                        finish(&current, chunk, piece)?;
                    }
                    let chunk = lane.chunk(number);
                    begin(&current, chunk, (offset, &*piece))?;
                    begun.push_back((chunk, piece));
                }
                begun.into_iter().try_for_each(|(chunk, piece)| finish(&current, chunk, piece))
            })
        };
        self.team.run(threads, &|| errors.note(member()));
        errors.into_result()
    }
}
