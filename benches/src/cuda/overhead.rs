//! Overhead of dispatches.

use std::rc::Rc;
use std::time::Duration;

use vyre_runtime::{Bindings, Buffer, Command, CommandList, RunOptions};

use super::bare::{BareBuffer, BareGraph, BareLaunch};
use super::session::Session;
use super::transfer::wall;
use super::workload::Program;
use crate::data::difference;
use crate::error::Error;
use crate::harness::Timed;

/// Dispatches of a long command list.
pub const DISPATCHES: u32 = 1_000;

/// Runs of a single dispatch whose mean is one sample.
const SINGLE_RUNS: u32 = 100;

const STORE_WORD: Program = Program::new("store_word", include_str!("../gpu/kernels/store_word.vyre"), 1);

/// Workgroup of one invocation that stores a word, on both sides.
pub struct Overhead<'s> {
    session: &'s Session,
    out: Buffer,
    single: CommandList,
    list: CommandList,
    list_timed: CommandList,
    repeat: CommandList,
    repeat_timed: CommandList,
    bare_out: Rc<BareBuffer<'s>>,
    launch: Rc<BareLaunch<'s>>,
    graph: BareGraph<'s>,
}

/// Times of a dispatch on one side, in one iteration.
#[derive(Clone, Copy, Debug)]
pub struct OverheadTimes {
    /// Single dispatch, from the call to its return, by the clock of the host.
    pub single: Duration,
    /// One of [`DISPATCHES`] dispatches of a command list, by the clock of the host.
    pub list: Duration,
    /// One of [`DISPATCHES`] dispatches of a command list, by the clock of the device.
    pub list_on_device: Duration,
    /// One of [`DISPATCHES`] dispatches of a repeat, or of an existing CUDA graph, by the clock of the host.
    pub repeat: Duration,
    /// One of [`DISPATCHES`] dispatches of a repeat, or of an existing CUDA graph, by the clock of the device.
    pub repeat_on_device: Duration,
    /// One of [`DISPATCHES`] dispatches of a CUDA graph that is recorded for this run, by the clock of the host; driver only.
    pub repeat_recorded: Option<Duration>,
}

fn timed(inner: &CommandList) -> CommandList {
    let mut list = CommandList::new();
    list.push(Command::Timestamp);
    inner.commands().iter().for_each(|command| list.push(command.clone()));
    list.push(Command::Timestamp);
    list
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
        let pipeline = STORE_WORD.pipeline(session.device())?;
        let out = session.device.create_buffer(4)?;
        let bindings = Bindings::new().with(0, &out);
        let mut single = CommandList::new();
        single.dispatch(&pipeline, &bindings, [1, 1, 1]);
        let mut list = CommandList::new();
        (0..DISPATCHES).for_each(|_| list.dispatch(&pipeline, &bindings, [1, 1, 1]));
        let mut repeat = CommandList::new();
        repeat.push(Command::Repeat { count: DISPATCHES, commands: single.clone() });

        let module = session.load("store_word")?;
        let bare_out = Rc::new(BareBuffer::new(&session.bare, 4)?);
        session.bare.run(|| bare_out.enqueue_clear())?;
        let launch = Rc::new(BareLaunch::new(&module, "store_word", std::slice::from_ref(&bare_out), 1, [1, 1])?);
        let graph = BareGraph::record(&launch, DISPATCHES)?;
        let (list_timed, repeat_timed) = (timed(&list), timed(&repeat));
        let overhead =
            Overhead { session, out, single, list, list_timed, repeat, repeat_timed, bare_out, launch, graph };
        overhead.time_vyre()?;
        overhead.time_bare()?;
        overhead.check()?;
        Ok(overhead)
    }

    /// Verifies that both sides have stored their words.
    fn check(&self) -> Result<(), Error> {
        let mut bare = vec![0; 4];
        self.bare_out.read(&mut bare)?;
        for (code, bytes) in [("vyre", self.session.device.read(&self.out)?), ("nvcc", bare)] {
            if let Some(found) = difference(0, &bytes, &[1]) {
                let (contender, against) = (format!("{code}, store_word"), "the source".to_owned());
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
        let options = RunOptions::default();
        let run = |commands: &CommandList| Ok(self.session.device.run(commands, &options)?);
        let on_device = |commands: &CommandList| -> Result<Duration, Error> {
            let report = run(commands)?;
            Ok(Duration::from_nanos(report.timestamps.last().copied().unwrap_or_default()))
        };
        let discard = |commands: &CommandList| -> Result<(), Error> { run(commands).map(drop) };
        Ok(OverheadTimes {
            single: wall(|| (0..SINGLE_RUNS).try_for_each(|_| discard(&self.single)))? / SINGLE_RUNS,
            list: wall(|| discard(&self.list))? / DISPATCHES,
            list_on_device: on_device(&self.list_timed)? / DISPATCHES,
            repeat: wall(|| discard(&self.repeat))? / DISPATCHES,
            repeat_on_device: on_device(&self.repeat_timed)? / DISPATCHES,
            repeat_recorded: None,
        })
    }

    /// Measures the driver: launches, and a CUDA graph of launches.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn time_bare(&self) -> Result<OverheadTimes, Error> {
        let bare = &self.session.bare;
        let many = || (0..DISPATCHES).try_for_each(|_| self.launch.enqueue());
        let single = || bare.run(|| self.launch.enqueue());
        let recorded = || {
            let graph = BareGraph::record(&self.launch, DISPATCHES)?;
            bare.run(|| graph.enqueue())
        };
        Ok(OverheadTimes {
            single: wall(|| (0..SINGLE_RUNS).try_for_each(|_| single()))? / SINGLE_RUNS,
            list: wall(|| bare.run(many))? / DISPATCHES,
            list_on_device: bare.time(many)? / DISPATCHES,
            repeat: wall(|| bare.run(|| self.graph.enqueue()))? / DISPATCHES,
            repeat_on_device: bare.time(|| self.graph.enqueue())? / DISPATCHES,
            repeat_recorded: Some(wall(recorded)? / DISPATCHES),
        })
    }
}
