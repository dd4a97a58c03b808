//! Checks the property of a fuzz target on mutants of files, on all cores.
//!
//! It needs neither a nightly toolchain nor instrumentation, and looks at many more inputs in the same time than a fuzzer with
//! coverage does, but not as cleverly. Mutants are made from the number of the seed and their own number, so a run can be repeated.
//!
//! ```sh
//! cargo run --release -p vyre-conform --features scan --example mutants -- zip --count 1000000 tests/corpus/fuzz/zip
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use vyre_conform::{archive_properties, properties, scan_properties};

const USAGE: &str = "\
usage: mutants TARGET [--count N] [--first N] [--seed N] [--failures FOLDER] PATH...

TARGET is the name of a fuzz target, such as zip or scan_javascript. PATH is a file to mutate, or a folder of such files.
  --count N          number of mutants [default: 100000]
  --first N          number of the first mutant [default: 0]
  --seed N           seed [default: 1]
  --failures FOLDER  folder for mutants that violate the property [default: target/mutants]
  --slow SECONDS     time from which a mutant is kept as a slow one [default: 20]
  --replay           checks the files as they are";

/// Longest mutant, in bytes.
const MAX_BYTES: usize = 1 << 18;

/// Words that mean something to parsers of archives and languages.
const WORDS: [&[u8]; 24] = [
    b"\0",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\0\0\0\0\0\0\0\0",
    b"\x80",
    b"PK\x01\x02",
    b"PK\x05\x06",
    b"../",
    b"(",
    b")",
    b"{",
    b"}",
    b"`${",
    b"=>",
    b"async ",
    b"yield ",
    b"await ",
    b"class ",
    b"...",
    b"function*",
    b"def ",
    b"lambda ",
    b"\n    ",
    b"\xe2\x80\xa8",
];

/// Random numbers by the method SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Number below a limit, which is not 0.
    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// Settings of a run.
struct Options {
    target: String,
    count: u64,
    first: u64,
    seed: u64,
    failures: PathBuf,
    slow: Duration,
    replays: bool,
    paths: Vec<PathBuf>,
}

fn main() -> ExitCode {
    match options().and_then(|options| run(&options)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn options() -> Result<Options> {
    let wrong = || Error::new(ErrorKind::InvalidInput, USAGE);
    let mut arguments = std::env::args().skip(1);
    let target = arguments.next().filter(|target| !target.starts_with('-')).ok_or_else(wrong)?;
    let failures = PathBuf::from("target/mutants");
    let slow = Duration::from_secs(20);
    let mut options =
        Options { target, count: 100_000, first: 0, seed: 1, failures, slow, replays: false, paths: Vec::new() };
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|text| text.parse().ok()).ok_or_else(wrong);
        match argument.as_str() {
            "--count" => options.count = number()?,
            "--first" => options.first = number()?,
            "--seed" => options.seed = number()?,
            "--slow" => options.slow = Duration::from_secs(number()?),
            "--replay" => options.replays = true,
            "--failures" => options.failures = arguments.next().ok_or_else(wrong)?.into(),
            _ if argument.starts_with('-') => return Err(wrong()),
            _ => options.paths.push(argument.into()),
        }
    }
    Ok(options)
}

/// Checks all mutants. False: some violate the property.
fn run(options: &Options) -> Result<bool> {
    let check = check_of(&options.target)
        .ok_or_else(|| Error::new(ErrorKind::InvalidInput, format!("no fuzz target is `{}`", options.target)))?;
    let mut files = Vec::new();
    for path in &options.paths {
        collect(path, &mut files)?;
    }
    files.sort();
    if files.is_empty() {
        return Err(Error::new(ErrorKind::InvalidInput, "there are no files to mutate"));
    }
    let seeds: Vec<Vec<u8>> = files.iter().map(fs::read).collect::<Result<_>>()?;
    let count = if options.replays { seeds.len() as u64 } else { options.count };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    println!("{}: {} inputs of {} files, {threads} threads", options.target, count, seeds.len());
    std::panic::set_hook(Box::new(|_| {}));
    let (next, failures, slowest) = (AtomicU64::new(0), AtomicU64::new(0), Mutex::new(Duration::ZERO));
    let messages: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());
    let start = Instant::now();
    let work = || -> Result<()> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return Ok(());
            }
            if number > 0 && number.is_multiple_of(100_000) {
                println!("  {number} after {:.0} s", start.elapsed().as_secs_f64());
            }
            let number = if options.replays { number } else { options.first + number };
            let mutant = match options.replays {
                true => seeds[number as usize].clone(),
                false => mutant(&seeds, options.seed, number),
            };
            let began = Instant::now();
            let outcome = catch_unwind(AssertUnwindSafe(|| check(&mutant)));
            let time = began.elapsed();
            let mut longest = slowest.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            *longest = time.max(*longest);
            drop(longest);
            let kind = match &outcome {
                Err(_) => "failure",
                Ok(()) if time > options.slow => "slow",
                Ok(()) => continue,
            };
            fs::create_dir_all(&options.failures)?;
            fs::write(options.failures.join(format!("{}-{kind}-{number}", options.target)), &mutant)?;
            if let Err(panic) = outcome {
                failures.fetch_add(1, Ordering::Relaxed);
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a text");
                let line = text.lines().next().unwrap_or_default().to_owned();
                let mut messages = messages.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                *messages.entry(line).or_default() += 1;
            }
        }
    };
    thread::scope(|scope| {
        let stack = 64 << 20;
        let spawn = |_| thread::Builder::new().stack_size(stack).spawn_scoped(scope, work);
        let workers: Result<Vec<_>> = (0..threads).map(spawn).collect();
        for worker in workers? {
            worker.join().unwrap_or_else(|_| Err(Error::other("a thread has panicked")))?;
        }
        Ok::<(), Error>(())
    })?;
    let failures = failures.into_inner();
    let slowest = slowest.into_inner().unwrap_or_default();
    println!(
        "{}: {failures} failures of {} inputs after {:.0} s; the slowest took {:.2} s",
        options.target,
        count,
        start.elapsed().as_secs_f64(),
        slowest.as_secs_f64()
    );
    for (message, count) in messages.into_inner().unwrap_or_default() {
        println!("  {count} times: {message}");
    }
    Ok(failures == 0)
}

