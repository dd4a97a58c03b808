//! `vyre graph components` and `vyre graph scc`: connected and strongly connected components.

use anyhow::bail;
use serde_json::{Value, json};
use vyre::engine::dataflow::cost::{Algorithm, AlgorithmWorkload};
use vyre::ops::graph::{GraphAlgorithms, GraphError};

use crate::args::graph::LabelArgs;
use crate::exit::Outcome;
use crate::graph::{Bar, Cell, Column, Plan, Runner, Table, TableBody, WeightUse, check_output, check_stdin, open};
use crate::output::{print_note, quantity};

pub(crate) fn components(args: &LabelArgs) -> anyhow::Result<Outcome> {
    run(args, Algorithm::Components, |graph| graph.components())
}

pub(crate) fn scc(args: &LabelArgs) -> anyhow::Result<Outcome> {
    run(args, Algorithm::Scc, |graph| graph.scc())
}

fn run(
    args: &LabelArgs,
    algorithm: Algorithm,
    label: fn(&GraphAlgorithms<'_>) -> Result<Vec<u32>, GraphError>,
) -> anyhow::Result<Outcome> {
    let LabelArgs { file, results, device, read, .. } = args;
    if args.reverse {
        bail!("the components of a graph do not change if its edges are reversed; leave --reverse out");
    }
    check_stdin([Some(&**file), read.nodes.as_deref()])?;
    check_output(results, file, read)?;
    let limit = Runner::start(device);
    let plan = Plan::new(args.explain.explain);
    let bar = Bar::new(results.quiet);
    let (choice, graph) = open(file, read, WeightUse::None, device, &bar)?;
    let workload = AlgorithmWorkload::new(algorithm, graph.view().csr, 1);
    let runner = Runner::new(choice, Some(&workload), plan, device, limit, results.quiet, &bar)?;
    let labels = runner.finish(runner.algorithms(graph.view().csr).and_then(|algorithms| label(&algorithms)))?;
    let Sizes { count, largest } = Sizes::of(&labels);
    if !results.quiet {
        let largest =
            largest.map_or(String::new(), |(_, nodes)| format!(", the largest of {}", quantity(nodes, "node")));
        print_note(&format!("{}{largest}", quantity(count, "component")));
    }
    let largest = largest.map_or(Value::Null, |(component, nodes)| json!({"component": component, "nodes": nodes}));
    let table = Table {
        graph: &graph,
        runner: Some(&runner),
        count: count as u64,
        fields: vec![("largest", largest)],
        columns: [Column::node("node", "node_name"), Column::node("component", "component_name")],
    };
    let rows = (0..).zip(&labels).map(|(node, &label)| [Cell::Node(node), Cell::Node(label)]);
    table.write(results, TableBody::rows_or_count(args.count, table.count, rows))?;
    runner.end();
    Ok(Outcome::Clean)
}

/// Number of components, and the first of the largest with its number of nodes.
struct Sizes {
    count: usize,
    largest: Option<(u32, usize)>,
}

impl Sizes {
    /// Counts the nodes of each component. The label of a component must be one of its nodes.
    fn of(labels: &[u32]) -> Sizes {
        let mut sizes = vec![0usize; labels.len()];
        for &label in labels {
            sizes[label as usize] += 1;
        }
        let components = || (0..).zip(sizes.iter().copied()).filter(|(_, nodes)| *nodes > 0);
        let largest = components().max_by_key(|&(component, nodes)| (nodes, std::cmp::Reverse(component)));
        Sizes { count: components().count(), largest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_quantity() {
        let sizes = Sizes::of(&[0, 1, 1, 0, 4]);
        assert_eq!((sizes.count, sizes.largest), (3, Some((0, 2))));
        let sizes = Sizes::of(&[]);
        assert_eq!((sizes.count, sizes.largest), (0, None));
    }
}
