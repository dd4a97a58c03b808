//! Functions whose result or return shows something of an argument.
//!
//! Most functions only pass their arguments on to other functions of which nothing is known. A look at the guards of a value skips
//! them; otherwise it would follow every chain of calls to its end.

use crate::flow::{FlowModule, Op, Predicate, Test, ValueId};
use crate::points_to::PointsTo;
use crate::program::{FunctionIndex, Program};

/// Functions with a test of an argument, in their own code or behind calls.
pub(super) fn showing(program: &Program, points_to: &PointsTo) -> Vec<bool> {
    let mut showing = vec![false; program.function_count as usize];
    let mut open: Vec<FunctionIndex> = Vec::new();
    // Functions by the functions that their tests call: callee, caller.
    let mut callers: Vec<(FunctionIndex, FunctionIndex)> = Vec::new();
    for function in 0..program.function_count {
        let (module, id) = program.function(function);
        let Some(predicate) = module.flow.function(id).predicate.as_deref() else { continue };
        let mut is_showing = false;
        for test in tests(&module.flow, predicate) {
            let (Test::Call(call, _) | Test::Returned(call, _)) = *test else {
                is_showing = true;
                continue;
            };
            let value = module.value(call);
            let is_guard = points_to
                .library_calls_of(value)
                .iter()
                .any(|library| library.model.as_ref().is_some_and(|model| !model.guards.is_empty()));
            is_showing |= is_guard || is_method(&module.flow, call);
            callers.extend(points_to.links_of(value).iter().map(|link| (link.function, function)));
        }
        if is_showing {
            showing[function as usize] = true;
            open.push(function);
        }
    }
    callers.sort_unstable();
    callers.dedup();
    while let Some(callee) = open.pop() {
        let start = callers.partition_point(|&(function, _)| function < callee);
        for &(_, caller) in callers[start..].iter().take_while(|&&(function, _)| function == callee) {
            if !std::mem::replace(&mut showing[caller as usize], true) {
                open.push(caller);
            }
        }
    }
    showing
}

/// All tests of a predicate.
fn tests<'m>(flow: &'m FlowModule, predicate: &'m Predicate) -> impl Iterator<Item = &'m Test> {
    let alternatives = [&predicate.if_true, &predicate.if_false, &predicate.returned];
    alternatives.into_iter().flatten().flatten().map(|fact| &flow.tests[fact.test.index()])
}

/// True for a call of a method, which may be `test` of a regular expression.
fn is_method(flow: &FlowModule, call: ValueId) -> bool {
    let Op::Call(id) = flow.instructions[call.index()].op else { return false };
    let callee = flow.calls[id.index()].callee;
    matches!(flow.instructions[callee.index()].op, Op::LoadField(_, method) if matches!(flow.text(method), "test" | "exec"))
}
