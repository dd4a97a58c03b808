//! Host devices: devices whose buffers are memory of this process, and the interpreter of their command lists.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::buffer::Buffer;
use crate::commands::{Bindings, Command, CommandList};
use crate::device::Device;
use crate::error::Error;
use crate::pipeline::Pipeline;
use crate::run::{RunOptions, RunReport};
use crate::shell::DeviceShell;

/// Device whose buffers are memory of this process. The functions of this module implement [`Device`] in terms of it.
pub trait HostDevice: Device {
    /// The shell of the device.
    fn shell(&self) -> &DeviceShell;

    /// Calls `access` with the bytes of a buffer, while no run uses them.
    ///
    /// # Errors
    ///
    /// [`Error::ForeignObject`] for a buffer of another device.
    fn with_bytes(&self, buffer: &Buffer, access: &mut dyn FnMut(&mut [u8])) -> Result<(), Error>;

    /// Calls `work` with each number below `count`, on the threads of the device.
    fn for_each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        (0..count).for_each(work);
    }

    /// Runs a pipeline over a grid. The caller has checked bindings, grid and owners.
    ///
    /// # Errors
    ///
    /// A run that was stopped, or a device failure.
    fn dispatch(
        &self,
        pipeline: &Pipeline,
        bindings: &Bindings,
        grid: [u32; 3],
        options: &RunOptions,
        report: &mut RunReport,
    ) -> Result<(), Error>;
}

/// [`Device::write`] of a host device.
///
/// # Errors
///
/// Those of [`Device::write`].
pub fn write(device: &dyn HostDevice, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
    if buffer.device() != device.id() {
        return Err(Error::ForeignObject);
    }
    buffer.check_range(offset, bytes.len() as u64)?;
    device.with_bytes(buffer, &mut |contents| copy(device, bytes, &mut contents[range(offset, bytes.len() as u64)]))
}

/// [`Device::read`] of a host device.
///
/// # Errors
///
/// Those of [`Device::read`].
pub fn read(device: &dyn HostDevice, buffer: &Buffer) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    device.with_bytes(buffer, &mut |contents| bytes = contents.to_vec())?;
    Ok(bytes)
}

/// [`Device::read_at`] of a host device.
///
/// # Errors
///
/// Those of [`Device::read_at`].
pub fn read_at(device: &dyn HostDevice, buffer: &Buffer, offset: u64, target: &mut [u8]) -> Result<(), Error> {
    if buffer.device() != device.id() {
        return Err(Error::ForeignObject);
    }
    let length = target.len() as u64;
    buffer.check_range(offset, length)?;
    device.with_bytes(buffer, &mut |contents| copy(device, &contents[range(offset, length)], target))
}

/// Number of bytes that a thread copies or fills at a time. Fewer are not worth a second thread.
const CHUNK_BYTES: usize = 1 << 20;

/// Calls `work` with the chunks of `bytes` and their offsets, on the threads of the device.
fn each_chunk(device: &dyn HostDevice, bytes: &mut [u8], work: impl Fn(usize, &mut [u8]) + Sync) {
    if bytes.len() <= CHUNK_BYTES {
        return work(0, bytes);
    }
    let chunks: Vec<Mutex<&mut [u8]>> = bytes.chunks_mut(CHUNK_BYTES).map(Mutex::new).collect();
    device.for_each(chunks.len(), &|number| {
        let mut chunk = chunks[number].lock().unwrap_or_else(PoisonError::into_inner);
        work(number * CHUNK_BYTES, &mut chunk);
    });
}

/// Copies bytes on the threads of the device.
fn copy(device: &dyn HostDevice, source: &[u8], target: &mut [u8]) {
    each_chunk(device, target, |offset, chunk| chunk.copy_from_slice(&source[offset..offset + chunk.len()]));
}

/// [`Device::run`] of a host device. All checks precede the first command.
///
/// # Errors
///
/// Those of [`Device::run`].
pub fn run(device: &dyn HostDevice, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
    device.shell().check_run(commands, options)?;
    let mut state = RunState::default();
    run_list(device, commands, options, &mut state)?;
    Ok(state.report)
}

