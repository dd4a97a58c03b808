//! Reachability over two layers against two oracles, on random graphs with calls.
//!
//! The first oracle is CFL-reachability by closure over all pairs of nodes, straight from the grammar:
//!
//! ```text
//! matched    = nothing | matched intra | matched call_i matched return_i
//! realizable = (matched | return)* (matched | call)*
//! ```
//!
//! A heap edge forgets the calling context: what follows is a realizable path of its own. The second oracle walks the graph
//! with an explicit call stack. Both know nothing of summaries and layers, and look at one rule at a time, on the edges that
//! the rule keeps.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::fmt::Write;

use pyrograph::limits::Effort;
use pyrograph::value_flow::layers::layers;
use pyrograph::value_flow::summaries::{Summary, summarize};
use pyrograph::value_flow::{Edge, EdgeKind};

/// Graphs of the comparison with the grammar.
const GRAPHS: u64 = 10_000;
/// Every graph with such a number is walked with call stacks too.
const WALKED: u64 = 10;
/// Most nodes of a graph. Sets of nodes are bits of a word.
const MAX_NODES: u64 = 24;
/// Rules, one bit each. The last one is the bit of the identity of objects.
const RULES: [u32; 4] = [0, 1, 17, 63];
/// Longest call stack of a walk. Chains of calls of five functions without recursion are not longer.
const MAX_STACK: usize = 4;
/// Most states of a walk over a recursive graph, which visits short stacks first.
const MAX_STATES: usize = 300;

/// Set of nodes.
type Nodes = u32;

/// For each node, the nodes that reach it.
type Reached = Vec<Nodes>;

#[test]
fn two_layers_find_the_realizable_paths() {
    let mut totals = Totals::default();
    for seed in 0..GRAPHS {
        let graph = Graph::random(seed);
        if let Some(problem) = difference(&graph, seed.is_multiple_of(WALKED), &mut totals) {
            let small = smallest(&graph);
            panic!("seed {seed}: {problem}\nsmallest: {:?}\n{small}", difference(&small, true, &mut Totals::default()));
        }
    }
    // The graphs are of a kind that tells right from wrong.
    assert!(totals.recursive > GRAPHS / 5 && totals.plain > GRAPHS / 5, "{totals:?}");
    assert!(totals.connected > GRAPHS * 100, "few pairs are connected: {totals:?}");
    assert!(totals.unrealizable > totals.connected / 20, "few paths are not realizable: {totals:?}");
    assert!(totals.through_calls > totals.connected / 20, "few paths need a call that returns: {totals:?}");
    assert!(totals.differing_rules > GRAPHS / 2, "rules rarely differ: {totals:?}");
    assert!(totals.walked_plain > GRAPHS / WALKED / 5, "{totals:?}");
    println!("{totals:?}");
}

/// What the graphs contain.
#[derive(Debug, Default)]
struct Totals {
    recursive: u64,
    plain: u64,
    /// Pairs on a realizable path.
    connected: u64,
    /// Pairs that only paths with wrong returns connect.
    unrealizable: u64,
    /// Pairs that are connected only through calls that return.
    through_calls: u64,
    /// Graphs whose rules have different answers.
    differing_rules: u64,
    /// Graphs without recursion whose walk is complete.
    walked_plain: u64,
    /// Pairs that walks found.
    walked_pairs: u64,
}

