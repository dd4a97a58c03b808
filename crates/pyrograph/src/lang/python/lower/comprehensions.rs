//! Comprehensions and generator expressions, which run in the function around them.

use ruff_python_ast::{AtomicNodeIndex, Comprehension, Expr};

use crate::flow::{AllocateKind, Op, ValueId};
use crate::lang::python::bind::number;
use crate::lang::ssa::{Exit, Exits};

use super::{Lowerer, span_of};

impl<'a> Lowerer<'a, '_> {
    pub(super) fn comprehension(&mut self, expression: &'a Expr) -> ValueId {
        let span = span_of(expression);
        let (node, generators, parts): (&AtomicNodeIndex, &'a [Comprehension], (Option<&'a Expr>, &'a Expr)) =
            match expression {
                Expr::ListComp(inner) => (&inner.node_index, &inner.generators, (None, &inner.elt)),
                Expr::SetComp(inner) => (&inner.node_index, &inner.generators, (None, &inner.elt)),
                Expr::Generator(inner) => (&inner.node_index, &inner.generators, (None, &inner.elt)),
                Expr::DictComp(inner) => (&inner.node_index, &inner.generators, (inner.key.as_deref(), &inner.value)),
                _ => return self.undefined(span),
            };
        let region = number(node).unwrap_or(0);
        let is_dictionary = matches!(expression, Expr::DictComp(_));
        let kind = if is_dictionary { AllocateKind::Object } else { AllocateKind::Array };
        let object = self.allocate(kind, span);
        self.generators(generators, region, &mut |lowerer| {
            let key = parts.0.map(|key| lowerer.expression(key));
            let value = lowerer.expression(parts.1);
            let span = span_of(parts.1);
            match key {
                Some(key) => {
                    let key = lowerer.key(object, key);
                    lowerer.store(object, key, value, span);
                }
                None if is_dictionary => lowerer.copy_fields(object, value, span),
                None => lowerer.store_element(object, value, span),
            }
        });
        // The loop may have run never or often.
        self.escape(object);
        object
    }

    fn generators(&mut self, generators: &'a [Comprehension], region: u32, body: &mut dyn FnMut(&mut Self)) {
        let Some((generator, rest)) = generators.split_first() else { return body(self) };
        if !self.enter() {
            return self.leave();
        }
        let span = span_of(generator);
        let iterable = self.expression(&generator.iter);
        let mut head = self.begin_loop(region, Vec::new(), span);
        let exits: Vec<Exit> = self.exit(head.mark).into_iter().collect();
        let element = self.element_of(iterable, span_of(&generator.target));
        self.assign(&generator.target, element);
        let mut skipped = Exits::default();
        for condition in &generator.ifs {
            if self.frame.is_reachable {
                self.jump(condition, true, head.mark, &mut skipped);
            }
        }
        if self.frame.is_reachable {
            self.generators(rest, region, body);
        }
        let mut states: Vec<Exit> = self.depart(head.mark).into_iter().collect();
        states.append(&mut skipped.states);
        self.join(states, span);
        self.join_continues(&mut head, span);
        self.end_loop(head, exits, span);
        self.leave();
    }

    /// Element of an iterable.
    pub(super) fn element_of(&mut self, iterable: ValueId, span: crate::flow::Span) -> ValueId {
        self.emit(Op::Element(iterable), span)
    }
}
