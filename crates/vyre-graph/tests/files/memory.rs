//! Memory is bounded by the size of the input, whatever numbers the input declares.

use allocation_counter::measure;
use vyre_graph::ReadOptions;

use crate::oracle::{options, read, with_names};

/// Peak memory of reading a text, in bytes. One thread does all work, because other threads are not measured.
fn peak(text: impl AsRef<[u8]> + Send, given: &ReadOptions) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("there is room for a thread");
    pool.install(|| measure(|| drop(read(text, given))).bytes_max)
}

#[test]
fn declared_sizes_allocate_no_memory() {
    for text in [
        "%%MatrixMarket matrix coordinate pattern general\n1000000000 1000000000 10\n1 1\n2 2\n3",
        "%%MatrixMarket matrix coordinate pattern general\n1000000000 1000000000 4000000000\n1 1\n2 2\n3",
        "%%MatrixMarket matrix coordinate integer symmetric\n4294967295 4294967295 4294967295\n1 1 1\n",
        "0 4294967294\n",
        "4294967294 4294967294\n",
        "0 1 7\n0 16777216 7\n",
        "# Nodes: 4294967295 Edges: 4294967295\n0 1\n",
    ] {
        let peak = peak(text, &options());
        assert!(peak < 1 << 20, "{peak} bytes for {text:?}");
    }
}

#[test]
fn a_small_text_takes_little_memory() {
    for given in [options(), with_names()] {
        let peak = peak("0 1\n1 2\n2 0\n", &given);
        assert!(peak < 1 << 20, "{peak} bytes");
    }
}

#[test]
fn a_text_that_grows_a_thousandfold_takes_the_memory_of_a_few_blocks() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..24 {
        std::io::Write::write_all(&mut encoder, &vec![b'\n'; 1 << 20]).expect("memory takes everything");
    }
    let blank = encoder.finish().expect("memory takes everything");
    assert!(blank.len() < 1 << 16);
    let given = crate::oracle::with_blocks(options(), 1 << 16);
    let lines = peak(&blank, &given);
    assert!(lines < 4 << 20, "{lines} bytes for blank lines");

    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..24 {
        std::io::Write::write_all(&mut encoder, &vec![b'7'; 1 << 20]).expect("memory takes everything");
    }
    let endless = encoder.finish().expect("memory takes everything");
    let line = peak(&endless, &given);
    assert!(line < 16 << 20, "{line} bytes for an endless line");
}

/// 8 bytes for each edge while it is parsed, and 4 more during construction.
#[test]
fn edges_take_twelve_bytes_and_a_few_blocks() {
    let edges = 300_000u64;
    let text: String = (0..edges).map(|edge| format!("{} {}\n", edge * 7 % 1_000, edge % 999)).collect();
    let given = crate::oracle::with_blocks(options(), 1 << 16);
    let peak = peak(&text, &given);
    assert!(peak < 13 * edges + (1 << 20), "{peak} bytes for {edges} edges");
}
