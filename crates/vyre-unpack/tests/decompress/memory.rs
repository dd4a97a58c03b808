//! Memory: it does not grow with the output. Large outputs are in temporary files.

use std::io::Write as _;

use bytes::Bytes;
use vyre_unpack::{DecompressError, Entry, Limit, Limits, Options, ProblemKind, Receiver, Unpacker};
use zip::CompressionMethod;

use crate::collect::{deflate, gzip, noise, open_with};
use crate::tar::tar_of;
use crate::zip::zip_of;

/// Size of an output that must not be held in memory.
const LARGE: usize = 32 << 20;
/// Memory that decoded data may occupy.
const ALLOWED: u64 = 4 << 20;
/// Memory for everything else: batches, tables, windows.
const OVERHEAD: u64 = 20 << 20;

/// Counts bytes and drops them.
#[derive(Default)]
struct Counter {
    entries: u64,
    bytes: u64,
    problems: Vec<ProblemKind>,
}

impl Receiver for Counter {
    fn entries(&mut self, entries: Vec<Entry>) -> Result<(), DecompressError> {
        for entry in entries {
            self.entries += 1;
            self.bytes += entry.bytes.len() as u64;
            self.problems.extend(entry.problems.into_iter().map(|problem| problem.kind));
        }
        Ok(())
    }
}

/// Unpacks with one thread. Returns the counts and the peak of the allocated memory.
fn peak(name: &str, archive: Vec<u8>) -> (Counter, u64) {
    let limits = Limits::default().with_memory(ALLOWED).with_ratio(u64::MAX);
    let unpacker = Unpacker::on_host(Options::default().with_limits(limits));
    let archive = Bytes::from(archive);
    let run = || {
        let mut counter = Counter::default();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().unwrap();
        let memory = allocation_counter::measure(|| {
            let summary = pool.install(|| unpacker.unpack(name.as_bytes(), archive.clone(), &mut counter));
            assert!(summary.unwrap().is_clean());
        });
        (counter, memory.bytes_max)
    };
    // Allocations are counted for each thread, and a thread is part of one pool.
    std::thread::scope(|scope| scope.spawn(run).join().unwrap())
}

/// Text that compresses well, but not without limit.
fn large_text() -> Vec<u8> {
    let part: Vec<u8> = noise(1 << 16, 3).iter().map(|byte| b'a' + byte % 16).collect();
    part.iter().copied().cycle().take(LARGE).collect()
}

fn xz(data: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 0);
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn large_outputs_are_not_held_in_memory() {
    let text = large_text();
    let tar = tar_of(&[("a", text.clone()), ("b", b"b".to_vec())]);
    let mut inner = vec![0; zstd_safe::compress_bound(text.len())];
    let length = zstd_safe::compress(&mut inner[..], &text, 1).unwrap();
    inner.truncate(length);
    let nested = zip_of(
        &[("inner.zip", zip_of(&[("x", text.clone())], CompressionMethod::Stored))],
        CompressionMethod::Deflated,
    );
    for (name, archive, entries, bytes) in [
        ("x.gz", gzip(&text), 1, LARGE),
        ("x.tar.gz", gzip(&tar), 2, LARGE + 1),
        ("x.tar.xz", xz(&tar), 2, LARGE + 1),
        ("x.zst", inner, 1, LARGE),
        ("x.zip", zip_of(&[("x", text.clone())], CompressionMethod::Deflated), 1, LARGE),
        ("nested.zip", nested, 2, 2 * LARGE),
    ] {
        let (counter, memory) = peak(name, archive);
        assert_eq!((counter.entries, counter.problems), (entries, vec![]), "{name}");
        assert!(counter.bytes >= bytes as u64, "{name}");
        assert!(memory <= ALLOWED + OVERHEAD, "{name}: {memory} bytes of memory");
    }
}

/// Small archives wait for the next layer together.
#[test]
fn many_nested_archives_are_not_held_in_memory() {
    let inner: Vec<(String, Vec<u8>)> = (0..400)
        .map(|number| (format!("{number}.zip"), zip_of(&[("x", noise(100_000, number))], CompressionMethod::Stored)))
        .collect();
    let inner: Vec<(&str, Vec<u8>)> = inner.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    let (counter, memory) = peak("x.zip", zip_of(&inner, CompressionMethod::Deflated));
    assert_eq!((counter.entries, counter.problems), (800, vec![]));
    assert!(memory <= ALLOWED + OVERHEAD, "{memory} bytes of memory");
}

/// Everything that is larger than a mebibyte goes through temporary files.
#[test]
fn bytes_in_temporary_files_are_those_of_the_archive() {
    let (one, two) = (noise(3 << 20, 1), noise(2 << 20, 2));
    let inner = gzip(&tar_of(&[("one", one.clone()), ("two", two.clone())]));
    let archive = zip_of(&[("inner.tgz", inner), ("one", one.clone())], CompressionMethod::Deflated);
    let options = Options::default().with_limits(Limits::default().with_memory(0));
    let (collected, summary) = open_with("x.zip", archive, options);
    assert!(summary.unwrap().is_clean());
    let found: Vec<(Vec<u8>, Bytes)> =
        collected.entries.iter().map(|entry| (entry.path.names.last().unwrap().clone(), entry.bytes.clone())).collect();
    let named = |name: &[u8]| -> Vec<Bytes> {
        found.iter().filter(|(own, _)| own == name).map(|(_, bytes)| bytes.clone()).collect()
    };
    assert!(named(b"one") == [one.clone(), one.clone()]);
    assert!(named(b"two") == [two]);
}

/// A stream that asks for a window beyond the limit is refused, and not decoded with less.
#[test]
fn windows_beyond_the_limit_are_refused() {
    let mut options = liblzma::stream::LzmaOptions::new_preset(0).unwrap();
    options.dict_size(8 << 20);
    let mut filters = liblzma::stream::Filters::new();
    filters.lzma2(&options);
    let stream = liblzma::stream::Stream::new_stream_encoder(&filters, liblzma::stream::Check::Crc32).unwrap();
    let mut encoder = liblzma::write::XzEncoder::new_stream(Vec::new(), stream);
    encoder.write_all(&noise(100_000, 1)).unwrap();
    let archive = encoder.finish().unwrap();
    for (window, is_allowed) in [(8 << 20, true), (6 << 20, false)] {
        let options = Options::default().with_limits(Limits::default().with_window(window));
        let (collected, summary) = open_with("x.xz", archive.clone(), options);
        assert!(summary.is_ok());
        let [entry] = &collected.entries[..] else { panic!("one entry") };
        let is_window = |kind: &ProblemKind| matches!(kind, ProblemKind::Limit(exceeded) if exceeded.limit == Limit::Window && exceeded.allowed == window);
        assert_eq!(entry.problems.is_empty(), is_allowed, "{:?}", entry.problems);
        assert_eq!(entry.problems.iter().any(|problem| is_window(&problem.kind)), !is_allowed);
    }
    // Deflate has a window of 32 KiB, which no limit concerns.
    let options = Options::default().with_limits(Limits::default().with_window(0));
    let (collected, summary) = open_with("x.gz", gzip(&deflate(b"text")), options);
    assert!(summary.unwrap().is_clean() && collected.entries.len() == 1);
}
