//! Judges mutants: runs the tests that reach a mutant until one fails.
//!
//! The program has all mutants, all corpora and all tests. A first pass records which mutants each test reaches and how long it takes.
//! Then a child process for each drawn mutant switches it on and runs the tests that reach it, the fastest first. Children are
//! forks of this process, so inputs and expected results are computed once, before any mutant is on.
//!
//! The process must have one thread when it forks, so nothing here starts threads but the children.
#![allow(unsafe_code, reason = "processes and their limits are functions of C")]

#[path = "../../vyre-cuda/tests/interpreted/device.rs"]
mod device;
#[path = "../../vyre-cuda/tests/interpreted/machine.rs"]
mod machine;
#[path = "../../vyre-cuda/tests/interpreted/program.rs"]
mod program;

mod backends;
mod children;
mod coverage;
mod list;
mod report;
mod tests_of_mutants;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use children::Child;
use list::Mutant;
use report::{Earlier, Fate, Judgement};
use tests_of_mutants::{Level, Sizes, Test};

const USAGE: &str = "\
usage: mutant-oracle [--sample N] [--seed N] [--threads N] [--level quick|standard] [--gpu] [--out FOLDER]
       [--list FILE] [--minutes N] [--earlier FILE] [--corpora FOLDER] [--equivalent FILE]

  --sample N        number of mutants that are drawn at random; 0 for all [default: 2000]
  --seed N          seed of the draw [default: 1]
  --threads N       number of child processes [default: the number of cores]
  --level LEVEL     quick: few tests; standard: more tests for what survives [default: standard]
  --only CRATE      only mutants of this crate, such as vyre-wgpu, and tests of it
  --list FILE       the mutants of this list, such as mutants/oracle/sample.tsv, instead of a draw
  --mutants LIST    these mutants, by numbers with commas, instead of a draw
  --tests TEXT      only tests whose name has this text, such as that of a new case
  --seconds N       longest time for a mutant [default: 120]
  --minutes N       longest time for all mutants; those that are left are not judged [default: no limit]
  --earlier FILE    mutants.json of an earlier run; what it killed does not run again. May be repeated
  --no-runs         judge by the earlier runs alone
  --corpora FOLDER  corpora, such as tests/corpus, instead of those in the program
  --equivalent FILE list of equivalent mutants, instead of the one in the program
  --invisible FILE  list of mutants that no test here can show, instead of the one in the program
  --gpu             shaders also run on the first GPU of wgpu
  --out FOLDER      folder of the report [default: mutants-report]";

struct Options {
    sample: usize,
    seed: u64,
    threads: usize,
    level: Level,
    only: String,
    mutants: Vec<u32>,
    list: Option<PathBuf>,
    tests: String,
    limit: Duration,
    whole: Duration,
    earlier: Vec<PathBuf>,
    no_runs: bool,
    corpora: Option<PathBuf>,
    equivalent: Option<PathBuf>,
    invisible: Option<PathBuf>,
    gpu: bool,
    out: PathBuf,
}

