//! Decoder of the wire format.

use std::collections::HashSet;

use foldhash::fast::RandomState;

use super::code::{self, Coded};
use super::{MAGIC, VERSION, WireError, WireErrorKind};
use crate::tree::push_statement;
use crate::{BufferDecl, Collective, Expr, Name, Node, Program};

/// Decodes a program.
///
/// Time and memory are bounded by the number of bytes.
///
/// # Errors
///
/// The first byte that [`to_wire`](super::to_wire) would not write.
pub fn from_wire(bytes: &[u8]) -> Result<Program, WireError> {
    let mut decoder =
        Decoder { bytes, position: 0, item: 0, names: Vec::new(), known: HashSet::default(), operands: Vec::new() };
    decoder.program().map_err(|kind| WireError { kind, offset: decoder.item })
}

type Outcome<T> = Result<T, WireErrorKind>;

struct Decoder<'b> {
    bytes: &'b [u8],
    position: usize,
    /// Start of the current item, for errors.
    item: usize,
    /// Names in the order of first use.
    names: Vec<Name>,
    known: HashSet<&'b str, RandomState>,
    operands: Vec<Expr>,
}

/// An open body.
struct OpenBody {
    nodes: Vec<Node>,
    owner: Owner,
}

enum Owner {
    Entry,
    Then { cond: Expr },
    Otherwise { cond: Expr, then: Vec<Node> },
    Loop { var: Name, from: Expr, to: Expr },
    Block,
}

