//! The programs of the bit-parallel path.
//!
//! A batch has up to 32 bits for each lane of a workgroup, one bit for each source: a *row* of words for each node. `seen` has
//! the sources that have reached a node, `front` those that reached it in the last level. A level is a few dispatches:
//!
//! 1. `advance` counts the level and decides whether it is dense, thin or not there at all.
//! 2. `mark`, in thin levels: nodes that active ones lead to become candidates.
//! 3. `pull`: every node, or every candidate, takes over the bits of active nodes that lead to it. A row belongs to one
//!    workgroup, and what it reads is not written in this level, so there are no races.
//! 4. `slices` and `merge`, where nodes have too many incoming edges for one workgroup: parts of them are pulled one by one,
//!    then put together.
//! 5. `harvest`: sinks that were reached write the depth for each source that is new there.
//! 6. `collect`: a list of the active nodes, and the number of edges that leave them.

use vyre_ir::build::{
    Body, Buffer as Handle, ProgramBuilder, Var, ballot, invocation_id, local_id, num_workgroups, reduce, select,
    workgroup_id,
};
use vyre_ir::{AtomicOp, DataType, Expr, Program, ReduceOp};

/// Where things are in the buffer `state`.
pub(crate) mod state {
    /// The depth of nodes that are found now.
    pub(crate) const LEVEL: u32 = 0;
    /// One of [`STOP`], [`DENSE`] and [`THIN`].
    pub(crate) const MODE: u32 = 1;
    /// The most edges of a way.
    pub(crate) const MAX_DEPTH: u32 = 2;
    /// How many nodes are active.
    pub(crate) const ACTIVE: u32 = 3;
    /// A level whose active nodes have at most so many outgoing edges is thin.
    pub(crate) const THIN_EDGES: u32 = 4;
    /// How many levels were dense, and how many thin.
    pub(crate) const DENSE_LEVELS: u32 = 5;
    pub(crate) const THIN_LEVELS: u32 = 6;
    pub(crate) const WORDS: usize = 7;

    pub(crate) const STOP: u32 = 0;
    pub(crate) const DENSE: u32 = 1;
    pub(crate) const THIN: u32 = 2;
}

/// Where things are in the buffer `counts`.
pub(crate) mod counts {
    /// How many nodes have become active in this level.
    pub(crate) const ACTIVE: u32 = 0;
    /// How many edges leave them.
    pub(crate) const EDGES: u32 = 1;
    pub(crate) const WORDS: usize = 2;
}

/// The workgroup of programs that do not work on rows.
pub(crate) const WORKGROUP: u32 = 64;
/// The most words of all rows together, a power of two.
pub(crate) const MOST_WORDS_OF_ROWS: u32 = 1 << 30;
/// The words of a slice: its node, and its first and last edge.
pub(crate) const SLICE_WORDS: u32 = 3;
/// How many edges are looked at before a node asks whether it still misses anything.
const STRETCH: u32 = 32;

/// How a workgroup goes through the edges of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scan {
    /// One edge after the other, which suits a CPU.
    Edges,
    /// As many edges as there are lanes are looked at together, which suits a GPU.
    Ballots,
}

/// What programs on rows depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// The lanes of a workgroup.
    pub(crate) lanes: u32,
    /// How many words of a row each lane has. They are `lanes` words apart.
    pub(crate) per_lane: u32,
    /// How edges are gone through.
    pub(crate) scan: Scan,
}

impl Shape {
    /// The words of a row.
    pub(crate) fn words(self) -> u32 {
        self.lanes * self.per_lane
    }

    /// A variable for each word of a lane.
    fn each(self, b: &mut Body<'_>, name: &str, value: impl Fn(&mut Body<'_>, usize) -> Expr) -> Vec<Var> {
        (0..self.per_lane as usize)
            .map(|at| {
                let value = value(b, at);
                b.let_(name, value)
            })
            .collect()
    }

    /// Where a word of a lane is, in a row that begins at `row`.
    fn place(self, row: &Var, lane: &Var, at: usize) -> Expr {
        row + (at as u32 * self.lanes) + lane
    }
}

/// All bits of these words, in all lanes.
fn any(words: impl IntoIterator<Item = Expr>) -> Expr {
    reduce(ReduceOp::Or, words.into_iter().reduce(|a, b| a | b).expect("a row has words"))
}

