//! A device against native code, with the same number of threads, in rounds in which everything runs once.

use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};
use vyre_runtime::Device;

use super::error::Error;
use super::workload::{OnDevice, OnHost, Workload};

/// A device, and a pool for native code with as many threads.
pub struct Team {
    /// How many threads both have.
    pub threads: usize,
    /// The device.
    pub device: Box<dyn Device>,
    pool: ThreadPool,
}

impl Team {
    /// A device that has so many threads, and a pool beside it.
    ///
    /// # Errors
    ///
    /// Threads that cannot be started.
    pub fn new(threads: usize, device: Box<dyn Device>) -> Result<Team, Error> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| Error::Threads { message: error.to_string() })?;
        Ok(Team { threads, device, pool })
    }
}

/// What was measured of a device and one native code. Both have a time for each round.
#[derive(Clone, Debug)]
pub struct Duel {
    /// The native code.
    pub peer: &'static str,
    /// How many times as long as it the device may take.
    pub goal: Option<f64>,
    /// How many threads both had.
    pub threads: usize,
    /// The times of native code.
    pub native: Vec<Duration>,
    /// The times of the device.
    pub device: Vec<Duration>,
}

/// Measures a workload on all teams, against all its native codes; calls `on_round` after each round. The results of all
/// are compared before the first round, which warms them up too.
///
/// # Errors
///
/// Results that differ, or a device failure.
pub fn duels(
    workload: &Workload,
    teams: &[Team],
    rounds: usize,
    mut on_round: impl FnMut(usize),
) -> Result<Vec<Duel>, Error> {
    let mut hosts: Vec<OnHost> = workload.peers.iter().map(|peer| OnHost::new(workload, peer)).collect();
    let mut devices = Vec::new();
    let mut duels = Vec::new();
    for team in teams {
        let on_device = OnDevice::new(workload, &*team.device)?;
        on_device.run()?;
        for (host, peer) in hosts.iter_mut().zip(&workload.peers) {
            host.restore(workload);
            host.run(&team.pool);
            host.compare(workload, &on_device)?;
            let (native, device) = (Vec::new(), Vec::new());
            duels.push(Duel { peer: peer.name, goal: peer.goal, threads: team.threads, native, device });
        }
        devices.push(on_device);
    }
    for round in 0..rounds {
        // Duels are in the order of teams, then of native codes.
        for ((team, on_device), duels) in teams.iter().zip(&devices).zip(duels.chunks_mut(hosts.len())) {
            for (host, duel) in hosts.iter_mut().zip(&mut *duels) {
                host.restore(workload);
                let start = Instant::now();
                host.run(&team.pool);
                duel.native.push(start.elapsed());
            }
            on_device.restore(workload)?;
            let start = Instant::now();
            on_device.run()?;
            let elapsed = start.elapsed();
            duels.iter_mut().for_each(|duel| duel.device.push(elapsed));
        }
        on_round(round);
    }
    Ok(duels)
}
