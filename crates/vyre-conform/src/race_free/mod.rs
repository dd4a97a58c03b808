//! Random programs that are valid and free of races, with all that a run needs.
//!
//! They are for comparing devices: whatever runs [`race_free_case`] correctly ends with the same bytes. Programs that
//! race would not do, because their results are open. So a program is made in a way that allows no race, instead of being
//! tried for races afterwards.
//!
//! Each buffer has a rule for the whole dispatch that keeps invocations apart: nobody writes, or each invocation has
//! elements of its own, or a single invocation has it all, or everybody updates it with atomics of which the order does not
//! matter and whose results are not used. Workgroup memory, and storage of which each workgroup has a slice, go through
//! *phases* with other rules each. A phase ends at a barrier in uniform control flow; bodies of statements end in the phase
//! in which the ways around them are. Places where whole workgroups meet are known in advance: single invocations leave
//! only loops without such places, and return only after the last of them.
//!
//! Within these rules everything goes: indices out of range, loops with odd bounds, calls, exits, dead code, and the
//! shapes that optimizers look for, next to shapes that only look the same.

mod algebra;
mod atomics;
mod buffers;
mod constructs;
mod control;
mod cooperation;
mod expression;
mod generator;
mod guards;
mod index;
mod joins;
mod layout;
mod ops;
mod patterns;
mod random;
mod reversed;
mod scope;
mod shape;
mod shape_constructs;
mod shapes;
mod shares;
mod statement;

use vyre_ir::{BufferAccess, Node, Program};

use crate::Case;
pub(crate) use random::Random;

use buffers::random_buffers;
use generator::{Budget, Generator, Here};
use shape::Shape;

pub use reversed::reversed;
pub use shares::Shares;

/// What a program may cost on an interpreter: lanes that evaluate a statement or expression, and some for each of those.
const COST: i64 = 400_000;

/// What it costs to evaluate something at all, in lanes.
const FIXED_COST: i64 = 24;

/// A valid, race-free program with contents, grid and ops, from a seed.
///
/// The bytes after a run do not depend on the order of invocations. The same seed gives the same case on every machine.
#[must_use]
pub fn race_free_case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let shape = Shape::random(&mut random);
    let ops = ops::random_ops(&mut random);
    let buffers = random_buffers(&mut random, &shape);
    let nodes = i64::from(match random.below(100) {
        0..45 => random.between(40, 120),
        45..92 => random.between(120, 320),
        92..98 => random.between(320, 800),
        _ => random.between(1500, 2400),
    });
    let here = Here {
        is_uniform: true,
        may_return: false,
        only_lane: (shape.lanes() == 1).then_some(0),
        only_invocation: (shape.invocations() == 1).then_some(0),
        depth: 0,
        times: 1,
        in_op: false,
    };
    let evaluations = COST / (i64::from(shape.groups()) * (FIXED_COST + i64::from(shape.lanes())));
    let evaluations = evaluations.max(3 * nodes);
    let mut generator = Generator::new(random, shape, buffers, &ops, here);
    // The part before single invocations may return, and the part after it.
    let together = match generator.random.below(10) {
        0..2 => 0,
        2..7 => 60,
        _ => 100,
    };
    generator.budget = Budget { nodes: nodes * together / 100, evaluations: evaluations * together / 100 };
    generator.prelude();
    generator.statements(u32::MAX);
    generator.here.is_uniform = false;
    generator.here.may_return = true;
    let apart = 100 - together;
    generator.budget.nodes = generator.budget.nodes.max(0) + nodes * apart / 100;
    generator.budget.evaluations = generator.budget.evaluations.max(0) + evaluations * apart / 100;
    if together == 0 && generator.random.chance(50) {
        generator.guarded_own_element();
    }
    generator.statements(u32::MAX);
    generator.budget = Budget { nodes: 40, evaluations: 40 };
    generator.finale();
    if generator.random.chance(9) {
        generator.last_loop(&Node::Return);
    }
    let (entry, buffers) = generator.finish();

    let bound = buffers.iter().filter(|buffer| buffer.decl.access != BufferAccess::Workgroup);
    let contents = bound.map(|buffer| (buffer.decl.name.clone(), buffer.contents.clone())).collect();
    let buffers = buffers.into_iter().map(|buffer| buffer.decl).collect();
    Case { program: Program::new(buffers, shape.size, entry), ops: ops::table(ops), grid: shape.grid, contents }
}
