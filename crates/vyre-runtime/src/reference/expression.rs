//! Evaluating expressions, all lanes of a workgroup at a time, without recursion.

use vyre_ir::{BufferAccess, Collective, DataType, Expr, Name, ReduceOp};

use super::machine::{Activation, Lanes, Machine, Mask, Role};
use super::memory::{Region, element_size};
use super::race_check::Accessor;
use super::value::{Value, binary, combine, unary};
use crate::error::{Error, Resource};
use crate::limits::check_limit;
use crate::races::Action;

/// The most values of lanes that wait for the rest of an expression; some 640 MB.
const MAX_PENDING_VALUES: u64 = 1 << 25;

/// An operand that validation promises; without a value it counts as 0.
fn operand(operands: &mut Vec<Lanes>, lanes: usize) -> Lanes {
    operands.pop().unwrap_or_else(|| vec![Value::U32(0); lanes])
}

/// A value for each lane of `mask`, 0 for the others.
fn each(mask: &Mask, mut value: impl FnMut(usize) -> Value) -> Lanes {
    (0..mask.len()).map(|lane| if mask[lane] { value(lane) } else { Value::U32(0) }).collect()
}

impl Machine<'_> {
    /// Evaluates an expression for the lanes of `mask`: operands in order, each once.
    pub(super) fn evaluate(&mut self, expr: &Expr, activation: &Activation<'_>, mask: &Mask) -> Result<Lanes, Error> {
        let mut finished: Vec<Lanes> = Vec::new();
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

    /// Does what an expression does with the values of its operands.
    fn apply(
        &mut self,
        expr: &Expr,
        mut operands: Vec<Lanes>,
        activation: &Activation<'_>,
        mask: &Mask,
    ) -> Result<Lanes, Error> {
        let lanes = mask.len();
        let place = std::ptr::from_ref(expr).addr();
        let mut pop = || operand(&mut operands, lanes);
        Ok(match expr {
            Expr::LitU32(value) => vec![Value::U32(*value); lanes],
            Expr::LitI32(value) => vec![Value::I32(*value); lanes],
            Expr::LitBool(value) => vec![Value::Bool(*value); lanes],
            Expr::Var(name) => {
                activation.variables.get(name.as_str()).cloned().unwrap_or_else(|| vec![Value::U32(0); lanes])
            }
            Expr::Load { buffer, index: _ } => {
                let indices = pop();
                self.load(buffer, &indices, activation, mask, place)
            }
            Expr::BufLen { buffer } => {
                let length = match &activation.role {
                    Role::Entry { .. } => self.memory.region(buffer).map_or(0, |region| self.memory.length(region)),
                    Role::Callee { .. } => 1,
                };
                vec![Value::U32(length); lanes]
            }
            Expr::InvocationId { axis } => {
                each(mask, |lane| Value::U32(self.invocation(activation, lane)[*axis as usize % 3]))
            }
            Expr::LocalId { axis } => each(mask, |lane| match &activation.role {
                Role::Entry { local_ids } => Value::U32(local_ids[lane][*axis as usize % 3]),
                Role::Callee { .. } => Value::U32(0),
            }),
            Expr::WorkgroupId { axis } => vec![self.id(activation, self.workgroup[*axis as usize % 3]); lanes],
            Expr::NumWorkgroups { axis } => vec![self.id(activation, self.grid[*axis as usize % 3]); lanes],
            Expr::BinOp { op, left: _, right: _ } => {
                let right = pop();
                let left = pop();
                each(mask, |lane| Value::U32(binary(*op, left[lane].u32(), right[lane].u32())))
            }
            Expr::UnOp { op, operand: _ } => {
                let value = pop();
                each(mask, |lane| Value::U32(unary(*op, value[lane].u32())))
            }
            Expr::Select { cond: _, true_val: _, false_val: _ } => {
                let false_val = pop();
                let true_val = pop();
                let cond = pop();
                each(mask, |lane| if cond[lane].holds() { true_val[lane] } else { false_val[lane] })
            }
            Expr::Cast { target, value: _ } => {
                let value = pop();
                each(mask, |lane| value[lane].cast(*target))
            }
            Expr::Extract { value: _, lane: which } => {
                let value = pop();
                each(mask, |lane| Value::U32(value[lane].words()[*which as usize % 4]))
            }
            Expr::Pack { ty, lanes: _ } => each(mask, |lane| {
                let mut words = [0; 4];
                for (word, operand) in words.iter_mut().zip(&operands) {
                    *word = operand[lane].u32();
                }
                Value::from_words(*ty, words)
            }),
            Expr::Call { op_id, args: _ } => match self.ops.get(op_id) {
                Some(op) => {
                    let zero = Value::zero(op.signature.output);
                    self.run_callee(&op.program, operands, zero, mask)?
                }
                None => vec![Value::U32(0); lanes],
            },
            Expr::Atomic { op, buffer, index: _, expected, value } => {
                let value = if value.is_some() { Some(pop()) } else { None };
                let expected = if expected.is_some() { Some(pop()) } else { None };
                let indices = pop();
                let Some(region) = self.memory.region(buffer) else { return Ok(vec![Value::U32(0); lanes]) };
                let action = if *op == vyre_ir::AtomicOp::Load { Action::AtomicLoad } else { Action::AtomicUpdate };
                let at = |lanes: &Option<Lanes>, lane: usize| lanes.as_ref().map_or(0, |lanes| lanes[lane].u32());
                // Lanes update one after the other, so that all agree on one order.
                each(mask, |lane| {
                    let index = indices[lane].u32();
                    self.note(region, index, action, activation, lane, place);
                    Value::U32(self.memory.atomic(region, *op, index, at(&expected, lane), at(&value, lane)))
                })
            }
            Expr::Collective(collective) => match collective {
                Collective::Broadcast { value: _, lane: _ } | Collective::Shuffle { value: _, lane: _ } => {
                    let wanted = pop();
                    let values = pop();
                    each(mask, |lane| values.get(wanted[lane].u32() as usize).copied().unwrap_or(Value::U32(0)))
                }
                Collective::Reduce { op, value: _ } => {
                    let values = pop();
                    let all = values.iter().fold(op.identity(), |all, value| combine(*op, all, value.u32()));
                    vec![Value::U32(all); lanes]
                }
                Collective::ScanExclusive { op, value: _ } => scan(*op, &pop()).0,
                Collective::ScanInclusive { op, value: _ } => scan(*op, &pop()).1,
                Collective::Ballot { predicate: _ } => {
                    let set = pop()
                        .iter()
                        .enumerate()
                        .filter(|(_, value)| value.holds())
                        .fold(0, |bits, (lane, _)| bits | 1u32.checked_shl(lane as u32).unwrap_or(0));
                    vec![Value::U32(set); lanes]
                }
            },
        })
    }

    /// An id, which is 0 in the program of an op.
    fn id(&self, activation: &Activation<'_>, id: u32) -> Value {
        match &activation.role {
            Role::Entry { .. } => Value::U32(id),
            Role::Callee { .. } => Value::U32(0),
        }
    }

    /// The invocation of a lane; 0 in the program of an op.
    fn invocation(&self, activation: &Activation<'_>, lane: usize) -> [u32; 3] {
        match &activation.role {
            Role::Entry { local_ids } => {
                let size = activation.program.workgroup_size;
                std::array::from_fn(|axis| {
                    self.workgroup[axis].wrapping_mul(size[axis]).wrapping_add(local_ids[lane][axis])
                })
            }
            Role::Callee { .. } => [0; 3],
        }
    }

    fn load(
        &mut self,
        buffer: &Name,
        indices: &Lanes,
        activation: &Activation<'_>,
        mask: &Mask,
        place: usize,
    ) -> Lanes {
        match &activation.role {
            Role::Entry { .. } => {
                let Some(region) = self.memory.region(buffer) else { return vec![Value::U32(0); mask.len()] };
                each(mask, |lane| {
                    let index = indices[lane].u32();
                    self.note(region, index, Action::Load, activation, lane, place);
                    self.memory.load(region, index)
                })
            }
            Role::Callee { arguments, result } => {
                let element = |lane: usize| match argument(activation, buffer) {
                    Some(position) => arguments[position][lane],
                    None => result[lane],
                };
                let zero = activation.program.buffer(buffer).map_or(DataType::U32, |decl| decl.element);
                each(mask, |lane| if indices[lane].u32() == 0 { element(lane) } else { Value::zero(zero) })
            }
        }
    }

    pub(super) fn store(
        &mut self,
        buffer: &Name,
        indices: &Lanes,
        values: &Lanes,
        activation: &mut Activation<'_>,
        mask: &Mask,
        place: usize,
    ) {
        for lane in (0..mask.len()).filter(|&lane| mask[lane]) {
            let index = indices[lane].u32();
            if let Role::Callee { arguments: _, result } = &mut activation.role {
                if index == 0 {
                    result[lane] = values[lane];
                }
            } else if let Some(region) = self.memory.region(buffer) {
                self.note(region, index, Action::Store, activation, lane, place);
                self.memory.store(region, index, values[lane]);
            }
        }
    }

    /// Tells the race checker about an access to an element, if there is one to tell and the element exists.
    fn note(
        &mut self,
        region: Region<'_>,
        index: u32,
        action: Action,
        activation: &Activation<'_>,
        lane: usize,
        place: usize,
    ) {
        if self.races.is_none() {
            return;
        }
        let invocation = self.invocation(activation, lane);
        let exists = index < self.memory.length(region);
        let writable = matches!(region.decl.access, BufferAccess::ReadWrite | BufferAccess::Workgroup);
        let Some(races) = self.races.as_mut().filter(|_| exists && writable) else { return };
        let words = element_size(region) as u64 / 4;
        for word in u64::from(index) * words..(u64::from(index) + 1) * words {
            races.access(&region.decl.name, region.contents, word, action, Accessor { place, invocation });
        }
    }
}

/// Which argument a buffer of a callee stands for: inputs come in ascending order of binding.
fn argument(activation: &Activation<'_>, buffer: &Name) -> Option<usize> {
    let decl = activation.program.buffer(buffer)?;
    let inputs = activation.program.buffers.iter().filter(|other| other.access.is_input());
    decl.access.is_input().then(|| inputs.filter(|other| other.binding < decl.binding).count())
}

/// The exclusive and the inclusive scan.
fn scan(op: ReduceOp, values: &Lanes) -> (Lanes, Lanes) {
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
