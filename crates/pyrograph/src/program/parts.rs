//! Parts of a program: groups of modules that can exchange values.
//!
//! Modules exchange values through imports, through global variables, and through fields of objects of the platform that are
//! global, such as `window.state` or `process.env.MODE`. Modules of different parts do not, so that each part is a program of its
//! own.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use foldhash::fast::FixedState;

use super::{ImportTarget, Module, Name, Program};
use crate::flow::{FlowModule, Op, SymbolId, ValueId};

/// Names of the object whose fields are the global variables.
const GLOBAL_OBJECTS: [&str; 7] = ["window", "self", "globalThis", "global", "top", "parent", "frames"];

/// A place that all modules see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shared {
    /// Global variable.
    Variable(Name),
    /// Field of an object that a global variable holds, at any depth.
    Field(Name, Name),
}

impl Program {
    /// Number of the first module of the part of each module.
    #[must_use]
    pub fn parts(&self) -> Vec<u32> {
        let mut neighbours = self.import_neighbours();
        for (module, number) in self.modules.iter().zip(0..) {
            for &(_, child) in &module.children {
                neighbours[number as usize].push(child);
                neighbours[child as usize].push(number);
            }
        }
        let mut writers: BTreeMap<Shared, u32> = BTreeMap::new();
        let mut connect = |one: u32, other: u32| {
            if one != other {
                neighbours[one as usize].push(other);
                neighbours[other as usize].push(one);
            }
        };
        for (module, number) in self.modules.iter().zip(0..) {
            for shared in self.written(module) {
                connect(*writers.entry(shared).or_insert(number), number);
            }
        }
        let mut fields: BTreeMap<Name, Vec<(Name, u32)>> = BTreeMap::new();
        for (&shared, &writer) in &writers {
            if let Shared::Field(variable, field) = shared {
                fields.entry(field).or_default().push((variable, writer));
            }
        }
        for (module, number) in self.modules.iter().zip(0..) {
            let mut variables: BTreeSet<Name> = BTreeSet::new();
            let mut loads: BTreeSet<Name> = BTreeSet::new();
            for instruction in &module.flow.instructions {
                match instruction.op {
                    Op::Global(symbol) => {
                        variables.insert(module.name(symbol));
                    }
                    Op::LoadField(_, symbol) => {
                        loads.insert(module.name(symbol));
                    }
                    _ => {}
                }
            }
            let has_global_object = GLOBAL_OBJECTS
                .iter()
                .any(|object| self.names.get(object).is_some_and(|name| variables.contains(&name)));
            for &name in &variables {
                if let Some(&writer) = writers.get(&Shared::Variable(name)) {
                    connect(writer, number);
                }
            }
            for name in &loads {
                if has_global_object && let Some(&writer) = writers.get(&Shared::Variable(*name)) {
                    connect(writer, number);
                }
                for &(variable, writer) in fields.get(name).into_iter().flatten() {
                    if variables.contains(&variable) {
                        connect(writer, number);
                    }
                }
            }
        }
        components(&neighbours)
    }

    /// Groups of modules that imports connect: the number of the first module of the group of each one.
    #[must_use]
    pub fn import_groups(&self) -> Vec<u32> {
        components(&self.import_neighbours())
    }