/// The next level, and what kind it is.
pub(crate) fn advance() -> Program {
    let mut p = ProgramBuilder::new([1, 1, 1]);
    let [state, counts, candidates] = ["state", "counts", "candidates"].map(|name| p.read_write(name, DataType::U32));
    p.entry(|b| {
        let active = b.let_("active", counts.load(counts::ACTIVE));
        let edges = b.let_("edges", counts.load(counts::EDGES));
        let level = b.let_("level", state.load(state::LEVEL));
        b.store(&state, state::ACTIVE, &active);
        b.store(&counts, counts::ACTIVE, 0u32);
        b.store(&counts, counts::EDGES, 0u32);
        b.store(&candidates, 0u32, 0u32);
        b.if_else(
            active.eq(0u32).or(level.ge(state.load(state::MAX_DEPTH))),
            |b| b.store(&state, state::MODE, state::STOP),
            |b| {
                b.store(&state, state::LEVEL, &level + 1u32);
                b.if_else(
                    edges.gt(state.load(state::THIN_EDGES)),
                    |b| {
                        b.store(&state, state::MODE, state::DENSE);
                        b.store(&state, state::DENSE_LEVELS, state.load(state::DENSE_LEVELS) + 1u32);
                    },
                    |b| {
                        b.store(&state, state::MODE, state::THIN);
                        b.store(&state, state::THIN_LEVELS, state.load(state::THIN_LEVELS) + 1u32);
                    },
                );
            },
        );
    })
}

/// Sets the bit of each source in the rows of its node.
pub(crate) fn seed(words: u32) -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let starts = p.read("starts", DataType::U32);
    let [seen, front, active] = ["seen", "front", "active"].map(|name| p.read_write(name, DataType::U32));
    p.entry(|b| {
        let source = b.let_("source", invocation_id(0));
        b.if_(source.lt(starts.len()), |b| {
            let node = b.let_("node", starts.load(&source));
            // Sources that cannot reach any sink have no node.
            b.if_(node.ne(u32::MAX), |b| {
                let word = b.let_("word", &node * words + (&source >> 5u32));
                let bit = b.let_("bit", 1u32 << (&source & 31u32));
                b.discard(Expr::atomic(AtomicOp::Or, seen.name(), &word, &bit));
                b.discard(Expr::atomic(AtomicOp::Or, front.name(), &word, &bit));
                b.discard(Expr::atomic(AtomicOp::Or, active.name(), &source >> 5u32, &bit));
                let place = b.let_("place", (&node >> 5u32) + words);
                b.discard(Expr::atomic(AtomicOp::Or, active.name(), &place, 1u32 << (&node & 31u32)));
            });
        });
    })
}

/// Which nodes to look at in a thin level: the number of them, then the nodes. A mark is the last level in which a node was one.
pub(crate) fn mark() -> Program {
    let mut p = ProgramBuilder::new([32, 1, 1]);
    let [state, offsets, targets, list] =
        ["state", "offsets", "targets", "list"].map(|name| p.read(name, DataType::U32));
    let [marks, candidates] = ["marks", "candidates"].map(|name| p.read_write(name, DataType::U32));
    p.entry(|b| {
        b.if_(state.load(state::MODE).ne(state::THIN), |b| b.return_());
        let level = b.let_("level", state.load(state::LEVEL));
        let active = b.let_("active", state.load(state::ACTIVE));
        strided(b, &active, |b, position| {
            let node = b.let_("node", list.load(position));
            let begin = b.let_("begin", offsets.load(&node));
            let end = b.let_("end", offsets.load(&node + 1u32));
            b.for_("step", 0u32, (&end - &begin + 31u32) / 32u32, |b, step| {
                let edge = b.let_("edge", &begin + step * 32u32 + local_id(0));
                b.if_(edge.lt(&end), |b| {
                    let target = b.let_("target", targets.load(&edge));
                    let before = b.atomic("before", AtomicOp::Exchange, &marks, &target, &level);
                    b.if_(before.ne(&level), |b| {
                        let slot = b.atomic("slot", AtomicOp::Add, &candidates, 0u32, 1u32);
                        b.store(&candidates, &slot + 1u32, &target);
                    });
                });
            });
        });
    })
}

/// For each workgroup, positions below `count` that no other has.
fn strided(b: &mut Body<'_>, count: &Var, body: impl FnOnce(&mut Body<'_>, &Var)) {
    let groups = b.let_("groups", num_workgroups(0));
    b.for_("round", 0u32, (count + &groups - 1u32) / &groups, |b, round| {
        let position = b.let_("position", round * &groups + workgroup_id(0));
        b.if_(position.lt(count), |b| body(b, &position));
    });
}

