//! Multi-level buckets of nodes by distance (Denardo, Fox, 1979), which programs fill and empty in rounds.
//!
//! Distances are numbers of eight hexadecimal digits. All nodes that are left have at least the distance `base`. The level of a node
//! is the number of digits of its distance from the highest one that differs from `base` on; it is 0 if none differs. A node whose
//! level is at most `width` is near: it is in the queue of the next round. Any other node is in the list of its level. When no node is
//! near, `base` advances to the smallest digit of the lowest level that has nodes, and the nodes of that level with this digit are
//! placed again, at lower levels.
//!
//! The level of a node never rises, because its distance never rises and `base` never falls. So a list holds each node at most once
//! until it is cleared, and it is scanned at most fifteen times.
//!
//! Near nodes can be processed in any order, so their distances can change again. The number of visits of near nodes is limited: there
//! is an allowance for the whole search, and each node that becomes near adds to it. When it is used up, `width` decreases by one. All
//! near nodes are then placed again, visited or not, so that each of them is in its list.

use vyre_ir::build::{Body, Buffer, ProgramBuilder, Var};
use vyre_ir::{AtomicOp, DataType, Expr, Program};

use super::frontier::{FrontierQueue, TAIL};
use super::relaxation::{Relaxation, UNREACHED};
use super::rounds::{self, BEGIN, END, ROUND, Width};

/// Number of lists, and of digits of a distance.
pub(crate) const LISTS: u32 = 8;
/// Level of a node without a place.
const NO_LEVEL: u32 = LISTS + 1;
/// Bits of a digit.
pub(crate) const DIGIT_BITS: u32 = 4;
/// Visits of near nodes for each node that becomes near.
const VISITS_PER_NODE: u32 = 4;

// Words of the buffer `state`, beside those of `rounds` and `frontier`:
//
// | Word | Contents |
// |---|---|
// | `FRONT` | position in the queue after the last round of near nodes; the number of visits |
// | `KIND` | items of the round |
// | `BASE` | lower bound of the distances of nodes that are left |
// | `WIDTH` | highest level of near nodes |
// | `PREFIX` | bits of a distance below those that equal `BASE` in nodes to place again |
// | `ENTERED` | number of nodes that became near and have not yet increased the allowance |
// | `ALLOWANCE` | number of visits until `WIDTH` decreases |
// | `SCANNED` | number of items that were placed again or skipped |
// | `COUNTS` | number of nodes of each list, that of level 1 first |
// | `DIGITS` | set of digits of each list that have nodes |
pub(crate) const FRONT: u32 = 4;
const KIND: u32 = 5;
const BASE: u32 = 6;
const WIDTH: u32 = 7;
const PREFIX: u32 = 8;
const ENTERED: u32 = 9;
const ALLOWANCE: u32 = 10;
pub(crate) const SCANNED: u32 = 11;
const COUNTS: u32 = 12;
const DIGITS: u32 = COUNTS + LISTS;
const STATE_WORDS: u32 = DIGITS + LISTS;

/// The items are near nodes.
const NEAR: u32 = 0;
/// The items are the nodes of a list.
const LISTED: u32 = 1;
/// The items are all nodes.
const ALL: u32 = 2;

/// Words of the state before the first round, for a queue with this number of nodes at distance 0.
pub(crate) fn first_state(nodes: u32, near: u32, width: u32) -> Vec<u32> {
    let mut state = vec![0; STATE_WORDS as usize];
    for (word, value) in [(TAIL, near), (ROUND, u32::MAX), (WIDTH, width), (ENTERED, near), (ALLOWANCE, nodes)] {
        state[word as usize] = value;
    }
    state
}

/// Reports whether no node is left.
pub(crate) fn is_empty(state: &[u32]) -> bool {
    let digits = &state[DIGITS as usize..STATE_WORDS as usize];
    state[TAIL as usize] == state[FRONT as usize] && digits.iter().all(|&digits| digits == 0)
}