    /// Modules that imports connect with each module.
    fn import_neighbours(&self) -> Vec<Vec<u32>> {
        let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); self.modules.len()];
        for (module, number) in self.modules.iter().zip(0..) {
            for (_, target) in &module.imports {
                for &target in target.modules() {
                    neighbours[number as usize].push(target);
                    neighbours[target as usize].push(number);
                }
            }
        }
        neighbours
    }

    /// Places that all modules see and this one writes.
    fn written(&self, module: &Module) -> BTreeSet<Shared> {
        let mut written = BTreeSet::new();
        for instruction in &module.flow.instructions {
            match instruction.op {
                Op::StoreGlobal(symbol, _) => {
                    written.insert(Shared::Variable(module.name(symbol)));
                }
                Op::StoreField(base, symbol, _)
                | Op::DefineGetter(base, symbol, _)
                | Op::DefineSetter(base, symbol, _) => {
                    let Some(variable) = global_of(&module.flow, base) else { continue };
                    let name = module.name(symbol);
                    written.insert(match GLOBAL_OBJECTS.contains(&module.flow.text(variable)) {
                        true => Shared::Variable(name),
                        false => Shared::Field(module.name(variable), name),
                    });
                }
                Op::Function(id) if module.is_page_script && instruction.function.index() == 0 => {
                    written.extend(module.flow.function(id).name.map(|name| Shared::Variable(module.name(name))));
                }
                _ => {}
            }
        }
        written
    }

    /// Programs of groups of modules. `groups` has the group of each module; the programs are in order of their first modules.
    #[must_use]
    pub fn split(self, groups: &[u32]) -> Vec<Program> {
        let mut programs: Vec<Program> = Vec::new();
        let mut of_group: HashMap<u32, usize, FixedState> = HashMap::default();
        let mut places: Vec<(usize, u32)> = Vec::with_capacity(groups.len());
        let mut imports = Vec::with_capacity(groups.len());
        for (module, &group) in self.modules.into_iter().zip(groups) {
            let position = *of_group.entry(group).or_insert_with(|| {
                programs.push(Program::default());
                programs.len() - 1
            });
            // A part has at most as many values as the whole program, which was not too large.
            let Ok(number) = programs[position].push(module.file, module.flow) else { continue };
            let moved = &mut programs[position].modules[number as usize];
            moved.versions = module.versions;
            moved.is_page_script = module.is_page_script;
            places.push((position, number));
            let children: Vec<(Box<str>, u32)> =
                module.children.iter().map(|&(name, child)| (self.names.text(name).into(), child)).collect();
            imports.push((module.imports, children));
        }
        for (&(position, number), (imports, children)) in places.iter().zip(imports) {
            let program = &mut programs[position];
            let imports = imports.into_iter().map(|(symbol, target)| match target {
                ImportTarget::Module(target) if places[target as usize].0 == position => {
                    (symbol, ImportTarget::Module(places[target as usize].1))
                }
                ImportTarget::Module(_) => (symbol, ImportTarget::Nothing),
                ImportTarget::Folder(targets) => {
                    let own = targets.into_iter().filter(|&target| places[target as usize].0 == position);
                    (symbol, ImportTarget::Folder(own.map(|target| places[target as usize].1).collect()))
                }
                target => (symbol, target),
            });
            program.modules[number as usize].imports = imports.collect();
            for (name, child) in children {
                let (of_child, child) = places[child as usize];
                if of_child == position {
                    let name = program.names.intern(&name);
                    program.modules[number as usize].children.push((name, child));
                }
            }
        }
        programs
    }
}

/// Global variable that holds an object, or an object around it.
fn global_of(flow: &FlowModule, mut value: ValueId) -> Option<SymbolId> {
    loop {
        match flow.instructions[value.index()].op {
            Op::Global(symbol) => return Some(symbol),
            Op::LoadField(base, _) | Op::LoadKey(base, _) => value = base,
            _ => return None,
        }
    }
}

/// Connected components: the smallest member of the component of each node.
fn components(neighbours: &[Vec<u32>]) -> Vec<u32> {
    let mut groups = vec![u32::MAX; neighbours.len()];
    for first in 0..neighbours.len() as u32 {
        let mut stack = vec![first];
        while let Some(module) = stack.pop() {
            if groups[module as usize] == u32::MAX {
                groups[module as usize] = first;
                stack.extend(&neighbours[module as usize]);
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::LowerOptions;

    fn parts(texts: &[&str]) -> Vec<u32> {
        let mut program = Program::default();
        for (text, file) in texts.iter().zip(0..) {
            let flow = crate::lang::javascript::lower("a.js", text, &LowerOptions::default());
            program.push(file, flow.expect("code")).expect("a small program");
        }
        program.parts()
    }

    #[test]
    fn global_variables_connect_modules() {
        assert_eq!(parts(&["x = 1;", "use(x);", "use(y);"]), [0, 0, 2]);
        assert_eq!(parts(&["window.x = 1;", "use(x);", "use(self.x);", "use(self.y);"]), [0, 0, 0, 3]);
        assert_eq!(parts(&["var x = 1;", "use(x);"]), [0, 1], "variables of a module are its own");
        assert_eq!(parts(&["use(x);", "x = 1;", "x = 2;"]), [0, 0, 0]);
    }

    #[test]
    fn fields_of_global_objects_connect_modules() {
        let texts = ["process.env.MODE = 1;", "use(process.env.MODE);", "use(process.env.HOME);", "use(a.MODE);"];
        assert_eq!(parts(&texts), [0, 0, 2, 3]);
    }

    #[test]
    fn parts_are_programs_of_their_own() {
        let mut program = Program::default();
        for (text, file) in ["require('./b');", "exports.x = 1;", "use(1);"].iter().zip(0..) {
            let flow = crate::lang::javascript::lower("a.js", text, &LowerOptions::default());
            program.push(file, flow.expect("code")).expect("a small program");
        }
        let specifier = program.modules[0].specifiers()[0];
        program.modules[0].imports.push((specifier, ImportTarget::Module(1)));
        let parts = program.parts();
        assert_eq!(parts, [0, 0, 2]);
        let programs = program.split(&parts);
        let files: Vec<Vec<u32>> =
            programs.iter().map(|program| program.modules.iter().map(|module| module.file).collect()).collect();
        assert_eq!(files, [vec![0, 1], vec![2]]);
        assert_eq!(programs[0].modules[0].imports, [(specifier, ImportTarget::Module(1))]);
        assert!(programs[1].modules[0].imports.is_empty());
    }
}
