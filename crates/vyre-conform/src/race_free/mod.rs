//! Generator of race-free programs for differential testing (random program generation in the style of Csmith: Yang et al.,
//! PLDI 2011; for kernels, CLsmith: Lidbury et al., PLDI 2015).
//!
//! Every correct device produces the same bytes for [`race_free_case`]. The result of a program with a race is unspecified, so
//! programs are race-free by construction.
//!
//! Each buffer has an access discipline for the whole dispatch: it is read-only, or each invocation owns elements, or a single
//! invocation owns it, or all invocations update it with commutative atomics whose results are not used. Workgroup memory, and
//! storage with a slice for each workgroup, have *phases* with a rule for each: all invocations
//! load, or each owns elements, or one owns all, or all update with commutative atomics. A phase ends at a barrier in uniform control
//! flow. All paths to a join must end in the same phases. Single invocations leave only loops without barriers and
//! collectives, and return only after the last barrier or collective.
//!
//! The rest is unrestricted: out-of-range indices, loops with unusual bounds, calls, exits, dead code, patterns that optimizers
//! recognize, and similar ones that they must not.

mod algebra;
mod atomics;
mod buffers;
mod constructs;
mod control;
mod cooperation;
mod expression;
mod frequencies;
mod generator;
mod grid;
mod guards;
mod index;
mod joins;
mod ops;
mod ownership;
mod patterns;
mod pitfall_constructs;
mod pitfalls;
mod random;
mod reversed;
mod scope;
mod statement;

use vyre_ir::{BufferAccess, Node, Program};

use crate::Case;
pub(crate) use random::Random;

use buffers::random_buffers;
use generator::{Budget, Context, Generator};
use grid::Shape;

pub use frequencies::ConstructFrequencies;
pub use reversed::reversed;

/// Maximum cost of a program on an interpreter: evaluations of statements and expressions by all invocations.
const MAX_COST: i64 = 400_000;

/// Fixed cost of the evaluation by a workgroup, in evaluations by an invocation.
const FIXED_COST: i64 = 24;

/// Generates a valid, race-free program with contents, grid and ops from a seed.
///
/// The bytes after a run do not depend on the order of invocations. A seed gives the same case on every machine.
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
    let context = Context {
        is_uniform: true,
        may_return: false,
        only_local_index: (shape.workgroup_invocations() == 1).then_some(0),
        only_linear_index: (shape.invocations() == 1).then_some(0),
        depth: 0,
        max_executions: 1,
        in_op: false,
    };
    let evaluations =
        MAX_COST / (i64::from(shape.workgroups()) * (FIXED_COST + i64::from(shape.workgroup_invocations())));
    let evaluations = evaluations.max(3 * nodes);
    let mut generator = Generator::new(random, shape, buffers, &ops, context);
    // Percentage of the program before single invocations may return.
    let together = match generator.random.below(10) {
        0..2 => 0,
        2..7 => 60,
        _ => 100,
    };
    generator.budget = Budget { nodes: nodes * together / 100, evaluations: evaluations * together / 100 };
    generator.prelude();
    generator.statements(u32::MAX);
    generator.context.is_uniform = false;
    generator.context.may_return = true;
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
