//! Prototype pollution: a store `base[key] = value` with a tainted key, whose base was loaded by a tainted key.

use std::collections::{BTreeMap, BTreeSet};

use vyre_dataflow::{Dataflow, DataflowError, Finding};

use super::compact::CompactGraph;
use super::engine::{groups_of, reach, sources_of};
use super::witness::Expansion;
use super::{Flow, Found, Request};
use crate::knowledge::{RuleMask, ThreatModel};
use crate::value_flow::{IDENTITY, KeyUse, Sink};

/// Searches tainted keys, and then objects that flow from a load by a tainted key to a store by a tainted key.
pub(super) fn search(
    request: Request<'_>,
    compact: &CompactGraph,
    engine: &Dataflow,
    rule: usize,
    found: &mut Found,
) -> Result<(), DataflowError> {
    let bit: RuleMask = 1 << rule;
    let sources = sources_of(request, compact, bit);
    let mut keys: Vec<u32> = request.roles.keys.iter().filter_map(|key| compact.number(key.key)).collect();
    keys.sort_unstable();
    keys.dedup();
    let model_of = |number: u32| {
        let source = sources.get(&number)?;
        request.knowledge.sources.get(usize::from(source.kind)).map(|kind| kind.model)
    };
    let tainted = reach(compact, engine, bit, &keys, &groups_of(request, &sources))?;
    let is_tainted =
        |key: &KeyUse| compact.number(key.key).is_some_and(|number| tainted.by_start.contains_key(&number));
    let mut loads: BTreeMap<u32, KeyUse> = BTreeMap::new();
    let mut stores: BTreeMap<u32, Vec<KeyUse>> = BTreeMap::new();
    for key in request.roles.keys.iter().filter(|key| is_tainted(key)) {
        match key.stored {
            None => {
                if let Some(number) = compact.number(key.value) {
                    loads.insert(number, *key);
                }
            }
            Some(_) => {
                if let Some(number) = compact.number(key.base) {
                    stores.entry(number).or_default().push(*key);
                }
            }
        }
    }
    let bases: Vec<u32> = stores.keys().copied().collect();
    let loaded: Vec<u32> = loads.keys().copied().collect();
    let reached = reach(compact, engine, IDENTITY, &bases, &[loaded])?;
    // The caller who chooses the object is the one who chooses the property: a request that chooses the first and a parameter of an
    // export that chooses the second are no attack together, and neither are parameters of different exports.
    let load_of = |findings: &[Finding]| findings.first().and_then(|nearest| loads.get(&nearest.sink)).copied();
    let mut used: Vec<u32> = Vec::new();
    for (base, findings) in &reached.by_start {
        let stores = stores.get(base).into_iter().flatten();
        used.extend(load_of(findings).iter().chain(stores).filter_map(|key| compact.number(key.key)));
    }
    used.sort_unstable();
    used.dedup();
    let targets: Vec<u32> = sources.keys().copied().collect();
    let caller_of = |number: u32| -> Caller {
        let function = sources.get(&number).and_then(|source| request.layout.formal_of(source.node));
        (model_of(number), function.map(|(function, _)| function))
    };
    let mut callers: BTreeMap<u32, BTreeSet<Caller>> = BTreeMap::new();
    // Without pairs, because there are too many, callers are not told apart and only the threat models must be the same.
    if let Some(pairs) = tainted.all_pairs(engine, compact.layered.nodes, &used, &targets)? {
        for (key, _, source) in pairs {
            callers.entry(key).or_default().insert(caller_of(source));
        }
    }
    for (&key, findings) in &tainted.by_start {
        let is_listed = callers.contains_key(&key);
        let nearest = findings.iter().map(|finding| caller_of(finding.sink));
        callers
            .entry(key)
            .or_default()
            .extend(nearest.map(|(model, function)| (model, function.filter(|_| is_listed))));
    }
    let callers_of = |key: &KeyUse| compact.number(key.key).and_then(|number| callers.get(&number));
    let common = |one: &KeyUse, other: &KeyUse| -> Vec<Option<ThreatModel>> {
        let (Some(one), Some(other)) = (callers_of(one), callers_of(other)) else { return Vec::new() };
        let is_other = |caller: &&Caller| other.iter().any(|other| is_same(**caller, *other));
        one.iter().filter(is_other).map(|&(model, _)| model).collect()
    };
    let mut chosen = Vec::new();
    let (mut of_keys, mut of_bases) = (Vec::new(), Vec::new());
    for (base, findings) in &reached.by_start {
        let (Some(&nearest), Some(load)) = (findings.first(), load_of(findings)) else { continue };
        let Some(findings) = compact.number(load.key).and_then(|key| tainted.by_start.get(&key)) else { continue };
        let models: Vec<_> = stores.get(base).into_iter().flatten().flat_map(|store| common(&load, store)).collect();
        let Some(&key) = findings.iter().find(|finding| models.contains(&model_of(finding.sink))) else { continue };
        let Some(&source) = sources.get(&key.sink) else { continue };
        chosen.push((base, load, source));
        of_keys.push(key);
        of_bases.push(nearest);
    }
    let (key_paths, base_paths) = (Expansion::new(compact, bit), Expansion::new(compact, IDENTITY));
    let first = tainted.witnesses(engine, &of_keys)?;
    let second = reached.witnesses(engine, &of_bases)?;
    let mut flows = Vec::new();
    for ((base, load, source), (first, second)) in chosen.into_iter().zip(first.iter().zip(&second)) {
        let mut path = key_paths.expand(first);
        path.extend(base_paths.expand(second));
        for store in stores.get(base).map_or(&[][..], Vec::as_slice) {
            if common(&load, store).is_empty() {
                continue;
            }
            let sink = Sink { node: store.base, rules: bit, value: store.value };
            flows.push(Flow { rule, sink, source, path: path.clone(), others: Vec::new() });
        }
    }
    // Stores that only make sure that members exist are of interest where there are no others.
    let uses: BTreeMap<u32, KeyUse> = request.roles.keys.iter().map(|key| (key.value, *key)).collect();
    let use_of = |flow: &Flow| uses.get(&flow.sink.value).copied();
    let with_data: BTreeSet<u32> =
        flows.iter().filter_map(use_of).filter(|key| !key.is_default).map(|key| key.function).collect();
    flows.retain(|flow| use_of(flow).is_none_or(|key| !key.is_default || !with_data.contains(&key.function)));
    flows.sort_by_key(|flow| flow.sink.value);
    flows.dedup_by_key(|flow| flow.sink.value);
    found.flows.append(&mut flows);
    Ok(())
}

/// Who chooses a key: the threat model, and the function that is called. None: anybody.
type Caller = (Option<ThreatModel>, Option<u32>);

/// True if two callers may be the same one.
fn is_same(one: Caller, other: Caller) -> bool {
    one.0 == other.0 && one.1.zip(other.1).is_none_or(|(one, other)| one == other)
}
