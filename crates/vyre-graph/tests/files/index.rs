//! Binary files of version 2: the index of a graph, damaged files, and sections that this release does not know.

use std::io::Write;

use vyre_graph::file::{write_binary, write_binary_with_index};
use vyre_graph::generate::SplitMix64;
use vyre_graph::{Format, Graph, GraphFile, GraphIndex, Input, Loaded, ReadOptions, Weights, read_graph};
use xxhash_rust::xxh3::xxh3_64;

use crate::binary::{read_both, small_graph};
use crate::oracle::{graph_of, options, random_edges, read, written};

// Sections of the small graph are at 384 (offsets), 448 (targets), 512 (node_data), 576 (weights), 640 (name_ends), 704 (name_text),
// 768 (incoming_offsets), 832 (incoming_sources) and 896 (order).
const ENTRIES: std::ops::Range<usize> = 64..352;
const ORDER_ENTRY: usize = 64 + 8 * 32;
const FILE_BYTES: usize = 896 + 16;

/// Bytes of a file of version 2 with the index.
pub(crate) fn indexed(graph: &Graph) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_binary_with_index(graph.view(), &mut bytes, &()).expect("memory takes everything");
    bytes
}

fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
}

fn put(bytes: &mut [u8], at: usize, word: u64) {
    bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
}

/// Corrects all checksums, like an attacker. Sections have less than a block.
fn with_checksums(mut bytes: Vec<u8>) -> Vec<u8> {
    let entries = 64 + 32 * u32::from_le_bytes(bytes[12..16].try_into().expect("4 bytes")) as usize;
    for entry in (64..entries.min(bytes.len() - 32)).step_by(32) {
        let (position, length) = (word(&bytes, entry) as usize, word(&bytes, entry + 8) as usize);
        if let Some(section) = position.checked_add(length).and_then(|end| bytes.get(position..end)) {
            let hashes = if section.is_empty() { Vec::new() } else { xxh3_64(section).to_le_bytes().to_vec() };
            let checksum = if position == 0 { 0 } else { xxh3_64(&hashes) };
            put(&mut bytes, entry + 16, checksum);
        }
    }
    let end = entries.min(bytes.len());
    let checksum = xxh3_64(&[&bytes[..56], &bytes[64..end]].concat());
    put(&mut bytes, 56, checksum);
    bytes
}

/// Writes words into a file and corrects all checksums.
fn forged(graph: &Graph, changes: &[(usize, u32)]) -> Vec<u8> {
    let mut bytes = indexed(graph);
    for &(position, word) in changes {
        bytes[position..position + 4].copy_from_slice(&word.to_le_bytes());
    }
    with_checksums(bytes)
}

/// Loads a file through its name.
fn loaded(bytes: &[u8], options: &ReadOptions) -> Loaded {
    let mut file = tempfile::NamedTempFile::new().expect("there is room for a file");
    file.write_all(bytes).expect("there is room for a file");
    read_graph(Input::path(file.path()), options, &()).expect("the file is right")
}

/// Asserts that a graph that was read has the index of its own edges.
#[track_caller]
fn assert_indexed(loaded: &Loaded) {
    let valid = loaded.valid();
    let graph = loaded.view().csr;
    assert_eq!(valid.csr(), graph);
    assert_eq!(valid.transposed().map(|transposed| transposed.to_graph()), Some(graph.transposed()));
    let in_degree = |node: u32| graph.targets.iter().filter(|&&target| target == node).count();
    let mut order: Vec<u32> = (0..graph.node_count() as u32).collect();
    order.sort_by_key(|&node| std::cmp::Reverse(in_degree(node)));
    assert_eq!(valid.order(), Some(&order[..]));
}

/// The files were written by the first release of each version. They never change.
#[test]
fn files_of_both_versions_are_permanent() {
    let graph = small_graph();
    let version_1 = include_bytes!("data/version1.vgr");
    assert_eq!(written(Format::BINARY, graph.view()), version_1);
    assert_eq!(read_both(version_1), Ok(graph.clone()));
    let version_2 = include_bytes!("data/version2.vgr");
    assert_eq!(indexed(&graph), version_2);
    assert_eq!(read_both(version_2), Ok(graph));
}

