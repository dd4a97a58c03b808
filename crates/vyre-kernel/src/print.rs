//! Printed form of kernels, for debugging and tests. There is no parser.

use std::fmt::{self, Write as _};

use vyre_ir::{AtomicOp, AtomicScope, BufferAccess, text};

use crate::ids::{BlockId, BufferId, ValueId};
use crate::kernel::{Kernel, Statement};
use crate::op::{Collective, Op};

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.workgroup_size;
        writeln!(f, "kernel {x}, {y}, {z}")?;
        for (id, buffer) in self.buffers.iter() {
            let (name, access, element) = (text::name(&buffer.name), buffer.access, buffer.element);
            match access {
                BufferAccess::Workgroup => writeln!(f, "buffer {name}: {access} {element}[{}]", buffer.count)?,
                BufferAccess::ReadOnly | BufferAccess::ReadWrite | BufferAccess::Uniform => {
                    write!(f, "buffer {name}: {access} {element} @{}", buffer.binding)?;
                    match self.min_length(id) {
                        0 => writeln!(f)?,
                        min => writeln!(f, ", at least {min} elements")?,
                    }
                }
            }
        }
        self.fmt_slots(f)?;
        writeln!(f, "entry {{")?;
        self.fmt_blocks(f)?;
        writeln!(f, "}}")
    }
}

/// Work items of the printer; the last one is printed next.
enum Rest {
    Statements { block: BlockId, next: usize, depth: usize },
    Line { text: &'static str, depth: usize },
}

impl Kernel {
    /// Prints the slots that are used.
    fn fmt_slots(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut used = vec![false; self.slots.len()];
        self.for_each_statement(|statement| match statement {
            Statement::Set { slot, value: _ } => used[crate::table::Key::position(slot)] = true,
            Statement::Let(value) => {
                if let Op::Get(slot) = self.op(value) {
                    used[crate::table::Key::position(slot)] = true;
                }
            }
            _ => {}
        });
        for ((id, slot), _) in self.slots.iter().zip(used).filter(|(_, used)| *used) {
            writeln!(f, "slot {id}: {} = {}", slot.ty.name(), text::name(&slot.name))?;
        }
        Ok(())
    }

    fn fmt_blocks(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = vec![Rest::Statements { block: self.entry, next: 0, depth: 1 }];
        while let Some(step) = rest.pop() {
            let (block, next, depth) = match step {
                Rest::Line { text, depth } => {
                    writeln!(f, "{}{text}", "    ".repeat(depth))?;
                    continue;
                }
                Rest::Statements { block, next, depth } => (block, next, depth),
            };
            let Some(&statement) = self.blocks[block].statements.get(next) else { continue };
            rest.push(Rest::Statements { block, next: next + 1, depth });
            writeln!(f, "{}{}", "    ".repeat(depth), Shown(self, statement))?;
            match statement {
                Statement::If { cond: _, then, otherwise } => {
                    rest.push(Rest::Line { text: "}", depth });
                    if !self.blocks[otherwise].statements.is_empty() {
                        rest.push(Rest::Statements { block: otherwise, next: 0, depth: depth + 1 });
                        rest.push(Rest::Line { text: "} else {", depth });
                    }
                    rest.push(Rest::Statements { block: then, next: 0, depth: depth + 1 });
                }
                Statement::Loop { body, .. } | Statement::Block { body } => {
                    rest.push(Rest::Line { text: "}", depth });
                    rest.push(Rest::Statements { block: body, next: 0, depth: depth + 1 });
                }
                Statement::Let(_)
                | Statement::Set { .. }
                | Statement::Store { .. }
                | Statement::Break
                | Statement::Return
                | Statement::Barrier => {}
            }
        }
        Ok(())
    }
}

/// Printable part of a kernel.
struct Shown<'k, T>(&'k Kernel, T);

impl fmt::Display for Shown<'_, Statement> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Shown(kernel, statement) = self;
        let value = |value: ValueId| Shown(kernel, value);
        match statement {
            Statement::Let(id) => write!(f, "{id} = {}", Shown(kernel, kernel.op(id))),
            Statement::Set { slot, value: new } => write!(f, "{slot} = {}", value(new)),
            Statement::Store { buffer, index, value: new, guard } => {
                write!(f, "store {}[{}], {}", Shown(kernel, buffer), value(index), value(new))?;
                fmt_guard(f, kernel, guard)
            }
            Statement::If { cond, then: _, otherwise: _ } => write!(f, "if {} {{", value(cond)),
            Statement::Loop { variable, from, to, body: _ } => {
                write!(f, "loop {variable} in {}..{} {{", value(from), value(to))
            }
            Statement::Block { body: _ } => f.write_str("block {"),
            Statement::Break => f.write_str("break"),
            Statement::Return => f.write_str("return"),
            Statement::Barrier => f.write_str("barrier"),
        }
    }
}

