//! The engine on archives in memory: on cores of the host, and on a device with all transfers and checksums.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};
use vyre_runtime::Device;
use vyre_unpack::{DecompressError, Entry, Limits, Options, Receiver, Route, Summary, Unpacker};

use super::route_file::RouteFile;
use crate::error::Error;
use crate::harness::{Contender, Role, Timed};

/// Decoded data that the engine keeps in memory: more than any file has, so that no output goes to a temporary file.
const MEMORY_BYTES: u64 = 16 << 30;

/// Routes of the engine: numbers of cores of the host, and a device.
pub struct Routes {
    on_host: Unpacker,
    on_device: Unpacker,
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
    /// Creates the routes of this host and a device.
    ///
    /// # Errors
    ///
    /// A thread cannot be started.
    pub fn new(device: Arc<dyn Device>) -> Result<Routes, Error> {
        let in_memory = Options::default().with_limits(Limits::default().with_memory(MEMORY_BYTES));
        let to_device = in_memory.clone().with_route(Route::Device);
        let all = rayon::current_num_threads();
        let threads = [1, 2, 4, 8].into_iter().filter(|&threads| threads < all).chain([all]);
        let pools = threads.map(|threads| ThreadPoolBuilder::new().num_threads(threads).build());
        Ok(Routes {
            on_host: Unpacker::on_host(in_memory),
            on_device: Unpacker::on_device(device, to_device),
            pools: pools.collect::<Result<_, _>>().map_err(Error::unavailable)?,
        })
    }

    /// Names of the routes. The device is the last one.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let host = self.pools.iter().map(|pool| match pool.current_num_threads() {
            1 => "1 core".to_owned(),
            threads => format!("{threads} cores"),
        });
        host.chain(["device".to_owned()]).collect()
    }

    /// Contenders that unpack a file on each route, and verify every result.
    #[must_use]
    pub fn contenders<'c>(&'c self, file: &'c RouteFile) -> Vec<RouteContender<'c>> {
        let pools = self.pools.iter().map(Some).chain([None]);
        let contender = |(name, pool): (String, Option<&'c ThreadPool>)| {
            Contender::new(name, Role::Ours, move |_| match pool {
                Some(pool) => pool.install(|| unpack(&self.on_host, file)),
                None => unpack(&self.on_device, file),
            })
        };
        self.names().into_iter().zip(pools).map(contender).collect()
    }
}

/// Unpacks a file, verifies all of its entries, and returns the time without that of the verification.
fn unpack(unpacker: &Unpacker, file: &RouteFile) -> Result<RouteSample, Error> {
    let mut received = Received(Vec::new());
    let archive = file.archive.clone();
    let start = Instant::now();
    let outcome = unpacker.unpack(file.name.as_bytes(), archive, &mut received);
    let time = start.elapsed();
    let wrong = |message: String| Error::WrongResult { contender: format!("the engine on {}", file.name), message };
    let summary = outcome.map_err(|error| wrong(error.to_string()))?;
    if !summary.is_clean() {
        return Err(wrong("it reports a problem of a file that has none".to_owned()));
    }
    file.verify(&received.0).map_err(wrong)?;
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
        let routes = Routes::new(Arc::new(device)).expect("threads can be started");
        let files = [RouteFile::lz4(&text, 3), RouteFile::zip(&text, 7), RouteFile::zstd(&text, 9)];
        for file in files {
            let mut file = file.expect("compressors work");
            for unpacker in [&routes.on_host, &routes.on_device] {
                unpack(unpacker, &file).unwrap_or_else(|error| panic!("{}: {error}", file.name));
            }
            file.replace_first_part(Bytes::from_static(b"another text"));
            assert!(matches!(unpack(&routes.on_host, &file), Err(Error::WrongResult { .. })));
        }
    }
}