fn main() -> ExitCode {
    match options().and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn options() -> Result<Options, Box<dyn Error>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut options = Options {
        sample: 2000,
        seed: 1,
        threads,
        level: Level::Standard,
        only: String::new(),
        mutants: Vec::new(),
        list: None,
        tests: String::new(),
        limit: Duration::from_secs(120),
        whole: Duration::MAX,
        earlier: Vec::new(),
        no_runs: false,
        corpora: None,
        equivalent: None,
        invisible: None,
        gpu: false,
        out: "mutants-report".into(),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let flags = [("--gpu", &mut options.gpu), ("--no-runs", &mut options.no_runs)];
        if let Some((_, flag)) = flags.into_iter().find(|(name, _)| *name == argument) {
            *flag = true;
            continue;
        }
        let value = arguments.next().ok_or(USAGE)?;
        match argument.as_str() {
            "--sample" => options.sample = value.parse()?,
            "--seed" => options.seed = value.parse()?,
            "--threads" => options.threads = value.parse::<usize>()?.clamp(1, 512),
            "--level" if value == "quick" => options.level = Level::Quick,
            "--level" if value == "standard" => options.level = Level::Standard,
            "--only" => options.only = value,
            "--mutants" => options.mutants = value.split(',').map(str::parse).collect::<Result<_, _>>()?,
            "--list" => options.list = Some(value.into()),
            "--seconds" => options.limit = Duration::from_secs(value.parse()?),
            "--minutes" => options.whole = Duration::from_secs_f64(60.0 * value.parse::<f64>()?),
            "--earlier" => options.earlier.push(value.into()),
            "--corpora" => options.corpora = Some(std::fs::canonicalize(value)?),
            "--equivalent" => options.equivalent = Some(value.into()),
            "--invisible" => options.invisible = Some(value.into()),
            "--tests" => options.tests = value,
            "--out" => options.out = value.into(),
            _ => return Err(USAGE.into()),
        }
    }
    Ok(options)
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    // Whatever the environment says.
    mutant_switch::switch(0);
    let start = Instant::now();
    std::fs::create_dir_all(&options.out)?;
    let all = list::mutants()?;
    let drawn = draw(&all, options)?;
    std::fs::write(options.out.join("sample.tsv"), list::list_of(&drawn))?;
    let equivalents = list::Arguments::of_equivalents(options.equivalent.as_deref())?;
    let invisible = list::Arguments::of_invisible(options.invisible.as_deref())?;
    for (name, arguments) in [("equivalent", &equivalents), ("invisible", &invisible)] {
        for line in arguments.without_mutant(&all) {
            println!("argument without a mutant ({name}): {line}");
        }
    }
    // The report is written again and again, so that a run that is stopped leaves what it found.
    let write = |judgements: &[Judgement]| {
        let explained = judgements.iter().map(|judgement| judgement.clone().explained(&equivalents, &invisible));
        report::write(&options.out, &all, &explained.collect::<Vec<_>>(), options.seed, start.elapsed())
    };
    let judgements = match options.no_runs {
        true => judgements_of_earlier(&drawn, options)?,
        false => run_tests(&drawn, options, start, &|judgements| write(judgements).map(|_| ()))?,
    };
    println!("{}", write(&judgements)?);
    Ok(())
}

/// The judgements of earlier runs. A mutant that none had is not judged.
fn judgements_of_earlier(drawn: &[Mutant], options: &Options) -> Result<Vec<Judgement>, Box<dyn Error>> {
    let earlier = Earlier::load(&options.earlier)?;
    let judgement =
        |mutant| earlier.judgement(mutant).unwrap_or_else(|| Judgement::without_run(mutant, Fate::NotJudged));
    Ok(drawn.iter().map(judgement).collect())
}

fn run_tests(
    drawn: &[Mutant],
    options: &Options,
    start: Instant,
    so_far: &dyn Fn(&[Judgement]) -> Result<(), Box<dyn Error>>,
) -> Result<Vec<Judgement>, Box<dyn Error>> {
    let scratch = std::env::temp_dir().join(format!("mutant-oracle-{}", std::process::id()));
    std::fs::create_dir_all(&scratch)?;
    let corpora = match &options.corpora {
        Some(folder) => folder.clone(),
        None => {
            list::unpack_corpora(&scratch)?;
            scratch.clone()
        }
    };
    // SAFETY: no other thread reads the environment, because there is none.
    unsafe { std::env::set_var("VYRE_CORPUS", &corpora) };
    let sizes = Sizes::of(options.level, options.gpu);
    let mut tests = tests_of_mutants::all(&corpora, &sizes)?;
    if !options.only.is_empty() {
        tests.retain(|test| test.is_for(&options.only));
    }
    tests.retain(|test| test.name.contains(&options.tests));
    println!("{} tests after {:.0} s", tests.len(), start.elapsed().as_secs_f64());

    let threads = std::fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
    if threads != 1 {
        return Err(format!("the tests have started {threads} threads, which no child has").into());
    }
    let coverage = coverage::measure(&tests, options.threads, options.gpu, &scratch)?;
    for (test, message) in &coverage.broken {
        println!("left out, since it fails without a mutant: {}: {message}", tests[*test].name);
    }
    println!("coverage after {:.0} s: {} tests work", start.elapsed().as_secs_f64(), coverage.of_tests.len());
    println!("{} mutants", drawn.len());
    let judgements = judge(drawn, &coverage.plan(&tests), &tests, options, &scratch, so_far)?;
    std::fs::remove_dir_all(&scratch)?;
    Ok(judgements)
}