/// The buckets in a program.
struct Buckets {
    relaxation: Relaxation,
    marks: Buffer,
    queue: FrontierQueue,
    lists: Buffer,
}

/// Builds a program that relaxes the edges of near nodes and places the nodes whose distances decrease.
pub(crate) fn program(width: Width) -> Program {
    let mut p = rounds::builder();
    let buckets = Buckets::declare(&mut p);
    let state = &buckets.queue.state;
    rounds::program(
        width,
        p,
        state,
        |b| buckets.advance(b),
        |b, position, round| {
            let kind = b.let_("kind", state.load(KIND));
            let place = Place {
                base: b.let_("base", state.load(BASE)),
                width: b.let_("width", state.load(WIDTH)),
                round: round.clone(),
            };
            let position = b.let_("item", position);
            b.if_else(
                kind.eq(NEAR),
                |b| {
                    let node = b.let_("node", buckets.queue.load(&position));
                    buckets.relaxation.relax(b, &node, |b, target, [before, there]| {
                        let level = before.eq(UNREACHED).select(NO_LEVEL, place.level(before));
                        buckets.place(b, &place, target, there, level);
                    });
                },
                |b| {
                    let node = b.let_("node", kind.eq(ALL).select(&position, buckets.lists.load(&position)));
                    let distance = Expr::atomic_load(buckets.relaxation.distances.name(), &node);
                    let distance = b.let_("distance", distance);
                    // Other nodes have left, or have another digit.
                    let is_next = ((&distance ^ &place.base) >> state.load(PREFIX)).eq(0u32);
                    b.if_(distance.ne(UNREACHED).and(is_next), |b| {
                        buckets.place(b, &place, &node, &distance, NO_LEVEL.into());
                    });
                },
            );
        },
    )
}

/// What decides the place of a node.
struct Place {
    base: Var,
    width: Var,
    round: Var,
}

impl Place {
    /// Level of a distance that is at least the base.
    fn level(&self, distance: &Var) -> Expr {
        let bits = 32u32 - (distance ^ &self.base).clz();
        (bits + (DIGIT_BITS - 1)) / DIGIT_BITS
    }
}

impl Buckets {
    fn declare(p: &mut ProgramBuilder) -> Buckets {
        Buckets {
            relaxation: Relaxation::declare(p),
            marks: p.read_write("marks", DataType::U32),
            queue: FrontierQueue::declare(p),
            lists: p.read_write("lists", DataType::U32),
        }
    }

    /// Position of the first node of a list.
    fn start(&self, list: &Var) -> Expr {
        list * self.marks.len()
    }

    /// Adds a node to the queue or to the list of its level. `before` is the level of its previous distance, or `NO_LEVEL` if it has
    /// no place yet.
    fn place(&self, b: &mut Body<'_>, place: &Place, node: &Var, distance: &Var, before: Expr) {
        let state = &self.queue.state;
        let before = b.let_("before_level", before);
        let level = b.let_("level", place.level(distance));
        b.if_else(
            level.le(&place.width),
            |b| {
                // A node enters a round once.
                let next = b.let_("next", &place.round + 1u32);
                let mark = b.atomic("mark", AtomicOp::Exchange, &self.marks, node, &next);
                b.if_(mark.ne(&next), |b| self.queue.add(b, node));
                b.if_(before.gt(&place.width), |b| {
                    b.discard(Expr::atomic(AtomicOp::Add, state.name(), ENTERED, 1u32));
                });
            },
            |b| {
                let list = b.let_("list", &level - 1u32);
                let digit = (distance >> (&list * DIGIT_BITS)) & ((1u32 << DIGIT_BITS) - 1);
                let digit = b.let_("digit", Expr::from(1u32) << digit);
                // The load is cheaper than an update.
                b.if_((Expr::atomic_load(state.name(), &list + DIGITS) & &digit).eq(0u32), |b| {
                    b.discard(Expr::atomic(AtomicOp::Or, state.name(), &list + DIGITS, &digit));
                });
                b.if_(before.ne(&level), |b| {
                    let slot = b.atomic("slot", AtomicOp::Add, state, &list + COUNTS, 1u32);
                    b.store(&self.lists, self.start(&list) + slot, node);
                });
            },
        );
    }

