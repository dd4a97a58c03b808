//! Lockstep execution of statements, one workgroup at a time.
//!
//! All active invocations of a workgroup execute a statement before the next one begins. A barrier therefore needs no work,
//! and a collective has the values of all invocations. Validation guarantees that control flow is uniform at both.

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
    let mut machine = Machine { ops, memory, races, options, steps: 0, all_steps: 0, kept: 0, grid, workgroup: [0; 3] };
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

/// State of a dispatch.
pub(super) struct Machine<'m> {
    pub(super) ops: &'m OpTable,
    pub(super) memory: Memory<'m>,
    pub(super) races: Option<RaceChecker>,
    options: &'m RunOptions,
    /// Number of steps since the last check of the deadline.
    steps: u64,
    /// Number of steps before that check.
    all_steps: u64,
    /// Number of values of live variables, over all invocations.
    kept: u64,
    pub(super) grid: [u32; 3],
    pub(super) workgroup: [u32; 3],
}

/// Active mask: true for each active invocation.
pub(super) type Mask = Vec<bool>;

/// Values by local index. Those of inactive invocations are unspecified.
pub(super) type Values = Vec<Value>;

/// Activation record of a program: the dispatched one, or an op that it calls.
pub(super) struct Activation<'p> {
    pub(super) program: &'p Program,
    /// Live variables.
    pub(super) variables: HashMap<&'p str, Values>,
    pub(super) returned: Mask,
    pub(super) role: Role,
}

/// Location of the buffers of a program.
pub(super) enum Role {
    /// In the memory of the dispatch.
    Entry {
        /// The local id of each invocation.
        local_ids: Vec<[u32; 3]>,
    },
    /// In the call: inputs by ascending binding, and the last value stored to element 0 of the output.
    Callee { arguments: Vec<Values>, result: Values },
}

/// Number of steps between two checks of the deadline.
const STEPS_BETWEEN_CHECKS: u64 = 4096;

/// Maximum number of values of live variables, over all invocations; about 640 MB.
const MAX_KEPT_VALUES: u64 = 1 << 25;

/// Number of bytes that are cleared in the time of a step.
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
        let invocations = local_ids.len();
        self.step(invocations + cleared / BYTES_CLEARED_PER_STEP)?;
        let mut activation = Activation {
            program,
            variables: HashMap::new(),
            returned: vec![false; invocations],
            role: Role::Entry { local_ids },
        };
        self.run_body(&program.entry, &vec![true; invocations], &mut vec![false; invocations], &mut activation)
    }

    /// Runs the program of an op for the active invocations.
    pub(super) fn run_callee(
        &mut self,
        program: &Program,
        arguments: Vec<Values>,
        zero: Value,
        mask: &Mask,
    ) -> Result<Values, Error> {
        let invocations = mask.len();
        let role = Role::Callee { arguments, result: vec![zero; invocations] };
        let mut activation =
            Activation { program, variables: HashMap::new(), returned: vec![false; invocations], role };
        self.run_body(&program.entry, mask, &mut vec![false; invocations], &mut activation)?;
        match activation.role {
            Role::Callee { arguments: _, result } => Ok(result),
            Role::Entry { .. } => Ok(vec![zero; invocations]),
        }
    }

    /// Counts a step of so many invocations, and checks the deadline at intervals.
    pub(super) fn step(&mut self, invocations: usize) -> Result<(), Error> {
        self.steps += invocations as u64;
        if self.steps < STEPS_BETWEEN_CHECKS {
            return Ok(());
        }
        self.all_steps += std::mem::take(&mut self.steps);
        if let Some(limit) = self.options.max_steps {
            check_limit(Resource::Steps, self.all_steps, limit)?;
        }
        if let Some(races) = &self.races {
            races.check()?;
        }
        self.options.check()
    }

    /// Runs a body for the invocations of `mask`. `broken` marks those that have left the innermost loop.
    ///
    /// Bodies nest at most 64 deep, so recursion is bounded. Expressions have no such limit and are evaluated iteratively.
    fn run_body<'p>(
        &mut self,
        body: &'p [Node],
        mask: &Mask,
        broken: &mut Mask,
        activation: &mut Activation<'p>,
    ) -> Result<(), Error> {
        for node in body {
            let live: Mask =
                (0..mask.len()).map(|local| mask[local] && !broken[local] && !activation.returned[local]).collect();
            if !any(&live) {
                break;
            }
            self.step(mask.len())?;
            self.run_statement(node, &live, broken, activation)?;
        }
        // The scope of a variable is the body that binds it.
        for node in body {
            if let Node::Let { name, value: _ } = node {
                self.unbind(name, activation);
            }
        }
        Ok(())
    }

    /// Assigns a variable in the invocations of `mask`.
    fn assign<'p>(
        &mut self,
        activation: &mut Activation<'p>,
        name: &'p Name,
        values: Values,
        mask: &Mask,
    ) -> Result<(), Error> {
        match activation.variables.get_mut(name.as_str()) {
            Some(variable) => {
                for local in (0..mask.len()).filter(|&local| mask[local]) {
                    variable[local] = values[local];
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
                let address = std::ptr::from_ref(node).addr();
                self.store(buffer, &indices, &values, activation, live, address);
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
        from: &Values,
        to: &Values,
        body: &'p [Node],
        live: &Mask,
        activation: &mut Activation<'p>,
    ) -> Result<(), Error> {
        let mut broken = vec![false; live.len()];
        for iteration in 0..=u64::from(u32::MAX) {
            self.step(live.len())?;
            let number = |local: usize| u64::from(from[local].u32()) + iteration;
            let running: Mask = (0..live.len())
                .map(|local| {
                    let is_active = live[local] && !broken[local] && !activation.returned[local];
                    is_active && number(local) < u64::from(to[local].u32())
                })
                .collect();
            if !any(&running) {
                break;
            }
            // A number below a 32-bit bound fits 32 bits.
            let numbers = (0..live.len()).map(|local| Value::U32(number(local) as u32)).collect();
            self.assign(activation, var, numbers, &running)?;
            self.run_body(body, &running, &mut broken, activation)?;
        }
        self.unbind(var, activation);
        Ok(())
    }
}
