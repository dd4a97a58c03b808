//! Damaged binary files: every damage is detected.

use vyre_graph::{Format, Graph, GraphFile, Input, ReadError, Role, Weights, read_graph};
use xxhash_rust::xxh3::xxh3_64;

use crate::oracle::{error_of, graph_of, options, read, written};

pub(crate) fn small_graph() -> Graph {
    let mut graph = graph_of(4, &[(0, 1, 7), (0, 2, 8), (1, 3, 9), (3, 3, 10), (2, 0, 11)], true);
    graph.csr.node_data = vec![0, Role::Source.word(), Role::Sink.set_in(5), 1];
    graph.names = Some(["main", "read line", "é", "x"].into_iter().collect());
    graph
}

/// Reads the bytes from a stream and from a mapped file, which must agree.
pub(crate) fn read_both(bytes: &[u8]) -> Result<Graph, String> {
    let stream = GraphFile::read(bytes, &()).map_err(|error| error.to_string());
    let directory = tempfile::tempdir().expect("there is room for a file");
    let path = directory.path().join("graph.vgr");
    std::fs::write(&path, bytes).expect("there is room for a file");
    let mapped = GraphFile::open(&path, &()).map(|file| file.view().to_graph()).map_err(|error| error.to_string());
    match (&stream, &mapped) {
        // The two readers check in different orders, so they may report different errors.
        (Err(_), Err(_)) => {}
        _ => assert_eq!(stream, mapped),
    }
    mapped
}

#[test]
fn truncation_at_every_byte_is_an_error() {
    let bytes = written(Format::BINARY, small_graph().view());
    assert_eq!(read_both(&bytes).expect("the file is complete"), small_graph());
    for length in 0..bytes.len() {
        let error = read_both(&bytes[..length]).expect_err("a part is missing");
        let expected = if length < 256 { 256 } else { bytes.len() };
        assert_eq!(error, format!("byte {length}: the file ends here, but must have {expected} bytes"));
    }
    let longer = [&bytes[..], b"\0"].concat();
    let expected = format!("byte {}: the file must end here, but goes on", bytes.len());
    assert_eq!(read_both(&longer), Err(expected));
}

#[test]
fn every_changed_byte_is_an_error() {
    let bytes = written(Format::BINARY, small_graph().view());
    for position in 0..bytes.len() {
        for bits in [0x01, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[position] ^= bits;
            read_both(&damaged).expect_err("the file is damaged");
        }
    }
}

