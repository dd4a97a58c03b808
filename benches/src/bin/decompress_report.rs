//! Measures decompression beside its peers, in interleaved runs, and prints tables in Markdown.
//!
//! `cargo run --release -p vyre-benches --bin decompress_report -- --help`

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use rayon::ThreadPoolBuilder;
use vyre_benches::dataflow::{Backend, Machine};
use vyre_benches::decompress::{
    ArchiveForm, Blocks, Cores, DeviceBlocks, DeviceProgram, Extractor, Format, HostBlocks, Lane, NvComp, Package,
    Routes, Scratch, StreamFile, Tree, frame_of, race, text, tree_of,
};
use vyre_benches::gpu::{median, median_ratio, ratio_of_minima};
use vyre_ir::Program;

/// Measures decompression beside its peers, and prints tables in Markdown.
///
/// Progress goes to standard error, tables to standard output. Everybody runs once in each round; ratios are taken within a
/// round, and their medians are shown. All output is compared with what it must be; a difference ends the report.
#[derive(Debug, Parser)]
#[command(name = "decompress_report", after_help = AFTER_HELP)]
struct Arguments {
    /// Measures only this part (may be given more than once)
    #[arg(long, value_name = "PART")]
    part: Vec<Part>,

    /// How often everything is measured
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,

    /// lz4, route: where the op runs
    #[arg(long, default_value = "cpu")]
    backend: Backend,

    /// lz4, route: which GPU, by its number
    #[arg(long, value_name = "N", default_value_t = 0)]
    gpu: usize,

    /// lz4: how often the 384 blocks are in the memory of the device; without it 128 and 8, on the CPU 1
    #[arg(long, value_name = "N", num_args = 1.., value_parser = clap::value_parser!(u16).range(1..))]
    copies: Vec<u16>,

    /// lz4: only these programs of the op
    #[arg(long, value_name = "PROGRAM", num_args = 1..)]
    only: Vec<String>,

    /// lz4: programs in text form beside those of the op, with the same buffers
    #[arg(long, value_name = "FILE", num_args = 1..)]
    program: Vec<PathBuf>,

    /// lz4, route: a file of blocks, instead of making them of packages
    #[arg(long, value_name = "FILE")]
    blocks: Option<PathBuf>,

    /// Writes a file of blocks, and measures nothing
    #[arg(long, value_name = "FILE")]
    write_blocks: Option<PathBuf>,

    /// lz4: the program of benches/nvcomp, which then runs in turn with the others; it needs `--blocks`
    #[arg(long, value_name = "PROGRAM", requires = "blocks")]
    nvcomp: Option<PathBuf>,

    /// lz4: what the program of benches/nvcomp has printed on its own, where it does not run in turn
    #[arg(long, value_name = "FILE", conflicts_with = "nvcomp")]
    nvcomp_results: Option<PathBuf>,

    /// packages, streams: the program `vyre`
    #[arg(long, value_name = "PROGRAM")]
    vyre: Option<PathBuf>,

    /// packages, streams: a further option of `vyre unpack`
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    vyre_option: Vec<String>,

    /// packages, streams: a folder for output; without it one in memory, where there is one
    #[arg(long, value_name = "FOLDER")]
    scratch: Option<PathBuf>,

    /// packages: only those whose file has this in its name
    #[arg(long, value_name = "NAME", num_args = 1..)]
    package: Vec<String>,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// `compression.lz4` on a device
    Lz4,
    /// Extraction of packages
    Packages,
    /// Decoders of the host
    Host,
    /// The text as one compressed file
    Streams,
    /// The engine on LZ4 frames of few and many blocks, by the host and by a device
    Route,
}

const AFTER_HELP: &str = "\
Examples:
  benches/fetch-packages                                         first, once
  decompress_report --part host
  decompress_report --part packages --vyre target/release/vyre
  decompress_report --write-blocks blocks.bin
  decompress_report --part lz4 --backend cuda --blocks blocks.bin --nvcomp ./nvcomp_lz4";

fn main() -> ExitCode {
    match report(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("decompress_report: {error}");
            ExitCode::from(2)
        }
    }
}

fn report(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    if let Some(path) = &arguments.write_blocks {
        let blocks = Blocks::compress(text()?)?;
        blocks.write(path)?;
        eprintln!("{} blocks, {} bytes of compressed data", blocks.blocks.len(), blocks.data.len());
        return Ok(());
    }
    let is_wanted = |part| arguments.part.is_empty() || arguments.part.contains(&part);
    if is_wanted(Part::Host) {
        host(arguments)?;
    }
    if is_wanted(Part::Packages) {
        packages(arguments)?;
    }
    if is_wanted(Part::Streams) {
        streams(arguments)?;
    }
    if is_wanted(Part::Lz4) {
        lz4(arguments)?;
    }
    if is_wanted(Part::Route) {
        route(arguments)?;
    }
    Ok(())
}

