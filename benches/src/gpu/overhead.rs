//! Overhead of dispatches.

use std::time::{Duration, Instant};

use vyre_runtime::{Bindings, Buffer, Command, CommandList, Device as _, RunOptions};
use wgpu::{BindGroup, BufferUsages, CommandEncoder, ComputePipeline};

use super::checks::Checks;
use super::session::Session;
use crate::data::difference;
use crate::error::Error;
use crate::harness::Timed;

/// Dispatches of a long submission.
pub const DISPATCHES: u32 = 1_000;

/// Submissions of a single dispatch whose mean is one sample.
const SUBMISSIONS: u32 = 50;

const NAME: &str = "dispatch";

/// Workgroup of one invocation that stores a word, on both sides.
pub struct Overhead<'s> {
    session: &'s Session,
    single: CommandList,
    many: CommandList,
    many_timed: CommandList,
    out: Buffer,
    pipeline: ComputePipeline,
    group: BindGroup,
    bare_out: wgpu::Buffer,
}

/// Times of a dispatch on one side, in one iteration.
#[derive(Clone, Copy, Debug)]
pub struct OverheadTimes {
    /// Single dispatch, from the call to its return, by the clock of the host.
    pub single: Duration,
    /// One of [`DISPATCHES`] dispatches of a submission, by the clock of the host.
    pub many: Duration,
    /// One of [`DISPATCHES`] dispatches of a submission, by timestamps of the device, if it has them.
    pub many_on_device: Option<Duration>,
}

impl Timed for OverheadTimes {
    fn time(&self) -> Duration {
        self.single
    }
}

impl<'s> Overhead<'s> {
    /// Builds both sides and verifies them.
    ///
    /// # Errors
    ///
    /// One of the sides fails, or has not stored its word.
    pub fn new(session: &'s Session) -> Result<Overhead<'s>, Error> {
        let vyre = &session.vyre;
        let pipeline = vyre.pipeline(NAME, include_str!("kernels/store_word.vyre"))?;
        let out = vyre.device.create_buffer(4)?;
        let mut single = CommandList::new();
        single.dispatch(&pipeline, &Bindings::new().with(0, &out), [1, 1, 1]);
        let mut many = CommandList::new();
        many.push(Command::Repeat { count: DISPATCHES, commands: single.clone() });
        let mut many_timed = CommandList::new();
        many_timed.push(Command::Timestamp);
        many_timed.push(Command::Repeat { count: DISPATCHES, commands: single.clone() });
        many_timed.push(Command::Timestamp);

        let bare = &session.bare.device;
        let pipeline = bare.pipeline(include_str!("kernels/store_word.wgsl"), Checks::Wgpu)?;
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let bare_out = bare.buffer(4, usage)?;
        let group = bare.bind_group(&pipeline, 0, &[bare_out.as_entire_binding()])?;
        let overhead = Overhead { session, single, many, many_timed, out, pipeline, group, bare_out };
        overhead.time_vyre()?;
        overhead.time_bare()?;
        overhead.check()?;
        Ok(overhead)
    }

    /// Verifies the words that both sides have stored.
    ///
    /// # Errors
    ///
    /// A side has not stored its word.
    pub fn check(&self) -> Result<(), Error> {
        let mut bare = Vec::new();
        self.session.bare.device.read(&self.bare_out, |_, bytes| bare.extend_from_slice(bytes))?;
        for (code, bytes) in [("vyre", self.session.vyre.device.read(&self.out)?), ("WGSL", bare)] {
            if let Some(found) = difference(0, &bytes, &[1]) {
                let (contender, against) = (format!("{NAME}, {code}"), "the host".to_owned());
                return Err(Error::Mismatch { contender, against, difference: found });
            }
        }
        Ok(())
    }

    /// Measures the backend.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn time_vyre(&self) -> Result<OverheadTimes, Error> {
        let device = &self.session.vyre.device;
        let options = RunOptions::default();
        let single = mean(SUBMISSIONS, || Ok(device.run(&self.single, &options).map(|_| ())?))?;
        let many = mean(1, || Ok(device.run(&self.many, &options).map(|_| ())?))? / DISPATCHES;
        let mut many_on_device = None;
        if self.session.bare().has_timestamps() {
            let report = device.run(&self.many_timed, &options)?;
            many_on_device = report.timestamps.last().map(|&nanos| Duration::from_nanos(nanos) / DISPATCHES);
        }
        Ok(OverheadTimes { single, many, many_on_device })
    }

    /// Measures wgpu without vyre: one bind group for all submissions, and one pass per submission.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn time_bare(&self) -> Result<OverheadTimes, Error> {
        let bare = &self.session.bare.device;
        let single = mean(SUBMISSIONS, || bare.run(|encoder| self.encode(encoder, 1)))?;
        let many = mean(1, || bare.run(|encoder| self.encode(encoder, DISPATCHES)))? / DISPATCHES;
        let mut many_on_device = None;
        if bare.has_timestamps() {
            many_on_device = Some(bare.time(|encoder| self.encode(encoder, DISPATCHES))? / DISPATCHES);
        }
        Ok(OverheadTimes { single, many, many_on_device })
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

/// Mean time of `work`, by the clock of the host.
fn mean(count: u32, mut work: impl FnMut() -> Result<(), Error>) -> Result<Duration, Error> {
    let start = Instant::now();
    for _ in 0..count {
        work()?;
    }
    Ok(start.elapsed() / count.max(1))
}