#[test]
fn the_layout_is_as_documented() {
    let bytes = indexed(&small_graph());
    assert_eq!((bytes[8], bytes[12], word(&bytes, 16), word(&bytes, 24)), (2, 9, 4, 5));
    let expected = [(384, 20), (448, 20), (512, 16), (576, 20), (640, 16), (704, 16), (768, 20), (832, 20), (896, 16)];
    for (entry, (position, length)) in ENTRIES.step_by(32).zip(expected) {
        assert_eq!((word(&bytes, entry), word(&bytes, entry + 8), word(&bytes, entry + 24)), (position, length, 0));
        let section = &bytes[position as usize..(position + length) as usize];
        assert_eq!(word(&bytes, entry + 16), xxh3_64(&xxh3_64(section).to_le_bytes()));
    }
    let words = |at: usize, count: usize| -> Vec<u32> {
        let words = bytes[at..at + 4 * count].chunks_exact(4);
        words.map(|word| u32::from_le_bytes(word.try_into().expect("4 bytes"))).collect()
    };
    assert_eq!(words(768, 5), [0, 1, 2, 3, 5]);
    assert_eq!(words(832, 5), [2, 0, 0, 1, 3]);
    assert_eq!(words(896, 4), [3, 0, 1, 2]);
    assert_eq!(bytes.len(), FILE_BYTES);
}

/// Sections of more than a block, so that checksums have several hashes, and graphs without nodes or edges.
#[test]
fn graphs_and_indexes_survive_files() {
    let mut random = SplitMix64::new(0x1dec);
    let mut graphs: Vec<Graph> = [0, 1, 5].map(|nodes| graph_of(nodes, &[], nodes == 1)).to_vec();
    graphs.extend((1..40).map(|count| graph_of(7, &random_edges(&mut random, 7, count), count % 2 == 0)));
    graphs.push(small_graph());
    let edges: Vec<(u32, u32)> = (0..300_000).map(|edge| (edge % 70_001, (edge * 7 + edge / 3) % 64)).collect();
    let large = Graph::from(vyre_graph::to_csr(70_001, &edges));
    for graph in &graphs {
        let bytes = indexed(graph);
        assert_eq!(read_both(&bytes), Ok(graph.clone()));
        let mapped = loaded(&bytes, &options());
        assert!(mapped.is_mapped());
        assert_indexed(&mapped);
    }
    let bytes = indexed(&large);
    assert_eq!(read_both(&bytes), Ok(large.clone()));
    let mapped = loaded(&bytes, &options());
    let index = GraphIndex::new(large.csr.view());
    assert_eq!(mapped.valid().transposed().map(|view| view.targets), Some(index.view().sources()));
    assert_eq!(mapped.valid().order(), index.view().order());
    let damaged = |at: usize| {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        read_both(&damaged)
    };
    for at in [bytes.len() - 1, bytes.len() / 2, (1 << 20) + 500, 400] {
        assert!(damaged(at).is_err_and(|error| error.contains("the checksum of the section")), "{at}");
    }
}

#[test]
fn streams_and_compressed_files_keep_the_index() {
    let bytes = indexed(&small_graph());
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&bytes).expect("memory takes everything");
    let compressed = encoder.finish().expect("memory takes everything");
    for bytes in [bytes, compressed] {
        let loaded = read_graph(Input::from(&bytes[..]), &options(), &()).expect("the file is right");
        assert!(!loaded.is_mapped());
        assert_indexed(&loaded);
    }
}

/// An index does not fit a graph to which options add nodes or edges.
#[test]
fn options_that_change_the_graph_drop_the_index() {
    let mut graph = small_graph();
    graph.names = None;
    let bytes = indexed(&graph);
    let without_weights = options().with_weights(Weights::Ignore);
    for (given, has_index) in [
        (options(), true),
        (without_weights, true),
        (options().with_min_nodes(4), true),
        (options().with_min_nodes(5), false),
        (options().with_undirected(true), false),
    ] {
        let stream = read_graph(Input::from(&bytes[..]), &given, &()).expect("the file is right");
        for loaded in [stream, loaded(&bytes, &given)] {
            assert_eq!(loaded.valid().transposed().is_some(), has_index, "{given:?}");
            assert_eq!(loaded.valid().csr(), loaded.view().csr);
            assert!(loaded.view().validate().is_ok());
        }
    }
    let version_1 = written(Format::BINARY, graph.view());
    let loaded = loaded(&version_1, &options());
    assert_eq!((loaded.valid().transposed(), loaded.valid().order()), (None, None));
}

#[test]
fn truncation_at_every_byte_is_an_error() {
    let bytes = indexed(&small_graph());
    for length in 0..bytes.len() {
        let error = read_both(&bytes[..length]).expect_err("a part is missing");
        let expected = match length {
            ..64 => 256,
            64..352 => 352,
            _ => bytes.len(),
        };
        assert_eq!(error, format!("byte {length}: the file ends here, but must have {expected} bytes"));
    }
    let longer = [&bytes[..], b"\0"].concat();
    assert_eq!(read_both(&longer), Err(format!("byte {FILE_BYTES}: the file must end here, but goes on")));
}

#[test]
fn every_changed_byte_is_an_error() {
    let bytes = indexed(&small_graph());
    for position in 0..bytes.len() {
        for bits in [0x01, 0x03, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[position] ^= bits;
            read_both(&damaged).expect_err("the file is damaged");
        }
    }
}

