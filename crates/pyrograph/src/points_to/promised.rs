//! Functions of the library Q that call another function and promise its result: `Q.nfcall(exec, command)`.

use super::calls::{PendingCall, first_argument};
use super::layout::NodeIndex;
use super::links::ActualArgument;
use super::solver::{Constraint, Solver};

impl Solver<'_> {
    /// A call of a function that calls one of its arguments, or a method of it. False: the path is none.
    pub(super) fn call_promised(&mut self, pending: &PendingCall, path: &str) -> bool {
        let Some(name) = path.strip_prefix("q.") else { return false };
        let Some(first) = first_argument(&pending.arguments) else { return false };
        // Functions of Node take a callback, which gets the result.
        let is_node_style = name.starts_with('n');
        match name {
            "nfcall" | "fcall" => {
                let arguments = pending.arguments[1..].to_vec();
                self.promise_call(pending, first, None, arguments, is_node_style);
            }
            "nfapply" | "fapply" => {
                let arguments = match pending.arguments.get(1) {
                    Some(&ActualArgument::One(list)) => vec![ActualArgument::Spread(list)],
                    _ => Vec::new(),
                };
                self.promise_call(pending, first, None, arguments, is_node_style);
            }
            "ninvoke" | "nsend" | "npost" | "invoke" | "send" | "post" => {
                let Some(&ActualArgument::One(key)) = pending.arguments.get(1) else { return false };
                let Some(key) = self.constant_name(key) else { return false };
                let method = self.new_node();
                self.constrain(first, Constraint::Load(key, method));
                let arguments = match (name, pending.arguments.get(2)) {
                    ("npost" | "post", Some(&ActualArgument::One(list))) => vec![ActualArgument::Spread(list)],
                    _ => pending.arguments[2..].to_vec(),
                };
                self.promise_call(pending, method, Some(first), arguments, is_node_style);
            }
            _ => return false,
        }
        true
    }

    /// Calls what is at a node. The result of the call is the result of the pending one.
    fn promise_call(
        &mut self,
        pending: &PendingCall,
        callee: NodeIndex,
        receiver: Option<NodeIndex>,
        arguments: Vec<ActualArgument>,
        is_node_style: bool,
    ) {
        let number = self.method_calls.len() as u32;
        self.method_calls.push(PendingCall { receiver, arguments, ..pending.clone() });
        let called = match is_node_style {
            true => {
                let promised = self.new_node();
                self.constrain(callee, Constraint::Promisify(promised));
                promised
            }
            false => callee,
        };
        self.constrain(called, Constraint::CallStep(number));
    }
}
