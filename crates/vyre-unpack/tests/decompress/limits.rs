//! Limits: archives that exceed them end early, within bounded time and memory.

use std::io::Write as _;
use std::time::Instant;

use bytes::Bytes;
use vyre_runtime::{CancelToken, RunOptions};
use vyre_unpack::{DecompressError, Entry, Limit, Limits, Options, ProblemKind, Progress, Receiver, Unpacker};
use zip::CompressionMethod;

use crate::asar::asar;
use crate::collect::{Collected, deflate, gzip, kinds, limited, noise, open, open_with, text};
use crate::tar::{header, tar_of};
use crate::zip::{Part, build, central, end, local, zip_of};

fn is_limit(result: &Result<vyre_unpack::Summary, DecompressError>, limit: Limit) -> bool {
    matches!(result, Err(DecompressError::Limit(exceeded)) if exceeded.limit == limit)
}

#[test]
fn the_total_ends_the_call_after_the_entries_before_it() {
    let files: Vec<(String, Vec<u8>)> = (0..10).map(|number| (format!("{number}"), noise(1000, number))).collect();
    let files: Vec<(&str, Vec<u8>)> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    let archive = zip_of(&files, CompressionMethod::Deflated);
    for total in [0, 999, 1000, 5500, 9999] {
        let (collected, result) = open_with("x.zip", archive.clone(), limited(Limits::default().with_total(total)));
        assert!(is_limit(&result, Limit::Total), "{result:?}");
        let whole = collected.entries.iter().filter(|entry| entry.problems.is_empty());
        let bytes: Vec<&[u8]> = whole.map(|entry| &entry.bytes[..]).collect();
        assert_eq!(bytes.len() as u64, total / 1000);
        assert!(bytes.iter().zip(&files).all(|(found, (_, expected))| found == expected));
    }
    let (_, result) = open_with("x.zip", archive, limited(Limits::default().with_total(10_000)));
    assert!(result.unwrap().is_clean());
}

/// Streams of unknown size reserve more than they need while they decode; other streams must not be refused for that.
#[test]
fn the_total_does_not_depend_on_timing() {
    let streams: Vec<Vec<u8>> = (0..6)
        .map(|seed| {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            encoder.write_all(&noise(1_500_000, seed)).unwrap();
            encoder.finish().unwrap()
        })
        .collect();
    let names: Vec<String> = (0..6).map(|number| format!("{number}.bz2")).collect();
    let files: Vec<(&str, Vec<u8>)> = names.iter().map(String::as_str).zip(streams.iter().cloned()).collect();
    let archive = tar_of(&files);
    let stored: u64 = streams.iter().map(|stream| stream.len() as u64).sum();
    let needed = stored + 6 * 1_500_000;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(6).build().unwrap();
    for total in [needed - 1, needed + (1 << 20)] {
        for _ in 0..5 {
            let options = limited(Limits::default().with_total(total));
            let (collected, result) = pool.install(|| open_with("x.tar", archive.clone(), options));
            let whole = collected.entries.iter().filter(|entry| entry.bytes.len() == 1_500_000).count();
            assert_eq!(is_limit(&result, Limit::Total), total < needed, "{result:?}");
            assert_eq!(whole, if total < needed { 5 } else { 6 });
        }
    }
}

