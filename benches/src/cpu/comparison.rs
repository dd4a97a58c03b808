//! Comparison of a device with native code on the same number of threads.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};
use vyre_runtime::Device;

use super::workload::{DeviceRun, NativeRun, Workload};
use crate::error::Error;
use crate::harness::{Contender, Measure, Plan, Role, Series, compare};

/// Device and a thread pool for native code with the same number of threads.
pub struct Team {
    /// Number of threads of both.
    pub threads: usize,
    /// The device.
    pub device: Box<dyn Device>,
    pool: ThreadPool,
}

impl Team {
    /// Creates the pool for a device that has `threads` threads.
    ///
    /// # Errors
    ///
    /// The threads cannot be started.
    pub fn new(threads: usize, device: Box<dyn Device>) -> Result<Team, Error> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().map_err(Error::unavailable)?;
        Ok(Team { threads, device, pool })
    }
}

/// Times of a device and of one native code, by iteration.
#[derive(Clone, Debug)]
pub struct PeerTimes {
    /// Name of the native code.
    pub peer: &'static str,
    /// Maximum ratio of the device to it.
    pub goal: Option<f64>,
    /// Number of threads of both.
    pub threads: usize,
    /// Seconds of native code.
    pub native: Series,
    /// Seconds of the device.
    pub device: Series,
}

/// Native code as a contender. Its result is compared with that of the device.
struct NativeContender<'c, 'd> {
    run: &'c RefCell<NativeRun>,
    pool: &'c ThreadPool,
    workload: &'c Workload,
    device: &'c DeviceRun<'d>,
}

impl Measure<Duration, Error> for NativeContender<'_, '_> {
    fn measure(&mut self, _runs: u32) -> Result<Duration, Error> {
        let mut run = self.run.borrow_mut();
        run.restore(self.workload);
        let start = Instant::now();
        run.run(self.pool);
        Ok(start.elapsed())
    }

    fn verify(&mut self, runs: u32) -> Result<(), Error> {
        self.measure(runs)?;
        self.device.restore(self.workload)?;
        self.device.run()?;
        self.run.borrow().verify(self.workload, self.device)
    }
}

/// Compares a workload on all teams with all its native codes; calls `on_step` with a description of each step.
///
/// # Errors
///
/// Results differ, or the device fails.
pub fn compare_with_native(
    workload: &Workload,
    teams: &[Team],
    plan: Plan,
    on_step: impl FnMut(&str),
) -> Result<Vec<PeerTimes>, Error> {
    // All teams share the buffers of native code.
    let native: Vec<RefCell<NativeRun>> =
        workload.peers.iter().map(|peer| RefCell::new(NativeRun::new(workload, peer))).collect();
    let devices = teams.iter().map(|team| DeviceRun::new(workload, &*team.device)).collect::<Result<Vec<_>, _>>()?;
    let mut contenders = Vec::new();
    for (team, device) in teams.iter().zip(&devices) {
        for (run, peer) in native.iter().zip(&workload.peers) {
            let work = NativeContender { run, pool: &team.pool, workload, device };
            contenders.push(Contender::new(peer.name, Role::Peer, work));
        }
        contenders.push(Contender::new("device", Role::Ours, move |_| {
            device.restore(workload)?;
            let start = Instant::now();
            device.run()?;
            Ok(start.elapsed())
        }));
    }
    let comparison = compare(contenders, plan, on_step)?;
    let mut times = Vec::new();
    // Contenders are in the order of teams: native codes, then the device.
    for (team, measured) in teams.iter().zip(comparison.measured.chunks(workload.peers.len() + 1)) {
        let [peers @ .., device] = measured else { continue };
        for (peer, native) in workload.peers.iter().zip(peers) {
            times.push(PeerTimes {
                peer: peer.name,
                goal: peer.goal,
                threads: team.threads,
                native: native.seconds(),
                device: device.seconds(),
            });
        }
    }
    Ok(times)
}
