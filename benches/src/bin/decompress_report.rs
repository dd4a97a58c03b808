//! Measures decompression on devices and on the host against its peers.
//!
//! `cargo run --release -p vyre-benches --bin decompress_report -- --help`

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use rayon::ThreadPoolBuilder;
use vyre_benches::decompress::{
    ArchiveForm, Blocks, Cores, DeviceBlocks, Extractor, Format, HostBlocks, NvComp, Package, Routes, Scratch,
    StreamFile, Tree, compare_decoders, frame_of, report_host_route, text, tree_of,
};
use vyre_benches::device::{Backend, DeviceRequest, description};
use vyre_benches::harness::{
    ChartSpec, Comparison, Contender, OutputArgs, Plan, Report, Role, Series, Table, Timed, compare, exit_code,
    finished, step,
};
use vyre_ir::Program;

/// Measures decompression on devices and on the host against its peers.
///
/// Progress goes to standard error, Markdown to standard output. Every contender runs once in each iteration; ratios are taken within
/// an iteration, and the report shows their medians. All output is verified; a difference ends the report.
#[derive(Debug, Parser)]
#[command(name = "decompress_report", after_help = AFTER_HELP)]
struct Arguments {
    /// Measures only this part (may be given more than once)
    #[arg(long, value_name = "PART")]
    part: Vec<Part>,

    /// Number of iterations
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..))]
    iterations: u16,

    /// lz4, route: device of the op
    #[arg(long, default_value = "cpu")]
    backend: Backend,

    /// lz4, route: position of the GPU among those of the backend
    #[arg(long, value_name = "N", default_value_t = 0)]
    gpu: usize,

    /// lz4: copies of the 384 blocks in the memory of the device [default: 128 and 8; 1 on the CPU]
    #[arg(long, value_name = "N", num_args = 1.., value_parser = clap::value_parser!(u16).range(1..))]
    copies: Vec<u16>,

    /// lz4: only these programs of the op
    #[arg(long, value_name = "PROGRAM", num_args = 1..)]
    only: Vec<String>,

    /// lz4: programs in text form with the buffers of the op, in addition to those of the op
    #[arg(long, value_name = "FILE", num_args = 1..)]
    program: Vec<PathBuf>,

    /// lz4, route: file of blocks, instead of blocks from packages
    #[arg(long, value_name = "FILE")]
    blocks: Option<PathBuf>,

    /// Writes a file of blocks, and measures nothing
    #[arg(long, value_name = "FILE")]
    write_blocks: Option<PathBuf>,

    /// lz4: program of benches/nvcomp, which then runs in every iteration; it needs `--blocks`
    #[arg(long, value_name = "PROGRAM", requires = "blocks")]
    nvcomp: Option<PathBuf>,

    /// lz4: output of the program of benches/nvcomp from a run of its own, if it does not run in every iteration
    #[arg(long, value_name = "FILE", conflicts_with = "nvcomp")]
    nvcomp_results: Option<PathBuf>,

    /// packages, streams: the program `vyre`
    #[arg(long, value_name = "PROGRAM")]
    vyre: Option<PathBuf>,

    /// packages, streams: further option of `vyre unpack`
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    vyre_option: Vec<String>,

    /// packages, streams: folder for output [default: /dev/shm, or the folder for temporary files]
    #[arg(long, value_name = "FOLDER")]
    scratch: Option<PathBuf>,

    /// packages: only those whose file name contains NAME
    #[arg(long, value_name = "NAME", num_args = 1..)]
    package: Vec<String>,

    /// host: file of data, instead of text from packages
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,

    /// host: numbers of threads of the engine [default: 1, 2, and that of the machine]
    #[arg(long, value_name = "N", num_args = 1.., value_parser = clap::value_parser!(u16).range(1..))]
    threads: Vec<u16>,

    #[command(flatten)]
    output: OutputArgs,
}

/// Part of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The op `compression.lz4` on a device, against nvCOMP
    Lz4,
    /// Extraction of packages by `vyre unpack`, against other programs
    Packages,
    /// Decoder libraries of the host, and the engine beside them
    Host,
    /// The text as one compressed file
    Streams,
    /// The engine on LZ4 frames of few and of many blocks, on the host and on a device
    Route,
}

