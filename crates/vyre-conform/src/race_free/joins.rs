//! Variables where ways through a program meet, and ways that end early.

use vyre_ir::{BinOp, DataType, Expr, Name, Node};

use super::buffers::Discipline;
use super::generator::Generator;
use super::shapes::var;

impl Generator<'_> {
    /// Stores something to an element of this invocation, where it has one: mostly another value in each `round`.
    fn store_own(&mut self, round: Option<&Name>) {
        let own = self.pick_buffer(|buffer| {
            let owned = matches!(buffer.discipline, Discipline::PerInvocation { .. } | Discipline::Private);
            owned && buffer.decl.access.is_writable() && buffer.length > 0
        });
        let Some(buffer) = own else { return };
        let index = match self.here.in_op {
            true => Some(Expr::LitU32(0)),
            false => self.index(buffer, true, 1),
        };
        let Some(index) = index else { return };
        let element = self.buffers[buffer].decl.element;
        let value = match round {
            Some(round) if self.random.chance(80) => {
                let word = var(round) * self.random.between(1, 9) + self.leaf(DataType::U32, false).expr;
                if element == DataType::U32 { word } else { word.cast(element) }
            }
            _ => self.value(element, 2, false).expr,
        };
        self.emit(Node::store(self.buffer_name(buffer), index, value));
    }

    /// A constant, or something else now and then.
    fn assigned_value(&mut self) -> Expr {
        if self.random.chance(75) { Expr::LitU32(self.random.number()) } else { self.leaf(DataType::U32, false).expr }
    }

    /// `if c { return; } else { x = 5; }` and its kin.
    pub(super) fn exit_or_assign(&mut self) -> bool {
        let start = self.assigned_value();
        let x = self.let_plain(start);
        if self.here.may_return && self.random.chance(50) {
            self.leave_or_assign(&x, &Node::Return, None);
            self.observe(DataType::U32, var(&x));
            if self.random.chance(40) {
                let rounds = self.affordable_rounds(3);
                self.counted_loop(Expr::LitU32(rounds), rounds, |g, _| {
                    g.observe(DataType::U32, var(&x));
                    if g.random.chance(50) {
                        g.emit(Node::assign(&x, var(&x) * 3u32 + 1u32));
                    }
                });
            }
            return true;
        }
        let rounds = self.affordable_rounds(4);
        self.counted_loop(Expr::LitU32(rounds), rounds, |g, round| {
            if g.random.chance(50) {
                g.observe(DataType::U32, var(&x));
            }
            if g.random.chance(50) {
                let value = g.assigned_value();
                g.emit(Node::assign(&x, value));
            }
            g.leave_or_assign(&x, &Node::Break, Some(round));
            g.observe(DataType::U32, var(&x));
            if g.random.chance(30) {
                let value = g.assigned_value();
                g.emit(Node::assign(&x, value));
            }
        });
        self.observe(DataType::U32, var(&x));
        true
    }

    /// A branch that leaves on one way and assigns on the other.
    fn leave_or_assign(&mut self, x: &Name, exit: &Node, round: Option<&Name>) {
        let cond = match round {
            Some(round) if self.random.chance(70) => var(round).ge(self.random.below(4)),
            _ => self.condition(2, false).expr,
        };
        let leaves_first = self.random.chance(50);
        let cond = if leaves_first { cond } else { cond.select(0u32, 1u32) };
        let leave = self.nested(self.apart(), |g| {
            if g.random.chance(30) {
                let value = g.assigned_value();
                g.emit(Node::assign(x, value));
            }
            if *exit == Node::Return && g.random.chance(70) {
                g.store_digest();
            }
            g.emit(exit.clone());
        });
        let assign = self.nested(self.apart(), |g| {
            let value = g.assigned_value();
            g.emit(Node::assign(x, value));
        });
        let (then, otherwise) = if leaves_first { (leave, assign) } else { (assign, leave) };
        self.emit(Node::if_then_else(cond, then, otherwise));
    }

    /// Variables that have known values on some ways to where they are read.
    pub(super) fn assigned_on_some_ways(&mut self) -> bool {
        let start = self.assigned_value();
        let x = self.let_plain(start);
        match self.random.below(4) {
            0 => {
                // The same on both ways.
                let value = self.assigned_value();
                let cond = self.condition(1, false).expr;
                let arm = |g: &mut Self| {
                    if g.random.chance(40) {
                        g.observe(DataType::U32, var(&x));
                    }
                    g.emit(Node::assign(&x, value.clone()));
                };
                let then = self.nested(self.apart(), arm);
                let otherwise = self.nested(self.apart(), arm);
                self.emit(Node::if_then_else(cond, then, otherwise));
            }
            1 => {
                // Overwritten before it is read, on all ways or on some.
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
                    let then = self.nested(self.apart(), again);
                    let otherwise = if self.random.chance(60) { self.nested(self.apart(), again) } else { Vec::new() };
                    self.emit(Node::if_then_else(cond, then, otherwise));
                }
            }
            _ => self.assign_in_branch(&x),
        }
        self.observe(DataType::U32, var(&x));
        if self.random.chance(60) {
            let rounds = self.affordable_rounds(3);
            self.counted_loop(Expr::LitU32(rounds), rounds, |g, _| {
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

    /// `if c { x = b; }`
    fn assign_in_branch(&mut self, x: &Name) {
        let cond = self.condition(2, false).expr;
        let then = self.nested(self.apart(), |g| {
            let value = g.assigned_value();
            g.emit(Node::assign(x, value));
        });
        self.emit(Node::if_then(cond, then));
    }

    /// Calls an op in every round.
    pub(super) fn call_in_loop(&mut self) -> bool {
        let mut called = false;
        let rounds = self.affordable_rounds(3);
        self.counted_loop(Expr::LitU32(rounds), rounds, |g, round| {
            let at = g.scope_word(round);
            g.observe(DataType::U32, at);
            let ty = g.ops.last().map_or(DataType::U32, |op| op.def.signature.output);
            if let Some(value) = g.call(ty, 1, false) {
                g.observe(ty, value.expr);
                called = true;
            }
        });
        called
    }

    /// Something of the round.
    fn scope_word(&mut self, round: &Name) -> Expr {
        let op = self.random.pick(&[BinOp::Add, BinOp::Mul, BinOp::BitXor]);
        Expr::binary(op, var(round), self.leaf(DataType::U32, false).expr)
    }

    /// Returns one after the other, or a return out of two loops.
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
                let then = self.nested(self.apart(), leave);
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
                let then = g.nested(g.here, leave);
                g.emit(Node::if_then(cond, then));
            });
        });
    }

    /// A loop that ends a program, with a store before it is left.
    pub(super) fn last_loop(&mut self, exit: &Node) {
        let rounds = self.random.between(2, 4);
        self.counted_loop(Expr::LitU32(rounds), rounds, |g, round| {
            if g.random.chance(40) || *exit == Node::Break {
                g.store_own(Some(round));
            }
            let cond = match g.random.chance(60) {
                true => var(round).ge(g.random.below(3)),
                false => g.condition(1, false).expr,
            };
            let then = g.nested(g.here, |g| {
                if *exit == Node::Return || g.random.chance(40) {
                    g.store_own(Some(round));
                }
                g.emit(exit.clone());
            });
            g.emit(Node::if_then(cond, then));
        });
    }
}
