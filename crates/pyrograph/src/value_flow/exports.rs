//! Functions that a package exports: the sources of the library threat model.

use std::collections::{BTreeSet, VecDeque};

use crate::flow::FunctionKind;
use crate::points_to::{Formal, ObjectIndex, ObjectKind, PointsTo, is_callback, wrapped_arguments};
use crate::program::{FunctionIndex, Names, Program, ValueIndex};

/// Largest number of steps from the exports of a module.
const MAX_DEPTH: u32 = 6;

/// Functions that callers of a package can get from the exports of these modules: fields, prototypes, classes, and what
/// exported functions return.
#[must_use]
pub fn exported_functions(program: &Program, points_to: &PointsTo, modules: &[u32]) -> BTreeSet<FunctionIndex> {
    // Objects, steps, and whether exports have the object itself: no function returns it, and no instance has it.
    let mut queue: VecDeque<(ObjectIndex, u32, bool)> = VecDeque::new();
    let mut seen: BTreeSet<(ObjectIndex, bool)> = BTreeSet::new();
    let mut functions = BTreeSet::new();
    let hides_names = program.modules.iter().any(|module| module.flow.has_private_names);
    for &module in modules {
        if let Some(object) = points_to.objects.get(ObjectKind::Module(module))
            && let Some(exports) = points_to.field(object, Names::EXPORTS)
        {
            queue.extend(points_to.objects_of(exports).iter().map(|&object| (object, 0, true)));
        }
    }
    while let Some((object, depth, is_direct)) = queue.pop_front() {
        if depth > MAX_DEPTH || seen.contains(&(object, true)) || !seen.insert((object, is_direct)) {
            continue;
        }
        match points_to.objects.kind(object) {
            ObjectKind::Function(function) => {
                functions.insert(function);
                let (module, id) = program.function(function);
                if module.flow.function(id).kind != FunctionKind::Module {
                    let result = points_to.layout.formal(function, Formal::Return);
                    queue.extend(points_to.objects_of(result).iter().map(|&object| (object, depth + 1, false)));
                    if let Some(instance) = points_to.objects.get(ObjectKind::DefaultInstance(function)) {
                        queue.push_back((instance, depth + 1, false));
                    }
                }
            }
            ObjectKind::Bound(_, target) | ObjectKind::Promisified(target) => {
                queue.push_back((target, depth + 1, is_direct));
            }
            ObjectKind::Wrapped(call) if is_direct => {
                let objects = wrapped_objects(program, points_to, call);
                queue.extend(objects.into_iter().map(|object| (object, depth + 1, true)));
            }
            ObjectKind::External(_)
            | ObjectKind::FunctionMethod(..)
            | ObjectKind::Resolver(..)
            | ObjectKind::Wrapped(_) => continue,
            _ => {}
        }
        let listed = match points_to.objects.kind(object) {
            ObjectKind::Exports(module) => Some(&program.modules[module as usize].flow),
            _ => None,
        };
        let listed = listed.filter(|module| module.public_names.is_some());
        for &(name, field) in points_to.fields_of(object) {
            if name == Names::CONSTRUCTOR || hides_names && is_private(program.names.text(name)) {
                continue;
            }
            // A module that lists its names offers no others. Modules of a package are offered without a list.
            let is_offered = listed.is_none_or(|module| module.offers(program.names.text(name)));
            let is_module = |object: ObjectIndex| matches!(points_to.objects.kind(object), ObjectKind::Exports(_));
            let found = points_to.objects_of(field).iter().copied();
            queue.extend(
                found.filter(|&object| is_offered || is_module(object)).map(|object| (object, depth + 1, is_direct)),
            );
        }
    }
    functions
}

/// Functions, and objects of functions, that a function of a package gets, whose result the program exports.
fn wrapped_objects(program: &Program, points_to: &PointsTo, call: ValueIndex) -> Vec<ObjectIndex> {
    let mut found = Vec::new();
    for (node, has_functions) in wrapped_arguments(program, call) {
        for &object in points_to.objects_of(node) {
            let counts = match points_to.objects.kind(object) {
                ObjectKind::Function(function) => has_functions && !is_callback(program, function),
                ObjectKind::Bound(..) | ObjectKind::Promisified(_) | ObjectKind::Wrapped(_) => has_functions,
                ObjectKind::Allocation(_) => true,
                _ => false,
            };
            if counts {
                found.push(object);
            }
        }
    }
    found
}

/// True for names that are not for others.
fn is_private(name: &str) -> bool {
    name.starts_with('_') && !name.starts_with("__")
}
