//! Construction of the tree from postfix code, with a stack of operands and a stack of open bodies.

use super::code::{self, Coded};
use super::{Buffer, Item, PostfixCode, is_expr};
use crate::tree::push_statement;
use crate::{BodyKind, BufferDecl, Collective, Expr, Name, Node, Program};

/// Message of the panics below: parser and decoder write only well-formed code.
const WELL_FORMED: &str = "postfix code is well-formed";

/// An open body. Expressions of its statement are on another stack, so that open bodies are small.
struct OpenBody {
    nodes: Vec<Node>,
    /// Position of the statement that owns the body; the entry has none.
    statement: u32,
    kind: BodyKind,
}

impl PostfixCode<'_> {
    /// Builds the tree.
    pub(crate) fn to_program(&self) -> Program {
        let names: Vec<Name> = self.names.iter().map(|name| Name::from(&**name)).collect();
        let buffer = |buffer: &Buffer| BufferDecl {
            name: names[buffer.name as usize].clone(),
            binding: buffer.binding,
            access: buffer.access,
            element: buffer.element,
            count: buffer.count,
            is_output: buffer.is_output,
        };
        Program {
            buffers: self.buffers.iter().map(buffer).collect(),
            workgroup_size: self.workgroup_size,
            entry: self.entry(&names),
        }
    }

    fn entry(&self, names: &[Name]) -> Vec<Node> {
        let name = |item: &Item| names[item.payload as usize].clone();
        let mut operands: Vec<Expr> = Vec::new();
        // Expressions of the statements with open bodies.
        let mut heads: Vec<Expr> = Vec::new();
        let mut open = vec![OpenBody { nodes: Vec::new(), statement: 0, kind: BodyKind::Entry }];
        for (position, item) in self.items.iter().enumerate() {
            if is_expr(item.code) {
                let expr = self.expr(position, names, &mut operands);
                operands.push(expr);
                continue;
            }
            let mut pop = || operands.pop().expect(WELL_FORMED);
            let mut enter = |kind| open.push(OpenBody { nodes: Vec::new(), statement: position as u32, kind });
            let node = match item.code {
                code::LET => Node::Let { name: name(item), value: pop() },
                code::ASSIGN => Node::Assign { name: name(item), value: pop() },
                code::STORE => {
                    let value = pop();
                    Node::Store { buffer: name(item), index: pop(), value }
                }
                code::RETURN => Node::Return,
                code::BARRIER => Node::Barrier,
                code::BREAK => Node::Break,
                code::IF => {
                    heads.push(pop());
                    enter(BodyKind::Then);
                    continue;
                }
                code::LOOP => {
                    let to = pop();
                    heads.push(pop());
                    heads.push(to);
                    enter(BodyKind::Loop);
                    continue;
                }
                code::BLOCK => {
                    enter(BodyKind::Block);
                    continue;
                }
                _ => {
                    let OpenBody { nodes, statement, kind } = open.pop().expect(WELL_FORMED);
                    match kind {
                        BodyKind::Entry => return nodes,
                        BodyKind::Then => {
                            // The first body stays below the second.
                            open.push(OpenBody { nodes, statement, kind });
                            open.push(OpenBody { nodes: Vec::new(), statement, kind: BodyKind::Otherwise });
                            continue;
                        }
                        BodyKind::Otherwise => {
                            let then = open.pop().expect(WELL_FORMED).nodes;
                            Node::If { cond: heads.pop().expect(WELL_FORMED), then, otherwise: nodes }
                        }
                        BodyKind::Loop => {
                            let to = heads.pop().expect(WELL_FORMED);
                            let from = heads.pop().expect(WELL_FORMED);
                            Node::Loop { var: name(&self.items[statement as usize]), from, to, body: nodes }
                        }
                        BodyKind::Block => Node::Block(nodes),
                    }
                }
            };
            push_statement(&mut open.last_mut().expect(WELL_FORMED).nodes, node);
        }
        unreachable!("{WELL_FORMED}")
    }

    fn expr(&self, position: usize, names: &[Name], operands: &mut Vec<Expr>) -> Expr {
        fn coded<T: Coded>(item: &Item) -> T {
            T::from_number(item.detail).expect(WELL_FORMED)
        }
        let item = &self.items[position];
        let name = || names[item.payload as usize].clone();
        if matches!(item.code, code::CALL | code::PACK) {
            let list = operands.split_off(operands.len() - self.operands(position).count());
            return if item.code == code::CALL {
                Expr::Call { op_id: name(), args: list }
            } else {
                Expr::Pack { ty: coded(item), lanes: list }
            };
        }
        let mut pop = || Box::new(operands.pop().expect(WELL_FORMED));
        match item.code {
            code::LIT_U32 => Expr::LitU32(item.payload),
            code::LIT_I32 => Expr::LitI32(item.payload.cast_signed()),
            code::LIT_FALSE => Expr::LitBool(false),
            code::LIT_TRUE => Expr::LitBool(true),
            code::VAR => Expr::Var(name()),
            code::LOAD => Expr::Load { buffer: name(), index: pop() },
            code::BUF_LEN => Expr::BufLen { buffer: name() },
            code::INVOCATION_ID => Expr::InvocationId { axis: item.payload },
            code::WORKGROUP_ID => Expr::WorkgroupId { axis: item.payload },
            code::LOCAL_ID => Expr::LocalId { axis: item.payload },
            code::NUM_WORKGROUPS => Expr::NumWorkgroups { axis: item.payload },
            code::BIN_OP => {
                let right = pop();
                Expr::BinOp { op: coded(item), left: pop(), right }
            }
            code::UN_OP => Expr::UnOp { op: coded(item), operand: pop() },
            code::SELECT => {
                let (false_val, true_val) = (pop(), pop());
                Expr::Select { cond: pop(), true_val, false_val }
            }
            code::CAST => Expr::Cast { target: coded(item), value: pop() },
            code::ATOMIC | code::WORKGROUP_ATOMIC => {
                let value = (item.flags & code::HAS_VALUE != 0).then(&mut pop);
                let expected = (item.flags & code::HAS_EXPECTED != 0).then(&mut pop);
                let (op, buffer, index) = (coded(item), name(), pop());
                if item.code == code::ATOMIC {
                    Expr::Atomic { op, buffer, index, expected, value }
                } else {
                    Expr::WorkgroupAtomic { op, buffer, index, expected, value }
                }
            }
            code::EXTRACT => Expr::Extract { lane: item.payload, value: pop() },
            code::BROADCAST => {
                let lane = pop();
                Expr::Collective(Collective::Broadcast { value: pop(), lane })
            }
            code::SHUFFLE => {
                let lane = pop();
                Expr::Collective(Collective::Shuffle { value: pop(), lane })
            }
            code::REDUCE => Expr::Collective(Collective::Reduce { op: coded(item), value: pop() }),
            code::SCAN_EXCLUSIVE => Expr::Collective(Collective::ScanExclusive { op: coded(item), value: pop() }),
            code::SCAN_INCLUSIVE => Expr::Collective(Collective::ScanInclusive { op: coded(item), value: pop() }),
            code::BALLOT => Expr::Collective(Collective::Ballot { predicate: pop() }),
            _ => unreachable!("{WELL_FORMED}"),
        }
    }
}