/// First difference between the code under test and an oracle.
fn difference(graph: &Graph, walked: bool, totals: &mut Totals) -> Option<String> {
    let summaries = summarize(graph.nodes, &graph.edges, Effort(100), &|| false);
    assert!(summaries.is_complete);
    let layered = layers(graph.nodes as u32, &graph.edges, &summaries);
    assert_eq!(layered.nodes as usize, graph.nodes);
    let is_recursive = graph.is_recursive();
    *if is_recursive { &mut totals.recursive } else { &mut totals.plain } += 1;
    let mut answers = BTreeSet::new();
    for rule in RULES {
        let edges: Vec<Edge> = graph.edges.iter().filter(|edge| edge.mask >> rule & 1 == 1).copied().collect();
        let expected = realizable(graph.nodes, &edges);
        let layer_edges: Vec<(usize, usize)> = layered
            .edges
            .iter()
            .filter(|(_, _, mask, _)| mask >> rule & 1 == 1)
            .map(|&(from, to, ..)| (from as usize, to as usize))
            .collect();
        for summary in summaries.edges.iter().filter(|summary| summary.mask >> rule & 1 == 1) {
            if !is_founded(summary, &edges, &summaries.edges, rule) {
                return Some(format!("rule {rule}: no path for {summary:?}"));
            }
        }
        let flat = transitive(graph.nodes, &edges, |_| true);
        let without_calls = transitive(graph.nodes, &edges, |kind| !matches!(kind, EdgeKind::Return(_)));
        for source in 0..graph.nodes {
            let found = search(graph.nodes, &layer_edges, source);
            let wanted = sinks_of(&expected, source);
            if found != wanted {
                return Some(format!(
                    "rule {rule}, source {source}: the layers reach {found:b}, the grammar {wanted:b}"
                ));
            }
            totals.connected += u64::from(wanted.count_ones());
            totals.unrealizable += u64::from((sinks_of(&flat, source) & !wanted).count_ones());
            totals.through_calls += u64::from((wanted & !sinks_of(&without_calls, source)).count_ones());
            if walked {
                let (visited, is_complete) = walk(&edges, source, is_recursive);
                if visited & !wanted != 0 || is_complete && visited != wanted {
                    return Some(format!(
                        "rule {rule}, source {source}: the grammar reaches {wanted:b}, the walk {visited:b}"
                    ));
                }
                totals.walked_pairs += u64::from(visited.count_ones());
            }
        }
        answers.insert(expected);
    }
    totals.differing_rules += u64::from(answers.len() > 1);
    totals.walked_plain += u64::from(walked && !is_recursive);
    None
}

/// True if a summary edge is a call, a path that only needs summary edges before it, and the return of the call.
fn is_founded(summary: &Summary, edges: &[Edge], summaries: &[Summary], rule: u32) -> bool {
    let has = |from, to, kind| edges.iter().any(|edge| (edge.from, edge.to, edge.kind) == (from, to, kind));
    let mut visited: Nodes = 1 << summary.entry;
    let mut before = 0;
    while visited != before {
        before = visited;
        let intra = edges.iter().filter(|edge| edge.kind == EdgeKind::Intra).map(|edge| (edge.from, edge.to));
        let earlier = summaries
            .iter()
            .filter(|earlier| earlier.rank < summary.rank && earlier.mask >> rule & 1 == 1)
            .map(|earlier| (earlier.from, earlier.to));
        for (from, to) in intra.chain(earlier) {
            visited |= (visited >> from & 1) << to;
        }
    }
    has(summary.from, summary.entry, EdgeKind::Call(summary.instance))
        && has(summary.exit, summary.to, EdgeKind::Return(summary.instance))
        && visited >> summary.exit & 1 == 1
}

/// Nodes that a source reaches.
fn sinks_of(reached: &Reached, source: usize) -> Nodes {
    reached.iter().enumerate().filter(|(_, from)| **from >> source & 1 == 1).map(|(sink, _)| 1 << sink).sum()
}

/// Plain search from a node of layer 1. A sink counts in both layers.
fn search(nodes: usize, edges: &[(usize, usize)], source: usize) -> Nodes {
    let mut visited: u64 = 1 << source;
    let mut queue = vec![source];
    while let Some(node) = queue.pop() {
        let start = edges.partition_point(|(from, _)| *from < node);
        for &(_, to) in edges[start..].iter().take_while(|(from, _)| *from == node) {
            if visited >> to & 1 == 0 {
                visited |= 1 << to;
                queue.push(to);
            }
        }
    }
    ((visited | visited >> nodes) & ((1 << nodes) - 1)) as Nodes
}

// ---------------------------------------------------------------------------------------------------------------------
// Oracle 1: the grammar.

/// Pairs that a matched path connects.
fn matched(nodes: usize, edges: &[Edge]) -> Reached {
    let mut matched: Reached = (0..nodes).map(|node| 1 << node).collect();
    loop {
        let before = matched.clone();
        for edge in edges {
            match edge.kind {
                EdgeKind::Intra => matched[edge.to as usize] |= matched[edge.from as usize],
                EdgeKind::Call(call) => {
                    for back in edges.iter().filter(|back| back.kind == EdgeKind::Return(call)) {
                        if matched[back.from as usize] >> edge.to & 1 == 1 {
                            matched[back.to as usize] |= matched[edge.from as usize];
                        }
                    }
                }
                EdgeKind::Return(_) | EdgeKind::Heap => {}
            }
        }
        if matched == before {
            return matched;
        }
    }
}