/// A node's words: those that it has, and those that it lacks among all that are in use.
struct Row {
    /// Where it begins.
    begin: Var,
    known: Vec<Var>,
    missing: Vec<Var>,
}

impl Row {
    fn load(b: &mut Body<'_>, shape: Shape, node: &Var, lane: &Var, seen: &Handle, alive: &[Var]) -> Row {
        let begin = b.let_("row", node * shape.words());
        let known = shape.each(b, "known", |_, at| seen.load(shape.place(&begin, lane, at)));
        let missing = shape.each(b, "missing", |_, at| &alive[at] & !&known[at]);
        Row { begin, known, missing }
    }

    /// Whether it lacks any.
    fn lacks(&self) -> Expr {
        any(self.missing.iter().map(Expr::from)).ne(0u32)
    }
}

/// The words of sources that are in use at all.
fn alive(b: &mut Body<'_>, shape: Shape, active: &Handle, lane: &Var) -> Vec<Var> {
    shape.each(b, "alive", |_, at| active.load(lane + (at as u32 * shape.lanes)))
}

/// The bits of active nodes among the edges `begin..end`, as far as `missing` wants them.
fn gather(
    b: &mut Body<'_>,
    shape: Shape,
    [sources, active, front]: [&Handle; 3],
    lane: &Var,
    [begin, end]: [&Var; 2],
    missing: &[Var],
) -> Vec<Var> {
    let words = shape.words();
    let gathered = shape.each(b, "gathered", |_, _| 0u32.into());
    let is_active = |node: &Var| (active.load((node >> 5u32) + words) >> (node & 31u32)) & 1u32;
    let add = |b: &mut Body<'_>, sums: &[Var], node: &Var| {
        // The mask shows that places in the row do not wrap, so that the others are in range if the last one is.
        let row = b.let_("row", ((node * words) & (MOST_WORDS_OF_ROWS - 1)) + lane);
        let last = b.let_("place", &row + (shape.per_lane - 1) * shape.lanes);
        b.if_(last.lt(front.len()), |b| {
            // Downwards, since the optimizer compares each with those just before it.
            let others = (0..shape.per_lane - 1).rev().map(|at| b.let_("place", &row + at * shape.lanes));
            let places: Vec<Var> = [last.clone()].into_iter().chain(others).collect();
            for (place, sum) in places.iter().rev().zip(sums) {
                b.assign(sum, sum | front.load(place));
            }
        });
    };
    let stretch = match shape.scan {
        Scan::Edges => STRETCH,
        Scan::Ballots => shape.lanes,
    };
    b.for_("stretch", 0u32, (end - begin + (stretch - 1)) / stretch, |b, number| {
        let first = b.let_("first", begin + number * stretch);
        match shape.scan {
            Scan::Edges => {
                let last = b.let_("last", (&first + stretch).min(end));
                // Variables of the stretch alone can be in registers.
                let sums = shape.each(b, "sum", |_, _| 0u32.into());
                b.for_("edge", &first, &last, |b, edge| {
                    let node = b.let_("node", sources.load(edge));
                    b.if_(is_active(&node), |b| add(b, &sums, &node));
                });
                for (all, sum) in gathered.iter().zip(&sums) {
                    b.assign(all, all | sum);
                }
            }
            Scan::Ballots => {
                let mine = b.let_("mine", &first + lane);
                let node = b.let_("node", sources.load(&mine));
                let found = b.let_("found", ballot(select(mine.lt(end), is_active(&node), 0u32)));
                b.for_("bit", 0u32, found.popcount(), |b, _| {
                    let next = b.let_("next", sources.load(&first + found.ctz()));
                    b.assign(&found, &found & (&found - 1u32));
                    add(b, &gathered, &next);
                });
            }
        }
        let left = any(missing.iter().zip(&gathered).map(|(missing, gathered)| missing & !gathered));
        b.if_(left.eq(0u32), |b| b.break_());
    });
    gathered
}

/// The buffers that a node's row is written to.
struct Written {
    seen: Handle,
    next: Handle,
    next_active: Handle,
}

impl Written {
    fn declare(p: &mut ProgramBuilder) -> Written {
        let [seen, next, next_active] = ["seen", "next", "next_active"].map(|name| p.read_write(name, DataType::U32));
        Written { seen, next, next_active }
    }

