//! Postfix code (reverse Polish notation) of a program in a flat array, 12 bytes for each statement, expression and end
//! of a body.
//!
//! Items are in evaluation order: the operands of an expression before it, the expressions of a statement before it, and
//! its bodies after it, each with an end. Parser and wire decoder write this code. Tree builder, wire encoder and printer
//! read it, so conversions between text and wire build no tree. Memory depends on the number of items and not on the
//! shape of the program, and nothing recurses.
//!
//! The code lives only during a conversion. Everywhere else programs are trees or kernels.

pub(crate) mod code;
mod head;
mod tree;

pub(crate) use code::Coded;
pub(crate) use head::Head;

use std::borrow::Cow;

use crate::{BodyKind, BufferAccess, BufferDecl, DataType, Event, Name, Program, Traversal};

/// A statement, an expression or the end of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// Code of the statement or expression.
    pub(crate) code: u8,
    /// Number of the operator or type.
    pub(crate) detail: u8,
    /// Operands of an atomic.
    pub(crate) flags: u8,
    /// Literal, axis, component or index of the name. Of an `If`, the position of the end of its second body.
    pub(crate) payload: u32,
    /// Position of the first item of the expression, or of the expressions of the statement.
    pub(crate) start: u32,
}

const _: () = assert!(size_of::<Item>() == 12);

/// A buffer declaration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffer {
    /// Index of the name.
    pub(crate) name: u32,
    pub(crate) binding: u32,
    pub(crate) access: BufferAccess,
    pub(crate) element: DataType,
    pub(crate) count: u32,
    pub(crate) is_output: bool,
}

/// A program in postfix code. The last item is the end of the entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct PostfixCode<'n> {
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) workgroup_size: [u32; 3],
    pub(crate) items: Vec<Item>,
    pub(crate) names: Vec<Cow<'n, str>>,
    /// Number of statements and expressions.
    pub(crate) nodes: u64,
}

impl<'n> PostfixCode<'n> {
    /// Code of a tree.
    pub(crate) fn of_program(program: &'n Program) -> PostfixCode<'n> {
        let mut code = PostfixCode { workgroup_size: program.workgroup_size, ..PostfixCode::default() };
        for BufferDecl { name, binding, access, element, count, is_output } in &program.buffers {
            let name = code.add_name(name);
            code.buffers.push(Buffer {
                name,
                binding: *binding,
                access: *access,
                element: *element,
                count: *count,
                is_output: *is_output,
            });
        }
        code.append(Traversal::new(program));
        code
    }

    /// Appends the events of a traversal.
    pub(crate) fn append(&mut self, traversal: Traversal<'n>) {
        let mut open: Vec<u32> = Vec::new();
        for event in traversal {
            match event {
                Event::Expr(expr) => {
                    let (head, name) = Head::of_expr(expr);
                    let head = self.named(head, name);
                    self.push(head, expr.operand_count());
                }
                Event::Statement(node) => {
                    let (head, name) = Head::of_statement(node);
                    let head = self.named(head, name);
                    let exprs = (0..2).filter(|&position| node.expr(position).is_some()).count();
                    open.push(self.items.len() as u32);
                    self.push(head, exprs);
                    if !node.has_bodies() {
                        open.pop();
                    }
                }
                Event::EnterBody(_) => {}
                Event::LeaveBody(kind) => {
                    self.end_body();
                    if kind.is_last()
                        && let Some(statement) = open.pop()
                    {
                        self.finish_statement(statement);
                    }
                }
            }
        }
    }

    fn named(&mut self, head: Head, name: Option<&'n Name>) -> Head {
        match name {
            Some(name) => Head { payload: self.add_name(name), ..head },
            None => head,
        }
    }

    fn add_name(&mut self, name: &'n str) -> u32 {
        self.names.push(Cow::Borrowed(name));
        self.names.len() as u32 - 1
    }

    /// Adds a statement or expression after its operands.
    pub(crate) fn push(&mut self, head: Head, operands: usize) {
        let mut start = self.items.len();
        for _ in 0..operands {
            start = self.items[start - 1].start as usize;
        }
        let Head { code, detail, flags, payload } = head;
        self.items.push(Item { code, detail, flags, payload, start: start as u32 });
        self.nodes += 1;
    }

    /// Adds the end of a body.
    pub(crate) fn end_body(&mut self) {
        let start = self.items.len() as u32;
        self.items.push(Item { code: code::END, detail: 0, flags: 0, payload: 0, start });
    }

    /// Completes a statement with bodies after the end of the last one.
    pub(crate) fn finish_statement(&mut self, position: u32) {
        let end = self.items.len() as u32 - 1;
        if let Some(item) = self.items.get_mut(position as usize)
            && item.code == code::IF
        {
            item.payload = end;
        }
    }

    /// Adds a statement in place of one that is incomplete.
    pub(crate) fn push_placeholder(&mut self) {
        self.push(Head::plain(code::RETURN), 0);
    }

    /// Removes the items from `length` on. `nodes` is the number of nodes before them.
    pub(crate) fn truncate(&mut self, length: usize, nodes: u64) {
        self.items.truncate(length);
        self.nodes = nodes;
    }

    /// Applies a function to the code with its open bodies closed. `open` yields the innermost body first.
    pub(crate) fn with_closed_bodies<T>(
        &mut self,
        open: impl Iterator<Item = BodyKind>,
        function: impl FnOnce(&PostfixCode<'n>) -> T,
    ) -> T {
        let length = self.items.len();
        for kind in open {
            self.end_body();
            if !kind.is_last() {
                self.end_body();
            }
        }
        let result = function(self);
        self.items.truncate(length);
        result
    }

    /// Positions of the operands of an expression or statement, the last one first.
    pub(crate) fn operands(&self, position: usize) -> impl Iterator<Item = usize> + '_ {
        let first = self.items[position].start as usize;
        let mut next = position;
        std::iter::from_fn(move || {
            if next == first {
                return None;
            }
            let operand = next - 1;
            next = self.items[operand].start as usize;
            Some(operand)
        })
    }
}

/// True for the codes of expressions.
pub(crate) const fn is_expr(code: u8) -> bool {
    code >= code::LIT_U32
}