/// Pairs that a realizable path connects, where heap edges forget the context.
fn realizable(nodes: usize, edges: &[Edge]) -> Reached {
    let matched = matched(nodes, edges);
    let steps: Vec<(usize, usize)> = (0..nodes)
        .flat_map(|to| (0..nodes).map(move |from| (from, to)))
        .filter(|(from, to)| matched[*to] >> from & 1 == 1)
        .collect();
    // Ends of prefixes (matched | return)*, and of whole paths.
    let mut ascending: Reached = (0..nodes).map(|node| 1 << node).collect();
    let mut descending: Reached = vec![0; nodes];
    loop {
        let before = (ascending.clone(), descending.clone());
        for &(from, to) in &steps {
            ascending[to] |= ascending[from];
            descending[to] |= descending[from];
        }
        for edge in edges {
            let (from, to) = (edge.from as usize, edge.to as usize);
            match edge.kind {
                EdgeKind::Intra => {}
                EdgeKind::Return(_) => ascending[to] |= ascending[from],
                EdgeKind::Call(_) => descending[to] |= ascending[from] | descending[from],
                EdgeKind::Heap => ascending[to] |= ascending[from] | descending[from],
            }
        }
        if (&ascending, &descending) == (&before.0, &before.1) {
            return ascending.iter().zip(&descending).map(|(up, down)| up | down).collect();
        }
    }
}