/// The mutants of a list, or mutants drawn at random without repetition.
fn draw(all: &[Mutant], options: &Options) -> Result<Vec<Mutant>, Box<dyn Error>> {
    if let Some(path) = &options.list {
        let (mut found, missing) = list::find_all(all, &std::fs::read_to_string(path)?);
        for line in &missing {
            println!("no longer there: {line}");
        }
        found.retain(|mutant| mutant.file.contains(&options.only));
        return Ok(found);
    }
    let mut chosen: Vec<Mutant> = all.iter().filter(|mutant| mutant.file.contains(&options.only)).cloned().collect();
    if !options.mutants.is_empty() {
        chosen.retain(|mutant| options.mutants.contains(&mutant.number));
        return Ok(chosen);
    }
    if options.sample == 0 {
        return Ok(chosen);
    }
    let mut state = options.seed;
    let mut next = || {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    // The first places of a shuffle (Fisher and Yates).
    for at in 0..chosen.len().min(options.sample) {
        let other = at + (next() % (chosen.len() - at) as u64) as usize;
        chosen.swap(at, other);
    }
    chosen.truncate(options.sample);
    Ok(chosen)
}

fn judge(
    drawn: &[Mutant],
    plan: &coverage::Plan,
    tests: &[Test],
    options: &Options,
    scratch: &std::path::Path,
    so_far: &dyn Fn(&[Judgement]) -> Result<(), Box<dyn Error>>,
) -> Result<Vec<Judgement>, Box<dyn Error>> {
    let earlier = Earlier::load(&options.earlier)?;
    let is_some = !options.tests.is_empty();
    let mut judgements = Vec::new();
    let mut running: Vec<(usize, Child)> = Vec::new();
    let mut waiting = drawn.iter().enumerate();
    let start = Instant::now();
    loop {
        while running.len() < options.threads {
            let Some((at, mutant)) = waiting.next() else { break };
            if let Some(judgement) = earlier.kill(mutant) {
                judgements.push(judgement);
                continue;
            }
            if start.elapsed() > options.whole {
                judgements.push(Judgement::without_run(mutant, Fate::NotJudged));
                continue;
            }
            let all = plan.tests_of(mutant.number).iter().copied();
            let reaching: Vec<u32> = all.filter(|&test| tests[test as usize].is_for(&mutant.file)).collect();
            if reaching.is_empty() {
                let judgement = Judgement::without_run(mutant, Fate::NotReached);
                judgements.push(if is_some { judgement.of_some_tests() } else { judgement });
                continue;
            }
            let work = || {
                mutant_switch::switch(mutant.number);
                children::first_failure(tests, &reaching, options.limit)
            };
            running.push((at, Child::start(&scratch.join(format!("mutant-{}", mutant.number)), options.gpu, &work)?));
        }
        if running.is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
        let mut still = Vec::new();
        for (at, mut child) in running {
            // A child ends by itself between two tests.
            match child.poll(options.limit + Duration::from_secs(15))? {
                None => still.push((at, child)),
                Some(ending) => {
                    let seconds = child.age().as_secs_f64();
                    let judgement = Judgement::new(&drawn[at], &ending, seconds);
                    judgements.push(if is_some { judgement.of_some_tests() } else { judgement });
                    if judgements.len() % 100 == 0 {
                        println!("  {} mutants after {:.0} s", judgements.len(), start.elapsed().as_secs_f64());
                        so_far(&judgements)?;
                    }
                }
            }
        }
        running = still;
    }
    judgements.sort_by_key(|judgement| judgement.mutant.number);
    Ok(judgements)
}