/// State of a run.
#[derive(Default)]
struct RunState {
    report: RunReport,
    start: Option<Instant>,
}

/// Range of a buffer in memory. The caller has checked it against the size.
fn range(offset: u64, length: u64) -> std::ops::Range<usize> {
    offset as usize..(offset + length) as usize
}

fn run_list(
    device: &dyn HostDevice,
    list: &CommandList,
    options: &RunOptions,
    state: &mut RunState,
) -> Result<(), Error> {
    for command in list.commands() {
        options.check()?;
        match command {
            Command::Dispatch { pipeline, bindings, grid } => {
                device.dispatch(pipeline, bindings, *grid, options, &mut state.report)?;
            }
            Command::Fill { buffer, offset, length, byte } => {
                device.with_bytes(buffer, &mut |bytes| {
                    each_chunk(device, &mut bytes[range(*offset, *length)], |_, chunk| chunk.fill(*byte));
                })?;
            }
            Command::Copy { source, source_offset, target, target_offset, length } => {
                let mut copied = Vec::new();
                device.with_bytes(source, &mut |bytes| copied = bytes[range(*source_offset, *length)].to_vec())?;
                device.with_bytes(target, &mut |bytes| {
                    bytes[range(*target_offset, *length)].copy_from_slice(&copied);
                })?;
            }
            Command::Timestamp => {
                let start = *state.start.get_or_insert_with(Instant::now);
                let elapsed = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
                state.report.timestamps.push(elapsed);
            }
            // Recursion is bounded: the host nests lists, external input cannot.
            Command::Repeat { count, commands } => {
                for _ in 0..*count {
                    options.check()?;
                    run_list(device, commands, options, state)?;
                }
            }
        }
    }
    Ok(())
}

/// Buffer that is a vector of bytes behind a mutex.
#[derive(Debug)]
pub struct HostBuffer {
    bytes: Mutex<Vec<u8>>,
}

impl HostBuffer {
    /// Creates a buffer of zeros on a device.
    ///
    /// # Errors
    ///
    /// A size beyond the limits, or exhausted memory.
    pub fn create(shell: &DeviceShell, bytes: u64) -> Result<Buffer, Error> {
        shell.create_buffer(bytes, || {
            let size = usize::try_from(bytes).unwrap_or(usize::MAX);
            let mut contents = Vec::new();
            contents.try_reserve_exact(size).map_err(|_| Error::out_of_host_memory(bytes))?;
            contents.resize(size, 0);
            Ok(HostBuffer { bytes: Mutex::new(contents) })
        })
    }

    /// Locks the bytes.
    pub fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        // A panic of another thread leaves the bytes valid, which is all that a buffer guarantees.
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Locked buffers of a dispatch.
#[derive(Debug)]
pub struct LockedBuffers<'b> {
    /// The bytes of each buffer. A buffer that is bound to several slots occurs once.
    pub storage: Vec<MutexGuard<'b, Vec<u8>>>,
    /// Position in `storage` by slot.
    pub slots: HashMap<u32, usize>,
}

impl<'b> LockedBuffers<'b> {
    /// Locks each [`HostBuffer`] of the bindings once, in the order of buffer ids, so that concurrent runs cannot deadlock.
    ///
    /// # Errors
    ///
    /// [`Error::ForeignObject`].
    pub fn new(shell: &DeviceShell, bindings: &'b Bindings) -> Result<LockedBuffers<'b>, Error> {
        let mut by_id: BTreeMap<u64, &HostBuffer> = BTreeMap::new();
        for buffer in bindings.buffers() {
            by_id.insert(buffer.id(), shell.contents(buffer)?);
        }
        let positions: HashMap<u64, usize> = by_id.keys().enumerate().map(|(at, &id)| (id, at)).collect();
        Ok(LockedBuffers {
            storage: by_id.values().map(|buffer| buffer.lock()).collect(),
            slots: bindings.iter().map(|(binding, buffer)| (binding, positions[&buffer.id()])).collect(),
        })
    }
}