    /// Sets the words of the next round.
    fn advance(&self, b: &mut Body<'_>) {
        let state = &self.queue.state;
        let front = b.let_("front", state.load(FRONT));
        let tail = b.let_("tail", Expr::atomic_load(state.name(), TAIL));
        let width = b.let_("width", state.load(WIDTH));
        b.store(state, FRONT, &tail);
        b.store(state, ROUND, state.load(ROUND) + 1u32);
        b.if_else(tail.ne(&front), |b| self.visit_near(b, [&front, &tail], &width), |b| self.next_digit(b, &width));
    }

    /// Makes the queue the next round. If it exceeds the allowance, the next round decreases the width instead.
    fn visit_near(&self, b: &mut Body<'_>, [front, tail]: [&Var; 2], width: &Var) {
        let state = &self.queue.state;
        let visits = b.let_("visits", tail - front);
        let allowance = b.let_("allowance", state.load(ALLOWANCE));
        b.if_(visits.gt(&allowance), |b| {
            let entered = b.atomic("entered", AtomicOp::Exchange, state, ENTERED, 0u32);
            let more = b.let_("more", &allowance + entered.min(u32::MAX / VISITS_PER_NODE) * VISITS_PER_NODE);
            b.assign(&allowance, more.lt(&allowance).select(u32::MAX, &more));
        });
        let is_used_up = visits.gt(&allowance).and(width.gt(0u32));
        b.if_else(
            is_used_up,
            |b| {
                let nodes = b.let_("nodes", self.marks.len());
                b.store(state, WIDTH, width - 1u32);
                b.store(state, ALLOWANCE, &nodes);
                self.place_again(b, ALL, [0u32.into(), Expr::from(&nodes)], width * DIGIT_BITS);
            },
            |b| {
                b.store(state, ALLOWANCE, &allowance - visits.min(&allowance));
                b.store(state, KIND, NEAR);
                b.store(state, BEGIN, front);
                b.store(state, END, tail);
            },
        );
    }

    /// Advances the base to the next digit of the lowest level with nodes. The list of that level is the next round.
    fn next_digit(&self, b: &mut Body<'_>, width: &Var) {
        let state = &self.queue.state;
        b.store(state, BEGIN, 0u32);
        b.store(state, END, 0u32);
        b.for_("list", width, LISTS, |b, list| {
            let digits = b.let_("digits", Expr::atomic_load(state.name(), list + DIGITS));
            b.if_(digits.ne(0u32), |b| {
                b.store(state, list + DIGITS, &digits & (&digits - 1u32));
                let shift = b.let_("shift", list * DIGIT_BITS);
                // The digit of this list and those below. The shift of the highest list gives 0.
                let lower = b.let_("lower", (Expr::from(1u32 << DIGIT_BITS) << &shift) - 1u32);
                b.store(state, BASE, (state.load(BASE) & !&lower) | (digits.ctz() << &shift));
                let begin = b.let_("begin", self.start(list));
                let end = &begin + Expr::atomic_load(state.name(), list + COUNTS);
                self.place_again(b, LISTED, [Expr::from(&begin), end], &shift);
                b.break_();
            });
            // Nothing is left of this list.
            b.store(state, list + COUNTS, 0u32);
        });
    }

    /// Makes these items the next round. Those with the digits of the base from `prefix` on are placed again.
    fn place_again(&self, b: &mut Body<'_>, kind: u32, [begin, end]: [Expr; 2], prefix: impl Into<Expr>) {
        let state = &self.queue.state;
        let [begin, end] = [b.let_("from", begin), b.let_("to", end)];
        b.store(state, KIND, kind);
        b.store(state, PREFIX, prefix);
        b.store(state, BEGIN, &begin);
        b.store(state, END, &end);
        b.store(state, SCANNED, state.load(SCANNED) + (&end - &begin));
    }
}