const AFTER_HELP: &str = "\
Examples:
  benches/fetch-packages                                         fetches the packages, before anything else
  decompress_report --part host
  decompress_report --part host --data FILE --threads 1 4 16     needs no packages
  decompress_report --part packages --vyre target/release/vyre
  decompress_report --write-blocks blocks.bin
  decompress_report --part lz4 --backend cuda --blocks blocks.bin --nvcomp ./nvcomp_lz4
  decompress_report --out benches/results                        writes decompress_report.md and .svg too";

fn main() -> ExitCode {
    exit_code("decompress_report", report(&Arguments::parse()))
}

fn report(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    if let Some(path) = &arguments.write_blocks {
        let blocks = Blocks::compress(text()?)?;
        blocks.write(path)?;
        eprintln!("{} blocks, {} bytes of compressed data", blocks.blocks.len(), blocks.data.len());
        return Ok(());
    }
    let mut report = Report::new("decompress_report", "Decompression", &arguments.output);
    let is_selected = |part| arguments.part.is_empty() || arguments.part.contains(&part);
    if is_selected(Part::Host) {
        report_host(&mut report, arguments)?;
    }
    if is_selected(Part::Packages) {
        report_packages(&mut report, arguments)?;
    }
    if is_selected(Part::Streams) {
        report_streams(&mut report, arguments)?;
    }
    if is_selected(Part::Lz4) {
        report_lz4(&mut report, arguments)?;
    }
    if is_selected(Part::Route) {
        report_route(&mut report, arguments)?;
    }
    report.finish()?;
    Ok(())
}

fn request(arguments: &Arguments) -> DeviceRequest {
    DeviceRequest { backend: arguments.backend, gpu: arguments.gpu, threads: 0 }
}

/// Numbers of blocks of frames.
const FRAME_BLOCKS: [usize; 8] = [4, 16, 32, 64, 128, 256, 1_024, 4_096];

fn report_route(report: &mut Report, arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let text = match &arguments.blocks {
        Some(path) => Blocks::read(path)?.text,
        None => text()?,
    };
    let device = request(arguments).open()?;
    report.heading("Routes of the engine");
    report.paragraph(&format!(
        "LZ4 frames of independent blocks of 64 KiB with a checksum, from memory to memory; {}, medians of {} iterations.",
        device.name(),
        arguments.iterations
    ));
    let routes = Routes::new(device)?;
    let names = routes.names();
    report.table(&Table::new().number("Blocks").numbers(names.iter().map(|name| format!("{name}, ms"))));
    let plan = Plan::new(usize::from(arguments.iterations)).with_warm_up(1);
    for blocks in FRAME_BLOCKS {
        let (text, frame) = frame_of(&text, blocks)?;
        let on_step = |what: &str| step(&format!("route, {blocks} blocks: {what}"));
        let comparison = compare(routes.contenders(&frame, &text), plan, on_step)?;
        let cells = comparison.measured.iter().map(|route| format!("{:.2}", route.seconds().median() * 1e3));
        report.row([blocks.to_string()].into_iter().chain(cells));
    }
    finished("route");
    Ok(())
}

/// Iterations of the part `lz4` that do not count.
const WARM_UP: usize = 2;