#[test]
fn wrong_indexes_with_valid_checksums_are_rejected() {
    let graph = small_graph();
    assert_eq!(read_both(&forged(&graph, &[])).expect("nothing was changed"), graph);
    let order = |position: usize, value: u32| {
        format!(
            "byte {}: element {position} of the order of the nodes is {value}, but the nodes must be ordered by descending in-degree \
             and ascending number",
            896 + 4 * position
        )
    };
    let other = "byte 768: the transposed graph has other edges than the graph".to_owned();
    let expected_at = |byte: usize, rest: &str| format!("byte {byte}: {rest}");
    for (changes, expected) in [
        (vec![(8, 3)], expected_at(8, "version 3 of the format is not known; versions 1 and 2 are")),
        (vec![(12, 5)], expected_at(12, "the number of sections is 5, but must be 6 to 64")),
        (vec![(12, 65)], expected_at(12, "the number of sections is 65, but must be 6 to 64")),
        (vec![(12, u32::MAX)], expected_at(12, "the number of sections is 4294967295, but must be 6 to 64")),
        (vec![(32, 1)], expected_at(32, "a reserved byte is not 0")),
        (vec![(ORDER_ENTRY + 24, 1)], expected_at(ORDER_ENTRY + 24, "a reserved byte is not 0")),
        (vec![(356, 1)], expected_at(356, "a reserved byte is not 0")),
        (vec![(256, 0)], expected_at(256, "the section `incoming_offsets` is missing")),
        (vec![(288, 0)], expected_at(288, "the section `incoming_sources` is missing")),
        (vec![(256, 0), (288, 0)], expected_at(256, "the section `incoming_offsets` is missing")),
        (
            vec![(296, 16)],
            expected_at(296, "the section `incoming_sources` is said to have 16 bytes, but must have 20"),
        ),
        (
            vec![(ORDER_ENTRY, 832)],
            expected_at(ORDER_ENTRY, "the section `order` is said to be at byte 832, but must be at 896"),
        ),
        (vec![(768, 1)], expected_at(768, "the transposed graph is not valid: offsets[0] is 1, but must be 0")),
        (
            vec![(784, 4)],
            expected_at(
                784,
                "the transposed graph is not valid: offsets[4], the last one, is 4, but must be 5, the length of `targets`",
            ),
        ),
        (
            vec![(776, 0)],
            expected_at(
                776,
                "the transposed graph is not valid: offsets[2] is 0, but must be at least 1, the one before it: offsets never \
                 decrease",
            ),
        ),
        (vec![(848, 4)], expected_at(848, "the transposed graph is not valid: targets[4] is 4, but nodes are 0 to 3")),
        (
            vec![(844, 3), (848, 1)],
            expected_at(
                848,
                "source 4 of the transposed graph is less than the one before it, but sources of a node are ascending",
            ),
        ),
        // Edges between other nodes, with the same degrees or not, and an edge twice instead of two edges.
        (vec![(832, 0), (836, 2)], other.clone()),
        (vec![(832, 1)], other.clone()),
        (vec![(848, 1)], other.clone()),
        (vec![(776, 1)], other.clone()),
        (vec![(780, 2)], other),
        (vec![(896, 4)], order(0, 4)),
        (vec![(900, 1), (904, 0)], order(2, 0)),
        (vec![(900, 3)], order(1, 3)),
        (vec![(908, 1)], order(3, 1)),
        (vec![(896, 0), (900, 3)], order(1, 3)),
    ] {
        assert_eq!(read_both(&forged(&graph, &changes)), Err(expected), "{changes:?}");
    }
}

/// A transposed graph of the wrong graph, with checksums: the file says that no path leads to the sink.
#[test]
fn an_index_of_another_graph_is_rejected() {
    let mut random = SplitMix64::new(0xbad);
    for _ in 0..200 {
        let edges = random_edges(&mut random, 9, 20);
        let mut others = edges.clone();
        let (one, other) = (random.below(20) as usize, random.below(20) as usize);
        (others[one].1, others[other].1) = (others[other].1, others[one].1);
        let (graph, other) = (graph_of(9, &edges, false), graph_of(9, &others, false));
        let mut bytes = indexed(&graph);
        let index = word(&bytes, 256) as usize;
        bytes.truncate(index);
        bytes.extend_from_slice(&indexed(&other)[index..]);
        let read = read_both(&with_checksums(bytes));
        match graph.csr.transposed() == other.csr.transposed() {
            true => assert_eq!(read, Ok(graph)),
            false => {
                assert_eq!(read, Err(format!("byte {index}: the transposed graph has other edges than the graph")))
            }
        }
    }
}