    /// Takes over the bits that are new, and adds them to those that are in use.
    fn take_over(
        &self,
        b: &mut Body<'_>,
        shape: Shape,
        node: &Var,
        lane: &Var,
        row: &Row,
        [gathered, used]: [&[Var]; 2],
    ) {
        let new = shape.each(b, "new", |_, at| &gathered[at] & !&row.known[at]);
        b.if_(any(new.iter().map(Expr::from)).ne(0u32), |b| {
            for (at, new) in new.iter().enumerate() {
                let place = b.let_("place", shape.place(&row.begin, lane, at));
                b.store(&self.next, &place, new);
                b.store(&self.seen, &place, &row.known[at] | new);
                b.assign(&used[at], &used[at] | new);
            }
            b.if_(lane.eq(0u32), |b| {
                let word = b.let_("word", (node >> 5u32) + shape.words());
                b.discard(Expr::atomic(AtomicOp::Or, self.next_active.name(), &word, 1u32 << (node & 31u32)));
            });
        });
    }

    fn finish(&self, b: &mut Body<'_>, shape: Shape, lane: &Var, used: &[Var]) {
        for (at, used) in used.iter().enumerate() {
            let word = b.let_("word", lane + (at as u32 * shape.lanes));
            b.if_(used.ne(0u32), |b| b.discard(Expr::atomic(AtomicOp::Or, self.next_active.name(), &word, used)));
        }
    }
}

/// Every node, or every candidate, takes over the bits of active nodes that lead to it.
pub(crate) fn pull(shape: Shape) -> Program {
    let mut p = ProgramBuilder::new([shape.lanes, 1, 1]);
    let [state, offsets, sources, active, front, candidates] =
        ["state", "in_offsets", "in_sources", "active", "front", "candidates"].map(|name| p.read(name, DataType::U32));
    let params = p.uniform("params", DataType::U32);
    let written = Written::declare(&mut p);
    p.entry(|b| {
        let mode = b.let_("mode", state.load(state::MODE));
        b.if_(mode.eq(state::STOP), |b| b.return_());
        let lane = b.let_("lane", local_id(0));
        let alive = alive(b, shape, &active, &lane);
        let used = shape.each(b, "used", |_, _| 0u32.into());
        // Nodes before the first have too many edges for this program.
        let first = b.let_("first", params.load(0u32));
        let is_dense = b.let_("is_dense", mode.eq(state::DENSE));
        let count = b.let_("count", is_dense.select(params.load(1u32) - &first, candidates.load(0u32)));
        strided(b, &count, |b, position| {
            let node = b.let_("node", is_dense.select(position + &first, candidates.load(position + 1u32)));
            b.if_(node.ge(&first), |b| {
                let row = Row::load(b, shape, &node, &lane, &written.seen, &alive);
                b.if_(row.lacks(), |b| {
                    let begin = b.let_("begin", offsets.load(&node));
                    let end = b.let_("end", offsets.load(&node + 1u32));
                    let buffers = [&sources, &active, &front];
                    let gathered = gather(b, shape, buffers, &lane, [&begin, &end], &row.missing);
                    written.take_over(b, shape, &node, &lane, &row, [&gathered, &used]);
                });
            });
        });
        written.finish(b, shape, &lane, &used);
    })
}

/// The bits that lead to nodes with many incoming edges, slice by slice of these edges.
pub(crate) fn slices(shape: Shape) -> Program {
    let mut p = ProgramBuilder::new([shape.lanes, 1, 1]);
    let [state, slices, sources, active, front, seen] =
        ["state", "slices", "in_sources", "active", "front", "seen"].map(|name| p.read(name, DataType::U32));
    let parts = p.read_write("parts", DataType::U32);
    p.entry(|b| {
        b.if_(state.load(state::MODE).eq(state::STOP), |b| b.return_());
        let lane = b.let_("lane", local_id(0));
        let alive = alive(b, shape, &active, &lane);
        let count = b.let_("count", slices.len() / SLICE_WORDS);
        strided(b, &count, |b, slice| {
            let [node, begin, end] = [("node", 0u32), ("begin", 1), ("end", 2)]
                .map(|(name, at)| b.let_(name, slices.load(slice * SLICE_WORDS + at)));
            let row = Row::load(b, shape, &node, &lane, &seen, &alive);
            let sums = shape.each(b, "sum_of_slice", |_, _| 0u32.into());
            b.if_(row.lacks(), |b| {
                let gathered = gather(b, shape, [&sources, &active, &front], &lane, [&begin, &end], &row.missing);
                for (sum, gathered) in sums.iter().zip(&gathered) {
                    b.assign(sum, gathered);
                }
            });
            let place = b.let_("part", slice * shape.words());
            for (at, sum) in sums.iter().enumerate() {
                b.store(&parts, shape.place(&place, &lane, at), sum);
            }
        });
    })
}

