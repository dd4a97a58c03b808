//! Stack machine that builds a program: its state and its steps.

use vyre_ir::{BufferAccess, BufferDecl, DataType, Expr, Name, Node, Program};

use super::Care;
use super::choices::Choices;
use super::flow::Flow;
use super::scope::Scope;

pub(super) struct Machine<'b> {
    pub(super) choices: Choices<'b>,
    care: Care,
    /// True if the current step respects the rules.
    pub(super) careful: bool,
    pub(super) buffers: Vec<BufferDecl>,
    pub(super) workgroup_size: [u32; 3],
    /// Stack of expressions.
    pub(super) values: Vec<Value>,
    pub(super) scope: Scope,
    pub(super) flow: Flow,
}

/// An expression with its type and uniformity.
pub(super) struct Value {
    pub(super) expr: Expr,
    pub(super) ty: DataType,
    pub(super) is_uniform: bool,
}

/// A step of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Leaf,
    Load,
    Binary,
    Unary,
    Call,
    Select,
    Cast,
    Atomic,
    Extract,
    Pack,
    Collective,
    Let,
    Assign,
    Store,
    If,
    Else,
    Loop,
    Block,
    Close,
    Return,
    Barrier,
    Break,
    /// The next step may break the rules.
    Slip,
}

/// Steps with their weights. Bodies are closed as often as they are opened.
const STEPS: [(Step, u8); 23] = [
    (Step::Leaf, 12),
    (Step::Load, 4),
    (Step::Binary, 7),
    (Step::Unary, 2),
    (Step::Call, 1),
    (Step::Select, 2),
    (Step::Cast, 2),
    (Step::Atomic, 2),
    (Step::Extract, 2),
    (Step::Pack, 1),
    (Step::Collective, 2),
    (Step::Let, 6),
    (Step::Assign, 4),
    (Step::Store, 5),
    (Step::If, 3),
    (Step::Else, 2),
    (Step::Loop, 2),
    (Step::Block, 1),
    (Step::Close, 6),
    (Step::Return, 1),
    (Step::Barrier, 2),
    (Step::Break, 1),
    (Step::Slip, 1),
];

impl Step {
    fn from_byte(byte: u8) -> Step {
        let total = STEPS.iter().map(|&(_, weight)| weight).sum::<u8>();
        let mut left = byte % total;
        for (step, weight) in STEPS {
            match left.checked_sub(weight) {
                Some(rest) => left = rest,
                None => return step,
            }
        }
        Step::Leaf
    }
}

impl<'b> Machine<'b> {
    pub(super) fn new(care: Care, bytes: &'b [u8]) -> Machine<'b> {
        let mut choices = Choices::new(bytes);
        let (buffers, workgroup_size) = match care {
            Care::None => (any_buffers(&mut choices), [choices.number(), choices.number(), choices.number()]),
            Care::Full | Care::WithSlips => {
                let sizes = [[64, 1, 1], [1, 1, 1], [8, 1, 1], [32, 1, 1], [4, 4, 2], [16, 16, 1]];
                (buffers_with_roles(choices.byte()), choices.pick(&sizes))
            }
        };
        Machine {
            choices,
            care,
            careful: care != Care::None,
            buffers,
            workgroup_size,
            values: Vec::new(),
            scope: Scope::default(),
            flow: Flow::default(),
        }
    }

    pub(super) fn run(mut self) -> Program {
        let mut slip = false;
        while let Some(byte) = self.choices.next() {
            let step = Step::from_byte(byte);
            if step == Step::Slip {
                slip = true;
                continue;
            }
            self.careful = match self.care {
                Care::None => false,
                Care::Full => true,
                Care::WithSlips => !slip,
            };
            slip = false;
            self.step(step);
        }
        self.flush();
        Program::new(self.buffers, self.workgroup_size, self.flow.finish())
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Leaf
            | Step::Load
            | Step::Binary
            | Step::Unary
            | Step::Call
            | Step::Select
            | Step::Cast
            | Step::Atomic
            | Step::Extract
            | Step::Pack
            | Step::Collective => {
                let value = self.expression(step);
                self.values.push(value);
            }
            Step::Let => self.let_statement(),
            Step::Assign => self.assign_statement(),
            Step::Store => self.store_statement(),
            Step::If => self.if_statement(),
            Step::Else => self.else_body(),
            Step::Loop => self.loop_statement(),
            Step::Block => self.block_statement(),
            Step::Close => self.close_body(),
            Step::Return => self.return_statement(),
            Step::Barrier => self.barrier_statement(),
            Step::Break => self.break_statement(),
            Step::Slip => {}
        }
    }

    /// Emits statements that evaluate the unused expressions.
    pub(super) fn flush(&mut self) {
        for Value { expr: value, .. } in self.values.drain(..) {
            self.flow.push(Node::Let { name: Name::from(Name::DISCARD), value });
        }
    }
}

/// Buffers of a plausible program. The bits of `optional` select those beyond the usual four.
fn buffers_with_roles(optional: u8) -> Vec<BufferDecl> {
    let mut buffers = vec![
        BufferDecl::read("input", 0, DataType::U32),
        BufferDecl::uniform("params", 1, DataType::U32),
        BufferDecl::output("sums", 2, DataType::U32),
        BufferDecl::workgroup("tile", 64, DataType::U32),
    ];
    let others = [
        BufferDecl::read_write("counters", 3, DataType::U32),
        BufferDecl::read_write("wide", 4, DataType::U64),
        BufferDecl::read("signed", 5, DataType::I32),
        BufferDecl::read_write("flags", 6, DataType::Bool),
        BufferDecl::read("pairs", 7, DataType::Vec2U32),
        BufferDecl::read_write("quads", 8, DataType::Vec4U32),
        BufferDecl::read("raw", 9, DataType::Bytes),
        BufferDecl::workgroup("wide_tile", 16, DataType::Vec4U32),
    ];
    buffers.extend(
        others.into_iter().enumerate().filter_map(|(bit, buffer)| (optional >> bit & 1 != 0).then_some(buffer)),
    );
    buffers
}

fn any_buffers(choices: &mut Choices<'_>) -> Vec<BufferDecl> {
    let count = choices.below(5);
    let buffer = |_| BufferDecl {
        name: choices.name(),
        binding: choices.number(),
        access: choices.pick(&BufferAccess::ALL),
        element: choices.pick(&DataType::ALL),
        count: choices.number(),
        is_output: choices.byte() % 2 == 1,
    };
    (0..count).map(buffer).collect()
}
