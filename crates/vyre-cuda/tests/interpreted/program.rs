//! Parser of the subset of PTX that the backend emits.

use std::collections::HashMap;

/// Parsed kernel.
pub(crate) struct Program {
    pub(crate) code: Vec<Instruction>,
    /// Number of registers of all kinds.
    pub(crate) registers: usize,
    /// Static shared memory, in bytes.
    pub(crate) shared_bytes: usize,
}

pub(crate) struct Instruction {
    /// Predicate register and the value that it must have for the instruction to be executed.
    pub(crate) guard: Option<(usize, bool)>,
    pub(crate) op: Op,
    pub(crate) operands: Vec<Operand>,
}

#[derive(Clone, Debug)]
pub(crate) enum Operand {
    Register(usize),
    Number(u64),
    /// `%tid` (0 to 2) or `%ctaid` (3 to 5) on an axis.
    Position(usize),
    Label(usize),
    Parameter(String),
    /// Base address and offset.
    Address(Box<Operand>, u64),
    /// Words of a vector, or the two results of a shuffle.
    List(Vec<Operand>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Copy,
    Add,
    Sub,
    MulLow,
    MulHigh,
    And,
    Or,
    Xor,
    Min,
    Max,
    ShiftLeft,
    ShiftRight,
    Divide,
    Remainder,
    AddAddress,
    MulWide,
    Lookup,
    Negate,
    NotPredicate,
    Popcount,
    LeadingZeros,
    Reverse,
    AbsDiffAdd,
    MulAdd,
    Select,
    Funnel,
    Compare(Test),
    Load {
        is_shared: bool,
        is_cached: bool,
        is_byte: bool,
    },
    Store {
        is_shared: bool,
    },
    Atomic {
        update: Update,
        is_shared: bool,
    },
    /// Atomic without a result.
    Update {
        update: Update,
        is_shared: bool,
    },
    CompareExchange {
        is_shared: bool,
    },
    Branch,
    Exit,
    Barrier,
    WarpBarrier,
    ShuffleUp,
    ShuffleXor,
    ShuffleIndex,
    Vote,
    Reduce(Update),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Update {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exchange,
}

struct Parser {
    /// Index of the first register of each kind, by the letters of its name.
    first: HashMap<String, usize>,
    labels: HashMap<String, usize>,
}

impl Program {
    pub(crate) fn parse(text: &str) -> Result<Program, String> {
        let mut parser = Parser { first: HashMap::new(), labels: HashMap::new() };
        let (mut registers, mut shared_bytes, mut lines) = (0, 0, Vec::new());
        let mut is_body = false;
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if let Some(size) = line.strip_prefix(".shared .align 16 .b8 vyre_shared[") {
                shared_bytes = number(size.trim_end_matches("];"))? as usize;
            } else if let Some(declared) = line.strip_prefix(".reg ") {
                let (_, names) = declared.split_once('%').ok_or("registers without a name")?;
                let (name, count) = names.split_once('<').ok_or("registers without a number")?;
                parser.first.insert(name.to_owned(), registers);
                registers += number(count.trim_end_matches(">;"))? as usize;
            } else if line == "{" {
                is_body = true;
            } else if let Some(label) = line.strip_suffix(':') {
                parser.labels.insert(label.to_owned(), lines.len());
            } else if is_body && line != "}" {
                lines.push(line.trim_end_matches(';'));
            }
        }
        let code = lines.iter().map(|line| parser.instruction(line).map_err(|error| format!("{line}: {error}")));
        Ok(Program { code: code.collect::<Result<_, _>>()?, registers, shared_bytes })
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}

impl Parser {
    fn instruction(&self, line: &str) -> Result<Instruction, String> {
        let (guard, line) = match line.strip_prefix('@') {
            None => (None, line),
            Some(guarded) => {
                let (register, line) = guarded.split_once(' ').ok_or("a guard of nothing")?;
                let holds = !register.starts_with('!');
                (Some((self.register(register.trim_start_matches('!'))?, holds)), line)
            }
        };
        let (name, operands) = line.split_once(' ').unwrap_or((line, ""));
        let operands = split_operands(operands).into_iter().map(|text| self.operand(text)).collect::<Result<_, _>>()?;
        Ok(Instruction { guard, op: op(name).ok_or_else(|| format!("`{name}` is not known"))?, operands })
    }

    fn register(&self, text: &str) -> Result<usize, String> {
        let name = text.strip_prefix('%').ok_or_else(|| format!("`{text}` is no register"))?;
        let digits = name.find(|character: char| character.is_ascii_digit()).ok_or("a register without a number")?;
        let (kind, position) = name.split_at(digits);
        let first = self.first.get(kind).ok_or_else(|| format!("no registers `{kind}` were declared"))?;
        Ok(first + number(position)? as usize)
    }

    fn operand(&self, text: &str) -> Result<Operand, String> {
        let text = text.trim();
        const POSITIONS: [&str; 6] = ["%tid.x", "%tid.y", "%tid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z"];
        if let Some(position) = POSITIONS.iter().position(|name| *name == text) {
            return Ok(Operand::Position(position));
        }
        if let Some(address) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            return match address.split_once('+') {
                Some((base, offset)) => Ok(Operand::Address(Box::new(self.operand(base)?), number(offset)?)),
                None if address.starts_with('%') => Ok(Operand::Address(Box::new(self.operand(address)?), 0)),
                None => Ok(Operand::Parameter(address.to_owned())),
            };
        }
        if let Some(list) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
            return list.split(',').map(|word| self.operand(word)).collect::<Result<_, _>>().map(Operand::List);
        }
        if text.contains('|') {
            return text.split('|').map(|word| self.operand(word)).collect::<Result<_, _>>().map(Operand::List);
        }
        match text {
            "vyre_shared" => Ok(Operand::Number(0)),
            _ if text.starts_with('%') => self.register(text).map(Operand::Register),
            _ if text.starts_with('$') => {
                self.labels.get(text).map(|&at| Operand::Label(at)).ok_or_else(|| format!("no label {text}"))
            }
            _ => number(text).map(Operand::Number),
        }
    }
}

