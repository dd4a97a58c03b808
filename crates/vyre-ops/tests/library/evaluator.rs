//! An evaluator of straight-line programs on words, written from the tables of operators in the specification.
//!
//! It runs a program like a call: every input has one element, the ids are 0, and the result is element 0 of
//! the output. Constructs that no primitive uses are errors.

use std::collections::HashMap;

use vyre_ir::{BinOp, Expr, Name, Node, Program, UnOp};

/// Result of a program for these arguments, or the unsupported construct.
pub(crate) fn evaluate(program: &Program, arguments: &[u32]) -> Result<u32, String> {
    let mut inputs: Vec<_> = program.buffers.iter().filter(|buffer| buffer.access.is_input()).collect();
    inputs.sort_by_key(|buffer| buffer.binding);
    let output = program.output().ok_or("no output")?;
    if inputs.len() != arguments.len() {
        return Err(format!("{} inputs for {} arguments", inputs.len(), arguments.len()));
    }
    let mut buffers: HashMap<&Name, u32> =
        inputs.iter().map(|buffer| &buffer.name).zip(arguments.iter().copied()).collect();
    buffers.insert(&output.name, 0);
    let mut machine = Machine { output: &output.name, buffers, variables: Vec::new() };
    machine.run(&program.entry)?;
    Ok(machine.buffers[&output.name])
}

struct Machine<'p> {
    output: &'p Name,
    /// Element 0 of each buffer.
    buffers: HashMap<&'p Name, u32>,
    /// The live bindings, the innermost last.
    variables: Vec<(&'p Name, u32)>,
}

enum Flow {
    Next,
    Return,
}

impl<'p> Machine<'p> {
    fn run(&mut self, body: &'p [Node]) -> Result<Flow, String> {
        let live = self.variables.len();
        for node in body {
            match node {
                Node::Let { name, value } => {
                    let value = self.value(value)?;
                    self.variables.push((name, value));
                }
                Node::Assign { name, value } => {
                    let value = self.value(value)?;
                    let binding = self.variables.iter_mut().rev().find(|(bound, _)| *bound == name);
                    binding.ok_or(format!("{name} is not bound"))?.1 = value;
                }
                Node::Store { buffer, index, value } => {
                    let (index, value) = (self.value(index)?, self.value(value)?);
                    if buffer != self.output {
                        return Err(format!("store to {buffer}"));
                    }
                    if index == 0 {
                        self.buffers.insert(self.output, value);
                    }
                }
                Node::If { cond, then, otherwise } => {
                    let taken = if self.value(cond)? != 0 { then } else { otherwise };
                    if let Flow::Return = self.run(taken)? {
                        return Ok(Flow::Return);
                    }
                }
                Node::Block(body) => {
                    if let Flow::Return = self.run(body)? {
                        return Ok(Flow::Return);
                    }
                }
                Node::Return => return Ok(Flow::Return),
                Node::Loop { .. } | Node::Barrier | Node::Break => return Err(format!("{node:?}")),
            }
        }
        self.variables.truncate(live);
        Ok(Flow::Next)
    }

    fn value(&self, expr: &Expr) -> Result<u32, String> {
        Ok(match expr {
            Expr::LitU32(value) => *value,
            Expr::Var(name) => {
                let binding = self.variables.iter().rev().find(|(bound, _)| *bound == name);
                binding.ok_or(format!("{name} is not bound"))?.1
            }
            Expr::Load { buffer, index } => {
                let index = self.value(index)?;
                let element = *self.buffers.get(buffer).ok_or(format!("no buffer {buffer}"))?;
                if index == 0 { element } else { 0 }
            }
            Expr::BufLen { .. } => 1,
            Expr::InvocationId { .. } | Expr::WorkgroupId { .. } | Expr::LocalId { .. } => 0,
            Expr::BinOp { op, left, right } => binary(*op, self.value(left)?, self.value(right)?),
            Expr::UnOp { op, operand } => unary(*op, self.value(operand)?),
            Expr::Select { cond, true_val, false_val } => {
                let (cond, true_val) = (self.value(cond)?, self.value(true_val)?);
                let false_val = self.value(false_val)?;
                if cond != 0 { true_val } else { false_val }
            }
            other => return Err(format!("{other:?}")),
        })
    }
}

fn binary(op: BinOp, a: u32, b: u32) -> u32 {
    let (wide_a, wide_b) = (u64::from(a), u64::from(b));
    let modulo = |wide: u64| (wide % (1 << 32)) as u32;
    let power = 1u64 << (b % 32);
    match op {
        BinOp::Add => modulo(wide_a + wide_b),
        BinOp::Sub => modulo((1 << 32) + wide_a - wide_b),
        BinOp::Mul => modulo(wide_a * wide_b),
        BinOp::MulHi => modulo((wide_a * wide_b) >> 32),
        BinOp::Div if b == 0 => 0,
        BinOp::Div => a / b,
        BinOp::Mod if b == 0 => 0,
        BinOp::Mod => a - a / b * b,
        BinOp::BitAnd => a & b,
        BinOp::BitOr => a | b,
        BinOp::BitXor => a ^ b,
        BinOp::Shl => modulo(wide_a * power),
        BinOp::Shr => modulo(wide_a / power),
        BinOp::Eq => u32::from(a == b),
        BinOp::Ne => u32::from(a != b),
        BinOp::Lt => u32::from(a < b),
        BinOp::Gt => u32::from(a > b),
        BinOp::Le => u32::from(a <= b),
        BinOp::Ge => u32::from(a >= b),
        BinOp::And => u32::from(a != 0 && b != 0),
        BinOp::Or => u32::from(a != 0 || b != 0),
        BinOp::Min if a < b => a,
        BinOp::Min => b,
        BinOp::Max if a > b => a,
        BinOp::Max => b,
        BinOp::AbsDiff if a > b => a - b,
        BinOp::AbsDiff => b - a,
    }
}

fn unary(op: UnOp, a: u32) -> u32 {
    let bit = |position: u32| (a >> position) & 1;
    let is_set = |position: &u32| bit(*position) == 1;
    match op {
        UnOp::Negate => binary(BinOp::Sub, 0, a),
        UnOp::BitNot => u32::MAX - a,
        UnOp::LogicalNot => u32::from(a == 0),
        UnOp::Popcount => (0..32).map(bit).sum(),
        UnOp::Clz => (0..32).rev().find(is_set).map_or(32, |highest| 31 - highest),
        UnOp::Ctz => (0..32).find(is_set).unwrap_or(32),
        UnOp::ReverseBits => (0..32).map(|position| bit(position) << (31 - position)).sum(),
    }
}