/// How many blocks frames have.
const FRAME_BLOCKS: [usize; 8] = [4, 16, 32, 64, 128, 256, 1_024, 4_096];

fn route(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let text = match &arguments.blocks {
        Some(path) => Blocks::read(path)?.text,
        None => text()?,
    };
    let device = Machine { backend: arguments.backend, gpu: arguments.gpu, threads: 0 }.open()?;
    println!(
        "LZ4 frames of independent blocks of 64 KiB with a checksum, from memory to memory; {}, medians of {} rounds.\n",
        device.name(),
        arguments.rounds
    );
    let routes = Routes::new(device)?;
    let names = routes.names();
    println!("| Blocks | {}, ms |", names.join(", ms | "));
    println!("|--:|{}", "--:|".repeat(names.len()));
    for blocks in FRAME_BLOCKS {
        eprintln!("{blocks} blocks");
        let (text, frame) = frame_of(&text, blocks)?;
        // The first round warms up.
        routes.run(&frame, &text)?;
        let mut times = Vec::new();
        for _ in 0..arguments.rounds {
            times.push(routes.run(&frame, &text)?);
        }
        let milliseconds = (0..names.len()).map(|way| {
            let seconds = median(times.iter().map(|times| times[way].as_secs_f64()));
            format!("{:.2}", seconds * 1e3)
        });
        println!("| {blocks} | {} |", milliseconds.collect::<Vec<_>>().join(" | "));
    }
    println!();
    Ok(())
}

fn lz4(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let blocks = match &arguments.blocks {
        Some(path) => Blocks::read(path)?,
        None => Blocks::compress(text()?)?,
    };
    let programs = programs(arguments)?;
    let machine = Machine { backend: arguments.backend, gpu: arguments.gpu, threads: 0 };
    let device = machine.open()?;
    let driver = device.driver().map_or(String::new(), |driver| format!(", {driver}"));
    let compressed: usize = blocks.blocks.iter().map(|block| block.compressed_size).sum();
    println!(
        "{}{driver}; medians of {} rounds in which everybody runs once. {} bytes of text in {} blocks of 64 KiB, {:.2} to 1.\n",
        device.name(),
        arguments.rounds,
        blocks.text.len(),
        blocks.blocks.len(),
        blocks.text.len() as f64 / compressed as f64
    );
    println!("| Blocks | Who | Dispatches | ms | Shortest, ms | GB/s of output | Speed to nvCOMP | By the shortest |");
    println!("|--:|---|--:|--:|--:|--:|--:|--:|");
    let copies: Vec<usize> = match (&arguments.copies[..], arguments.backend) {
        ([], Backend::Cpu) => vec![1],
        ([], Backend::Cuda | Backend::Wgpu) => vec![128, 8],
        (wanted, _) => wanted.iter().map(|&copies| usize::from(copies)).collect(),
    };
    for copies in copies {
        let on_device = DeviceBlocks::new(device.clone(), &blocks, copies)?;
        let mut ready = Vec::new();
        for (name, program) in &programs {
            ready.push(on_device.program(name, program.clone())?);
        }
        let mut nvcomp = match (&arguments.nvcomp, &arguments.blocks) {
            (Some(program), Some(path)) => Some(NvComp::start(program, path, copies)?),
            _ => None,
        };
        let lanes = lanes(arguments, &on_device, &ready, nvcomp.as_mut())?;
        print_lanes(&on_device, &lanes, ready.len());
    }
    Ok(())
}

/// The programs of the op, and those in files.
fn programs(arguments: &Arguments) -> Result<Vec<(String, Program)>, Box<dyn Error>> {
    let mut programs = Vec::new();
    for variant in vyre_ops::find("compression.lz4").into_iter().flat_map(vyre_ops::Op::programs) {
        if arguments.only.is_empty() || arguments.only.iter().any(|name| name == variant.name) {
            programs.push((variant.name.to_owned(), variant.program()));
        }
    }
    for path in &arguments.program {
        let source = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let parsed = vyre_ir::text::parse(&source).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        programs.push((name, parsed.program));
    }
    match programs.is_empty() {
        true => Err("there is no such program of the op `compression.lz4`".into()),
        false => Ok(programs),
    }
}

