//! Layered drawings: properties of layouts of random graphs, limits, and the SVG files.

use vyre_graph::drawing::{Drawing, DrawingError, MAX_NODES, NodeBox};
use vyre_graph::generate::SplitMix64;
use vyre_graph::{CsrGraph, Role, to_csr};

/// A random graph with cycles, self-loops and parallel edges.
fn random_graph(random: &mut SplitMix64) -> CsrGraph {
    let nodes = 1 + (random.below(30)) as u32;
    let edges = random.below(3 * u64::from(nodes));
    let mut node = || (random.below(u64::from(nodes))) as u32;
    let edges: Vec<(u32, u32)> = (0..edges).map(|_| (node(), node())).collect();
    let mut graph = to_csr(nodes, &edges);
    graph.node_data.iter_mut().for_each(|word| *word = Role::ALL[(random.below(5)) as usize].word());
    graph
}

fn draw(graph: &CsrGraph) -> Drawing {
    Drawing::new(graph.view(), |node| "n".repeat(node as usize % 40 + 1)).expect("a drawing")
}

fn random_drawings() -> impl Iterator<Item = (CsrGraph, Drawing)> {
    let mut random = SplitMix64::new(0x5EED);
    (0..150).map(move |_| random_graph(&mut random)).map(|graph| {
        let drawing = draw(&graph);
        (graph, drawing)
    })
}

#[test]
fn every_edge_leads_to_a_lower_layer_after_reversal() {
    for (graph, drawing) in random_drawings() {
        let mut expected: Vec<(u32, u32)> = (0..graph.node_count() as u32)
            .flat_map(|node| graph.view().neighbours(node).iter().map(move |&target| (node, target)))
            .filter(|(source, target)| source != target)
            .collect();
        expected.sort_unstable();
        expected.dedup();
        let drawn: Vec<(u32, u32)> = drawing.edges().iter().map(|edge| (edge.source, edge.target)).collect();
        assert_eq!(drawn, expected);
        for edge in drawing.edges() {
            let [source, target] = [edge.source, edge.target].map(|node| &drawing.nodes()[node as usize]);
            let [upper, lower] = if edge.is_reversed { [target, source] } else { [source, target] };
            assert!(upper.layer < lower.layer, "{} {}", edge.source, edge.target);
            assert!(edge.points.is_sorted_by_key(|&(_, y)| y), "{:?}", edge.points);
            assert_eq!(edge.points.first().map(|point| point.1), Some(upper.top + upper.height));
            assert_eq!(edge.points.last().map(|point| point.1), Some(lower.top));
            // Two points at each layer, so that only vertical lines pass boxes.
            assert_eq!(edge.points.len(), 2 * (lower.layer - upper.layer + 1) as usize);
        }
    }
}

#[test]
fn neither_boxes_nor_lines_cover_boxes() {
    let overlaps = |a: &NodeBox, b: &NodeBox| {
        a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height
    };
    for (_, drawing) in random_drawings() {
        let (width, height) = drawing.size();
        let nodes = drawing.nodes();
        for (index, node) in nodes.iter().enumerate() {
            assert!(nodes[..index].iter().all(|other| !overlaps(node, other)));
            assert!(node.left >= 0 && node.top >= 0);
            assert!(node.left + node.width <= width && node.top + node.height <= height);
            for edge in drawing.edges() {
                for pair in edge.points.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
                    let (x, [top, bottom]) = (pair[0].0, [pair[0].1, pair[1].1]);
                    let is_beside = x <= node.left || x >= node.left + node.width;
                    assert!(is_beside || bottom <= node.top || top >= node.top + node.height);
                }
            }
        }
    }
}

#[test]
fn equal_graphs_have_equal_files_which_are_xml() {
    for (graph, drawing) in random_drawings().step_by(5) {
        let file = drawing.svg("A & <b>");
        assert_eq!(file, draw(&graph).svg("A & <b>"));
        let document = roxmltree::Document::parse(&file).expect("XML");
        let count = |name: &str| document.descendants().filter(|node| node.tag_name().name() == name).count();
        assert_eq!((count("g"), count("desc")), (graph.node_count(), 1));
        let title = document.descendants().find(|node| node.tag_name().name() == "title");
        assert_eq!(title.and_then(|title| title.text()), Some("A & <b>"));
    }
}

#[test]
fn every_name_gives_valid_xml() {
    let names = ["<&>\"'", "]]>", "a\0b\u{1b}[31m", "\u{202e}x", "\u{fffe}", "", "  two  blanks ", "名前\u{1f600}"];
    let graph = to_csr(names.len() as u32, &[(0, 1), (1, 2)]);
    let drawing = Drawing::new(graph.view(), |node| names[node as usize].to_owned()).expect("a drawing");
    let file = drawing.svg("names");
    let document = roxmltree::Document::parse(&file).expect("XML");
    let texts: Vec<&str> = document
        .descendants()
        .filter(|node| node.tag_name().name() == "text")
        .map(|node| node.text().unwrap_or_default())
        .collect();
    let expected =
        ["<&>\"'", "]]>", "a\\u{0}b\\u{1b}[31m", "\\u{202e}x", "\\u{fffe}", "", "  two  blanks ", "名前\u{1f600}"];
    assert_eq!(texts, expected);
}

#[test]
fn large_graphs_are_errors() {
    let name = |node: u32| node.to_string();
    let nodes = MAX_NODES as u32 + 1;
    let error = Drawing::new(to_csr(nodes, &[]).view(), name).expect_err("too many nodes");
    assert_eq!(error, DrawingError::Nodes { found: MAX_NODES + 1 });
    assert_eq!(error.to_string(), "a drawing has at most 2000 nodes, and this one has 2001");
    let all: Vec<(u32, u32)> = (0..150).flat_map(|a| (0..150).map(move |b| (a, b))).collect();
    let error = Drawing::new(to_csr(150, &all).view(), name).expect_err("too many edges");
    assert_eq!(error, DrawingError::Edges { found: 22_500 });
    // A chain, and edges from its first nodes to its last ones.
    let chain = (0..999).map(|node| (node, node + 1));
    let long = (0..20).flat_map(|first| (0..20).map(move |last| (first, 999 - last)));
    let error = Drawing::new(to_csr(1000, &chain.chain(long).collect::<Vec<_>>()).view(), name).expect_err("too long");
    assert!(matches!(error, DrawingError::Items { found } if found > 300_000), "{error}");
}

#[test]
fn a_path_is_a_straight_line() {
    let drawing = draw(&to_csr(3, &[(0, 1), (1, 2)]));
    let centers: Vec<i64> = drawing.nodes().iter().map(|node| node.left + node.width / 2).collect();
    assert_eq!(centers, [centers[0]; 3]);
    assert!(drawing.edges().iter().all(|edge| edge.points.iter().all(|point| point.0 == centers[0])));
}

#[test]
fn a_graph_without_nodes_is_an_empty_drawing() {
    let drawing = draw(&CsrGraph::default());
    assert!(roxmltree::Document::parse(&drawing.svg("nothing")).is_ok());
}
