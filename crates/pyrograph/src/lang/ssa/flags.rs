//! Flags: variables whose value tells which branch was taken before.
//!
//! `let ok = true; if (!isSafe(text)) ok = false; if (!ok) return;` tests the text: where the flag is true, the text has the name from the
//! branch that left the flag true.

use crate::flow::{CallKind, Constant, Fact, Op, ValueId};

use super::checks::Tested;
use super::state::{Exit, Key, UNDEFINED, UNSET};
use super::{Note, Ssa};

/// Most branches that are looked at.
const MAX_EXITS: usize = 8;

/// Most places whose names depend on a flag.
const MAX_FLAGGED: usize = 32;

/// A place whose name depends on the truth of a flag.
#[derive(Clone, Debug)]
pub(in crate::lang) struct Flagged {
    tested: Tested,
    /// Name after the branches.
    name: ValueId,
    /// Names if the flag is false and if it is true, where they are known.
    when: [Option<ValueId>; 2],
}

/// Variables that may be flags, and the places that they tell about: a list of candidates before branches are joined.
pub(in crate::lang) struct Candidates {
    /// Variable, branch that makes it false, branch that makes it true, if there is only one.
    flags: Vec<(u32, [Option<usize>; 2])>,
    /// Place, names at the ends of the branches.
    places: Vec<(Tested, Vec<ValueId>)>,
    /// Values of the flags at the ends of the branches.
    values: Vec<Vec<ValueId>>,
}

impl Ssa<'_, '_> {
    /// Candidates for flags among the variables that branches change. None: there are none.
    pub(in crate::lang) fn flag_candidates(&self, exits: &[Exit]) -> Option<Candidates> {
        if exits.len() > MAX_EXITS {
            return None;
        }
        let mut variables: Vec<u32> =
            exits.iter().flat_map(|exit| exit.variables.iter().map(|&(variable, _)| variable)).collect();
        variables.sort_unstable();
        variables.dedup();
        if variables.len() > MAX_FLAGGED {
            return None;
        }
        let names_of = |variable: u32| -> Vec<ValueId> {
            let name = |exit: &Exit| {
                let changed = exit.variables.iter().find(|&&(changed, _)| changed == variable);
                changed.map_or_else(|| self.state.value(variable), |&(_, value)| value)
            };
            exits.iter().map(name).collect()
        };
        let is_set = |names: &[ValueId]| names.iter().all(|&name| name != UNSET && name != UNDEFINED);
        let mut candidates = Candidates { flags: Vec::new(), places: Vec::new(), values: Vec::new() };
        for &variable in &variables {
            let names = names_of(variable);
            if !is_set(&names) {
                continue;
            }
            let only = |result: bool| {
                let mut possible = (0..exits.len()).filter(|&exit| self.flag_truth(names[exit]) != Some(!result));
                possible.next().filter(|_| possible.next().is_none())
            };
            let only = [only(false), only(true)];
            let is_flag = |&name: &ValueId| {
                self.flag_truth(name).is_some() || matches!(self.notes.get(&self.canon(name)), Some(Note::Flag(_)))
            };
            if only != [None, None] && names.iter().all(is_flag) {
                candidates.flags.push((variable, only));
                candidates.values.push(names.clone());
            }
            candidates.places.push((Tested::Variable(variable), names));
        }
        if candidates.flags.is_empty() {
            return None;
        }
        let mut keys: Vec<Key> = exits.iter().flat_map(|exit| exit.facts.iter().map(|&(key, _)| key)).collect();
        keys.sort_unstable();
        keys.dedup();
        for key in keys.into_iter().take(MAX_FLAGGED) {
            let name = |exit: &Exit| {
                let known = exit.facts.iter().find(|&&(known, _)| known == key);
                known.map_or_else(|| self.fact(key), |&(_, value)| Some(value))
            };
            let names: Option<Vec<ValueId>> = exits.iter().map(name).collect();
            candidates.places.extend(names.map(|names| (Tested::Memory(key), names)));
        }
        Some(candidates)
    }

    /// Truth of a value of a flag, which is the same in all languages.
    fn flag_truth(&self, value: ValueId) -> Option<bool> {
        match self.op(self.canon(value)) {
            Op::Constant(Constant::Bool(flag)) => Some(flag),
            Op::Constant(Constant::Null | Constant::Undefined) => Some(false),
            Op::Constant(Constant::Number(number)) => Some(number != 0.0 && !number.is_nan()),
            Op::Constant(Constant::String(text)) => Some(!self.builder.text(text).is_empty()),
            // `error = new Error()`
            Op::Call(call) if self.builder.module().calls[call.index()].kind == CallKind::New => Some(true),
            _ => None,
        }
    }

