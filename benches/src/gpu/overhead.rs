//! What dispatches cost that do next to nothing.

use std::time::{Duration, Instant};

use vyre_runtime::{Bindings, Buffer, Command, CommandList, Device as _, RunOptions};
use wgpu::{BindGroup, BufferUsages, CommandEncoder, ComputePipeline};

use super::bench::Bench;
use super::contender::Checks;
use super::data::difference;
use super::error::Error;

/// The dispatches of a long submission.
pub const DISPATCHES: u32 = 1_000;

/// How often a single dispatch is submitted for one time.
const SUBMISSIONS: u32 = 50;

const NAME: &str = "dispatch";

/// A workgroup of one invocation that stores a word, on both sides.
pub struct Overhead<'b> {
    bench: &'b Bench,
    once: CommandList,
    many: CommandList,
    many_timed: CommandList,
    out: Buffer,
    pipeline: ComputePipeline,
    group: BindGroup,
    bare_out: wgpu::Buffer,
}

/// What one side takes for a dispatch, in one round.
#[derive(Clone, Copy, Debug)]
pub struct OverheadTimes {
    /// One dispatch from the host's call to its return, on the clock of the host.
    pub once: Duration,
    /// One of many dispatches of a submission, on the clock of the host.
    pub many: Duration,
    /// The same on the clock of the device, where it has one.
    pub many_on_device: Option<Duration>,
}

impl<'b> Overhead<'b> {
    /// Makes both sides ready, and checks that they do what they should.
    ///
    /// # Errors
    ///
    /// A failure of one of the sides, or a word that is not stored.
    pub fn new(bench: &'b Bench) -> Result<Overhead<'b>, Error> {
        let vyre = &bench.vyre;
        let pipeline = vyre.pipeline(NAME, include_str!("kernels/store_word.vyre"))?;
        let out = vyre.device.create_buffer(4)?;
        let mut once = CommandList::new();
        once.dispatch(&pipeline, &Bindings::new().with(0, &out), [1, 1, 1]);
        let mut many = CommandList::new();
        many.push(Command::Repeat { count: DISPATCHES, commands: once.clone() });
        let mut many_timed = CommandList::new();
        many_timed.push(Command::Timestamp);
        many_timed.push(Command::Repeat { count: DISPATCHES, commands: once.clone() });
        many_timed.push(Command::Timestamp);

        let bare = &bench.bare.device;
        let pipeline = bare.pipeline(include_str!("kernels/store_word.wgsl"), Checks::Wgpu)?;
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let bare_out = bare.buffer(4, usage)?;
        let group = bare.bind_group(&pipeline, 0, &[bare_out.as_entire_binding()])?;
        let overhead = Overhead { bench, once, many, many_timed, out, pipeline, group, bare_out };
        overhead.time_vyre()?;
        overhead.time_bare()?;
        overhead.check()?;
        Ok(overhead)
    }

    /// Compares what both sides have stored with what they should have.
    ///
    /// # Errors
    ///
    /// A word that is not stored.
    pub fn check(&self) -> Result<(), Error> {
        let mut bare = Vec::new();
        self.bench.bare.device.read(&self.bare_out, |_, bytes| bare.extend_from_slice(bytes))?;
        for (code, bytes) in [("vyre", self.bench.vyre.device.read(&self.out)?), ("WGSL", bare)] {
            if let Some(found) = difference(0, &bytes, &[1]) {
                let (word, expected, found) = (found.word, found.expected, found.found);
                return Err(Error::Different { workload: NAME, code, word, expected, found });
            }
        }
        Ok(())
    }

    /// The backend in one round.
    ///
    /// # Errors
    ///
    /// A device failure.
    pub fn time_vyre(&self) -> Result<OverheadTimes, Error> {
        let device = &self.bench.vyre.device;
        let options = RunOptions::default();
        let once = mean(SUBMISSIONS, || Ok(device.run(&self.once, &options).map(|_| ())?))?;
        let many = mean(1, || Ok(device.run(&self.many, &options).map(|_| ())?))? / DISPATCHES;
        let mut many_on_device = None;
        if self.bench.bare().has_timestamps() {
            let report = device.run(&self.many_timed, &options)?;
            many_on_device = report.timestamps.last().map(|&nanos| Duration::from_nanos(nanos) / DISPATCHES);
        }
        Ok(OverheadTimes { once, many, many_on_device })
    }

    /// The same without vyre: the bind group is made once, and there is one pass in a submission.
    ///
    /// # Errors
    ///
    /// A device failure.
    pub fn time_bare(&self) -> Result<OverheadTimes, Error> {
        let bare = &self.bench.bare.device;
        let once = mean(SUBMISSIONS, || bare.run(|encoder| self.encode(encoder, 1)))?;
        let many = mean(1, || bare.run(|encoder| self.encode(encoder, DISPATCHES)))? / DISPATCHES;
        let mut many_on_device = None;
        if bare.has_timestamps() {
            many_on_device = Some(bare.time(|encoder| self.encode(encoder, DISPATCHES))? / DISPATCHES);
        }
        Ok(OverheadTimes { once, many, many_on_device })
    }

    fn encode(&self, encoder: &mut CommandEncoder, dispatches: u32) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        for _ in 0..dispatches {
            pass.dispatch_workgroups(1, 1, 1);
        }
    }
}

/// How long `work` takes, on the clock of the host.
fn mean(count: u32, mut work: impl FnMut() -> Result<(), Error>) -> Result<Duration, Error> {
    let start = Instant::now();
    for _ in 0..count {
        work()?;
    }
    Ok(start.elapsed() / count.max(1))
}
