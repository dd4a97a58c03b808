//! Dead code: what nothing depends on goes away.
//!
//! Writes to memory and barriers are what a kernel is for. They need their operands, what those are computed from, the
//! values put into the slots that are read on the way, and the control flow around them: the conditions, and the exits
//! that may keep them from being reached. Loops are bounded, so one without effect can go.

use crate::kernel::{BlockId, Kernel, SlotId, Statement, ValueId};
use crate::op::{Effect, Op};
use crate::table::Key;

/// How often code is looked at again after something that was put into a slot for nothing has gone.
const MOST_ROUNDS: usize = 4;

pub(super) fn run(kernel: &mut Kernel) -> bool {
    let mut changed = false;
    for _ in 0..MOST_ROUNDS {
        let mut marker = Marker::new(kernel);
        marker.collect(kernel);
        marker.mark(kernel);
        let Marker { needed, live_values, live_slots, .. } = marker;
        let mut sweep =
            Sweep { kernel, needed, live_values, live_slots, next: 0, changed: false, dropped_overwritten: false };
        let entry = sweep.kernel.entry;
        sweep.block(entry);
        changed |= sweep.changed;
        if !sweep.dropped_overwritten {
            break;
        }
    }
    changed
}

/// A statement, numbered in the order in which blocks are walked.
type Place = usize;

/// Where a statement stands.
#[derive(Clone, Copy)]
struct Site {
    statement: Statement,
    /// The statement whose block it is in.
    parent: Option<Place>,
    /// The loop or `Block` that a `Break` here leaves.
    innermost: Option<Place>,
}

struct Marker {
    sites: Vec<Site>,
    /// By value: the statement that computes it.
    computed_at: Vec<Option<Place>>,
    /// By slot: the statements that set it.
    set_at: Vec<Vec<Place>>,
    /// By loop or `Block`: the breaks that leave it.
    breaks: Vec<Vec<Place>>,
    returns: Vec<Place>,
    needed: Vec<bool>,
    live_values: Vec<bool>,
    live_slots: Vec<bool>,
    pending: Vec<Place>,
}

impl Marker {
    fn new(kernel: &Kernel) -> Marker {
        Marker {
            sites: Vec::new(),
            computed_at: vec![None; kernel.values.len()],
            set_at: vec![Vec::new(); kernel.slots.len()],
            breaks: Vec::new(),
            returns: Vec::new(),
            needed: Vec::new(),
            live_values: vec![false; kernel.values.len()],
            live_slots: vec![false; kernel.slots.len()],
            pending: Vec::new(),
        }
    }

    /// Numbers the statements as [`Sweep`] will meet them: a statement, then its blocks.
    fn collect(&mut self, kernel: &Kernel) {
        let mut open: Vec<(BlockId, usize, Option<Place>, Option<Place>)> = vec![(kernel.entry, 0, None, None)];
        while let Some((block, next, parent, innermost)) = open.last_mut() {
            let (parent, innermost) = (*parent, *innermost);
            let Some(&statement) = kernel.blocks[*block].statements.get(*next) else {
                open.pop();
                continue;
            };
            *next += 1;
            let place = self.sites.len();
            self.sites.push(Site { statement, parent, innermost });
            self.breaks.push(Vec::new());
            match statement {
                Statement::Let(value) => {
                    self.computed_at[value.position()] = Some(place);
                    if is_effect(kernel, value) {
                        self.pending.push(place);
                    }
                }
                Statement::Set { slot, value: _ } => self.set_at[slot.position()].push(place),
                Statement::Store { .. } | Statement::Barrier => self.pending.push(place),
                Statement::If { cond: _, then, otherwise } => {
                    open.push((otherwise, 0, Some(place), innermost));
                    open.push((then, 0, Some(place), innermost));
                }
                Statement::Loop { variable, from: _, to: _, body } => {
                    self.computed_at[variable.position()] = Some(place);
                    open.push((body, 0, Some(place), Some(place)));
                }
                Statement::Block { body } => open.push((body, 0, Some(place), Some(place))),
                Statement::Break => {
                    if let Some(innermost) = innermost {
                        self.breaks[innermost].push(place);
                    }
                }
                Statement::Return => self.returns.push(place),
            }
        }
        self.needed = vec![false; self.sites.len()];
    }

