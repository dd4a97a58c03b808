//! Helper functions of compilers that programs import: the runtime of Babel, the helpers of SWC, `tslib`.
//!
//! Models name the same functions with their flows of data; here are the effects on objects that no flow can express.

use super::calls::{PendingCall, first_argument};
use super::layout::NodeIndex;
use super::links::{ActualArgument, Definition};
use super::solver::{Constraint, Solver};
use crate::flow::{Constant, Op};
use crate::program::{Name, Names, ValueIndex};

/// Packages with helper functions of compilers.
const PACKAGES: &[&str] = &[
    "@babel/runtime/",
    "@babel/runtime-corejs2/",
    "@babel/runtime-corejs3/",
    "babel-runtime/",
    "@swc/helpers",
    "tslib.",
];

impl Solver<'_> {
    /// A call of a helper function of a compiler. False: the path is none.
    pub(super) fn call_helper(&mut self, pending: &PendingCall, path: &str) -> bool {
        if !PACKAGES.iter().any(|package| path.starts_with(package)) {
            return false;
        }
        let Some(first) = first_argument(&pending.arguments) else { return false };
        let argument = |position: usize| match pending.arguments.get(position) {
            Some(&ActualArgument::One(node)) => Some(node),
            _ => None,
        };
        match helper_name(path).as_str() {
            "createclass" => {
                if let Some(methods) = argument(1) {
                    let prototype = self.new_node();
                    self.constrain(first, Constraint::Load(Names::PROTOTYPE, prototype));
                    self.define_listed(pending, prototype, methods);
                }
                if let Some(methods) = argument(2) {
                    self.define_listed(pending, first, methods);
                }
            }
            "defineproperty" => {
                let (Some(key), Some(value)) = (argument(1), argument(2)) else { return false };
                let name = self.constant_name(key).unwrap_or(Names::ELEMENT);
                self.constrain(first, Constraint::Store(name, value));
                self.definitions.push(Definition {
                    call: pending.call,
                    object: first,
                    name,
                    origin: value,
                    is_value: true,
                });
            }
            "exportstar" => {
                let Some(exports) = argument(1) else { return false };
                self.constrain(exports, Constraint::Store(Names::COPIED, first));
                self.copies.push((pending.call, exports, first));
            }
            _ => return false,
        }
        true
    }

    /// Defines the methods of a list of descriptors with keys: `[{ key: "run", value: function () {} }]`.
    fn define_listed(&mut self, pending: &PendingCall, target: NodeIndex, list: NodeIndex) {
        let elements = self.literal_elements(list, pending.call);
        for &(element, name) in &elements {
            self.define(pending.call, target, name.unwrap_or(Names::ELEMENT), element);
        }
        if elements.is_empty() {
            let element = self.new_node();
            self.load_elements(list, element);
            self.define(pending.call, target, Names::ELEMENT, element);
        }
    }

    /// Elements of an array literal among the arguments of a call, with the constant text in their field `key`.
    fn literal_elements(&self, list: NodeIndex, call: ValueIndex) -> Vec<(NodeIndex, Option<Name>)> {
        if list >= call {
            return Vec::new();
        }
        let module = self.program.module_of_value(call);
        if list < module.values || !matches!(module.instruction(list).op, Op::Allocate(_)) {
            return Vec::new();
        }
        let between = &module.flow.instructions[(list - module.values) as usize..(call - module.values) as usize];
        let mut elements: Vec<(NodeIndex, Option<Name>)> = Vec::new();
        for instruction in between {
            if let Op::StoreField(base, _, value) = instruction.op
                && module.value(base) == list
            {
                elements.push((module.value(value), None));
            }
        }
        for instruction in between {
            let Op::StoreField(base, field, key) = instruction.op else { continue };
            if module.flow.text(field) != "key" {
                continue;
            }
            let Op::Constant(Constant::String(symbol)) = module.flow.instructions[key.index()].op else { continue };
            let element = elements.iter_mut().find(|(element, _)| *element == module.value(base));
            if let Some((_, name)) = element {
                *name = Some(module.name(symbol));
            }
        }
        elements
    }
}

/// Name of a helper function without its place and spelling: `@swc/helpers/_/_create_class._` is `createclass`.
fn helper_name(path: &str) -> String {
    let name = path.strip_suffix("._").unwrap_or(path);
    let name = name.rsplit(['/', '.']).next().unwrap_or(name);
    name.chars().filter(|&letter| letter != '_').map(|letter| letter.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::helper_name;

    #[test]
    fn helpers_have_one_name_in_all_packages() {
        for path in ["@babel/runtime/helpers/esm/createClass", "@swc/helpers/_/_create_class._", "tslib.__createClass"]
        {
            assert_eq!(helper_name(path), "createclass");
        }
        assert_eq!(helper_name("tslib.__exportStar"), "exportstar");
    }
}
