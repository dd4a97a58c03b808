//! The engine on archives in memory: on cores of the host, and on a device with all transfers and checksums, to host memory and with entries that
//! stay on the device.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use rayon::{ThreadPool, ThreadPoolBuilder};
use vyre_runtime::Device;
use vyre_unpack::{
    DecompressError, DeviceEntries, DeviceEntry, DeviceUnpacker, Entry, Limits, Options, Receiver, Route, Summary,
    Unpacker,
};

use super::route_file::RouteFile;
use crate::error::Error;
use crate::harness::{Contender, Role, Timed};

/// Decoded data that the engine keeps in memory: more than any file has, so that no output goes to a temporary file.
const MEMORY_BYTES: u64 = 16 << 30;

/// Routes of the engine: numbers of cores of the host, and a device.
pub struct Routes {
    on_host: Unpacker,
    on_device: Unpacker,
    /// Entries stay on the device.
    staying: DeviceUnpacker,
    device: Arc<dyn Device>,
    pools: Vec<ThreadPool>,
}

/// Time of a route, and the work of the device.
#[derive(Clone, Debug)]
pub struct RouteSample {
    time: Duration,
    /// Execution time of the device.
    pub device_time: Duration,
    /// Number of blocks that the device decoded.
    pub device_blocks: u64,
    /// Blocks that the host decoded, as a phrase with the reasons; empty if there are none.
    pub on_host: String,
}

impl Timed for RouteSample {
    fn time(&self) -> Duration {
        self.time
    }
}

/// Contender of a route.
pub type RouteContender<'c> = Contender<'c, RouteSample, Error>;

impl Routes {
    /// Creates the routes of this host and a device. `threads` are numbers of cores of the host; none stands for 1, 2, 4, 8 and all.
    ///
    /// # Errors
    ///
    /// A thread cannot be started.
    pub fn new(device: Arc<dyn Device>, threads: &[usize]) -> Result<Routes, Error> {
        let in_memory = Options::default().with_limits(Limits::default().with_memory(MEMORY_BYTES));
        let to_device = in_memory.clone().with_route(Route::Device);
        let all = rayon::current_num_threads();
        let usual = [1, 2, 4, 8].into_iter().filter(|&threads| threads < all).chain([all]);
        let threads = if threads.is_empty() { usual.collect() } else { threads.to_vec() };
        let pools = threads.into_iter().map(|threads| ThreadPoolBuilder::new().num_threads(threads).build());
        Ok(Routes {
            on_host: Unpacker::on_host(in_memory),
            on_device: Unpacker::on_device(Arc::clone(&device), to_device.clone()),
            staying: DeviceUnpacker::new(Arc::clone(&device), to_device),
            device,
            pools: pools.collect::<Result<_, _>>().map_err(Error::unavailable)?,
        })
    }

    /// Names of the routes. The device is the last but one, and with entries that stay there the last one.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let host = self.pools.iter().map(|pool| match pool.current_num_threads() {
            1 => "1 core".to_owned(),
            threads => format!("{threads} cores"),
        });
        host.chain(["device", "device, entries stay"].map(str::to_owned)).collect()
    }

    /// Contenders that unpack a file on each route, and verify every result.
    #[must_use]
    pub fn contenders<'c>(&'c self, file: &'c RouteFile) -> Vec<RouteContender<'c>> {
        let routes = self.pools.iter().map(Way::Host).chain([Way::Device, Way::Staying]);
        let contender = |(name, way): (String, Way<'c>)| {
            Contender::new(name, Role::Ours, move |_| match way {
                Way::Host(pool) => pool.install(|| unpack(&self.on_host, file)),
                Way::Device => unpack(&self.on_device, file),
                Way::Staying => self.unpack_to_device(file),
            })
        };
        self.names().into_iter().zip(routes).map(contender).collect()
    }

    /// Unpacks a file to entries on the device, verifies all of them, and returns the time without that of the verification.
    fn unpack_to_device(&self, file: &RouteFile) -> Result<RouteSample, Error> {
        let archive = file.archive.clone();
        let start = Instant::now();
        let outcome = self.staying.unpack(file.name.as_bytes(), archive);
        let time = start.elapsed();
        let DeviceEntries { mut entries, summary, .. } =
            outcome.map_err(|error| wrong_result(file, error.to_string()))?;
        // They are in no particular order.
        entries.sort_by(|one, other| one.entry.path.names.cmp(&other.entry.path.names));
        // Entries share a few buffers.
        let mut buffers: BTreeMap<u64, Bytes> = BTreeMap::new();
        let mut read = Vec::new();
        for DeviceEntry { mut entry, content, .. } in entries {
            if let Some(content) = content {
                let buffer = match buffers.entry(content.buffer.id()) {
                    Slot::Occupied(known) => known.into_mut(),
                    Slot::Vacant(slot) => slot.insert(self.device.read(&content.buffer)?.into()),
                };
                let start = content.offset as usize;
                entry.bytes = buffer.slice(start..start + content.length as usize);
            }
            read.push(entry);
        }
        sample(file, &read, summary, time)
    }
}

