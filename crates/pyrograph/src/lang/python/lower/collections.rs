//! Containers of the module `collections`.

use ruff_python_ast::{Expr, ExprCall};

use crate::flow::{AllocateKind, FunctionKind, Op, Span, SymbolId, ValueId};

use super::Lowerer;

/// Most fields of a named tuple.
const MAX_FIELDS: usize = 64;

impl<'a> Lowerer<'a, '_> {
    /// `deque()`, `OrderedDict()` and `namedtuple("Name", [...])`. None: a call like any other.
    pub(super) fn collection(&mut self, callee: ValueId, call: &'a ExprCall, span: Span) -> Option<ValueId> {
        let Op::LoadField(object, name) = self.op(self.canon(callee)) else { return None };
        if !self.is_import(object, "collections") {
            return None;
        }
        let arguments = &call.arguments;
        match (self.builder.text(name), &*arguments.args) {
            // A queue with a bound forgets elements.
            ("deque", []) if arguments.keywords.is_empty() => {
                let empty: &'a [Expr] = &[];
                Some(self.sequence(empty, span))
            }
            ("deque", [Expr::List(list)]) if arguments.keywords.is_empty() => Some(self.sequence(&list.elts, span)),
            ("OrderedDict", []) if arguments.keywords.is_empty() => Some(self.allocate(AllocateKind::Object, span)),
            ("namedtuple", [Expr::StringLiteral(name), fields]) => {
                let fields = field_names(fields)?;
                let name = self.symbol(name.value.to_str());
                let fields: Vec<SymbolId> = fields.iter().map(|field| self.symbol(field)).collect();
                Some(self.named_tuple(name, &fields, span))
            }
            _ => None,
        }
    }

    /// Class of named tuples: its constructor stores its parameters by name and by position.
    fn named_tuple(&mut self, name: SymbolId, fields: &[SymbolId], span: Span) -> ValueId {
        self.made_function(name, fields, FunctionKind::Constructor, span, |lowerer| {
            let receiver = lowerer.emit(Op::Receiver, span);
            for (position, &field) in (0_u32..).zip(fields) {
                let value = lowerer.emit(Op::Parameter(position), span);
                let number = lowerer.symbol(&position.to_string());
                lowerer.emit(Op::StoreField(receiver, field, value), span);
                lowerer.emit(Op::StoreField(receiver, number, value), span);
            }
        })
    }
}

/// Names of fields: a list of texts, or one text.
fn field_names(fields: &Expr) -> Option<Vec<&str>> {
    let names: Vec<&str> = match fields {
        Expr::StringLiteral(text) => text.value.to_str().split([' ', ',']).filter(|name| !name.is_empty()).collect(),
        Expr::List(list) => list.elts.iter().map(text_of).collect::<Option<_>>()?,
        Expr::Tuple(tuple) => tuple.elts.iter().map(text_of).collect::<Option<_>>()?,
        _ => return None,
    };
    (names.len() <= MAX_FIELDS).then_some(names)
}

fn text_of(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::StringLiteral(text) => Some(text.value.to_str()),
        _ => None,
    }
}