#[test]
fn parts_of_an_index_can_be_absent() {
    let graph = small_graph();
    // No order.
    let mut bytes = indexed(&graph);
    bytes.truncate(852);
    bytes[ORDER_ENTRY..ORDER_ENTRY + 24].fill(0);
    let bytes = with_checksums(bytes);
    assert_eq!(read_both(&bytes).as_ref(), Ok(&graph));
    let mapped = loaded(&bytes, &options());
    assert_eq!(mapped.valid().order(), None);
    assert_eq!(mapped.valid().transposed().map(|view| view.to_graph()), Some(graph.csr.transposed()));
    // Six entries, and no index. The sections stay where they are, because the table is padded to the same position.
    let mut bytes = with_entries(&indexed(&graph), 6, 256);
    bytes.truncate(576 + 16);
    let bytes = with_checksums(bytes);
    assert_eq!(read_both(&bytes).as_ref(), Ok(&graph));
    assert_eq!(loaded(&bytes, &options()).valid().transposed(), None);
}

/// A file of version 2 with another number of entries, whose sections begin at `start`.
fn with_entries(bytes: &[u8], entries: u32, start: u64) -> Vec<u8> {
    let table = 64 + 32 * entries as usize;
    let mut changed = bytes[..table.min(352)].to_vec();
    changed.resize(start as usize, 0);
    changed.extend_from_slice(&bytes[384..]);
    changed[12..16].copy_from_slice(&entries.to_le_bytes());
    for entry in (64..table.min(352)).step_by(32) {
        let position = word(&changed, entry);
        put(&mut changed, entry, position - 384 + start);
    }
    changed
}

/// A later release adds sections that readers can ignore.
#[test]
fn unknown_sections_are_checked_and_skipped() {
    let graph = small_graph();
    let entry = 64 + 10 * 32;
    let mut bytes = with_entries(&indexed(&graph), 12, 448);
    bytes.resize(bytes.len().next_multiple_of(64), 0);
    let position = bytes.len() as u64;
    put(&mut bytes, entry, position);
    put(&mut bytes, entry + 8, 9);
    bytes.extend_from_slice(b"later one");
    let bytes = with_checksums(bytes);
    assert_eq!(read_both(&bytes).as_ref(), Ok(&graph));
    assert_indexed(&loaded(&bytes, &options()));

    let mut damaged = bytes.clone();
    damaged[position as usize] ^= 1;
    let error = read_both(&damaged).expect_err("the section is damaged");
    assert!(error.starts_with(&format!("byte {position}: the checksum of the section `number 10` is ")), "{error}");
    assert!(read_both(&bytes[..bytes.len() - 1]).is_err_and(|error| error.contains("the file ends here")));
    for length in [u64::MAX, u64::MAX - 64, u64::MAX - position, 1 << 63, 1 << 40] {
        let mut hostile = bytes.clone();
        put(&mut hostile, entry + 8, length);
        let error = read_both(&with_checksums(hostile)).expect_err("the file is not so long");
        assert!(error.contains("the file ends here, but must have"), "{error}");
    }
    for position in [u64::MAX, 64, position + 64, position + 1] {
        let mut hostile = bytes.clone();
        put(&mut hostile, entry, position);
        let error = read_both(&with_checksums(hostile)).expect_err("the section is elsewhere");
        assert!(error.contains("the section `number 10` is said to be at byte"), "{error}");
    }
}

#[test]
fn declared_sizes_of_a_header_allocate_no_memory() {
    let most = u32::MAX;
    let changes = [(16, most), (24, most)];
    let error = read_both(&forged(&graph_of(0, &[], false), &changes)).expect_err("the lengths do not fit");
    assert_eq!(error, "byte 72: the section `offsets` is said to have 4 bytes, but must have 17179869184");
}

/// The text of a file of version 2 that is read as one of version 1, and the other way round.
#[test]
fn the_version_is_not_a_guess() {
    let graph = small_graph();
    let mut bytes = indexed(&graph);
    bytes[8] = 1;
    read_both(&bytes).expect_err("the header of version 1 is shorter");
    let mut bytes = written(Format::BINARY, graph.view());
    bytes[8] = 2;
    assert_eq!(read_both(&bytes), Err("byte 12: the number of sections is 0, but must be 6 to 64".to_owned()));
}

#[test]
fn invalid_graphs_are_not_written() {
    let mut graph = small_graph();
    graph.csr.targets[0] = 4;
    let error = write_binary_with_index(graph.view(), std::io::sink(), &()).expect_err("there is no node 4");
    assert_eq!(error.to_string(), write_binary(graph.view(), std::io::sink(), &()).expect_err("likewise").to_string());
    let limited = options().with_max_nodes(3);
    assert!(read(indexed(&small_graph()), &limited).is_err());
    assert!(GraphFile::open("/no/such/file", &()).is_err());
}