/// Splits the operands of an instruction at commas outside braces.
fn split_operands(text: &str) -> Vec<&str> {
    let (mut pieces, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                pieces.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        pieces.push(&text[start..]);
    }
    pieces
}

fn update(name: &str) -> Option<Update> {
    Some(match name {
        "add.u32" => Update::Add,
        "min.u32" => Update::Min,
        "max.u32" => Update::Max,
        "and.b32" => Update::And,
        "or.b32" => Update::Or,
        "xor.b32" => Update::Xor,
        "exch.b32" => Update::Exchange,
        _ => return None,
    })
}

fn op(name: &str) -> Option<Op> {
    if let Some(test) = name.strip_prefix("setp.").and_then(|test| test.strip_suffix(".u32")) {
        return Some(Op::Compare(match test {
            "eq" => Test::Equal,
            "ne" => Test::NotEqual,
            "lt" => Test::Less,
            "le" => Test::LessOrEqual,
            "gt" => Test::Greater,
            "ge" => Test::GreaterOrEqual,
            _ => return None,
        }));
    }
    for (space, is_shared) in [("gpu.global.", false), ("cta.shared.", true)] {
        if let Some(name) = name.strip_prefix("atom.relaxed.").and_then(|name| name.strip_prefix(space)) {
            return match name {
                "cas.b32" => Some(Op::CompareExchange { is_shared }),
                _ => update(name).map(|update| Op::Atomic { update, is_shared }),
            };
        }
        if let Some(name) = name.strip_prefix("red.relaxed.").and_then(|name| name.strip_prefix(space)) {
            let update = update(name).filter(|update| *update != Update::Exchange)?;
            return Some(Op::Update { update, is_shared });
        }
    }
    if let Some(name) = name.strip_prefix("redux.sync.") {
        return update(name).filter(|update| *update != Update::Exchange).map(Op::Reduce);
    }
    if name.starts_with("ld.param.") {
        return Some(Op::Copy);
    }
    let is_shared = name.contains(".shared.");
    if name.starts_with("ld.") {
        return Some(Op::Load { is_shared, is_cached: name.contains(".nc."), is_byte: name.ends_with(".u8") });
    }
    if name.starts_with("st.") {
        return Some(Op::Store { is_shared });
    }
    Some(match name {
        "mov.u32" | "mov.pred" | "cvta.to.global.u64" => Op::Copy,
        "add.u32" => Op::Add,
        "sub.u32" => Op::Sub,
        "mul.lo.u32" => Op::MulLow,
        "mul.hi.u32" => Op::MulHigh,
        "and.b32" | "and.pred" => Op::And,
        "or.b32" | "or.pred" => Op::Or,
        "xor.b32" => Op::Xor,
        "min.u32" => Op::Min,
        "max.u32" => Op::Max,
        "shl.b32" => Op::ShiftLeft,
        "shr.u32" => Op::ShiftRight,
        "div.u32" => Op::Divide,
        "rem.u32" => Op::Remainder,
        "add.s64" => Op::AddAddress,
        "mul.wide.u32" => Op::MulWide,
        "lop3.b32" => Op::Lookup,
        "neg.s32" => Op::Negate,
        "not.pred" => Op::NotPredicate,
        "popc.b32" => Op::Popcount,
        "clz.b32" => Op::LeadingZeros,
        "brev.b32" => Op::Reverse,
        "sad.u32" => Op::AbsDiffAdd,
        "mad.lo.u32" => Op::MulAdd,
        "selp.b32" => Op::Select,
        "shf.r.wrap.b32" => Op::Funnel,
        "bra" => Op::Branch,
        "exit" | "ret" => Op::Exit,
        "barrier.sync" => Op::Barrier,
        "bar.warp.sync" => Op::WarpBarrier,
        "shfl.sync.up.b32" => Op::ShuffleUp,
        "shfl.sync.bfly.b32" => Op::ShuffleXor,
        "shfl.sync.idx.b32" => Op::ShuffleIndex,
        "vote.sync.ballot.b32" => Op::Vote,
        _ => return None,
    })
}