/// Stored files count like compressed ones.
#[test]
fn the_total_counts_stored_files() {
    let files: Vec<(String, Vec<u8>)> = (0..10).map(|number| (format!("{number}"), noise(1000, number))).collect();
    let names: Vec<(&str, Vec<u8>)> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    let nodes: Vec<String> =
        (0..10).map(|number| format!(r#""{number}":{{"size":1000,"offset":"{number}000"}}"#)).collect();
    let all: Vec<u8> = files.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
    let tar = tar_of(&names);
    let archives = [
        (zip_of(&names, CompressionMethod::Stored), 0),
        (asar(&format!(r#"{{"files":{{{}}}}}"#, nodes.join(",")), &all), 0),
        // The content of a stream counts too.
        (gzip(&tar), tar.len() as u64),
        (tar, 0),
    ];
    for (archive, around) in archives {
        for total in [999, 1000, 5500, 9999, 10_000] {
            let limits = Limits::default().with_total(around + total);
            let (collected, result) = open_with("x", archive.clone(), limited(limits));
            assert_eq!(is_limit(&result, Limit::Total), total < 10_000, "{result:?}");
            let whole = collected.entries.iter().filter(|entry| entry.problems.is_empty());
            assert_eq!(whole.map(|entry| entry.bytes.len() as u64).sum::<u64>(), total / 1000 * 1000);
        }
    }
}

#[test]
fn only_the_entry_beyond_the_limit_is_refused() {
    let files = [("small", text(100)), ("large", text(10_000)), ("also small", text(50))];
    for archive in
        [zip_of(&files, CompressionMethod::Deflated), zip_of(&files, CompressionMethod::Stored), tar_of(&files)]
    {
        let (collected, result) = open_with("x", archive, limited(Limits::default().with_entry(9_999)));
        assert_eq!(result.unwrap().damaged, 1);
        let large = collected.get("large");
        assert!(large.bytes.is_empty());
        assert!(matches!(kinds(&large.problems)[..], [ProblemKind::Limit(exceeded)] if exceeded.limit == Limit::Entry));
        assert_eq!(&collected.get("also small").bytes[..], text(50));
    }
}

#[test]
fn ratios_are_limited() {
    let zeros = vec![0; 20 << 20];
    let archive = zip_of(&[("zeros", zeros.clone()), ("after", text(5))], CompressionMethod::Deflated);
    let (collected, summary) = open("x.zip", archive);
    assert!(collected.get("zeros").bytes.is_empty());
    let problems = &collected.get("zeros").problems;
    assert!(matches!(kinds(problems)[..], [ProblemKind::Limit(exceeded)] if exceeded.limit == Limit::Ratio));
    assert_eq!(&collected.get("after").bytes[..], text(5));
    assert_eq!(summary.damaged, 1);
    let (collected, result) = open_with("x.gz", gzip(&zeros), Options::default());
    result.unwrap();
    assert!(collected.entries[0].bytes.is_empty());
    assert!(matches!(kinds(&collected.entries[0].problems)[..], [ProblemKind::Limit(_)]));
}

/// Nested archives of archives of zeros.
#[test]
fn nested_bombs_stop_at_the_total() {
    let mut archive = zip_of(&[("0", vec![0; 4 << 20])], CompressionMethod::Deflated);
    for _ in 0..4 {
        let files: Vec<(String, Vec<u8>)> = (0..16).map(|number| (format!("{number}.zip"), archive.clone())).collect();
        let files: Vec<(&str, Vec<u8>)> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
        archive = zip_of(&files, CompressionMethod::Deflated);
    }
    assert!(archive.len() < 100_000, "{}", archive.len());
    let limits = Limits::default().with_total(64 << 20);
    let (_, result) = open_with("42.zip", archive.clone(), limited(limits));
    assert!(is_limit(&result, Limit::TotalRatio), "{result:?}");
    let (collected, result) = open_with("42.zip", archive, limited(limits.with_ratio(1 << 40)));
    assert!(is_limit(&result, Limit::Total), "{result:?}");
    let output: usize = collected.entries.iter().map(|entry| entry.bytes.len()).sum();
    assert!(output <= 64 << 20);
}

/// All entries share the data of the last one (Fifield, WOOT 2019).
#[test]
fn overlapping_entries_are_rejected() {
    let kernel = deflate(&vec![0; 1 << 20]);
    let last = Part { method: 8, data: kernel.clone(), ..Part::stored("last", &vec![0; 1 << 20]) };
    // The data of each entry are all that follows, headers of others included.
    let mut archive = Vec::new();
    let mut directory = Vec::new();
    let shared = local(&last);
    let mut tail = shared.clone();
    let mut parts = vec![(last, shared.len())];
    for number in 0..50 {
        let data = tail.clone();
        let part = Part { data: data.clone(), ..Part::stored(&format!("{number}"), &data) };
        tail = local(&part);
        parts.push((part, tail.len()));
    }
    archive.extend(&tail);
    for (part, length) in &parts {
        directory.extend(central(part, (archive.len() - length) as u32));
    }
    let offset = archive.len() as u32;
    archive.extend(&directory);
    archive.extend(end(parts.len() as u16, directory.len() as u32, offset));
    let (collected, summary) = open("bomb.zip", archive);
    // The last entry contains no other.
    assert_eq!(summary.damaged, parts.len() as u64 - 1);
    assert_eq!(collected.get("last").bytes.len(), 1 << 20);
    assert_eq!(collected.entries.iter().map(|entry| entry.bytes.len()).sum::<usize>(), 1 << 20);
    // Two records for one offset.
    let part = Part::deflated("a", &text(1000));
    let other = Part { name: b"b".to_vec(), ..part.clone() };
    let good = Part::stored("good", b"good");
    let mut archive = [local(&part), local(&good)].concat();
    let directory = [central(&part, 0), central(&other, 0), central(&good, local(&part).len() as u32)].concat();
    let offset = archive.len() as u32;
    archive.extend(&directory);
    archive.extend(end(3, directory.len() as u32, offset));
    let (collected, _) = open("bomb.zip", archive);
    // Some readers unpack both, so both are here.
    assert_eq!(&collected.get("b").bytes[..], text(1000));
    assert!(!collected.get("b").problems.is_empty());
    assert_eq!(&collected.get("a").bytes[..], text(1000));
    assert_eq!(&collected.get("good").bytes[..], b"good");
    assert!(collected.get("good").problems.is_empty());
}

#[test]
fn half_a_million_entries_stop_at_the_limit() {
    let part = Part::stored("n", b"");
    let (entry, record) = (local(&part), central(&part, 0));
    let mut archive = entry.clone();
    for _ in 0..500_100 {
        archive.extend(&record);
    }
    let length = archive.len() - entry.len();
    archive.extend(end(u16::MAX, length as u32, entry.len() as u32));
    let (collected, result) = open_with("x.zip", archive, Options::default());
    assert!(is_limit(&result, Limit::Entries), "{result:?}");
    assert_eq!(collected.entries.len(), 500_000);
    let files = ["a", "b", "c"].map(|name| (name, text(10)));
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        let limits = Limits::default().with_entries(2);
        let (collected, result) = open_with("x.zip", zip_of(&files, method), limited(limits));
        assert!(is_limit(&result, Limit::Entries), "{result:?}");
        assert_eq!(collected.files(), [("a".to_owned(), text(10)), ("b".to_owned(), text(10))]);
        assert!(collected.entries.iter().all(|entry| entry.problems.is_empty()));
    }
    let archive = header(b"n", b'0', 0).repeat(500_100);
    let mut counted = Counted::default();
    let result = Unpacker::on_host(Options::default()).unpack(b"x.tar", Bytes::from(archive), &mut counted);
    assert!(is_limit(&result, Limit::Entries), "{result:?}");
    assert_eq!(counted.entries, 500_000);
    // Without a central directory. Entries beyond the limit are not recovered.
    let archive = entry.repeat(200_000);
    let allocated = allocation_counter::measure(|| {
        let (collected, result) = open_with("x.zip", archive, limited(Limits::default().with_entries(1000)));
        assert!(is_limit(&result, Limit::Entries), "{result:?}");
        assert_eq!(collected.entries.len(), 1000);
    });
    assert!(allocated.count_total < 100_000, "{allocated:?}");
}

/// Local headers of unknown size without any data descriptor.
#[test]
fn entries_without_data_descriptors_are_recovered() {
    let part = Part { flags: 8, method: 8, has_sizes: false, ..Part::stored("n", b"PK") };
    let archive = local(&part).repeat(60_000);
    let (collected, result) = open_with("x.zip", archive, Options::default());
    result.unwrap();
    assert_eq!(collected.entries.len(), 60_000);
}

#[test]
fn wrong_sizes_allocate_no_memory() {
    let mut part = Part::deflated("lie", &text(100));
    part.size = u32::MAX - 1;
    let (collected, summary) = open("x.zip", build(&[part, Part::stored("good", b"good")]));
    assert!(matches!(kinds(&collected.get("lie").problems)[..], [ProblemKind::Limit(_)]));
    assert_eq!(&collected.get("good").bytes[..], b"good");
    assert_eq!(summary.damaged, 1);
    // A size within the limits is allocated only if the data can produce it.
    let parts: Vec<Part> =
        (0..200).map(|number| Part { size: 16 << 20, ..Part::deflated(&format!("{number}"), &text(100)) }).collect();
    let (collected, summary) = open("x.zip", build(&parts));
    assert_eq!(summary.damaged, 200);
    assert!(collected.entries.iter().all(|entry| entry.bytes[..] == text(100)));
}

/// Counts entries and cancels after some.
#[derive(Default)]
struct Counted {
    entries: usize,
    most: Option<usize>,
    cancel: Option<CancelToken>,
    progress: Vec<Progress>,
}

impl Receiver for Counted {
    fn entries(&mut self, entries: Vec<Entry>) -> Result<(), DecompressError> {
        self.entries += entries.len();
        if let Some(cancel) = &self.cancel {
            cancel.cancel();
        }
        match self.most {
            Some(most) if self.entries > most => Err(DecompressError::Receiver("enough".into())),
            _ => Ok(()),
        }
    }

    fn progress(&mut self, progress: Progress) {
        self.progress.push(progress);
    }
}

#[test]
fn receivers_and_tokens_can_end_the_call() {
    let archive = Bytes::from(header(b"n", b'0', 0).repeat(20_000));
    let mut counted = Counted { most: Some(1), ..Counted::default() };
    let unpacker = Unpacker::on_host(Options::default());
    let result = unpacker.unpack(b"x.tar", archive.clone(), &mut counted);
    assert!(matches!(result, Err(DecompressError::Receiver(error)) if error.to_string() == "enough"));
    assert!(counted.entries < 20_000);
    let token = CancelToken::default();
    let mut options = RunOptions::default();
    options.cancel = Some(token.clone());
    let unpacker = Unpacker::on_host(Options::default()).with_run_options(options);
    let mut counted = Counted { cancel: Some(token), ..Counted::default() };
    let result = unpacker.unpack(b"x.tar", archive.clone(), &mut counted);
    assert!(matches!(result, Err(DecompressError::Cancelled)), "{result:?}");
    assert!(counted.entries < 20_000);
    let mut options = RunOptions::default();
    options.deadline = Some(Instant::now());
    let unpacker = Unpacker::on_host(Options::default()).with_run_options(options);
    let result = unpacker.unpack(b"x.tar", archive, &mut Collected::default());
    assert!(matches!(result, Err(DecompressError::Device(vyre_runtime::Error::DeadlineExceeded))), "{result:?}");
}

#[test]
fn progress_ends_at_the_known_input() {
    let inner = zip_of(&[("a", text(3000)), ("b", noise(500, 1))], CompressionMethod::Deflated);
    let archive = zip_of(&[("inner.zip", inner), ("c", text(10))], CompressionMethod::Deflated);
    let mut counted = Counted::default();
    Unpacker::on_host(Options::default()).unpack(b"x.zip", Bytes::from(archive), &mut counted).unwrap();
    assert!(counted.progress.iter().all(|progress| progress.input <= progress.input_known));
    assert!(counted.progress.windows(2).all(|pair| pair[0].input <= pair[1].input && pair[0].output <= pair[1].output));
    assert_eq!(counted.progress.last().unwrap().entries, 4);
}

/// The content of a limit error.
fn limit_of(result: Result<vyre_unpack::Summary, DecompressError>) -> Option<Limit> {
    match result {
        Err(DecompressError::Limit(exceeded)) => Some(exceeded.limit),
        _ => None,
    }
}

#[test]
fn the_ratio_counts_all_layers_of_an_archive() {
    // Each stream is below the size that is exempt, and each layer below the ratio of the next one.
    let zeros = vec![0; 15 << 20];
    let names: Vec<String> = (0..40).map(|number| format!("{number}.gz")).collect();
    let files: Vec<(&str, Vec<u8>)> = names.iter().map(|name| (name.as_str(), gzip(&zeros))).collect();
    let bomb = gzip(&tar_of(&files));
    let (collected, result) = open_with("bomb.tgz", bomb.clone(), Options::default());
    assert_eq!(limit_of(result), Some(Limit::TotalRatio));
    let output: u64 = collected.entries.iter().map(|entry| entry.bytes.len() as u64).sum();
    assert!(output <= bomb.len() as u64 * 250 + (16 << 20), "{output} bytes of {}", bomb.len());
    // One of them is an ordinary archive.
    let (_, result) = open_with("x.tgz", gzip(&tar_of(&files[..1])), Options::default());
    assert!(result.unwrap().is_clean());
}

#[test]
fn entries_with_the_same_bytes_count_each() {
    let data = noise(1 << 20, 3);
    let file = format!(r#"{{"size":{},"offset":"0"}}"#, data.len());
    let files: Vec<String> = (0..400).map(|number| format!(r#""{number}":{file}"#)).collect();
    let archive = asar(&format!(r#"{{"files":{{{}}}}}"#, files.join(",")), &data);
    let allowed = archive.len() as u64 * 250 + (16 << 20);
    let (collected, result) = open_with("x.asar", archive, Options::default());
    assert_eq!(limit_of(result), Some(Limit::TotalRatio));
    let output: u64 = collected.entries.iter().map(|entry| entry.bytes.len() as u64).sum();
    assert!(output <= allowed, "{output}");
    assert!(collected.entries.len() > 200);
}
