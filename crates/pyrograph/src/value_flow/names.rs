//! Names of fields that a program stores.

use crate::flow::Op;
use crate::knowledge::Knowledge;
use crate::points_to::PointsTo;
use crate::program::{Name, Names, Program};

/// Names of fields that instructions or models store. Special names are stored, except the one for all others.
pub(super) fn stored_names(program: &Program, knowledge: &Knowledge, points_to: &PointsTo) -> Vec<bool> {
    let names = &program.names;
    let mut stored: Vec<bool> = (0..names.count())
        .map(|number| {
            let name = Name(number as u32);
            (names.text(name).starts_with('%') && name != Names::OTHER) || names.is_position(name)
        })
        .collect();
    let mut mark = |name: Name| stored[name.0 as usize] = true;
    [Names::EXPORTS, Names::DEFAULT, Names::PROTO, Names::PROTOTYPE, Names::CONSTRUCTOR]
        .into_iter()
        .for_each(&mut mark);
    knowledge.field_names().iter().filter_map(|name| names.get(name)).for_each(&mut mark);
    points_to.definitions.iter().for_each(|definition| mark(definition.name));
    for module in &program.modules {
        for instruction in &module.flow.instructions {
            if let Op::StoreField(_, symbol, _) | Op::DefineGetter(_, symbol, _) | Op::DefineSetter(_, symbol, _) =
                instruction.op
            {
                mark(module.name(symbol));
            }
        }
    }
    stored
}

/// Names of fields that instructions store, other than functions: a function under the name of a member may watch it.
pub(super) fn data_names(program: &Program) -> Vec<bool> {
    let mut stored = vec![false; program.names.count()];
    for module in &program.modules {
        for instruction in &module.flow.instructions {
            let symbol = match instruction.op {
                Op::StoreField(_, symbol, value) => match module.flow.instructions[value.index()].op {
                    Op::Function(_) => continue,
                    _ => symbol,
                },
                Op::DefineGetter(_, symbol, _) | Op::DefineSetter(_, symbol, _) => symbol,
                _ => continue,
            };
            stored[module.name(symbol).0 as usize] = true;
        }
    }
    stored
}
