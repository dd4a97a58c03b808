//! Running statements, one workgroup at a time.
//!
//! The invocations of a workgroup go through the program side by side: a statement is done by all that are live before
//! the next one begins. So a barrier is just the moment between two statements, and a collective finds the values of all
//! lanes at hand. Validation has made sure that both are reached by whole workgroups.

use std::collections::HashMap;

use vyre_ir::{Name, Node, OpTable, Program};

use super::memory::Memory;
use super::race_check::RaceChecker;
use super::value::Value;
use crate::error::{Error, Resource};
use crate::limits::check_limit;
use crate::races::RaceReport;
use crate::run::RunOptions;

/// Runs a program over a grid.
pub(super) fn dispatch(
    program: &Program,
    ops: &OpTable,
    memory: Memory<'_>,
    grid: [u32; 3],
    options: &RunOptions,
) -> Result<RaceReport, Error> {
    if grid.contains(&0) {
        return Ok(RaceReport::default());
    }
    let races = options.check_races.then(RaceChecker::default);
    let mut machine = Machine { ops, memory, races, options, steps: 0, kept: 0, grid, workgroup: [0; 3] };
    for z in 0..grid[2] {
        for y in 0..grid[1] {
            for x in 0..grid[0] {
                machine.workgroup = [x, y, z];
                machine.run_workgroup(program)?;
            }
        }
    }
    Ok(machine.races.map(|races| races.finish(program)).unwrap_or_default())
}

/// The state of a dispatch.
pub(super) struct Machine<'m> {
    pub(super) ops: &'m OpTable,
    pub(super) memory: Memory<'m>,
    pub(super) races: Option<RaceChecker>,
    options: &'m RunOptions,
    steps: u64,
    /// How many values of variables are kept, over all lanes.
    kept: u64,
    pub(super) grid: [u32; 3],
    pub(super) workgroup: [u32; 3],
}

/// Which lanes take part in something.
pub(super) type Mask = Vec<bool>;

/// A value for each lane; those of lanes that take no part have no meaning.
pub(super) type Lanes = Vec<Value>;

/// A program that is being run by the lanes of a workgroup: the dispatched one, or an op that it calls.
pub(super) struct Activation<'p> {
    pub(super) program: &'p Program,
    /// The variables that are live.
    pub(super) variables: HashMap<&'p str, Lanes>,
    pub(super) returned: Mask,
    pub(super) role: Role,
}

/// Where the buffers of a program are.
pub(super) enum Role {
    /// In the memory of the dispatch.
    Entry {
        /// The local id of each lane.
        local_ids: Vec<[u32; 3]>,
    },
    /// In the call: inputs by ascending binding, and what was last stored to element 0 of the output.
    Callee { arguments: Vec<Lanes>, result: Lanes },
}

/// How many statements lanes do between two looks at the clock.
const STEPS_BETWEEN_CHECKS: u64 = 4096;

/// The most values of variables that are kept, over all lanes; some 640 MB.
const MAX_KEPT_VALUES: u64 = 1 << 25;

/// How many bytes are cleared in the time of a statement.
const BYTES_CLEARED_PER_STEP: usize = 1024;

fn any(mask: &[bool]) -> bool {
    mask.contains(&true)
}

impl<'m> Machine<'m> {
    fn run_workgroup(&mut self, program: &Program) -> Result<(), Error> {
        let [width, height, depth] = program.workgroup_size;
        let mut local_ids = Vec::new();
        for z in 0..depth {
            for y in 0..height {
                local_ids.extend((0..width).map(|x| [x, y, z]));
            }
        }
        let cleared = self.memory.start_workgroup();
        if let Some(races) = &mut self.races {
            races.start_workgroup();
        }
        let lanes = local_ids.len();
        self.step(lanes + cleared / BYTES_CLEARED_PER_STEP)?;
        let mut activation = Activation {
            program,
            variables: HashMap::new(),
            returned: vec![false; lanes],
            role: Role::Entry { local_ids },
        };
        self.run_body(&program.entry, &vec![true; lanes], &mut vec![false; lanes], &mut activation)
    }

    /// Runs the program of an op for the lanes of `mask`.
    pub(super) fn run_callee(
        &mut self,
        program: &Program,
        arguments: Vec<Lanes>,
        zero: Value,
        mask: &Mask,
    ) -> Result<Lanes, Error> {
        let lanes = mask.len();
        let role = Role::Callee { arguments, result: vec![zero; lanes] };
        let mut activation = Activation { program, variables: HashMap::new(), returned: vec![false; lanes], role };
        self.run_body(&program.entry, mask, &mut vec![false; lanes], &mut activation)?;
        match activation.role {
            Role::Callee { arguments: _, result } => Ok(result),
            Role::Entry { .. } => Ok(vec![zero; lanes]),
        }
    }