    fn mark(&mut self, kernel: &Kernel) {
        // A return keeps what comes after it from being run, if anything that matters does.
        let last = self.pending.iter().copied().max();
        let returns = std::mem::take(&mut self.returns);
        for place in returns {
            let repeats = self.in_loop(place);
            if repeats || last.is_some_and(|last| last > place) {
                self.pending.push(place);
            }
        }
        while let Some(place) = self.pending.pop() {
            if std::mem::replace(&mut self.needed[place], true) {
                continue;
            }
            let Site { statement, parent, innermost: _ } = self.sites[place];
            self.pending.extend(parent);
            statement.for_each_operand(|operand| self.need_value(operand));
            match statement {
                Statement::Let(value) => {
                    self.live_values[value.position()] = true;
                    let op = kernel.op(value);
                    op.for_each_operand(|operand| self.need_value(operand));
                    if let Op::Get(slot) = op {
                        self.need_slot(slot);
                    }
                }
                Statement::Loop { .. } | Statement::Block { .. } => {
                    let breaks = std::mem::take(&mut self.breaks[place]);
                    self.pending.extend(breaks);
                }
                Statement::Set { .. }
                | Statement::Store { .. }
                | Statement::If { .. }
                | Statement::Break
                | Statement::Return
                | Statement::Barrier => {}
            }
        }
    }

    /// Whether a statement stands in a loop, so that statements before it come after it too.
    fn in_loop(&self, place: Place) -> bool {
        let mut around = self.sites[place].innermost;
        while let Some(place) = around {
            if matches!(self.sites[place].statement, Statement::Loop { .. }) {
                return true;
            }
            around = self.sites[place].innermost;
        }
        false
    }

    fn need_value(&mut self, value: ValueId) {
        if let Some(place) = self.computed_at[value.position()]
            && !self.needed[place]
        {
            self.pending.push(place);
        }
    }

    fn need_slot(&mut self, slot: SlotId) {
        if !std::mem::replace(&mut self.live_slots[slot.position()], true) {
            let sets = std::mem::take(&mut self.set_at[slot.position()]);
            self.pending.extend(sets);
        }
    }
}

/// Whether computing a value changes something.
fn is_effect(kernel: &Kernel, value: ValueId) -> bool {
    match kernel.op(value).effect() {
        Effect::Updates(_) => !matches!(kernel.op(value), Op::Atomic { op: vyre_ir::AtomicOp::Load, .. }),
        Effect::None | Effect::ReadsSlot(_) | Effect::Reads(_) | Effect::Rendezvous => false,
    }
}

struct Sweep<'k> {
    kernel: &'k mut Kernel,
    needed: Vec<bool>,
    live_values: Vec<bool>,
    live_slots: Vec<bool>,
    next: Place,
    changed: bool,
    /// Whether a `Set` has gone, so that what it was computed from may go too.
    dropped_overwritten: bool,
}

impl Sweep<'_> {
    fn block(&mut self, block: BlockId) {
        let statements = self.kernel.take_block(block);
        let mut out: Vec<Statement> = Vec::with_capacity(statements.len());
        for statement in statements {
            let needed = self.needed[self.next];
            self.next += 1;
            for inner in statement.blocks() {
                self.block(inner);
            }
            if needed {
                out.push(statement);
            } else {
                self.changed = true;
            }
        }
        self.drop_overwritten(&mut out);
        self.kernel.blocks[block].statements = out;
    }

    /// Removes what is put into a slot and replaced before anything can read it.
    fn drop_overwritten(&mut self, statements: &mut Vec<Statement>) {
        let mut overwritten: Vec<SlotId> = Vec::new();
        let mut keep = vec![true; statements.len()];
        for (position, &statement) in statements.iter().enumerate().rev() {
            match statement {
                Statement::Set { slot, value: _ } if self.live_slots[slot.position()] => {
                    if overwritten.contains(&slot) {
                        keep[position] = false;
                        self.changed = true;
                        self.dropped_overwritten = true;
                    } else if overwritten.len() < MOST_OVERWRITTEN {
                        overwritten.push(slot);
                    }
                }
                Statement::Let(value) if self.live_values[value.position()] => {
                    if let Op::Get(read) = self.kernel.op(value) {
                        overwritten.retain(|&slot| slot != read);
                    }
                }
                Statement::Let(_) | Statement::Set { .. } | Statement::Store { .. } | Statement::Barrier => {}
                Statement::If { .. }
                | Statement::Loop { .. }
                | Statement::Block { .. }
                | Statement::Break
                | Statement::Return => overwritten.clear(),
            }
        }
        let mut keep = keep.into_iter();
        statements.retain(|_| keep.next().unwrap_or(true));
    }
}

/// How many slots are remembered, so that each statement takes little time.
const MOST_OVERWRITTEN: usize = 32;
