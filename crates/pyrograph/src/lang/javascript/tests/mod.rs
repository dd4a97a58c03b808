//! Tests of the front end.

use crate::flow::{FlowModule, Op, ValueId};
use crate::lang::LowerOptions;

use super::lower;

mod files;
mod golden;
mod hostile;
mod spans;

/// Flow module of a program that is correct.
fn module(text: &str) -> FlowModule {
    module_of("test.js", text)
}

/// Flow module of a file that is correct.
fn module_of(path: &str, text: &str) -> FlowModule {
    match lower(path, text, &LowerOptions::default()) {
        Ok(module) => {
            check(&module);
            module
        }
        Err(error) => panic!("{error}"),
    }
}

/// Checks that operands exist and belong to the function of their instruction.
fn check(module: &FlowModule) {
    for (index, instruction) in module.instructions.iter().enumerate() {
        for operand in operands(module, &instruction.op) {
            let operand_instruction = &module.instructions[operand.index()];
            assert_eq!(
                operand_instruction.function,
                instruction.function,
                "%{index} = {} uses %{} of another function",
                module.op_text(&instruction.op),
                operand.0
            );
            let is_phi = matches!(instruction.op, Op::Phi(_));
            assert!(is_phi || operand.index() < index, "%{index} uses a later value");
            assert!(
                !matches!(
                    operand_instruction.op,
                    Op::StoreField(..) | Op::StoreCell(..) | Op::StoreKey(..) | Op::Return(_)
                ),
                "%{index} uses an instruction without a value"
            );
        }
        if let Op::Phi(list) = instruction.op {
            assert!(list.len >= 2, "%{index} is a phi of {} values", list.len);
        }
    }
}

/// Values that an operation uses.
fn operands(module: &FlowModule, op: &Op) -> Vec<ValueId> {
    match *op {
        Op::StoreCell(_, a) | Op::StoreGlobal(_, a) | Op::Copy(a) | Op::LoadField(a, _) | Op::Return(a) => vec![a],
        Op::Throw(a) | Op::Await(a) | Op::Yield(a) | Op::YieldAll(a) | Op::Element(a) | Op::EnumerateKey(a) => vec![a],
        Op::Unary(_, a) | Op::Guard(a, ..) | Op::Markup(_, a) => vec![a],
        Op::Phi(list) | Op::Catch(list) | Op::Concat(list) => module.list(list).to_vec(),
        Op::RestOf(a, list) => std::iter::once(a).chain(module.list(list).iter().copied()).collect(),
        Op::LoadKey(a, b) | Op::StoreField(a, _, b) | Op::DefineGetter(a, _, b) | Op::DefineSetter(a, _, b) => {
            vec![a, b]
        }
        Op::CopyFields(a, b) | Op::Inherit(a, b) | Op::Binary(_, a, b) => vec![a, b],
        Op::StoreKey(a, b, c) => vec![a, b, c],
        Op::Call(call) => {
            let call = &module.calls[call.index()];
            let arguments = call.arguments.iter().map(|argument| argument.value);
            std::iter::once(call.callee).chain(call.receiver).chain(arguments).collect()
        }
        _ => Vec::new(),
    }
}