    /// Notes that `lanes` lanes do something, and looks at the clock now and then.
    pub(super) fn step(&mut self, lanes: usize) -> Result<(), Error> {
        self.steps += lanes as u64;
        if self.steps < STEPS_BETWEEN_CHECKS {
            return Ok(());
        }
        self.steps = 0;
        if let Some(races) = &self.races {
            races.check()?;
        }
        self.options.check()
    }

    /// Runs a body for the lanes of `mask`. `broken` are the lanes that have left the innermost loop.
    ///
    /// Bodies are nested 64 deep at most, so this may recurse; expressions are not limited so, and do not.
    fn run_body<'p>(
        &mut self,
        body: &'p [Node],
        mask: &Mask,
        broken: &mut Mask,
        activation: &mut Activation<'p>,
    ) -> Result<(), Error> {
        for node in body {
            let live: Mask =
                (0..mask.len()).map(|lane| mask[lane] && !broken[lane] && !activation.returned[lane]).collect();
            if !any(&live) {
                break;
            }
            self.step(mask.len())?;
            self.run_statement(node, &live, broken, activation)?;
        }
        // Variables live until the end of the body that binds them.
        for node in body {
            if let Node::Let { name, value: _ } = node {
                self.unbind(name, activation);
            }
        }
        Ok(())
    }

    /// Gives a variable new values in the lanes of `mask`.
    fn assign<'p>(
        &mut self,
        activation: &mut Activation<'p>,
        name: &'p Name,
        values: Lanes,
        mask: &Mask,
    ) -> Result<(), Error> {
        match activation.variables.get_mut(name.as_str()) {
            Some(variable) => {
                for lane in (0..mask.len()).filter(|&lane| mask[lane]) {
                    variable[lane] = values[lane];
                }
            }
            None => {
                self.kept += values.len() as u64;
                check_limit(Resource::KeptValues, self.kept, MAX_KEPT_VALUES)?;
                activation.variables.insert(name, values);
            }
        }
        Ok(())
    }

    fn unbind(&mut self, name: &Name, activation: &mut Activation<'_>) {
        if let Some(values) = activation.variables.remove(name.as_str()) {
            self.kept -= values.len() as u64;
        }
    }

    fn run_statement<'p>(
        &mut self,
        node: &'p Node,
        live: &Mask,
        broken: &mut Mask,
        activation: &mut Activation<'p>,
    ) -> Result<(), Error> {
        match node {
            Node::Let { name, value } | Node::Assign { name, value } => {
                let values = self.evaluate(value, activation, live)?;
                if !name.is_discard() {
                    self.assign(activation, name, values, live)?;
                }
            }
            Node::Store { buffer, index, value } => {
                let indices = self.evaluate(index, activation, live)?;
                let values = self.evaluate(value, activation, live)?;
                let place = std::ptr::from_ref(node).addr();
                self.store(buffer, &indices, &values, activation, live, place);
            }
            Node::If { cond, then, otherwise } => {
                let conditions = self.evaluate(cond, activation, live)?;
                let taken: Mask = live.iter().zip(&conditions).map(|(&live, cond)| live && cond.holds()).collect();
                let other: Mask = live.iter().zip(&conditions).map(|(&live, cond)| live && !cond.holds()).collect();
                self.run_body(then, &taken, broken, activation)?;
                self.run_body(otherwise, &other, broken, activation)?;
            }
            Node::Loop { var, from, to, body } => {
                let from = self.evaluate(from, activation, live)?;
                let to = self.evaluate(to, activation, live)?;
                self.run_loop(var, &from, &to, body, live, activation)?;
            }
            Node::Return => {
                for (returned, _) in activation.returned.iter_mut().zip(live).filter(|(_, live)| **live) {
                    *returned = true;
                }
            }
            Node::Break => {
                for (broken, _) in broken.iter_mut().zip(live).filter(|(_, live)| **live) {
                    *broken = true;
                }
            }
            Node::Block(body) => self.run_body(body, live, broken, activation)?,
            Node::Barrier => {
                if let Some(races) = &mut self.races {
                    races.barrier();
                }
            }
        }
        Ok(())
    }

    fn run_loop<'p>(
        &mut self,
        var: &'p Name,
        from: &Lanes,
        to: &Lanes,
        body: &'p [Node],
        live: &Mask,
        activation: &mut Activation<'p>,
    ) -> Result<(), Error> {
        let mut broken = vec![false; live.len()];
        for round in 0..=u64::from(u32::MAX) {
            self.step(live.len())?;
            let number = |lane: usize| u64::from(from[lane].u32()) + round;
            let running: Mask = (0..live.len())
                .map(|lane| {
                    let goes_on = live[lane] && !broken[lane] && !activation.returned[lane];
                    goes_on && number(lane) < u64::from(to[lane].u32())
                })
                .collect();
            if !any(&running) {
                break;
            }
            // A number below an end of 32 bits has 32 bits itself.
            let numbers = (0..live.len()).map(|lane| Value::U32(number(lane) as u32)).collect();
            self.assign(activation, var, numbers, &running)?;
            self.run_body(body, &running, &mut broken, activation)?;
        }
        self.unbind(var, activation);
        Ok(())
    }
}