/// Way of a file through the engine.
#[derive(Clone, Copy)]
enum Way<'r> {
    Host(&'r ThreadPool),
    Device,
    Staying,
}

/// Unpacks a file, verifies all of its entries, and returns the time without that of the verification.
fn unpack(unpacker: &Unpacker, file: &RouteFile) -> Result<RouteSample, Error> {
    let mut received = Received(Vec::new());
    let archive = file.archive.clone();
    let start = Instant::now();
    let outcome = unpacker.unpack(file.name.as_bytes(), archive, &mut received);
    let time = start.elapsed();
    let summary = outcome.map_err(|error| wrong_result(file, error.to_string()))?;
    sample(file, &received.0, summary, time)
}

fn wrong_result(file: &RouteFile, message: String) -> Error {
    Error::WrongResult { contender: format!("the engine on {}", file.name), message }
}

/// Verifies the entries of a route.
fn sample(file: &RouteFile, entries: &[Entry], summary: Summary, time: Duration) -> Result<RouteSample, Error> {
    let wrong = |message| wrong_result(file, message);
    if !summary.is_clean() {
        return Err(wrong("it reports a problem of a file that has none".to_owned()));
    }
    file.verify(entries).map_err(wrong)?;
    let Summary { device_time, blocks, .. } = summary;
    let reasons: BTreeMap<_, _> = blocks.host.iter().map(|(reason, count)| (reason.text(), count)).collect();
    let reasons: Vec<String> = reasons.iter().map(|(reason, count)| format!("{count}: {reason}")).collect();
    Ok(RouteSample { time, device_time, device_blocks: blocks.device, on_host: reasons.join(", ") })
}

/// Receiver that keeps all entries.
struct Received(Vec<Entry>);

impl Receiver for Received {
    fn entries(&mut self, entries: Vec<Entry>) -> Result<(), DecompressError> {
        self.0.extend(entries);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use vyre_jit::{JitDevice, JitOptions};

    use super::*;

    #[test]
    fn all_routes_unpack_all_files_and_a_wrong_content_is_noticed() {
        let text: Vec<u8> = (0..60_000_u32).flat_map(|number| number.to_string().into_bytes()).collect();
        let device = JitDevice::new(&JitOptions::default()).expect("this machine has a CPU");
        let routes = Routes::new(Arc::new(device), &[2]).expect("threads can be started");
        let files = [RouteFile::lz4(&text, 3), RouteFile::zip(&text, 7), RouteFile::zstd(&text, 9)];
        for file in files {
            let mut file = file.expect("compressors work");
            for unpacker in [&routes.on_host, &routes.on_device] {
                unpack(unpacker, &file).unwrap_or_else(|error| panic!("{}: {error}", file.name));
            }
            let stays = routes.unpack_to_device(&file).unwrap_or_else(|error| panic!("{}: {error}", file.name));
            assert!(stays.device_blocks > 0 && stays.on_host.is_empty(), "{stays:?}");
            file.replace_first_part(Bytes::from_static(b"another text"));
            for result in [unpack(&routes.on_host, &file), routes.unpack_to_device(&file)] {
                assert!(matches!(result, Err(Error::WrongResult { .. })));
            }
        }
    }
}