/// Pairs that edges of some kinds connect, whatever calls they pass.
fn transitive(nodes: usize, edges: &[Edge], keep: fn(EdgeKind) -> bool) -> Reached {
    let mut reached: Reached = (0..nodes).map(|node| 1 << node).collect();
    loop {
        let before = reached.clone();
        for edge in edges.iter().filter(|edge| keep(edge.kind)) {
            reached[edge.to as usize] |= reached[edge.from as usize];
        }
        if reached == before {
            return reached;
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Oracle 2: a walk with a call stack.

/// Nodes that a walk visits, and true if these are all: the stack had no limit that mattered.
fn walk(edges: &[Edge], source: usize, is_recursive: bool) -> (Nodes, bool) {
    let mut visited: Nodes = 0;
    let mut seen: HashSet<(u32, Vec<u32>)> = HashSet::new();
    let mut work = VecDeque::from([(source as u32, Vec::new())]);
    let mut is_complete = !is_recursive;
    while let Some((node, stack)) = work.pop_front() {
        if is_recursive && seen.len() > MAX_STATES {
            is_complete = false;
            break;
        }
        if !seen.insert((node, stack.clone())) {
            continue;
        }
        visited |= 1 << node;
        for edge in edges.iter().filter(|edge| edge.from == node) {
            match edge.kind {
                EdgeKind::Intra => work.push_back((edge.to, stack.clone())),
                EdgeKind::Heap => work.push_back((edge.to, Vec::new())),
                EdgeKind::Call(call) if stack.len() < MAX_STACK => {
                    let mut deeper = stack.clone();
                    deeper.push(call);
                    work.push_back((edge.to, deeper));
                }
                EdgeKind::Call(_) => is_complete = false,
                EdgeKind::Return(call) => match stack.split_last() {
                    None => work.push_back((edge.to, Vec::new())),
                    Some((&top, rest)) if top == call => work.push_back((edge.to, rest.to_vec())),
                    Some(_) => {}
                },
            }
        }
    }
    assert!(is_recursive || is_complete, "the stack of a graph without recursion is too short");
    (visited, is_complete)
}

// ---------------------------------------------------------------------------------------------------------------------
// Random graphs.

/// A graph. Nodes of a function are consecutive.
#[derive(Clone)]
struct Graph {
    nodes: usize,
    /// Function of each node.
    functions: Vec<usize>,
    edges: Vec<Edge>,
}

impl Graph {
    /// Graph of a seed.
    ///
    /// One graph in three has no recursion. One in ten has no structure at all: any edge connects any nodes, which the
    /// definition of realizable paths allows.
    fn random(seed: u64) -> Graph {
        let mut random = Random(seed);
        let count = 1 + random.below(5) as usize;
        let mut functions = Vec::new();
        for function in 0..count {
            for _ in 0..1 + random.below(MAX_NODES / count as u64) {
                functions.push(function);
            }
        }
        let mut graph = Graph { nodes: functions.len(), functions, edges: Vec::new() };
        let is_wild = random.below(10) == 0;
        let is_layered = random.below(3) == 0;
        // Dense masks on some graphs, many sanitizers on others.
        let density = 1 + random.below(4);
        let keeps_all = random.below(4) == 0;
        let mask = |random: &mut Random| {
            let bits = RULES.iter().filter(|_| keeps_all || random.below(5) < 1 + density).map(|rule| 1 << rule);
            bits.sum::<u64>()
        };
        for _ in 0..random.below(2 * graph.nodes as u64 + 1) {
            let from = random.below(graph.nodes as u64) as usize;
            let to = if is_wild {
                random.below(graph.nodes as u64) as u32
            } else {
                graph.node_of(graph.functions[from], &mut random)
            };
            let mask = mask(&mut random);
            graph.edges.push(Edge { from: from as u32, to, kind: EdgeKind::Intra, mask });
        }
        for call in 0..random.below(9) as u32 {
            let caller = random.below(count as u64) as usize;
            // Most calls have one target. A call with several targets has an instance for each of them in programs; the
            // grammar allows one instance for all.
            for _ in 0..1 + u64::from(random.below(6) == 0) {
                let target = match is_layered {
                    true if caller + 1 == count => break,
                    true => caller + 1 + random.below((count - caller - 1) as u64) as usize,
                    false => random.below(count as u64) as usize,
                };
                for _ in 0..1 + random.below(3) {
                    let (mut from, mut to) = (graph.node_of(caller, &mut random), graph.node_of(target, &mut random));
                    if is_wild {
                        (from, to) = (graph.any_node(&mut random), graph.any_node(&mut random));
                    }
                    let mask = mask(&mut random);
                    graph.edges.push(Edge { from, to, kind: EdgeKind::Call(call), mask });
                }
                for _ in 0..random.below(4) {
                    let (mut from, mut to) = (graph.node_of(target, &mut random), graph.node_of(caller, &mut random));
                    if is_wild {
                        (from, to) = (graph.any_node(&mut random), graph.any_node(&mut random));
                    }
                    let mask = mask(&mut random);
                    graph.edges.push(Edge { from, to, kind: EdgeKind::Return(call), mask });
                }
            }
        }
        for _ in 0..random.below(4) {
            if random.below(2) == 0 {
                let (from, to) = (graph.any_node(&mut random), graph.any_node(&mut random));
                let mask = mask(&mut random);
                graph.edges.push(Edge { from, to, kind: EdgeKind::Heap, mask });
            }
        }
        graph
    }

    fn any_node(&self, random: &mut Random) -> u32 {
        random.below(self.nodes as u64) as u32
    }

    fn node_of(&self, function: usize, random: &mut Random) -> u32 {
        let start = self.functions.partition_point(|of| *of < function);
        let end = self.functions.partition_point(|of| *of <= function);
        start as u32 + random.below((end - start) as u64) as u32
    }

    /// True if a function may call itself, over others or not, or if edges do not respect functions.
    fn is_recursive(&self) -> bool {
        self.edges.iter().any(|edge| {
            let (from, to) = (self.functions[edge.from as usize], self.functions[edge.to as usize]);
            match edge.kind {
                EdgeKind::Intra => from != to,
                EdgeKind::Call(_) => from >= to,
                EdgeKind::Return(_) => from <= to,
                EdgeKind::Heap => false,
            }
        })
    }
}

impl std::fmt::Display for Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = format!("functions of the nodes: {:?}\n", self.functions);
        for edge in &self.edges {
            let rules: Vec<u32> = RULES.into_iter().filter(|rule| edge.mask >> rule & 1 == 1).collect();
            writeln!(text, "{} -> {} {:?} {rules:?}", edge.from, edge.to, edge.kind)?;
        }
        f.write_str(&text)
    }
}

/// Removes edges and rules of edges as long as a difference remains.
fn smallest(graph: &Graph) -> Graph {
    let mut best = graph.clone();
    let mut position = 0;
    while position < best.edges.len() {
        let mut without = best.clone();
        without.edges.remove(position);
        if difference(&without, true, &mut Totals::default()).is_some() {
            best = without;
            position = 0;
        } else {
            position += 1;
        }
    }
    best
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}