fn lanes(
    arguments: &Arguments,
    blocks: &DeviceBlocks<'_>,
    programs: &[DeviceProgram],
    nvcomp: Option<&mut NvComp>,
) -> Result<Vec<Lane>, Box<dyn Error>> {
    let rounds = usize::from(arguments.rounds);
    let mut lanes =
        race(blocks, programs, nvcomp, rounds, |step| eprintln!("{} blocks: {step}", blocks.block_count()))?;
    if let Some(path) = &arguments.nvcomp_results {
        let time = recorded_time(path, blocks.block_count())?;
        lanes.push(Lane { name: "nvCOMP, another run".to_owned(), times: vec![time; rounds] });
    }
    Ok(lanes)
}

/// The median for so many blocks, of what nvcomp_lz4 has printed.
fn recorded_time(path: &Path, blocks: usize) -> Result<Duration, Box<dyn Error>> {
    let printed = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    for line in printed.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        if let ["lz4", count, _bytes, _runs, nanoseconds, ..] = fields[..]
            && count.parse() == Ok(blocks)
        {
            return Ok(Duration::from_nanos(nanoseconds.parse()?));
        }
    }
    Err(format!("{} has no line for {blocks} blocks", path.display()).into())
}

fn print_lanes(blocks: &DeviceBlocks<'_>, lanes: &[Lane], programs: usize) {
    let nvcomp = lanes.get(programs);
    for (at, lane) in lanes.iter().enumerate() {
        let seconds = median(lane.times.iter().map(Duration::as_secs_f64));
        let shortest = lane.times.iter().min().map_or(f64::NAN, Duration::as_secs_f64);
        let [speed, of_shortest] = match nvcomp {
            Some(nvcomp) => [median_ratio(&nvcomp.times, &lane.times), ratio_of_minima(&nvcomp.times, &lane.times)]
                .map(|speed| format!("{speed:.2}")),
            None => [String::new(), String::new()],
        };
        let (who, dispatches) = match at < programs {
            true => (format!("**vyre**, {}", lane.name), blocks.dispatches().to_string()),
            false => (lane.name.clone(), String::new()),
        };
        println!(
            "| {} | {who} | {dispatches} | {:.3} | {:.3} | {:.2} | {speed} | {of_shortest} |",
            blocks.block_count(),
            seconds * 1e3,
            shortest * 1e3,
            blocks.output_bytes() as f64 / seconds / 1e9
        );
    }
}

fn host(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let text = text()?;
    println!("Decoders of the host on blocks of 64 KiB, medians of {} rounds, GB/s of output.\n", arguments.rounds);
    println!("| Format | Ratio | Who | 1 thread | 2 threads |");
    println!("|---|--:|---|--:|--:|");
    let mut pools = Vec::new();
    for threads in [1, 2] {
        pools.push(ThreadPoolBuilder::new().num_threads(threads).build()?);
    }
    let mut output = Vec::new();
    for format in Format::ALL {
        eprintln!("{}", format.name());
        let blocks = HostBlocks::new(&text, format)?;
        let decoders = format.decoders();
        let mut times = vec![vec![Vec::new(); pools.len()]; decoders.len()];
        for round in 0..=arguments.rounds {
            for (decoder, times) in decoders.iter().zip(&mut times) {
                for (pool, times) in pools.iter().zip(times) {
                    let time = blocks.time(*decoder, pool, &mut output)?;
                    // The first round warms up.
                    if round > 0 {
                        times.push(time);
                    }
                }
            }
        }
        for (decoder, times) in decoders.iter().zip(times) {
            let [one, two] = [0, 1].map(|at: usize| {
                let seconds = median(times[at].iter().map(Duration::as_secs_f64));
                text.len() as f64 / seconds / 1e9
            });
            println!("| {} | {:.2} | {} | {one:.2} | {two:.2} |", format.name(), blocks.ratio(), decoder.name());
        }
    }
    println!();
    Ok(())
}

/// What is extracted, and what must come out.
struct Extracted<'t> {
    name: &'t str,
    form: ArchiveForm,
    path: &'t Path,
    /// The content of a stream; trees are compared with each other elsewhere.
    content: Option<&'t [u8]>,
}

/// Who extracts, and where to.
struct Extraction {
    rounds: usize,
    extractors: Vec<Extractor>,
    scratch: Scratch,
}