impl fmt::Display for Shown<'_, BufferId> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::name(&self.0.buffers[self.1].name))
    }
}

/// Prints the number of a value, or the operation of a leaf.
impl fmt::Display for Shown<'_, ValueId> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Shown(kernel, value) = self;
        let op = kernel.op(value);
        if op.is_leaf() && op != Op::LoopVariable { Shown(kernel, op).fmt(f) } else { write!(f, "{value}") }
    }
}

impl fmt::Display for Shown<'_, Op> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Shown(kernel, op) = self;
        let value = |value: ValueId| Shown(kernel, value);
        match op {
            Op::Word(word) => write!(f, "{word}"),
            Op::Bool(value) => write!(f, "{value}"),
            Op::Id(id, axis) => write!(f, "{}.{}", id.name(), ["x", "y", "z"][usize::from(axis).min(2)]),
            Op::Length(buffer) => write!(f, "len({})", Shown(kernel, buffer)),
            Op::LoopVariable => f.write_str("loop variable"),
            Op::Get(slot) => write!(f, "{slot}"),
            Op::Unary(op, a) => write!(f, "{} {}", op.name(), value(a)),
            Op::Binary(op, a, b) => write!(f, "{} {}, {}", op.name(), value(a), value(b)),
            Op::Compare(op, a, b) => write!(f, "{} {}, {}", op.name(), value(a), value(b)),
            Op::Not(a) => write!(f, "not {}", value(a)),
            Op::Logic(op, a, b) => write!(f, "{} {}, {}", op.name(), value(a), value(b)),
            Op::ToWord(a) => write!(f, "word {}", value(a)),
            Op::Select(cond, a, b) => write!(f, "select {}, {}, {}", value(cond), value(a), value(b)),
            Op::Extract(vector, component) => write!(f, "extract {}, {component}", value(vector)),
            Op::Pack2(components) => fmt_list(f, kernel, "pack", &components),
            Op::Pack4(components) => fmt_list(f, kernel, "pack", &components),
            Op::Load { buffer, index, guard } => {
                write!(f, "load {}[{}]", Shown(kernel, buffer), value(index))?;
                fmt_guard(f, kernel, guard)
            }
            Op::Atomic { op, buffer, index, expected, value: operand, guard } => {
                fmt_atomic(f, kernel, op, buffer, index)?;
                for operand in expected.into_iter().chain(operand) {
                    write!(f, ", {}", value(operand))?;
                }
                fmt_guard(f, kernel, guard)
            }
            Op::Collective(collective) => match collective {
                Collective::Broadcast(a, lane) => write!(f, "broadcast {}, {}", value(a), value(lane)),
                Collective::Shuffle(a, lane) => write!(f, "shuffle {}, {}", value(a), value(lane)),
                Collective::Reduce(op, a) => write!(f, "reduce_{} {}", op.text(), value(a)),
                Collective::ScanExclusive(op, a) => write!(f, "scan_exclusive_{} {}", op.text(), value(a)),
                Collective::ScanInclusive(op, a) => write!(f, "scan_inclusive_{} {}", op.text(), value(a)),
                Collective::Ballot(a) => write!(f, "ballot {}", value(a)),
            },
        }
    }
}

fn fmt_atomic(
    f: &mut fmt::Formatter<'_>,
    kernel: &Kernel,
    op: AtomicOp,
    buffer: BufferId,
    index: ValueId,
) -> fmt::Result {
    let is_workgroup = kernel.buffers[buffer].access == BufferAccess::Workgroup;
    let scope = if is_workgroup { AtomicScope::Workgroup } else { AtomicScope::Storage };
    write!(f, "{} {}[{}]", op.text_in(scope), Shown(kernel, buffer), Shown(kernel, index))
}

fn fmt_guard(f: &mut fmt::Formatter<'_>, kernel: &Kernel, guard: Option<ValueId>) -> fmt::Result {
    match guard {
        Some(guard) => write!(f, " if {}", Shown(kernel, guard)),
        None => Ok(()),
    }
}

fn fmt_list(f: &mut fmt::Formatter<'_>, kernel: &Kernel, name: &str, values: &[ValueId]) -> fmt::Result {
    f.write_str(name)?;
    for (position, &value) in values.iter().enumerate() {
        f.write_char(if position == 0 { ' ' } else { ',' })?;
        if position > 0 {
            f.write_char(' ')?;
        }
        write!(f, "{}", Shown(kernel, value))?;
    }
    Ok(())
}