impl<'b> Decoder<'b> {
    fn program(&mut self) -> Outcome<Program> {
        if self.take(MAGIC.len()).is_none_or(|magic| magic != MAGIC) {
            return Err(WireErrorKind::BadMagic);
        }
        let version = self.take(2).and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| self.unexpected_end())?;
        let version = u16::from_le_bytes(version);
        if version != VERSION {
            return Err(WireErrorKind::UnsupportedVersion(version));
        }
        let buffers = self.buffers()?;
        let workgroup_size = [self.number()?, self.number()?, self.number()?];
        let entry = self.entry()?;
        self.item = self.position;
        match self.bytes.len() - self.position {
            0 => Ok(Program { buffers, workgroup_size, entry }),
            left => Err(WireErrorKind::TrailingBytes(left)),
        }
    }

    /// Error at the end of the input.
    fn unexpected_end(&mut self) -> WireErrorKind {
        self.item = self.bytes.len();
        WireErrorKind::UnexpectedEnd
    }

    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let taken = self.bytes.get(self.position..self.position.checked_add(count)?)?;
        self.item = self.position;
        self.position += count;
        Some(taken)
    }

    fn byte(&mut self) -> Outcome<u8> {
        match self.bytes.get(self.position) {
            Some(&byte) => {
                self.item = self.position;
                self.position += 1;
                Ok(byte)
            }
            None => Err(self.unexpected_end()),
        }
    }

    fn number(&mut self) -> Outcome<u32> {
        let start = self.position;
        let mut number: u64 = 0;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                self.item = start;
                let superfluous = byte == 0 && shift > 0;
                return u32::try_from(number).ok().filter(|_| !superfluous).ok_or(WireErrorKind::BadNumber);
            }
        }
        self.item = start;
        Err(WireErrorKind::BadNumber)
    }

    /// Reads a number of items of at least one byte each. The count must not exceed the remaining bytes.
    fn count(&mut self) -> Outcome<usize> {
        let count = self.number()?;
        let left = self.bytes.len() - self.position;
        if count as usize > left { Err(WireErrorKind::TooLong { count, left }) } else { Ok(count as usize) }
    }

    fn name(&mut self) -> Outcome<Name> {
        let index = self.number()?;
        match self.names.get(index as usize) {
            Some(name) => Ok(name.clone()),
            None if index as usize == self.names.len() => self.new_name(),
            None => Err(WireErrorKind::UnknownName(index)),
        }
    }

    /// Reads a name at its first use.
    fn new_name(&mut self) -> Outcome<Name> {
        let length = self.count()?;
        let bytes = self.take(length).ok_or_else(|| self.unexpected_end())?;
        let name = std::str::from_utf8(bytes).map_err(|_| WireErrorKind::BadName)?;
        if !self.known.insert(name) {
            return Err(WireErrorKind::RepeatedName);
        }
        let name = Name::from(name);
        self.names.push(name.clone());
        Ok(name)
    }

    fn coded<T: Coded>(&mut self, what: &'static str) -> Outcome<T> {
        let code = self.byte()?;
        T::from_number(code).ok_or(WireErrorKind::UnknownCode { what, code })
    }

    fn flags(&mut self, known: u8, what: &'static str) -> Outcome<u8> {
        let code = self.byte()?;
        if code & !known == 0 { Ok(code) } else { Err(WireErrorKind::UnknownCode { what, code }) }
    }

    fn buffers(&mut self) -> Outcome<Vec<BufferDecl>> {
        let count = self.count()?;
        let mut buffers = Vec::new();
        for _ in 0..count {
            buffers.push(BufferDecl {
                name: self.name()?,
                binding: self.number()?,
                access: self.coded("access modes")?,
                element: self.coded("types")?,
                count: self.number()?,
                is_output: self.flags(code::IS_OUTPUT, "buffer flags")? != 0,
            });
        }
        Ok(buffers)
    }

    fn pop(&mut self) -> Outcome<Expr> {
        self.operands.pop().ok_or(WireErrorKind::MissingOperand)
    }

    fn boxed(&mut self) -> Outcome<Box<Expr>> {
        self.pop().map(Box::new)
    }

    /// Reads a count and pops as many operands.
    fn list(&mut self) -> Outcome<Vec<Expr>> {
        let count = self.number()? as usize;
        let start = self.operands.len().checked_sub(count).ok_or(WireErrorKind::MissingOperand)?;
        Ok(self.operands.split_off(start))
    }

    fn entry(&mut self) -> Outcome<Vec<Node>> {
        let mut open = vec![OpenBody { nodes: Vec::new(), owner: Owner::Entry }];
        loop {
            let start = self.position;
            let code = self.byte()?;
            if code >= code::LIT_U32 {
                let expr = self.expr(code).map_err(|kind| self.locate_operand_error(kind, start))?;
                self.operands.push(expr);
                continue;
            }
            let step = self.statement(code).and_then(|step| self.expect_no_operands().map(|()| step));
            let node = match step.map_err(|kind| self.locate_operand_error(kind, start))? {
                Step::Done(node) => node,
                Step::Opened(owner) => {
                    open.push(OpenBody { nodes: Vec::new(), owner });
                    continue;
                }
                Step::Closed => {
                    let OpenBody { nodes, owner } = open.pop().ok_or(WireErrorKind::UnexpectedEnd)?;
                    match owner {
                        Owner::Entry => return Ok(nodes),
                        Owner::Then { cond } => {
                            open.push(OpenBody { nodes: Vec::new(), owner: Owner::Otherwise { cond, then: nodes } });
                            continue;
                        }
                        Owner::Otherwise { cond, then } => Node::If { cond, then, otherwise: nodes },
                        Owner::Loop { var, from, to } => Node::Loop { var, from, to, body: nodes },
                        Owner::Block => Node::Block(nodes),
                    }
                }
            };
            if let Some(body) = open.last_mut() {
                push_statement(&mut body.nodes, node);
            }
        }
    }

    /// Moves an error about operands to the code at `start`, which has the wrong number of operands.
    fn locate_operand_error(&mut self, kind: WireErrorKind, start: usize) -> WireErrorKind {
        if matches!(kind, WireErrorKind::MissingOperand | WireErrorKind::SuperfluousOperand) {
            self.item = start;
        }
        kind
    }

    fn expect_no_operands(&self) -> Outcome<()> {
        if self.operands.is_empty() { Ok(()) } else { Err(WireErrorKind::SuperfluousOperand) }
    }

    fn statement(&mut self, code: u8) -> Outcome<Step> {
        Ok(match code {
            code::END => Step::Closed,
            code::LET => Step::Done(Node::Let { name: self.name()?, value: self.pop()? }),
            code::ASSIGN => Step::Done(Node::Assign { name: self.name()?, value: self.pop()? }),
            code::STORE => {
                let (buffer, value) = (self.name()?, self.pop()?);
                Step::Done(Node::Store { buffer, index: self.pop()?, value })
            }
            code::IF => Step::Opened(Owner::Then { cond: self.pop()? }),
            code::LOOP => {
                let (var, to) = (self.name()?, self.pop()?);
                Step::Opened(Owner::Loop { var, from: self.pop()?, to })
            }
            code::RETURN => Step::Done(Node::Return),
            code::BLOCK => Step::Opened(Owner::Block),
            code::BARRIER => Step::Done(Node::Barrier),
            code::BREAK => Step::Done(Node::Break),
            _ => return Err(WireErrorKind::UnknownCode { what: "statements", code }),
        })
    }

    fn expr(&mut self, code: u8) -> Outcome<Expr> {
        Ok(match code {
            code::LIT_U32 => Expr::LitU32(self.number()?),
            code::LIT_I32 => Expr::LitI32(self.number()?.cast_signed()),
            code::LIT_FALSE => Expr::LitBool(false),
            code::LIT_TRUE => Expr::LitBool(true),
            code::VAR => Expr::Var(self.name()?),
            code::LOAD => Expr::Load { buffer: self.name()?, index: self.boxed()? },
            code::BUF_LEN => Expr::BufLen { buffer: self.name()? },
            code::INVOCATION_ID => Expr::InvocationId { axis: self.number()? },
            code::WORKGROUP_ID => Expr::WorkgroupId { axis: self.number()? },
            code::LOCAL_ID => Expr::LocalId { axis: self.number()? },
            code::NUM_WORKGROUPS => Expr::NumWorkgroups { axis: self.number()? },
            code::BIN_OP => {
                let (op, right) = (self.coded("binary operators")?, self.boxed()?);
                Expr::BinOp { op, left: self.boxed()?, right }
            }
            code::UN_OP => Expr::UnOp { op: self.coded("unary operators")?, operand: self.boxed()? },
            code::CALL => Expr::Call { op_id: self.name()?, args: self.list()? },
            code::SELECT => {
                let (false_val, true_val) = (self.boxed()?, self.boxed()?);
                Expr::Select { cond: self.boxed()?, true_val, false_val }
            }
            code::CAST => Expr::Cast { target: self.coded("types")?, value: self.boxed()? },
            code::ATOMIC => {
                let (op, buffer) = (self.coded("atomic operators")?, self.name()?);
                let flags = self.flags(code::HAS_EXPECTED | code::HAS_VALUE, "atomic operands")?;
                let value = if flags & code::HAS_VALUE != 0 { Some(self.boxed()?) } else { None };
                let expected = if flags & code::HAS_EXPECTED != 0 { Some(self.boxed()?) } else { None };
                Expr::Atomic { op, buffer, index: self.boxed()?, expected, value }
            }
            code::EXTRACT => Expr::Extract { lane: self.number()?, value: self.boxed()? },
            code::PACK => Expr::Pack { ty: self.coded("types")?, lanes: self.list()? },
            code::BROADCAST => {
                let lane = self.boxed()?;
                Expr::Collective(Collective::Broadcast { value: self.boxed()?, lane })
            }
            code::SHUFFLE => {
                let lane = self.boxed()?;
                Expr::Collective(Collective::Shuffle { value: self.boxed()?, lane })
            }
            code::REDUCE => {
                Expr::Collective(Collective::Reduce { op: self.coded("reductions")?, value: self.boxed()? })
            }
            code::SCAN_EXCLUSIVE => {
                Expr::Collective(Collective::ScanExclusive { op: self.coded("reductions")?, value: self.boxed()? })
            }
            code::SCAN_INCLUSIVE => {
                Expr::Collective(Collective::ScanInclusive { op: self.coded("reductions")?, value: self.boxed()? })
            }
            code::BALLOT => Expr::Collective(Collective::Ballot { predicate: self.boxed()? }),
            _ => return Err(WireErrorKind::UnknownCode { what: "expressions", code }),
        })
    }
}

/// Result of decoding a statement code.
enum Step {
    Done(Node),
    Opened(Owner),
    Closed,
}
