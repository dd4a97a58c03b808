//! Randomly changed files: reading them ends with a graph or an error.

use vyre_graph::generate::SplitMix64;
use vyre_graph::{Format, Graph, Header, NodeIds, ReadOptions, Separators, Weights, read_node_list, read_nodes};

use crate::index::indexed;
use crate::oracle::{graph_of, options, random_edges, read, with_blocks, written};

/// Texts that tend to break parsers, besides bytes of the file itself.
const PIECES: [&[u8]; 24] = [
    b"\n",
    b"\r\n",
    b"\"",
    b"\"\"",
    b"#",
    b"%",
    b"//",
    b",",
    b";",
    b"\t",
    b" ",
    b"-1",
    b"4294967295",
    b"4294967296",
    b"99999999999999999999",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"source,target\n",
    b"1e400",
    b"0.5",
    b"%%MatrixMarket",
    b"\x1f\x8b\x08",
    b"\x89VGR\r\n\x1a\n",
];

fn change(random: &mut SplitMix64, bytes: &mut Vec<u8>) {
    let position = |random: &mut SplitMix64, bytes: &[u8]| random.below(bytes.len() as u64 + 1) as usize;
    match random.below(6) {
        0 => {
            let at = position(random, bytes);
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => bytes.truncate(position(random, bytes)),
        2 | 3 => {
            let at = position(random, bytes);
            let piece = PIECES[random.below(PIECES.len() as u64) as usize];
            bytes.splice(at..at, piece.iter().copied());
        }
        4 => {
            let (from, to) = (position(random, bytes), position(random, bytes));
            let part = bytes[from.min(to)..from.max(to)].to_vec();
            let at = position(random, bytes);
            bytes.splice(at..at, part.into_iter().take(100));
        }
        _ => {
            let at = position(random, bytes);
            let end = (at + random.below(8) as usize).min(bytes.len());
            bytes.drain(at..end);
        }
    }
}

fn random_options(random: &mut SplitMix64, format: Format) -> ReadOptions {
    let mut given = with_blocks(options(), [1, 30, 1 << 20][random.below(3) as usize]);
    given.format = (random.below(2) == 0).then_some(format);
    given.nodes = [NodeIds::Numbers, NodeIds::Names][random.below(2) as usize];
    given.weights = [Weights::Auto, Weights::Required, Weights::Ignore][random.below(3) as usize];
    given.header = [Header::Auto, Header::Present, Header::Absent][random.below(3) as usize];
    given.undirected = random.below(3) == 0;
    // A graph of many nodes would be valid, but slow to check.
    given.max_nodes = Some(100_000);
    given
}

#[test]
fn changed_files_are_graphs_or_errors() {
    let mut random = SplitMix64::new(0xF022);
    let (mut graphs, mut errors) = (0, 0);
    for case in 0..4_000u32 {
        let count = 1 + random.below(12) as usize;
        let edges = random_edges(&mut random, 9, count);
        let mut graph = graph_of(9, &edges, case % 3 != 0);
        if case % 5 == 0 {
            graph.names = Some(["a", "b c", "\"", "é", "#e", "f", "g", "h", "i"].into_iter().collect());
        }
        let format = Format::ALL[case as usize % Format::ALL.len()];
        let mut bytes = written(format, graph.view());
        for _ in 0..1 + random.below(4) {
            change(&mut random, &mut bytes);
        }
        let given = random_options(&mut random, format);
        match read(&bytes, &given) {
            Ok(graph) => {
                graph.view().validate().expect("what was read is a graph");
                graphs += 1;
            }
            Err(error) => {
                let text = error.to_string();
                assert!(!text.is_empty() && !text.contains('\n'), "{text:?}");
                errors += 1;
            }
        }
        let mut words = [0; 9];
        let names = graph.names.as_ref().map(|names| names.view());
        let separators = [Separators::Any, Separators::Csv, Separators::Commas][case as usize % 3];
        let _ = read_nodes(&bytes[..], separators, names, &mut words, &());
        let _ = read_node_list(&bytes[..], separators, names, 9, &());
    }
    assert!(graphs > 300 && errors > 1_000, "{graphs} graphs, {errors} errors");
}

/// A changed binary file is an error, since its checksums do not match.
#[test]
fn changed_binary_files_are_never_other_graphs() {
    let mut random = SplitMix64::new(0xB17);
    for case in 0..2_000 {
        let edges = random_edges(&mut random, 9, 10);
        let graph: Graph = graph_of(9, &edges, true);
        let bytes = if case % 2 == 0 { written(Format::BINARY, graph.view()) } else { indexed(&graph) };
        let mut changed = bytes.clone();
        change(&mut random, &mut changed);
        let mut given = options();
        given.format = Some(Format::BINARY);
        match read(&changed, &given) {
            Ok(read) => assert_eq!((read, &changed), (graph, &bytes)),
            Err(_) => assert_ne!(changed, bytes),
        }
    }
}
