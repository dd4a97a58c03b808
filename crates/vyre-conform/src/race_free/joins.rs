//! Variables at joins of control flow, and paths that end early.

use vyre_ir::{BinOp, DataType, Expr, Name, Node};

use super::buffers::Discipline;
use super::generator::Generator;
use super::pitfalls::var;

impl Generator<'_> {
    /// Stores to an element of this invocation, if it owns one; usually another value in each `iteration`.
    fn store_own(&mut self, iteration: Option<&Name>) {
        let own = self.pick_buffer(|buffer| {
            let owned = matches!(buffer.discipline, Discipline::PerInvocation { .. } | Discipline::Private);
            owned && buffer.decl.access.is_writable() && buffer.length > 0
        });
        let Some(buffer) = own else { return };
        let index = match self.context.in_op {
            true => Some(Expr::LitU32(0)),
            false => self.index(buffer, true, 1),
        };
        let Some(index) = index else { return };
        let element = self.buffers[buffer].decl.element;
        let value = match iteration {
            Some(iteration) if self.random.chance(80) => {
                let word = var(iteration) * self.random.between(1, 9) + self.leaf(DataType::U32, false).expr;
                if element == DataType::U32 { word } else { word.cast(element) }
            }
            _ => self.value(element, 2, false).expr,
        };
        self.emit(Node::store(self.buffer_name(buffer), index, value));
    }

    /// A constant, sometimes another expression.
    fn assigned_value(&mut self) -> Expr {
        if self.random.chance(75) { Expr::LitU32(self.random.number()) } else { self.leaf(DataType::U32, false).expr }
    }

    /// Emits `if c { return; } else { x = 5; }` and variants.
    pub(super) fn exit_or_assign(&mut self) -> bool {
        let start = self.assigned_value();
        let x = self.let_plain(start);
        if self.context.may_return && self.random.chance(50) {
            self.leave_or_assign(&x, &Node::Return, None);
            self.observe(DataType::U32, var(&x));
            if self.random.chance(40) {
                let iterations = self.affordable_iterations(3);
                self.counted_loop(Expr::LitU32(iterations), iterations, |g, _| {
                    g.observe(DataType::U32, var(&x));
                    if g.random.chance(50) {
                        g.emit(Node::assign(&x, var(&x) * 3u32 + 1u32));
                    }
                });
            }
            return true;
        }
        let iterations = self.affordable_iterations(4);
        self.counted_loop(Expr::LitU32(iterations), iterations, |g, iteration| {
            if g.random.chance(50) {
                g.observe(DataType::U32, var(&x));
            }
            if g.random.chance(50) {
                let value = g.assigned_value();
                g.emit(Node::assign(&x, value));
            }
            g.leave_or_assign(&x, &Node::Break, Some(iteration));
            g.observe(DataType::U32, var(&x));
            if g.random.chance(30) {
                let value = g.assigned_value();
                g.emit(Node::assign(&x, value));
            }
        });
        self.observe(DataType::U32, var(&x));
        true
    }

    /// Emits a branch that exits on one path and assigns on the other.
    fn leave_or_assign(&mut self, x: &Name, exit: &Node, iteration: Option<&Name>) {
        let cond = match iteration {
            Some(iteration) if self.random.chance(70) => var(iteration).ge(self.random.below(4)),
            _ => self.condition(2, false).expr,
        };
        let leaves_first = self.random.chance(50);
        let cond = if leaves_first { cond } else { cond.select(0u32, 1u32) };
        let leave = self.nested(self.divergent_context(), |g| {
            if g.random.chance(30) {
                let value = g.assigned_value();
                g.emit(Node::assign(x, value));
            }
            if *exit == Node::Return && g.random.chance(70) {
                g.store_digest();
            }
            g.emit(exit.clone());
        });
        let assign = self.nested(self.divergent_context(), |g| {
            let value = g.assigned_value();
            g.emit(Node::assign(x, value));
        });
        let (then, otherwise) = if leaves_first { (leave, assign) } else { (assign, leave) };
        self.emit(Node::if_then_else(cond, then, otherwise));
    }

    /// Emits variables that are constant on some paths to their use (partial constant propagation).
    pub(super) fn assigned_on_some_paths(&mut self) -> bool {
        let start = self.assigned_value();
        let x = self.let_plain(start);
        match self.random.below(4) {
            0 => {
                // Equal on both paths.
                let value = self.assigned_value();
                let cond = self.condition(1, false).expr;
                let arm = |g: &mut Self| {
                    if g.random.chance(40) {
                        g.observe(DataType::U32, var(&x));
                    }
                    g.emit(Node::assign(&x, value.clone()));
                };
                let then = self.nested(self.divergent_context(), arm);
                let otherwise = self.nested(self.divergent_context(), arm);
                self.emit(Node::if_then_else(cond, then, otherwise));
            }
            1 => {
                // Dead stores, on all paths or on some.
                let value = self.assigned_value();
                self.emit(Node::assign(&x, value));
                let again = |g: &mut Self| {
                    let value = g.assigned_value();
                    g.emit(Node::assign(&x, value));
                };
                if self.random.chance(50) {
                    again(self);
                } else {
                    let cond = self.condition(1, false).expr;
                    let then = self.nested(self.divergent_context(), again);
                    let otherwise =
                        if self.random.chance(60) { self.nested(self.divergent_context(), again) } else { Vec::new() };
                    self.emit(Node::if_then_else(cond, then, otherwise));
                }
            }
            _ => self.assign_in_branch(&x),
        }
        self.observe(DataType::U32, var(&x));
        if self.random.chance(60) {
            let iterations = self.affordable_iterations(3);
            self.counted_loop(Expr::LitU32(iterations), iterations, |g, _| {
                g.observe(DataType::U32, var(&x));
                match g.random.below(3) {
                    0 => g.assign_in_branch(&x),
                    1 => {
                        let value = g.assigned_value();
                        g.emit(Node::assign(&x, value));
                        g.assign_in_branch(&x);
                        g.observe(DataType::U32, var(&x));
                    }
                    _ => {}
                }
            });
            self.observe(DataType::U32, var(&x));
        }
        true
    }

    /// Emits `if c { x = b; }`.
    fn assign_in_branch(&mut self, x: &Name) {
        let cond = self.condition(2, false).expr;
        let then = self.nested(self.divergent_context(), |g| {
            let value = g.assigned_value();
            g.emit(Node::assign(x, value));
        });
        self.emit(Node::if_then(cond, then));
    }

    /// Emits a call in every iteration of a loop.
    pub(super) fn call_in_loop(&mut self) -> bool {
        let mut called = false;
        let iterations = self.affordable_iterations(3);
        self.counted_loop(Expr::LitU32(iterations), iterations, |g, iteration| {
            let at = g.scope_word(iteration);
            g.observe(DataType::U32, at);
            let ty = g.ops.last().map_or(DataType::U32, |op| op.def.signature.output);
            if let Some(value) = g.call(ty, 1, false) {
                g.observe(ty, value.expr);
                called = true;
            }
        });
        called
    }

    /// An expression of the loop variable.
    fn scope_word(&mut self, iteration: &Name) -> Expr {
        let op = self.random.pick(&[BinOp::Add, BinOp::Mul, BinOp::BitXor]);
        Expr::binary(op, var(iteration), self.leaf(DataType::U32, false).expr)
    }

    /// Emits consecutive returns, or a return out of nested loops.
    pub(super) fn early_returns(&mut self) {
        let leave = |g: &mut Self| {
            if g.random.chance(75) {
                g.store_own(None);
            }
            g.emit(Node::Return);
        };
        if self.random.chance(55) {
            for _ in 0..self.random.between(2, 3) {
                let cond = self.condition(1, false).expr;
                let then = self.nested(self.divergent_context(), leave);
                self.emit(Node::if_then(cond, then));
            }
            return;
        }
        let (outer, inner) = (self.let_small(3), self.random.between(1, 3));
        self.counted_loop(var(&outer) + 1u32, 3, |g, row| {
            g.counted_loop(Expr::LitU32(inner), inner, |g, column| {
                let value = g.scope_word(row);
                g.observe(DataType::U32, value);
                let cond = match g.random.chance(50) {
                    true => (var(row) + var(column)).ge(g.random.between(1, 3)),
                    false => g.condition(1, false).expr,
                };
                let then = g.nested(g.context, leave);
                g.emit(Node::if_then(cond, then));
            });
        });
    }

    /// Emits a loop at the end of the program, with a store before its exit.
    pub(super) fn last_loop(&mut self, exit: &Node) {
        let iterations = self.random.between(2, 4);
        self.counted_loop(Expr::LitU32(iterations), iterations, |g, iteration| {
            if g.random.chance(40) || *exit == Node::Break {
                g.store_own(Some(iteration));
            }
            let cond = match g.random.chance(60) {
                true => var(iteration).ge(g.random.below(3)),
                false => g.condition(1, false).expr,
            };
            let then = g.nested(g.context, |g| {
                if *exit == Node::Return || g.random.chance(40) {
                    g.store_own(Some(iteration));
                }
                g.emit(exit.clone());
            });
            g.emit(Node::if_then(cond, then));
        });
    }
}
