//! Differential test of many generated programs: machine code of the CPU against the reference interpreter, on all cores.
//!
//! ```sh
//! cargo run --release -p vyre-jit --example generated -- --generator splice --count 500000 --out target/differences
//! ```
//!
//! A program with a difference is reduced and written as a file of the run corpus.

use std::io::{Error, ErrorKind, Result};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use vyre_conform::differential::{Subject, check, shrink};
use vyre_conform::embedded_corpus::Corpus;
use vyre_conform::race_free::race_free_case;
use vyre_conform::splice::{SpliceStatistics, Splicer};
use vyre_jit::{JitDevice, JitOptions};

const USAGE: &str = "\
usage: generated [--generator grammar|splice] [--count N] [--first N] [--threads N] [--out FOLDER]

  --generator NAME  grammar: from a grammar; splice: mutated and spliced programs [default: splice]
  --count N         number of programs [default: 10000]
  --first N         first seed [default: 0]
  --threads N       number of threads [default: the number of cores]
  --out FOLDER      folder for reduced programs that differ [default: target/differences]";

/// Settings of a run.
struct Options {
    splices: bool,
    count: u64,
    first: u64,
    threads: usize,
    out: PathBuf,
}

fn main() -> ExitCode {
    match options().and_then(|options| run(&options)) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn options() -> Result<Options> {
    let wrong = || Error::new(ErrorKind::InvalidInput, USAGE);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let out = PathBuf::from("target/differences");
    let mut options = Options { splices: true, count: 10_000, first: 0, threads, out };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let value = arguments.next().ok_or_else(wrong)?;
        let number = || value.parse::<u64>().map_err(|_| wrong());
        match argument.as_str() {
            "--generator" if value == "grammar" => options.splices = false,
            "--generator" if value == "splice" => options.splices = true,
            "--count" => options.count = number()?,
            "--first" => options.first = number()?,
            "--threads" => options.threads = number()?.clamp(1, 1024) as usize,
            "--out" => options.out = value.into(),
            _ => return Err(wrong()),
        }
    }
    Ok(options)
}

/// Device with one thread for each worker: workers run programs, and a program has the thread of its worker.
fn subjects() -> Result<Vec<Subject>> {
    let subject = |name: &str, options: JitOptions| -> Result<Subject> {
        let device = JitDevice::new(&options.with_threads(1)).map_err(Error::other)?;
        Ok(Subject { name: name.to_owned(), device: Arc::new(device) })
    };
    Ok(vec![
        subject("cpu", JitOptions::default())?,
        subject("cpu, as lowered", JitOptions::default().with_optimizer(false))?,
    ])
}

/// Runs all programs. Returns the number of those that differ.
fn run(options: &Options) -> Result<u64> {
    let splicer = if options.splices { Some(Splicer::new(&Corpus::embedded()).map_err(Error::other)?) } else { None };
    let (next, differ) = (AtomicU64::new(0), AtomicU64::new(0));
    let statistics = Mutex::new(SpliceStatistics::default());
    let start = Instant::now();
    let work = || -> Result<()> {
        let subjects = subjects()?;
        let mut own = SpliceStatistics::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= options.count {
                statistics.lock().unwrap_or_else(PoisonError::into_inner).merge(&own);
                return Ok(());
            }
            if number > 0 && number.is_multiple_of(10_000) {
                println!("  {number} programs after {:.0} s", start.elapsed().as_secs_f64());
            }
            let seed = options.first.saturating_add(number);
            let case =
                splicer.as_ref().map_or_else(|| race_free_case(seed), |splicer| splicer.case_with(seed, &mut own));
            let difference = match check(&case, &subjects) {
                Ok(Ok(())) => continue,
                Ok(Err(difference)) => difference,
                Err(error) => return Err(Error::other(format!("seed {seed}: the reference device: {error}"))),
            };
            differ.fetch_add(1, Ordering::Relaxed);
            println!("seed {seed}: {difference}");
            let (_, files) = shrink(&case, &subjects[difference.subject]);
            std::fs::create_dir_all(&options.out)?;
            std::fs::write(options.out.join(format!("difference_{seed}.vyre")), files.program)?;
            if let Some(ops) = files.ops {
                std::fs::write(options.out.join(format!("difference_{seed}_ops.vyre")), ops)?;
            }
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..options.threads).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            worker.join().map_err(|_| Error::other("a thread has panicked"))??;
        }
        Ok::<(), Error>(())
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let differ = differ.into_inner();
    println!(
        "{} programs from seed {}, {differ} differ, {seconds:.0} s, {:.0} programs a second on {} threads",
        options.count,
        options.first,
        options.count as f64 / seconds,
        options.threads
    );
    if options.splices {
        println!("{}", statistics.into_inner().unwrap_or_else(PoisonError::into_inner));
    }
    Ok(differ)
}