/// Files of a path.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        collect(&entry?.path(), files)?;
    }
    Ok(())
}

/// Function that panics if an input violates a property.
type Check = Box<dyn Fn(&[u8]) + Sync>;

/// Check of a fuzz target.
fn check_of(target: &str) -> Option<Check> {
    let text = |check: fn(&str)| -> Check { Box::new(move |bytes: &[u8]| check(&String::from_utf8_lossy(bytes))) };
    let containers = [
        "zip", "tar", "gzip", "zstd", "lz4", "xz", "bzip2", "asar", "ar", "cpio", "lzip", "lzma", "7z", "rpm", "cab",
        "squashfs", "iso", "cfb", "brotli",
    ];
    Some(match target {
        "text" => text(properties::check_text),
        "wire" => Box::new(properties::check_wire),
        "graph_files" => Box::new(properties::check_graph_files),
        "validate" => Box::new(properties::check_validate),
        "kernel" => Box::new(properties::check_kernel),
        "archives" => Box::new(archive_properties::check_archives),
        "blocks" => Box::new(archive_properties::check_blocks),
        "scan_javascript" => text(scan_properties::check_javascript),
        "scan_python" => text(scan_properties::check_python),
        "scan_package" => Box::new(scan_properties::check_package),
        _ => {
            let format = containers.into_iter().find(|format| *format == target)?;
            Box::new(move |bytes: &[u8]| archive_properties::check_container(format, bytes))
        }
    })
}

/// Mutant with a number.
fn mutant(seeds: &[Vec<u8>], seed: u64, number: u64) -> Vec<u8> {
    let mut random = Random(seed ^ number.wrapping_mul(0xd134_2543_de82_ef95));
    let mut bytes = seeds[random.below(seeds.len())].clone();
    bytes.truncate(MAX_BYTES);
    for _ in 0..=random.below(8) {
        mutate(&mut bytes, seeds, &mut random);
    }
    bytes.truncate(MAX_BYTES);
    bytes
}

fn mutate(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    let bits = random.below(10);
    let length = 1 + random.below(1 << bits);
    let end = (at + length).min(bytes.len());
    match random.below(10) {
        0 | 1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        2 if at < bytes.len() => bytes[at] = random.next() as u8,
        3 => drop(bytes.drain(at..end)),
        4 => {
            let copy = bytes[at..end].to_vec();
            let to = random.below(bytes.len() + 1);
            bytes.splice(to..to, copy);
        }
        5 => {
            let word = WORDS[random.below(WORDS.len())];
            let end = if random.below(2) == 0 { at } else { (at + word.len()).min(bytes.len()) };
            bytes.splice(at..end, word.iter().copied());
        }
        6 => {
            let other = &seeds[random.below(seeds.len())];
            let start = random.below(other.len() + 1);
            let part = other[start..(start + length).min(other.len())].to_vec();
            bytes.splice(at..end, part);
        }
        7 if random.below(4) == 0 => bytes.truncate(at),
        7 | 8 => swap_lines(bytes, random),
        _ => {
            // A number of up to eight bytes, in either order.
            let value = random.next() >> random.below(64);
            let width = 1 << random.below(4);
            let number = match random.below(2) {
                0 => value.to_le_bytes()[..width].to_vec(),
                _ => value.to_be_bytes()[8 - width..].to_vec(),
            };
            bytes.splice(at..(at + width).min(bytes.len()), number);
        }
    }
}

/// Exchanges two lines of a text.
fn swap_lines(bytes: &mut Vec<u8>, random: &mut Random) {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    if lines.len() < 2 {
        return;
    }
    let (first, second) = (random.below(lines.len()), random.below(lines.len()));
    lines.swap(first, second);
    *bytes = lines.concat();
}
