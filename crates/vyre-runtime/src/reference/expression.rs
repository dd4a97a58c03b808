//! Iterative evaluation of expressions, for all invocations of a workgroup together.

use vyre_ir::{BufferAccess, Collective, DataType, Expr, Name, ReduceOp};

use super::machine::{Activation, Machine, Mask, Role, Values};
use super::memory::{Region, element_size};
use super::race_check::Accessor;
use super::value::{Value, binary, combine, unary};
use crate::error::{Error, Resource};
use crate::limits::check_limit;
use crate::races::Action;

/// Maximum number of pending operands, over all invocations; about 640 MB.
const MAX_PENDING_VALUES: u64 = 1 << 25;

/// Pops an operand. Validation guarantees that it exists.
fn operand(operands: &mut Vec<Values>, invocations: usize) -> Values {
    operands.pop().unwrap_or_else(|| vec![Value::U32(0); invocations])
}

/// Computes a value for each invocation of `mask`, 0 for the others.
fn each(mask: &Mask, mut value: impl FnMut(usize) -> Value) -> Values {
    (0..mask.len()).map(|local| if mask[local] { value(local) } else { Value::U32(0) }).collect()
}

impl Machine<'_> {
    /// Evaluates an expression for the invocations of `mask`, operands first, in order.
    pub(super) fn evaluate(&mut self, expr: &Expr, activation: &Activation<'_>, mask: &Mask) -> Result<Values, Error> {
        let mut finished: Vec<Values> = Vec::new();
        let mut open = vec![(expr, 0)];
        while let Some((expr, next)) = open.last_mut() {
            match expr.operand(*next) {
                Some(operand) => {
                    *next += 1;
                    open.push((operand, 0));
                }
                None => {
                    self.step(mask.len())?;
                    check_limit(Resource::PendingValues, (finished.len() * mask.len()) as u64, MAX_PENDING_VALUES)?;
                    let first = finished.len() - expr.operand_count();
                    let operands = finished.split_off(first);
                    finished.push(self.apply(expr, operands, activation, mask)?);
                    open.pop();
                }
            }
        }
        Ok(operand(&mut finished, mask.len()))
    }

    /// Applies an expression to the values of its operands.
    fn apply(
        &mut self,
        expr: &Expr,
        mut operands: Vec<Values>,
        activation: &Activation<'_>,
        mask: &Mask,
    ) -> Result<Values, Error> {
        let invocations = mask.len();
        let address = std::ptr::from_ref(expr).addr();
        let mut pop = || operand(&mut operands, invocations);
        Ok(match expr {
            Expr::LitU32(value) => vec![Value::U32(*value); invocations],
            Expr::LitI32(value) => vec![Value::I32(*value); invocations],
            Expr::LitBool(value) => vec![Value::Bool(*value); invocations],
            Expr::Var(name) => {
                activation.variables.get(name.as_str()).cloned().unwrap_or_else(|| vec![Value::U32(0); invocations])
            }
            Expr::Load { buffer, index: _ } => {
                let indices = pop();
                self.load(buffer, &indices, activation, mask, address)
            }
            Expr::BufLen { buffer } => {
                let length = match &activation.role {
                    Role::Entry { .. } => self.memory.region(buffer).map_or(0, |region| self.memory.length(region)),
                    Role::Callee { .. } => 1,
                };
                vec![Value::U32(length); invocations]
            }
            Expr::InvocationId { axis } => {
                each(mask, |local| Value::U32(self.invocation(activation, local)[*axis as usize % 3]))
            }
            Expr::LocalId { axis } => each(mask, |local| match &activation.role {
                Role::Entry { local_ids } => Value::U32(local_ids[local][*axis as usize % 3]),
                Role::Callee { .. } => Value::U32(0),
            }),
            Expr::WorkgroupId { axis } => vec![self.id(activation, self.workgroup[*axis as usize % 3]); invocations],
            Expr::NumWorkgroups { axis } => vec![self.id(activation, self.grid[*axis as usize % 3]); invocations],
            Expr::BinOp { op, left: _, right: _ } => {
                let right = pop();
                let left = pop();
                each(mask, |local| Value::U32(binary(*op, left[local].u32(), right[local].u32())))
            }
            Expr::UnOp { op, operand: _ } => {
                let value = pop();
                each(mask, |local| Value::U32(unary(*op, value[local].u32())))
            }
            Expr::Select { cond: _, true_val: _, false_val: _ } => {
                let false_val = pop();
                let true_val = pop();
                let cond = pop();
                each(mask, |local| if cond[local].holds() { true_val[local] } else { false_val[local] })
            }
            Expr::Cast { target, value: _ } => {
                let value = pop();
                each(mask, |local| value[local].cast(*target))
            }
            Expr::Extract { value: _, lane: component } => {
                let value = pop();
                each(mask, |local| Value::U32(value[local].words()[*component as usize % 4]))
            }
            Expr::Pack { ty, lanes: _ } => each(mask, |local| {
                let mut words = [0; 4];
                for (word, operand) in words.iter_mut().zip(&operands) {
                    *word = operand[local].u32();
                }
                Value::from_words(*ty, words)
            }),
            Expr::Call { op_id, args: _ } => match self.ops.get(op_id) {
                Some(op) => {
                    let zero = Value::zero(op.signature.output);
                    self.run_callee(&op.program, operands, zero, mask)?
                }
                None => vec![Value::U32(0); invocations],
            },
            Expr::Atomic { op, buffer, index: _, expected, value }
            | Expr::WorkgroupAtomic { op, buffer, index: _, expected, value } => {
                let value = if value.is_some() { Some(pop()) } else { None };
                let expected = if expected.is_some() { Some(pop()) } else { None };
                let indices = pop();
                let Some(region) = self.memory.region(buffer) else { return Ok(vec![Value::U32(0); invocations]) };
                let action = if *op == vyre_ir::AtomicOp::Load { Action::AtomicLoad } else { Action::AtomicUpdate };
                let at =
                    |values: &Option<Values>, local: usize| values.as_ref().map_or(0, |values| values[local].u32());
                // Invocations update sequentially, which gives one order for all.
                each(mask, |local| {
                    let index = indices[local].u32();
                    self.note(region, index, action, activation, local, address);
                    Value::U32(self.memory.atomic(region, *op, index, at(&expected, local), at(&value, local)))
                })
            }
            Expr::Collective(collective) => match collective {
                Collective::Broadcast { value: _, lane: _ } | Collective::Shuffle { value: _, lane: _ } => {
                    let wanted = pop();
                    let values = pop();
                    each(mask, |local| values.get(wanted[local].u32() as usize).copied().unwrap_or(Value::U32(0)))
                }
                Collective::Reduce { op, value: _ } => {
                    let values = pop();
                    let all = values.iter().fold(op.identity(), |all, value| combine(*op, all, value.u32()));
                    vec![Value::U32(all); invocations]
                }
                Collective::ScanExclusive { op, value: _ } => scan(*op, &pop()).0,
                Collective::ScanInclusive { op, value: _ } => scan(*op, &pop()).1,
                Collective::Ballot { predicate: _ } => {
                    let set = pop()
                        .iter()
                        .enumerate()
                        .filter(|(_, value)| value.holds())
                        .fold(0, |bits, (local, _)| bits | 1u32.checked_shl(local as u32).unwrap_or(0));
                    vec![Value::U32(set); invocations]
                }
            },
        })
    }

    /// Value of an id; 0 in the program of an op.
    fn id(&self, activation: &Activation<'_>, id: u32) -> Value {
        match &activation.role {
            Role::Entry { .. } => Value::U32(id),
            Role::Callee { .. } => Value::U32(0),
        }
    }

    /// Global id of an invocation; 0 in the program of an op.
    fn invocation(&self, activation: &Activation<'_>, local: usize) -> [u32; 3] {
        match &activation.role {
            Role::Entry { local_ids } => {
                let size = activation.program.workgroup_size;
                std::array::from_fn(|axis| {
                    self.workgroup[axis].wrapping_mul(size[axis]).wrapping_add(local_ids[local][axis])
                })
            }
            Role::Callee { .. } => [0; 3],
        }
    }

    fn load(
        &mut self,
        buffer: &Name,
        indices: &Values,
        activation: &Activation<'_>,
        mask: &Mask,
        address: usize,
    ) -> Values {
        match &activation.role {
            Role::Entry { .. } => {
                let Some(region) = self.memory.region(buffer) else { return vec![Value::U32(0); mask.len()] };
                each(mask, |local| {
                    let index = indices[local].u32();
                    self.note(region, index, Action::Load, activation, local, address);
                    self.memory.load(region, index)
                })
            }
            Role::Callee { arguments, result } => {
                let element = |local: usize| match argument(activation, buffer) {
                    Some(position) => arguments[position][local],
                    None => result[local],
                };
                let zero = activation.program.buffer(buffer).map_or(DataType::U32, |decl| decl.element);
                each(mask, |local| if indices[local].u32() == 0 { element(local) } else { Value::zero(zero) })
            }
        }
    }

    pub(super) fn store(
        &mut self,
        buffer: &Name,
        indices: &Values,
        values: &Values,
        activation: &mut Activation<'_>,
        mask: &Mask,
        address: usize,
    ) {
        for local in (0..mask.len()).filter(|&local| mask[local]) {
            let index = indices[local].u32();
            if let Role::Callee { arguments: _, result } = &mut activation.role {
                if index == 0 {
                    result[local] = values[local];
                }
            } else if let Some(region) = self.memory.region(buffer) {
                self.note(region, index, Action::Store, activation, local, address);
                self.memory.store(region, index, values[local]);
            }
        }
    }

    /// Records an access to an existing element in the race checker, if there is one.
    fn note(
        &mut self,
        region: Region<'_>,
        index: u32,
        action: Action,
        activation: &Activation<'_>,
        local: usize,
        address: usize,
    ) {
        if self.races.is_none() {
            return;
        }
        let invocation = self.invocation(activation, local);
        let exists = index < self.memory.length(region);
        let writable = matches!(region.decl.access, BufferAccess::ReadWrite | BufferAccess::Workgroup);
        let Some(races) = self.races.as_mut().filter(|_| exists && writable) else { return };
        let words = element_size(region) as u64 / 4;
        for word in u64::from(index) * words..(u64::from(index) + 1) * words {
            races.access(&region.decl.name, region.contents, word, action, Accessor { address, invocation });
        }
    }
}

/// Position of the argument of a callee's buffer: inputs by ascending binding.
fn argument(activation: &Activation<'_>, buffer: &Name) -> Option<usize> {
    let decl = activation.program.buffer(buffer)?;
    let inputs = activation.program.buffers.iter().filter(|other| other.access.is_input());
    decl.access.is_input().then(|| inputs.filter(|other| other.binding < decl.binding).count())
}

/// Exclusive and inclusive scan.
fn scan(op: ReduceOp, values: &Values) -> (Values, Values) {
    let mut so_far = op.identity();
    values
        .iter()
        .map(|value| {
            let before = so_far;
            so_far = combine(op, so_far, value.u32());
            (Value::U32(before), Value::U32(so_far))
        })
        .unzip()
}
