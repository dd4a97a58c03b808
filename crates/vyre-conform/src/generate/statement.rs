//! Steps that build statements, and that open and close bodies.

use vyre_ir::{BinOp, DataType, Expr, Name, Node};

use super::flow::Owner;
use super::machine::{Machine, Value};
use super::scope::Local;

/// Maximum nesting of bodies in a careful program.
const MAX_DEPTH: usize = 12;

/// Maximum nesting of its loops, and maximum iterations of each, which bound its run time.
const MAX_LOOP_DEPTH: usize = 3;
const MAX_ITERATIONS: u32 = 16;

impl Machine<'_> {
    pub(super) fn let_statement(&mut self) {
        let Value { expr: value, ty, is_uniform } = self.any_operand();
        if !self.careful {
            let name = self.choices.name();
            self.flow.push(Node::Let { name, value });
            return;
        }
        let kind = self.choices.byte();
        if kind.is_multiple_of(8) {
            self.flow.push(Node::Let { name: Name::from(Name::DISCARD), value });
            return;
        }
        // A variable with a uniform initial value may become divergent later.
        let stays_uniform = is_uniform && self.flow.is_uniform() && kind.is_multiple_of(2);
        let name = self.scope.fresh_name(&mut self.choices);
        self.flow.push(Node::Let { name: name.clone(), value });
        self.scope.bind(Local { name, ty, is_loop_variable: false, is_uniform: stays_uniform });
    }

    pub(super) fn assign_statement(&mut self) {
        if !self.careful {
            let value = self.any_operand().expr;
            let name = self.choices.name();
            self.flow.push(Node::Assign { name, value });
            return;
        }
        let (name, ty, must_be_uniform) = match self.scope.pick(&mut self.choices) {
            Some(local) if !local.is_loop_variable => (local.name.clone(), local.ty, local.is_uniform),
            _ => return self.let_statement(),
        };
        let value = self.operand(ty);
        if must_be_uniform && !(value.is_uniform && self.flow.is_uniform()) {
            self.values.push(value);
            return self.let_statement();
        }
        self.flow.push(Node::Assign { name, value: value.expr });
    }

    pub(super) fn store_statement(&mut self) {
        let (buffer, element) = self.buffer(|buffer| buffer.access.is_writable() && buffer.element != DataType::Bytes);
        let value = self.operand(element).expr;
        let index = self.operand(DataType::U32).expr;
        self.flow.push(Node::Store { buffer, index, value });
    }

    pub(super) fn if_statement(&mut self) {
        let cond = self.condition();
        self.open(Owner::Then { cond: cond.expr }, cond.is_uniform);
    }

    pub(super) fn else_body(&mut self) {
        self.settle();
        if let Some(locals) = self.flow.switch_to_else() {
            self.scope.truncate(locals);
        }
    }

    pub(super) fn loop_statement(&mut self) {
        if self.careful && self.flow.loop_depth() >= MAX_LOOP_DEPTH {
            return self.block_statement();
        }
        let to = self.operand(DataType::U32);
        let from = self.operand(DataType::U32);
        let is_uniform = from.is_uniform && to.is_uniform;
        if !self.careful {
            let var = self.choices.name();
            self.open(Owner::Loop { var, from: from.expr, to: to.expr }, is_uniform);
            return;
        }
        let var = self.scope.fresh_name(&mut self.choices);
        let to = match to.expr {
            small @ Expr::LitU32(..=MAX_ITERATIONS) => small,
            any => {
                let iterations = Box::new(Expr::LitU32(MAX_ITERATIONS));
                Expr::BinOp { op: BinOp::Min, left: Box::new(any), right: iterations }
            }
        };
        if self.open(Owner::Loop { var: var.clone(), from: from.expr, to }, is_uniform) {
            let is_uniform = is_uniform && self.flow.is_uniform();
            self.scope.bind(Local { name: var, ty: DataType::U32, is_loop_variable: true, is_uniform });
        }
    }

    pub(super) fn block_statement(&mut self) {
        self.open(Owner::Block, true);
    }

    pub(super) fn close_body(&mut self) {
        self.settle();
        if let Some(locals) = self.flow.leave() {
            self.scope.truncate(locals);
        }
    }

    pub(super) fn return_statement(&mut self) {
        if !self.careful || self.flow.may_leave() {
            self.flow.note_departure();
            self.flow.push(Node::Return);
        }
    }

    pub(super) fn break_statement(&mut self) {
        if !self.careful || self.flow.loop_depth() > 0 && self.flow.may_leave() {
            self.flow.note_departure();
            self.flow.push(Node::Break);
        }
    }

    pub(super) fn barrier_statement(&mut self) {
        if !self.careful || self.flow.is_uniform() {
            self.flow.note_rendezvous();
            self.flow.push(Node::Barrier);
        }
    }

    /// Opens a body, unless a careful program would nest too deeply.
    fn open(&mut self, owner: Owner, decision_is_uniform: bool) -> bool {
        if self.careful && self.flow.depth() >= MAX_DEPTH {
            return false;
        }
        self.settle();
        self.flow.enter(owner, self.scope.len(), decision_is_uniform);
        true
    }

    /// Flushes the stack before the body changes, because expressions depend on its variables and control flow.
    fn settle(&mut self) {
        if self.careful {
            self.flush();
        }
    }
}