fn report_lz4(report: &mut Report, arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let blocks = match &arguments.blocks {
        Some(path) => Blocks::read(path)?,
        None => Blocks::compress(text()?)?,
    };
    let programs = programs(arguments)?;
    let device = request(arguments).open()?;
    let compressed: usize = blocks.blocks.iter().map(|block| block.compressed_size).sum();
    report.heading("LZ4 blocks on a device");
    report.paragraph(&format!(
        "{}; medians of {} iterations. {} bytes of text in {} blocks of 64 KiB, {:.2} to 1.",
        description(&*device),
        arguments.iterations,
        blocks.text.len(),
        blocks.blocks.len(),
        blocks.text.len() as f64 / compressed as f64
    ));
    if arguments.nvcomp.is_some() || arguments.nvcomp_results.is_some() {
        let title = "LZ4 blocks: speed relative to nvCOMP";
        let axis = "time of nvCOMP over time of the program";
        report.chart(&ChartSpec::speed(title, &["Blocks", "Contender"], "Speed to nvCOMP", axis).only("Side", "vyre"));
    }
    let table =
        Table::new().number("Blocks").text("Contender").text("Side").numbers(["Dispatches", "ms", "Shortest, ms"]);
    report.table(&table.numbers(["GB/s of output", "Speed to nvCOMP", "Speed by minima"]));
    let copies: Vec<usize> = match (&arguments.copies[..], arguments.backend) {
        ([], Backend::Cpu) => vec![1],
        ([], Backend::Cuda | Backend::Wgpu) => vec![128, 8],
        (copies, _) => copies.iter().map(|&copies| usize::from(copies)).collect(),
    };
    let plan = Plan::new(usize::from(arguments.iterations)).with_warm_up(WARM_UP).alternating();
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
        let on_step = |what: &str| step(&format!("lz4, {} blocks: {what}", on_device.block_count()));
        let comparison = compare_decoders(&on_device, &ready, nvcomp.as_mut(), plan, on_step)?;
        finished(&format!("lz4, {} blocks", on_device.block_count()));
        let recorded = match &arguments.nvcomp_results {
            Some(path) => Some(recorded_time(path, on_device.block_count())?),
            None => None,
        };
        report_decoders(report, &on_device, &comparison, recorded);
    }
    Ok(())
}

/// Programs of the op, and those in files.
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
        true => Err("the op `compression.lz4` has no such program".into()),
        false => Ok(programs),
    }
}

/// Median for a number of blocks in the output of nvcomp_lz4.
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

fn report_decoders(
    report: &mut Report,
    blocks: &DeviceBlocks<'_>,
    comparison: &Comparison,
    recorded: Option<Duration>,
) {
    let mut rows: Vec<(String, Role, Series)> =
        comparison.measured.iter().map(|row| (row.name.clone(), row.role, row.seconds())).collect();
    if let Some(recorded) = recorded {
        let iterations = rows.first().map_or(0, |(_, _, seconds)| seconds.len());
        let constant = std::iter::repeat_n(recorded.as_secs_f64(), iterations).collect();
        rows.push(("nvCOMP, separate run".to_owned(), Role::Peer, constant));
    }
    let nvcomp = rows.iter().find(|(_, role, _)| *role == Role::Peer).map(|(_, _, seconds)| seconds.clone());
    for (name, role, seconds) in rows {
        let speeds = match &nvcomp {
            Some(nvcomp) => {
                [nvcomp.ratio_to(&seconds), nvcomp.ratio_of_minima(&seconds)].map(|speed| format!("{speed:.2}"))
            }
            None => [String::new(), String::new()],
        };
        let (name, side, dispatches) = match role {
            Role::Ours => (format!("**vyre**, {name}"), "vyre", blocks.dispatches().to_string()),
            _ => (name, "peer", String::new()),
        };
        let figures = [
            dispatches,
            format!("{:.3}", seconds.median() * 1e3),
            format!("{:.3}", seconds.min() * 1e3),
            format!("{:.2}", blocks.output_bytes() as f64 / seconds.median() / 1e9),
        ];
        let labels = [blocks.block_count().to_string(), name, side.to_owned()];
        report.row(labels.into_iter().chain(figures).chain(speeds));
    }
}

fn report_host(report: &mut Report, arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let data = match &arguments.data {
        Some(path) => fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?,
        None => {
            let text = text()?;
            report_decoder_libraries(report, arguments, &text)?;
            text
        }
    };
    if data.is_empty() {
        return Err("there are no data".into());
    }
    let all = rayon::current_num_threads();
    let threads: Vec<usize> = match &arguments.threads[..] {
        [] => [1, 2].into_iter().filter(|&threads| threads < all).chain([all]).collect(),
        threads => threads.iter().map(|&threads| usize::from(threads)).collect(),
    };
    report_host_route(report, &data, &threads, usize::from(arguments.iterations))?;
    Ok(())
}