impl Extraction {
    /// Says what is measured, and begins the table.
    fn start(arguments: &Arguments) -> Result<Extraction, Box<dyn Error>> {
        let (peers, missing) = Extractor::peers();
        let vyre = arguments.vyre.as_deref().map(|program| Extractor::vyre(program, &arguments.vyre_option));
        let in_memory = Path::new("/dev/shm");
        let place = match &arguments.scratch {
            Some(folder) => folder.clone(),
            None if in_memory.is_dir() => in_memory.to_path_buf(),
            None => std::env::temp_dir(),
        };
        println!(
            "Extraction into {}, medians of {} rounds in which everybody runs once. *One core* is `taskset -c 0`. *Times the \
             first* is the time of the row over that of the first row of the file. What comes out is compared.\n",
            place.display(),
            arguments.rounds
        );
        if arguments.vyre.is_none() {
            println!("vyre was left out: no `--vyre` was given.\n");
        }
        if !missing.is_empty() {
            println!("Left out, because they are not installed: {}.\n", missing.join(", "));
        }
        println!(
            "| File | Files in it | MB | Who | One core, ms | MB/s | Times the first | All cores, ms | MB/s | Times the first |"
        );
        println!("|---|--:|--:|---|--:|--:|--:|--:|--:|--:|");
        Ok(Extraction {
            rounds: usize::from(arguments.rounds),
            extractors: vyre.into_iter().chain(peers).collect(),
            scratch: Scratch::new(&place)?,
        })
    }

    fn measure(&mut self, file: &Extracted<'_>) -> Result<(), Box<dyn Error>> {
        eprintln!("{}", file.name);
        let Extraction { rounds, extractors, scratch } = self;
        let extractors: Vec<&Extractor> = extractors.iter().filter(|extractor| extractor.opens(file.form)).collect();
        let tree = compare(&extractors, file, scratch)?;
        let mut times = vec![[Vec::new(), Vec::new()]; extractors.len()];
        for round in 0..*rounds {
            // There and back, so that nobody always comes after the same one.
            let forward = 0..extractors.len();
            let order: Vec<usize> = if round % 2 == 0 { forward.collect() } else { forward.rev().collect() };
            for at in order {
                for (cores, times) in [Cores::One, Cores::All].into_iter().zip(&mut times[at]) {
                    times.push(scratch.with(|folder| extractors[at].extract(file.path, file.form, folder, cores))?);
                }
            }
        }
        let megabytes = tree.bytes as f64 / 1e6;
        for (extractor, row) in extractors.iter().zip(&times) {
            let [one, all] = [0, 1].map(|at: usize| {
                let seconds = median(row[at].iter().map(Duration::as_secs_f64));
                let ratio = median_ratio(&row[at], &times[0][at]);
                format!("{:.1} | {:.0} | {ratio:.2}", seconds * 1e3, megabytes / seconds)
            });
            println!("| {} | {} | {megabytes:.1} | {} | {one} | {all} |", file.name, tree.files(), extractor.name);
        }
        Ok(())
    }
}

/// What the first one extracts, if all others extract the same.
fn compare(extractors: &[&Extractor], file: &Extracted<'_>, scratch: &mut Scratch) -> Result<Tree, Box<dyn Error>> {
    let mut first: Option<(Tree, &str)> = None;
    for extractor in extractors {
        let tree = tree_of(extractor, file.path, file.form, scratch)?;
        match (&first, file.content) {
            (_, Some(content)) if !tree.is_file(content) => {
                return Err(format!("{}: {} extracts something else", file.name, extractor.name).into());
            }
            (Some((expected, name)), None) => {
                if let Some(at) = expected.difference(&tree) {
                    let (file, other) = (file.name, &extractor.name);
                    return Err(format!("{file}: {name} and {other} differ at {}", at.display()).into());
                }
            }
            _ => {}
        }
        first.get_or_insert((tree, &extractor.name));
    }
    first.map(|(tree, _)| tree).ok_or_else(|| format!("nobody opens {}", file.name).into())
}

fn packages(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let mut extraction = Extraction::start(arguments)?;
    let mut skipped = Vec::new();
    for package in Package::all() {
        let names = &arguments.package;
        if !names.is_empty() && !names.iter().any(|name| package.file.contains(name.as_str())) {
            continue;
        }
        match package.path() {
            Ok(path) => {
                let (name, form) = (package.title(), package.form());
                extraction.measure(&Extracted { name: &name, form, path: &path, content: None })?;
            }
            Err(error) => skipped.push(error.to_string()),
        }
    }
    skipped.iter().for_each(|why| println!("\nSkipped: {why}"));
    println!();
    Ok(())
}

fn streams(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let text = text()?;
    let folder = tempfile::tempdir()?;
    let files = StreamFile::write_all(&text, folder.path())?;
    let mut extraction = Extraction::start(arguments)?;
    for StreamFile { form, path, name } in &files {
        extraction.measure(&Extracted { name, form: *form, path, content: Some(&text) })?;
    }
    println!();
    Ok(())
}