    /// Notes what flags tell, after the branches were joined.
    pub(in crate::lang) fn note_flags(&mut self, candidates: Candidates) {
        for ((flag, only), values) in candidates.flags.iter().zip(&candidates.values) {
            let Some(joined) = self.name(*flag) else { continue };
            if !matches!(self.op(joined), Op::Phi(_)) {
                continue;
            }
            let mut flagged = Vec::new();
            for (tested, names) in &candidates.places {
                let current = match *tested {
                    Tested::Variable(variable) if variable == *flag => continue,
                    Tested::Variable(variable) => self.name(variable),
                    Tested::Memory(key) => self.fact(key),
                };
                let Some(name) = current else { continue };
                let when = [false, true].map(|result| {
                    let exit = only[usize::from(result)]?;
                    Some(self.name_when(*tested, names[exit], values[exit], result))
                });
                if when.iter().flatten().any(|&known| known != name) {
                    flagged.push(Flagged { tested: *tested, name, when });
                }
            }
            self.inherit_flags(*only, values, &mut flagged);
            if !flagged.is_empty() {
                self.notes.insert(joined, Note::Flag(flagged));
            }
        }
    }

    /// Adds places that these branches do not change, and that the value of the flag in the only possible branch tells about.
    fn inherit_flags(&self, only: [Option<usize>; 2], values: &[ValueId], flagged: &mut Vec<Flagged>) {
        for result in [false, true] {
            let Some(exit) = only[usize::from(result)] else { continue };
            let Some(Note::Flag(inner)) = self.notes.get(&self.canon(values[exit])) else { continue };
            for each in inner {
                let current = match each.tested {
                    Tested::Variable(variable) => self.name(variable),
                    Tested::Memory(key) => self.fact(key),
                };
                let is_known = flagged.iter().any(|known| known.tested == each.tested);
                if current == Some(each.name) && !is_known && flagged.len() < MAX_FLAGGED {
                    let mut when = [None, None];
                    when[usize::from(result)] = each.when[usize::from(result)];
                    flagged.push(Flagged { when, ..each.clone() });
                }
            }
        }
    }

    /// Name of a place if a flag before has a result too.
    fn name_when(&self, tested: Tested, name: ValueId, flag: ValueId, result: bool) -> ValueId {
        let Some(Note::Flag(flagged)) = self.notes.get(&self.canon(flag)) else { return name };
        let is_same = |each: &&Flagged| each.name == name && each.tested == tested;
        flagged.iter().find(is_same).and_then(|each| each.when[usize::from(result)]).unwrap_or(name)
    }

    /// Names places as they are where a flag has a result.
    pub(in crate::lang) fn apply_flag(&mut self, flag: ValueId, result: bool) {
        let Some(Note::Flag(flagged)) = self.notes.get(&self.canon(flag)) else { return };
        for Flagged { tested, name, when } in flagged.clone() {
            let Some(known) = when[usize::from(result)] else { continue };
            match tested {
                Tested::Variable(variable) if self.name(variable) == Some(name) => {
                    self.rename_variable(variable, known);
                }
                Tested::Memory(key) if self.fact(key) == Some(name) => self.state.set_fact(key, known),
                _ => {}
            }
        }
    }

    /// Tests of parameters that a flag tells about where it has a result.
    pub(in crate::lang) fn flag_facts(&self, flag: ValueId, result: bool) -> Vec<Fact> {
        let mut facts = Vec::new();
        let Some(Note::Flag(flagged)) = self.notes.get(&self.canon(flag)) else { return facts };
        for each in flagged {
            let (Tested::Variable(variable), Some(mut name)) = (each.tested, each.when[usize::from(result)]) else {
                continue;
            };
            let parameters = &self.frame.returns.parameters;
            let Some(&(parameter, _)) = parameters.iter().find(|&&(_, known)| known == variable) else { continue };
            if self.name(variable) != Some(each.name) || self.op(self.canon(name)) != Op::Parameter(parameter) {
                continue;
            }
            for _ in 0..16 {
                let Op::Guard(inner, test, holds) = self.op(name) else { break };
                facts.push(Fact { parameter, test, holds });
                name = inner;
            }
        }
        facts
    }
}