fn report_decoder_libraries(report: &mut Report, arguments: &Arguments, text: &[u8]) -> Result<(), Box<dyn Error>> {
    report.heading("Decoders of the host");
    report.paragraph(&format!(
        "Decoder libraries on blocks of 64 KiB, medians of {} iterations, GB/s of output.",
        arguments.iterations
    ));
    report.table(&Table::new().text("Format").number("Ratio").text("Decoder").numbers(["1 thread", "2 threads"]));
    let mut pools = Vec::new();
    for threads in [1, 2] {
        pools.push(ThreadPoolBuilder::new().num_threads(threads).build()?);
    }
    let output = std::cell::RefCell::new(Vec::new());
    let plan = Plan::new(usize::from(arguments.iterations)).with_warm_up(1);
    for format in Format::ALL {
        let blocks = HostBlocks::new(text, format)?;
        let decoders = format.decoders();
        let contenders = decoders.iter().flat_map(|&decoder| {
            let (blocks, output) = (&blocks, &output);
            pools.iter().map(move |pool| {
                let work = move |_| blocks.time(decoder, pool, &mut output.borrow_mut());
                Contender::new(decoder.name(), Role::Peer, work)
            })
        });
        let on_step = |what: &str| step(&format!("{}: {what}", format.name()));
        let comparison = compare(contenders.collect(), plan, on_step)?;
        finished(format.name());
        // Contenders are in the order of decoders, then of pools.
        for (decoder, measured) in decoders.iter().zip(comparison.measured.chunks(pools.len())) {
            let labels = [format.name().to_owned(), format!("{:.2}", blocks.ratio()), decoder.name().to_owned()];
            let speed = |seconds: f64| format!("{:.2}", text.len() as f64 / seconds / 1e9);
            report.row(labels.into_iter().chain(measured.iter().map(|row| speed(row.seconds().median()))));
        }
    }
    Ok(())
}

/// File to extract and its expected content.
struct Extracted<'t> {
    name: &'t str,
    form: ArchiveForm,
    path: &'t Path,
    /// Content of a stream; trees of packages are compared with each other.
    content: Option<&'t [u8]>,
}

/// Times of an extraction on one core and on all cores.
struct ExtractionTimes {
    one_core: Duration,
    all_cores: Duration,
}

impl Timed for ExtractionTimes {
    fn time(&self) -> Duration {
        self.one_core
    }
}

/// Programs that extract, and the folder for their output.
struct Extraction {
    plan: Plan,
    extractors: Vec<Extractor>,
    scratch: Scratch,
}

impl Extraction {
    /// Describes the measurement and starts its table.
    fn start(report: &mut Report, arguments: &Arguments) -> Result<Extraction, Box<dyn Error>> {
        let (peers, missing) = Extractor::peers();
        let vyre = arguments.vyre.as_deref().map(|program| Extractor::vyre(program, &arguments.vyre_option));
        let in_memory = Path::new("/dev/shm");
        let folder = match &arguments.scratch {
            Some(folder) => folder.clone(),
            None if in_memory.is_dir() => in_memory.to_path_buf(),
            None => std::env::temp_dir(),
        };
        report.paragraph(&format!(
            "Extraction into {}, medians of {} iterations. *One core* is `taskset -c 0`. *Times the first* is the time of the row over \
             that of the first row of the file. The extracted files are compared.",
            folder.display(),
            arguments.iterations
        ));
        if arguments.vyre.is_none() {
            report.paragraph("vyre is left out: no `--vyre` was given.");
        } else {
            let title = "Extraction on one core: speed of vyre unpack relative to other programs";
            let axis = "time of the program over time of vyre unpack";
            let labels = ["File", "Contender"];
            report.chart(&ChartSpec::speed(title, &labels, "Times the first, one core", axis).only("Side", "peer"));
        }
        if !missing.is_empty() {
            report.paragraph(&format!("Left out, because they are not installed: {}.", missing.join(", ")));
        }
        let table = Table::new().text("File").numbers(["Files in it", "MB"]).text("Contender").text("Side");
        let table = table.numbers(["One core, ms", "MB/s, one core", "Times the first, one core"]);
        report.table(&table.numbers(["All cores, ms", "MB/s, all cores", "Times the first, all cores"]));
        Ok(Extraction {
            plan: Plan::new(usize::from(arguments.iterations)).alternating(),
            extractors: vyre.into_iter().chain(peers).collect(),
            scratch: Scratch::new(&folder)?,
        })
    }

