//! Content types of responses.

use super::build::Builder;
use crate::flow::Op;
use crate::points_to::{LibraryCall, NodeIndex};
use crate::program::{FunctionIndex, Module, ValueIndex};

/// A call that sets the content type of a response.
#[derive(Clone, Debug)]
pub(super) struct ContentType {
    call: ValueIndex,
    function: FunctionIndex,
    /// Type. None: not constant.
    text: Option<String>,
}

impl Builder<'_> {
    /// Collects the calls that set the content types of responses.
    pub(super) fn collect_content_types(&mut self) {
        let program = self.program;
        for module in &program.modules {
            for (position, instruction) in module.flow.instructions.iter().enumerate() {
                let call = module.values + position as u32;
                let Some((receiver, text)) = self.content_type(module, call) else { continue };
                let (response, _) = self.response(receiver);
                let function = module.function(instruction.function);
                self.content_types.entry(response).or_default().push(ContentType { call, function, text });
            }
        }
    }

    /// Receiver and type of a call that sets a content type.
    fn content_type(&self, module: &Module, call: ValueIndex) -> Option<(NodeIndex, Option<String>)> {
        let Op::Call(id) = module.instruction(call).op else { return None };
        let call = &module.flow.calls[id.index()];
        let Op::LoadField(receiver, method) = module.flow.instructions[call.callee.index()].op else { return None };
        let argument = |position: usize| call.arguments.get(position).map(|argument| module.value(argument.value));
        let text = match module.flow.text(method) {
            "setHeader" | "set" | "header" | "append" => {
                let name = self.constant_text(argument(0)?)?;
                name.eq_ignore_ascii_case("content-type").then_some(())?;
                self.constant_text(argument(1)?)
            }
            "type" | "contentType" => self.constant_text(argument(0)?),
            "writeHead" => {
                let headers = argument(call.arguments.len().checked_sub(1)?)?;
                let names = ["Content-Type", "content-type", "Content-type"];
                let value = names.iter().find_map(|name| {
                    let name = self.program.names.get(name)?;
                    self.stored.get(&(self.unnamed(headers), name))?.first().copied()
                })?;
                self.constant_text(value)
            }
            _ => return None,
        };
        Some((module.value(receiver), text))
    }

    /// Response on which a chain of calls works, and the content type that the chain sets.
    fn response(&self, start: NodeIndex) -> (NodeIndex, Option<Option<String>>) {
        let mut node = self.unnamed(start);
        let mut found = None;
        for _ in 0..16 {
            if node >= self.program.value_count {
                break;
            }
            let module = self.program.module_of_value(node);
            match module.instruction(node).op {
                Op::Call(id) => {
                    if found.is_none() {
                        found = self.content_type(module, node).map(|(_, text)| text);
                    }
                    let callee = module.flow.calls[id.index()].callee;
                    let Op::LoadField(receiver, _) = module.flow.instructions[callee.index()].op else { break };
                    node = self.unnamed(module.value(receiver));
                }
                Op::LoadCell(cell) => {
                    node = self.points_to.layout.cell(module.cells + cell.0);
                }
                _ => {
                    if let Some(&cell) = self.cell_of.get(&node) {
                        node = self.points_to.layout.cell(cell);
                    }
                    break;
                }
            }
        }
        (node, found)
    }

    /// True unless the content type of the response that is the receiver is known to be no markup.
    pub(super) fn may_be_markup(&self, library: &LibraryCall) -> bool {
        let Some(receiver) = library.receiver else { return true };
        let (response, in_chain) = self.response(receiver);
        if let Some(text) = in_chain {
            return is_markup(text.as_deref());
        }
        let module = self.program.module_of_value(library.call);
        let mut around = vec![module.instruction(library.call).function];
        while let Some(parent) = around.last().and_then(|&last| module.flow.function(last).parent)
            && around.len() < 16
        {
            around.push(parent);
        }
        let own = module.function(around[0]);
        let is_before = |each: &&ContentType| match each.function == own {
            true => each.call < library.call,
            false => around.iter().any(|&function| module.function(function) == each.function),
        };
        let types = self.content_types.get(&response).map_or(&[][..], Vec::as_slice);
        let mut before = types.iter().filter(is_before).peekable();
        before.peek().is_none() || before.any(|each| is_markup(each.text.as_deref()))
    }
}

/// True if a content type is that of markup, or not known.
fn is_markup(text: Option<&str>) -> bool {
    let Some(text) = text else { return true };
    let text = text.to_ascii_lowercase();
    text.is_empty() || ["html", "xml", "svg"].iter().any(|word| text.contains(word))
}