/// Puts the slices of nodes together.
pub(crate) fn merge(shape: Shape) -> Program {
    let mut p = ProgramBuilder::new([shape.lanes, 1, 1]);
    let [state, first_slices, active, parts] =
        ["state", "first_slices", "active", "parts"].map(|name| p.read(name, DataType::U32));
    let written = Written::declare(&mut p);
    p.entry(|b| {
        b.if_(state.load(state::MODE).eq(state::STOP), |b| b.return_());
        let lane = b.let_("lane", local_id(0));
        let alive = alive(b, shape, &active, &lane);
        let used = shape.each(b, "used", |_, _| 0u32.into());
        let count = b.let_("count", first_slices.len() - 1u32);
        strided(b, &count, |b, node| {
            let row = Row::load(b, shape, node, &lane, &written.seen, &alive);
            b.if_(row.lacks(), |b| {
                let gathered = shape.each(b, "gathered", |_, _| 0u32.into());
                b.for_("slice", first_slices.load(node), first_slices.load(node + 1u32), |b, slice| {
                    let part = b.let_("part", slice * shape.words());
                    for (at, gathered) in gathered.iter().enumerate() {
                        b.assign(gathered, gathered | parts.load(shape.place(&part, &lane, at)));
                    }
                });
                written.take_over(b, shape, node, &lane, &row, [&gathered, &used]);
            });
        });
        written.finish(b, shape, &lane, &used);
    })
}

/// Sinks that were reached write the depth for each source that is new there.
pub(crate) fn harvest(words: u32) -> Program {
    let mut p = ProgramBuilder::new([words, 1, 1]);
    let [state, sinks, active, front] = ["state", "sinks", "active", "front"].map(|name| p.read(name, DataType::U32));
    let depths = p.read_write("depths", DataType::U32);
    p.entry(|b| {
        b.if_(state.load(state::MODE).eq(state::STOP), |b| b.return_());
        let level = b.let_("level", state.load(state::LEVEL));
        let lane = b.let_("lane", local_id(0));
        let count = b.let_("count", sinks.len());
        strided(b, &count, |b, sink| {
            let node = b.let_("node", sinks.load(sink));
            b.if_((active.load((&node >> 5u32) + words) >> (&node & 31u32)) & 1u32, |b| {
                let new = b.let_("new", front.load(&node * words + &lane));
                b.for_("bit", 0u32, new.popcount(), |b, _| {
                    let source = b.let_("source", &lane * 32u32 + new.ctz());
                    b.assign(&new, &new & (&new - 1u32));
                    b.store(&depths, &source * &count + sink, &level);
                });
            });
        });
    })
}

/// A list of the active nodes, and the number of edges that leave them.
pub(crate) fn collect(words: u32) -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let [state, active, offsets] = ["state", "active", "offsets"].map(|name| p.read(name, DataType::U32));
    let [list, counts] = ["list", "counts"].map(|name| p.read_write(name, DataType::U32));
    p.entry(|b| {
        b.if_(state.load(state::MODE).eq(state::STOP), |b| b.return_());
        let count = b.let_("count", active.len() - words);
        let stride = b.let_("stride", num_workgroups(0) * WORKGROUP);
        b.for_("round", 0u32, &count / &stride + 1u32, |b, round| {
            let place = b.let_("place", round * &stride + invocation_id(0));
            b.if_(place.ge(&count), |b| b.break_());
            let bits = b.let_("bits", active.load(&place + words));
            b.if_(bits.ne(0u32), |b| {
                let slot = b.atomic("slot", AtomicOp::Add, &counts, counts::ACTIVE, bits.popcount());
                let edges = b.let_("edges", 0u32);
                b.for_("bit", 0u32, bits.popcount(), |b, bit| {
                    let node = b.let_("node", &place * 32u32 + bits.ctz());
                    b.assign(&bits, &bits & (&bits - 1u32));
                    b.assign(&edges, &edges + (offsets.load(&node + 1u32) - offsets.load(&node)));
                    b.store(&list, &slot + bit, &node);
                });
                b.discard(Expr::atomic(AtomicOp::Add, counts.name(), counts::EDGES, &edges));
            });
        });
    })
}