    fn measure(&mut self, report: &mut Report, file: &Extracted<'_>) -> Result<(), Box<dyn Error>> {
        let Extraction { plan, extractors, scratch } = self;
        let extractors: Vec<&Extractor> = extractors.iter().filter(|extractor| extractor.opens(file.form)).collect();
        let tree = verify_trees(&extractors, file, scratch)?;
        let scratch = std::cell::RefCell::new(scratch);
        let contenders = extractors.iter().map(|extractor| {
            let scratch = &scratch;
            let role = if extractor.name.contains("vyre") { Role::Ours } else { Role::Peer };
            Contender::new(extractor.name.clone(), role, move |_| {
                let time =
                    |cores| scratch.borrow_mut().with(|folder| extractor.extract(file.path, file.form, folder, cores));
                Ok::<_, vyre_benches::Error>(ExtractionTimes {
                    one_core: time(Cores::One)?,
                    all_cores: time(Cores::All)?,
                })
            })
        });
        let comparison = compare(contenders.collect(), *plan, |what| step(&format!("{}: {what}", file.name)))?;
        finished(file.name);
        let megabytes = tree.bytes as f64 / 1e6;
        let [one_core, all_cores]: [fn(&ExtractionTimes) -> f64; 2] =
            [|times| times.one_core.as_secs_f64(), |times| times.all_cores.as_secs_f64()];
        for row in &comparison.measured {
            let figures = [one_core, all_cores].map(|figure| {
                let (seconds, first) = (row.series(figure), comparison.measured[0].series(figure));
                let median = seconds.median();
                [
                    format!("{:.1}", median * 1e3),
                    format!("{:.0}", megabytes / median),
                    format!("{:.2}", seconds.ratio_to(&first)),
                ]
            });
            let side = if row.role == Role::Ours { "vyre" } else { "peer" };
            let labels = [
                file.name.to_owned(),
                tree.files().to_string(),
                format!("{megabytes:.1}"),
                row.name.clone(),
                side.to_owned(),
            ];
            report.row(labels.into_iter().chain(figures.concat()));
        }
        Ok(())
    }
}

/// Tree that the first program extracts, after a comparison with those of all others.
fn verify_trees(
    extractors: &[&Extractor],
    file: &Extracted<'_>,
    scratch: &mut Scratch,
) -> Result<Tree, Box<dyn Error>> {
    let mut first: Option<(Tree, &str)> = None;
    for extractor in extractors {
        let tree = tree_of(extractor, file.path, file.form, scratch)?;
        match (&first, file.content) {
            (_, Some(content)) if !tree.is_file(content) => {
                return Err(format!("{}: {} extracts another content", file.name, extractor.name).into());
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
    first.map(|(tree, _)| tree).ok_or_else(|| format!("no program opens {}", file.name).into())
}

fn report_packages(report: &mut Report, arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    report.heading("Packages");
    let mut extraction = Extraction::start(report, arguments)?;
    let mut skipped = Vec::new();
    for package in Package::all() {
        let names = &arguments.package;
        if !names.is_empty() && !names.iter().any(|name| package.file.contains(name.as_str())) {
            continue;
        }
        match package.path() {
            Ok(path) => {
                let (name, form) = (package.title(), package.form());
                extraction.measure(report, &Extracted { name: &name, form, path: &path, content: None })?;
            }
            Err(error) => skipped.push(format!("Skipped: {error}.")),
        }
    }
    report.list(skipped);
    Ok(())
}

fn report_streams(report: &mut Report, arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    report.heading("Streams");
    let text = text()?;
    let folder = tempfile::tempdir()?;
    let files = StreamFile::write_all(&text, folder.path())?;
    let mut extraction = Extraction::start(report, arguments)?;
    for StreamFile { form, path, name } in &files {
        extraction.measure(report, &Extracted { name, form: *form, path, content: Some(&text) })?;
    }
    Ok(())
}
