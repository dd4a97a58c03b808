//! What dispatches cost that do next to nothing.

use std::rc::Rc;
use std::time::Duration;

use vyre_runtime::{Bindings, Buffer, Command, CommandList, RunOptions};

use super::bare::{BareBuffer, BareGraph, BareLaunch};
use super::error::Error;
use super::machine::Machine;
use super::transfer::wall;
use super::workload::Program;

/// The dispatches of a long list.
pub const DISPATCHES: u32 = 1_000;

/// How often a single dispatch is run for one time.
const SINGLE_RUNS: u32 = 100;

const STORE_WORD: Program = Program::new("store_word", include_str!("../gpu/kernels/store_word.vyre"), 1);

/// A workgroup of one invocation that stores a word, on both sides.
pub struct Overhead<'m> {
    machine: &'m Machine,
    out: Buffer,
    once: CommandList,
    list: CommandList,
    list_timed: CommandList,
    repeat: CommandList,
    repeat_timed: CommandList,
    bare_out: Rc<BareBuffer<'m>>,
    launch: Rc<BareLaunch<'m>>,
    graph: BareGraph<'m>,
}

/// What one side takes for a dispatch, in one round.
#[derive(Clone, Copy, Debug)]
pub struct OverheadTimes {
    /// One dispatch from the host's call to its return, on the clock of the host.
    pub once: Duration,
    /// One of many dispatches in a list, on the clock of the host.
    pub list: Duration,
    /// The same on the clock of the device.
    pub list_on_device: Duration,
    /// One of many dispatches by a repeat, or by a graph that is there, on the clock of the host.
    pub repeat: Duration,
    /// The same on the clock of the device.
    pub repeat_on_device: Duration,
    /// The same with a graph that is recorded for it, where there is a difference, on the clock of the host.
    pub repeat_anew: Option<Duration>,
}

fn timed(inner: &CommandList) -> CommandList {
    let mut list = CommandList::new();
    list.push(Command::Timestamp);
    inner.commands().iter().for_each(|command| list.push(command.clone()));
    list.push(Command::Timestamp);
    list
}

impl<'m> Overhead<'m> {
    /// Makes both sides ready, and checks that they do what they should.
    ///
    /// # Errors
    ///
    /// A failure of one of the sides, or a word that is not stored.
    pub fn new(machine: &'m Machine) -> Result<Overhead<'m>, Error> {
        let pipeline = STORE_WORD.pipeline(machine.device())?;
        let out = machine.device.create_buffer(4)?;
        let bindings = Bindings::new().with(0, &out);
        let mut once = CommandList::new();
        once.dispatch(&pipeline, &bindings, [1, 1, 1]);
        let mut list = CommandList::new();
        (0..DISPATCHES).for_each(|_| list.dispatch(&pipeline, &bindings, [1, 1, 1]));
        let mut repeat = CommandList::new();
        repeat.push(Command::Repeat { count: DISPATCHES, commands: once.clone() });

        let module = machine.load("store_word")?;
        let bare_out = Rc::new(BareBuffer::new(&machine.bare, 4)?);
        machine.bare.run(|| bare_out.enqueue_clear())?;
        let launch = Rc::new(BareLaunch::new(&module, "store_word", std::slice::from_ref(&bare_out), 1, [1, 1])?);
        let graph = BareGraph::record(&launch, DISPATCHES)?;
        let (list_timed, repeat_timed) = (timed(&list), timed(&repeat));
        let overhead = Overhead { machine, out, once, list, list_timed, repeat, repeat_timed, bare_out, launch, graph };
        overhead.time_vyre()?;
        overhead.time_bare()?;
        overhead.check()?;
        Ok(overhead)
    }

    /// Fails where a side has not stored its word.
    fn check(&self) -> Result<(), Error> {
        let mut bare = vec![0; 4];
        self.bare_out.read(&mut bare)?;
        for (code, bytes) in [("vyre", self.machine.device.read(&self.out)?), ("nvcc", bare)] {
            if bytes != [1, 0, 0, 0] {
                let (code, against) = (format!("{code}, store_word"), "the source".to_owned());
                let found = bytes.first().copied().unwrap_or_default().into();
                return Err(Error::Different { code, against, word: 0, expected: 1, found });
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
        let options = RunOptions::default();
        let run = |commands: &CommandList| Ok(self.machine.device.run(commands, &options)?);
        let on_device = |commands: &CommandList| -> Result<Duration, Error> {
            let report = run(commands)?;
            Ok(Duration::from_nanos(report.timestamps.last().copied().unwrap_or_default()))
        };
        let discard = |commands: &CommandList| -> Result<(), Error> { run(commands).map(drop) };
        Ok(OverheadTimes {
            once: wall(|| (0..SINGLE_RUNS).try_for_each(|_| discard(&self.once)))? / SINGLE_RUNS,
            list: wall(|| discard(&self.list))? / DISPATCHES,
            list_on_device: on_device(&self.list_timed)? / DISPATCHES,
            repeat: wall(|| discard(&self.repeat))? / DISPATCHES,
            repeat_on_device: on_device(&self.repeat_timed)? / DISPATCHES,
            repeat_anew: None,
        })
    }

    /// The same without the backend: launches, and a graph of launches.
    ///
    /// # Errors
    ///
    /// A device failure.
    pub fn time_bare(&self) -> Result<OverheadTimes, Error> {
        let bare = &self.machine.bare;
        let many = || (0..DISPATCHES).try_for_each(|_| self.launch.enqueue());
        let once = || bare.run(|| self.launch.enqueue());
        let anew = || {
            let graph = BareGraph::record(&self.launch, DISPATCHES)?;
            bare.run(|| graph.enqueue())
        };
        Ok(OverheadTimes {
            once: wall(|| (0..SINGLE_RUNS).try_for_each(|_| once()))? / SINGLE_RUNS,
            list: wall(|| bare.run(many))? / DISPATCHES,
            list_on_device: bare.time(many)? / DISPATCHES,
            repeat: wall(|| bare.run(|| self.graph.enqueue()))? / DISPATCHES,
            repeat_on_device: bare.time(|| self.graph.enqueue())? / DISPATCHES,
            repeat_anew: Some(wall(anew)? / DISPATCHES),
        })
    }
}