/// Writes words into a file and corrects all checksums, like an attacker.
fn forged(graph: &Graph, changes: &[(usize, u32)]) -> Vec<u8> {
    let mut bytes = written(Format::BINARY, graph.view());
    for &(position, word) in changes {
        bytes[position..position + 4].copy_from_slice(&word.to_le_bytes());
    }
    for slot in (64..256).step_by(32) {
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes")) as usize;
        let (position, length) = (word(slot), word(slot + 8));
        if let Some(section) = position.checked_add(length).and_then(|end| bytes.get(position..end)) {
            let checksum = if position == 0 { 0 } else { xxh3_64(section) };
            bytes[slot + 16..slot + 24].copy_from_slice(&checksum.to_le_bytes());
        }
    }
    let checksum = xxh3_64(&[&bytes[..56], &bytes[64..256]].concat());
    bytes[56..64].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

#[test]
fn invalid_graphs_with_valid_checksums_are_rejected() {
    let graph = small_graph();
    assert_eq!(read_both(&forged(&graph, &[])).expect("nothing was changed"), graph);
    // Sections are at 256 (offsets), 320 (targets), 384 (node_data), 448 (weights), 512 (name_ends) and 576 (name_text).
    for (changes, expected) in [
        (vec![(8, 3)], "byte 8: version 3 of the format is not known; versions 1 and 2 are"),
        (vec![(12, 1)], "byte 12: a reserved byte is not 0"),
        (vec![(40, 1)], "byte 40: a reserved byte is not 0"),
        (vec![(88, 1)], "byte 88: a reserved byte is not 0"),
        (vec![(276, 1)], "byte 276: a reserved byte is not 0"),
        (vec![(20, 1)], "byte 16: the count is 4294967300, but at most 4294967295 are possible"),
        (vec![(28, 1)], "byte 24: the count is 4294967301, but at most 4294967295 are possible"),
        (vec![(16, 5)], "byte 72: the section `offsets` is said to have 20 bytes, but must have 24"),
        (vec![(64, 0)], "byte 64: the section `offsets` is missing"),
        (vec![(192, 0)], "byte 192: the section `name_ends` is missing"),
        (vec![(224, 0)], "byte 224: the section `name_text` is missing"),
        (vec![(96, 256)], "byte 96: the section `targets` is said to be at byte 256, but must be at 320"),
        (vec![(100, 1)], "byte 96: the section `targets` is said to be at byte 4294967616, but must be at 320"),
        (vec![(236, 1)], "byte 232: the count is 4294967312, but at most 4294967295 are possible"),
        (vec![(232, 15)], "byte 591: the file must end here, but goes on"),
        (vec![(232, 17)], "byte 592: the file ends here, but must have 593 bytes"),
        (vec![(256, 1)], "byte 256: offsets[0] is 1, but must be 0"),
        (
            vec![(264, 1)],
            "byte 264: offsets[2] is 1, but must be at least 2, the one before it: offsets never decrease",
        ),
        (vec![(272, 4)], "byte 272: offsets[4], the last one, is 4, but must be 5, the length of `targets`"),
        (vec![(328, 4)], "byte 328: targets[2] is 4, but nodes are 0 to 3"),
        (vec![(396, 5 << 16)], "byte 396: node_data[3] has role 5 in bits 16 to 23, but roles are 0 to 4"),
        (vec![(516, 3)], "byte 516: the name of node 1 ends at 3, but must end at 4 to 16"),
        (vec![(524, 15)], "byte 524: the name of node 3 ends at 15, but must end at 16"),
        (vec![(524, 17)], "byte 524: the name of node 3 ends at 17, but must end at 15 to 16"),
        (vec![(516, 14)], "byte 580: the name of node 1 is not UTF-8"),
        (vec![(576, 0xffff_ffff)], "byte 576: the name of node 0 is not UTF-8"),
    ] {
        assert_eq!(read_both(&forged(&graph, &changes)), Err(expected.to_owned()), "{changes:?}");
    }
}

#[test]
fn declared_sizes_of_a_header_allocate_no_memory() {
    let most = u32::MAX;
    let lengths = [(16, most), (24, most)];
    let error = read_both(&forged(&graph_of(0, &[], false), &lengths)).expect_err("the lengths do not fit");
    assert_eq!(error, "byte 72: the section `offsets` is said to have 4 bytes, but must have 17179869184");
}

#[test]
fn empty_graphs_are_read() {
    for nodes in [0, 1, 5] {
        for has_weights in [false, true] {
            let mut graph = graph_of(nodes, &[], has_weights);
            assert_eq!(read_both(&written(Format::BINARY, graph.view())).expect("this is right"), graph);
            let names: Vec<String> = (0..nodes).map(|node| node.to_string()).collect();
            graph.names = Some(names.iter().map(String::as_str).collect());
            assert_eq!(read_both(&written(Format::BINARY, graph.view())).expect("this is right"), graph);
        }
    }
}

#[test]
fn options_apply_to_binary_files() {
    let graph = small_graph();
    let bytes = written(Format::BINARY, graph.view());
    let mut limited = options();
    limited.max_nodes = Some(3);
    assert_eq!(error_of(&bytes, &limited), "the graph has 4 nodes, but the limit is 3");
    limited.max_nodes = Some(4);
    limited.weights = Weights::Required;
    assert_eq!(read(&bytes, &limited).expect("there are weights"), graph);
    let bytes = written(Format::BINARY, graph.csr.view().into());
    assert_eq!(error_of(&bytes, &limited), "weights are required, but the file has none");
    let mut given = options();
    given.format = Some(Format::BINARY);
    assert_eq!(error_of("0 1\n".repeat(100), &given), "byte 0: this is not a binary graph file");
    // A binary file is not a text.
    given.format = Some(Format::EDGE_LIST);
    assert_eq!(error_of(&bytes, &given), "line 1, column 1: the byte 0x89 is not UTF-8");
}

#[test]
fn a_mapped_file_can_be_opened_without_its_weights() {
    let directory = tempfile::tempdir().expect("there is room for a file");
    let path = directory.path().join("graph.vgr");
    std::fs::write(&path, written(Format::BINARY, small_graph().view())).expect("there is room for a file");
    let mut ignoring = options();
    ignoring.weights = Weights::Ignore;
    let loaded = read_graph(Input::path(&path), &ignoring, &()).expect("this is right");
    assert!(loaded.is_mapped());
    assert_eq!(loaded.into_graph(), Graph { weights: None, ..small_graph() });
    std::fs::write(&path, b"\x89VGR\r\n\x1a\n").expect("there is room for a file");
    let error: ReadError = read_graph(Input::path(&path), &options(), &()).expect_err("nothing follows");
    assert_eq!(error.to_string(), "byte 8: the file ends here, but must have 256 bytes");
}

#[test]
fn duplicate_names_are_an_error() {
    let mut graph = small_graph();
    graph.names = Some(["main", "x", "yard", "y"].into_iter().collect());
    let bytes = written(Format::BINARY, graph.view());
    let text = bytes.len() - "mainxyardy".len();
    assert_eq!(&bytes[text..], b"mainxyardy");
    // The last name becomes the name of node 1.
    let twice = forged(&graph, &[(text + 6, u32::from_le_bytes(*b"ardx"))]);
    let expected = format!("byte {}: the name of node 3 is that of node 1, but names are different", text + 9);
    assert_eq!(read_both(&twice), Err(expected.clone()));
    assert_eq!(error_of(&twice, &options()), expected);
}

#[test]
fn a_graph_without_names_has_the_requested_number_of_nodes() {
    let mut given = options();
    let mut graph = graph_of(2, &[(0, 1, 5)], true);
    graph.csr.node_data[1] = Role::Sink.word();
    let directory = tempfile::tempdir().expect("there is room for a file");
    let path = directory.path().join("graph.vgr");
    std::fs::write(&path, written(Format::BINARY, graph.view())).expect("there is room for a file");
    for (nodes, undirected, edges) in [
        (0, false, &[(0, 1, 5)][..]),
        (2, false, &[(0, 1, 5)]),
        (4, false, &[(0, 1, 5)]),
        (4, true, &[(0, 1, 5), (1, 0, 5)]),
    ] {
        (given.min_nodes, given.undirected) = (nodes, undirected);
        let mut expected = graph_of(nodes.max(2), edges, true);
        expected.csr.node_data[1] = Role::Sink.word();
        let loaded = read_graph(Input::path(&path), &given, &()).expect("this is right");
        assert_eq!(loaded.is_mapped(), nodes <= 2 && !undirected);
        loaded.view().validate().expect("it is a graph");
        assert_eq!(loaded.into_graph(), expected);
        assert_eq!(read(written(Format::BINARY, graph.view()), &given).expect("this is right"), expected);
    }
    given.min_nodes = 1;
    let named = written(Format::BINARY, small_graph().view());
    std::fs::write(&path, &named).expect("there is room for a file");
    let expected = "at least 1 node is wanted, but nodes have names here, and those that are added would have none";
    assert_eq!(error_of(&named, &given), expected);
    assert_eq!(read_graph(Input::path(&path), &given, &()).expect_err("nodes have names").to_string(), expected);
}
