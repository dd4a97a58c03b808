//! Measures decompression on devices and on the host against its peers.
//!
//! `cargo run --release -p vyre-benches --bin decompress_report -- --help`

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use rayon::ThreadPoolBuilder;
use vyre_benches::decompress::{
    ArchiveForm, Blocks, Cores, DeviceBlocks, DeviceProgram, Extractor, Format, HostBlocks, NvComp, Package, RouteFile,
    RouteSample, Routes, Scratch, StreamFile, Tree, compare_decoders, report_host_route, text, tree_of,
};
use vyre_benches::device::{Backend, DeviceRequest, description};
use vyre_benches::harness::{
    ChartSpec, Comparison, Contender, Measured, OutputArgs, Plan, Report, Role, Series, Table, Timed, compare,
    exit_code, finished, step,
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

    /// lz4, zstd, deflate, route: device of the op
    #[arg(long, default_value = "cpu")]
    backend: Backend,

    /// lz4, zstd, deflate, route: position of the GPU among those of the backend
    #[arg(long, value_name = "N", default_value_t = 0)]
    gpu: usize,

    /// lz4, zstd, deflate: seconds after which no further iteration starts
    #[arg(long, value_name = "SECONDS")]
    time_limit: Option<u16>,

    /// lz4, zstd, deflate: copies of the 384 blocks in the memory of the device [default: 128 and 8; 1 on the CPU]
    #[arg(long, value_name = "N", num_args = 1.., value_parser = clap::value_parser!(u16).range(1..))]
    copies: Vec<u16>,

    /// lz4, zstd, deflate: only these programs of the op
    #[arg(long, value_name = "PROGRAM", num_args = 1..)]
    only: Vec<String>,

    /// lz4, zstd, deflate: programs in text form with the buffers of the op, in addition to those of the op
    #[arg(long, value_name = "FILE", num_args = 1..)]
    program: Vec<PathBuf>,

    /// Folder of files of blocks, from which the text is taken instead of from packages
    #[arg(long, value_name = "FOLDER")]
    blocks: Option<PathBuf>,

    /// Writes the files of blocks of all formats to a folder, and measures nothing
    #[arg(long, value_name = "FOLDER")]
    write_blocks: Option<PathBuf>,

    /// lz4, zstd, deflate: program of benches/nvcomp, which then runs in every iteration; it needs `--blocks`
    #[arg(long, value_name = "PROGRAM", requires = "blocks")]
    nvcomp: Option<PathBuf>,

    /// lz4, zstd, deflate: output of the program of benches/nvcomp from a run of its own, if it does not run in every iteration
    #[arg(long, value_name = "FILE", conflicts_with = "nvcomp")]
    nvcomp_results: Option<PathBuf>,

    /// route: only these kinds of files
    #[arg(long, value_name = "KIND", num_args = 1..)]
    route_file: Vec<RouteKind>,

    /// route: numbers of blocks of the LZ4 frames
    #[arg(long, value_name = "N", num_args = 1.., default_values_t = [4, 16, 32, 64, 128, 256, 1_024, 4_096])]
    lz4_blocks: Vec<u16>,

    /// route: number of entries of the zip file
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    zip_entries: u16,

    /// route: number of frames of 64 KiB of the zstd file
    #[arg(long, value_name = "N", default_value_t = 16_384)]
    zstd_frames: u16,

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

    /// host, route: numbers of threads of the engine [default: 1, 2, and that of the machine; route: 4 and 8 too]
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
    /// The op `compression.zstd_full` on a device, against nvCOMP
    Zstd,
    /// The op `compression.deflate` on a device, against nvCOMP
    Deflate,
    /// Extraction of packages by `vyre unpack`, against other programs
    Packages,
    /// Decoder libraries of the host, and the engine beside them
    Host,
    /// The text as one compressed file
    Streams,
    /// The engine on LZ4 frames of few and of many blocks, a zip file of many entries and a zstd file of many frames, on cores of the
    /// host and on a device
    Route,
}

/// Kind of file of the part `route`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RouteKind {
    Lz4,
    Zip,
    Zstd,
}

const AFTER_HELP: &str = "\
Examples:
  benches/fetch-packages                                         fetches the packages, before anything else
  decompress_report --part host
  decompress_report --part host --data FILE --threads 1 4 16     needs no packages
  decompress_report --part packages --vyre target/release/vyre
  decompress_report --write-blocks blocks
  decompress_report --part zstd --backend cuda --blocks blocks --nvcomp ./nvcomp_batched
  decompress_report --part route --route-file zip --backend cuda --blocks blocks
  decompress_report --out benches/results                        writes decompress_report.md and .svg too";

fn main() -> ExitCode {
    exit_code("decompress_report", report(&Arguments::parse()))
}

fn report(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = &arguments.write_blocks {
        return write_blocks(folder, &text_of(arguments)?);
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
    let mut wrong = Vec::new();
    for (part, format) in [(Part::Lz4, Format::Lz4), (Part::Zstd, Format::Zstd), (Part::Deflate, Format::Deflate)] {
        if is_selected(part) {
            wrong.extend(report_format(&mut report, arguments, format)?);
        }
    }
    if is_selected(Part::Route) {
        wrong.extend(report_route(&mut report, arguments)?);
    }
    report.finish()?;
    // The other figures are not lost, but a wrong output is no success.
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// The text: that of the first file in the folder of blocks, or that of the packages.
fn text_of(arguments: &Arguments) -> Result<Vec<u8>, Box<dyn Error>> {
    let Some(folder) = &arguments.blocks else { return Ok(text()?) };
    let paths = Format::ALL.map(|format| Blocks::path(folder, format));
    let path = paths.iter().find(|path| path.is_file());
    let path = path.ok_or_else(|| format!("{} has no file of blocks", folder.display()))?;
    Ok(Blocks::read(path)?.text)
}

/// Writes a file of blocks for each format.
fn write_blocks(folder: &Path, text: &[u8]) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    for format in Format::ALL {
        let blocks = Blocks::compress(format, text.to_vec())?;
        blocks.write(&Blocks::path(folder, format))?;
        let (count, bytes) = (blocks.blocks.len(), blocks.data.len());
        eprintln!("{}: {count} blocks, {bytes} bytes of compressed data", format.name());
    }
    Ok(())
}

fn request(arguments: &Arguments) -> DeviceRequest {
    DeviceRequest { backend: arguments.backend, gpu: arguments.gpu, threads: 0 }
}

/// Measures the routes. Returns the failures.
fn report_route(report: &mut Report, arguments: &Arguments) -> Result<Vec<String>, Box<dyn Error>> {
    let text = text_of(arguments)?;
    let device = request(arguments).open()?;
    report.heading("Routes of the engine");
    report.paragraph(&format!(
        "Files from memory to memory, with all transfers and checksums, or to the memory of the device (*entries stay*); {}, medians of {} iterations. LZ4: frames of independent \
         blocks of 64 KiB with a checksum. zip: {} entries of 512 bytes to 128 KiB, deflate. zstd: frames of 64 KiB, each with a \
         checksum.",
        description(&*device),
        arguments.iterations,
        arguments.zip_entries
    ));
    let threads: Vec<usize> = arguments.threads.iter().map(|&threads| usize::from(threads)).collect();
    let routes = Routes::new(device, &threads)?;
    let names = routes.names();
    let table =
        Table::new().text("File").numbers(["Blocks", "MiB"]).numbers(names.iter().map(|name| format!("{name}, ms")));
    let table = table.numbers(["execution on the device, ms", "entries stay, ms", "blocks on the device"]);
    report.table(&table.text("Blocks on the host"));
    let plan = Plan::new(usize::from(arguments.iterations)).with_warm_up(1);
    let mut failures = Vec::new();
    for (kind, blocks) in route_files(arguments) {
        let file = match kind {
            RouteKind::Lz4 => RouteFile::lz4(&text, blocks)?,
            RouteKind::Zip => RouteFile::zip(&text, blocks)?,
            RouteKind::Zstd => RouteFile::zstd(&text, blocks)?,
        };
        let on_step = |what: &str| step(&format!("route, {}, {blocks} blocks: {what}", file.name));
        let comparison = match compare(routes.contenders(&file), plan, on_step) {
            Ok(comparison) => comparison,
            Err(error) => {
                failures.push(failure(&format!("{}, {blocks} blocks: {error}", file.name)));
                continue;
            }
        };
        finished(&format!("route, {}, {blocks} blocks", file.name));
        let mut cells = vec![file.name.clone(), blocks.to_string(), (file.content_bytes() >> 20).to_string()];
        cells.extend(comparison.measured.iter().map(|route| format!("{:.2}", route.seconds().median() * 1e3)));
        if let [.., device, staying] = &comparison.measured[..]
            && let Some(last) = staying.last()
        {
            let execution = |route: &Measured<RouteSample>| {
                format!("{:.2}", route.series(|sample| sample.device_time.as_secs_f64()).median() * 1e3)
            };
            cells.extend([execution(device), execution(staying)]);
            cells.extend([last.device_blocks.to_string(), last.on_host.clone()]);
        }
        report.row(cells);
    }
    report.list(&failures);
    Ok(failures)
}

/// Kinds and sizes of the selected files.
fn route_files(arguments: &Arguments) -> Vec<(RouteKind, usize)> {
    let lz4 = arguments.lz4_blocks.iter().map(|&blocks| (RouteKind::Lz4, usize::from(blocks)));
    let zip = (RouteKind::Zip, usize::from(arguments.zip_entries));
    let zstd = (RouteKind::Zstd, usize::from(arguments.zstd_frames));
    let selected = |kind| arguments.route_file.is_empty() || arguments.route_file.contains(&kind);
    lz4.chain([zip, zstd]).filter(|&(kind, _)| selected(kind)).collect()
}

/// Describes a failure, and reports it at once, where it cannot be overlooked. Tables are not interrupted.
fn failure(message: &str) -> String {
    let message = format!("**WRONG**: {message}");
    eprintln!("{message}");
    message
}

/// Iterations of the parts `lz4`, `zstd` and `deflate` that do not count.
const WARM_UP: usize = 2;

/// Measures the op of a format. Returns the failures.
fn report_format(report: &mut Report, arguments: &Arguments, format: Format) -> Result<Vec<String>, Box<dyn Error>> {
    report.heading(&format!("{} on a device", format.name()));
    if vyre_ops::find(format.op()).is_none() && arguments.program.is_empty() {
        report.paragraph(&format!("Left out: this build has no op `{}`.", format.op()));
        return Ok(Vec::new());
    }
    let file = arguments.blocks.as_deref().map(|folder| Blocks::path(folder, format));
    let blocks = match &file {
        Some(path) => Blocks::read(path)?,
        None => Blocks::compress(format, text()?)?,
    };
    let programs = programs(arguments, format)?;
    let device = request(arguments).open()?;
    let compressed: usize = blocks.blocks.iter().map(|block| block.compressed_size).sum();
    report.paragraph(&format!(
        "`{}`. {}; medians of {} iterations. {} bytes of text in {} blocks of 64 KiB, {:.2} to 1.",
        format.op(),
        description(&*device),
        arguments.iterations,
        blocks.text.len(),
        blocks.blocks.len(),
        blocks.text.len() as f64 / compressed as f64
    ));
    if arguments.nvcomp.is_some() || arguments.nvcomp_results.is_some() {
        let title = format!("{}: speed relative to nvCOMP", format.name());
        let axis = "time of nvCOMP over time of the program";
        report.chart(&ChartSpec::speed(&title, &["Blocks", "Contender"], "Speed to nvCOMP", axis).only("Side", "vyre"));
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
    let time_limit = arguments.time_limit.map(|seconds| Duration::from_secs(seconds.into()));
    let plan = Plan { time_limit, ..plan };
    let mut failures = Vec::new();
    let mut last = None;
    for copies in copies {
        // The buffers of the previous number of copies make room first.
        drop(last.take());
        let on_device = last.insert(DeviceBlocks::new(device.clone(), &blocks, copies)?);
        let name = |what: &str| format!("{}, {} blocks: {what}", format.file_stem(), on_device.block_count());
        let (ready, not_built) = build(on_device, &programs);
        let mut nvcomp = match (&arguments.nvcomp, &file) {
            (Some(program), Some(path)) => Some(NvComp::start(program, path, copies)?),
            _ => None,
        };
        let comparison = compare_decoders(on_device, &ready, nvcomp.as_mut(), plan, |what| step(&name(what)))?;
        finished(&name("all"));
        let recorded = match &arguments.nvcomp_results {
            Some(path) => Some(recorded_time(path, format, on_device.block_count())?),
            None => None,
        };
        report_decoders(report, on_device, &comparison, recorded);
        let failed: Vec<String> = not_built.into_iter().chain(comparison.left_out).map(|what| name(&what)).collect();
        failures.extend(failed.iter().map(|message| failure(message)));
    }
    report.list(&failures);
    Ok(failures)
}

/// Builds the pipelines of programs, and describes the failures.
fn build(blocks: &DeviceBlocks<'_>, programs: &[(String, Program)]) -> (Vec<DeviceProgram>, Vec<String>) {
    let (mut ready, mut failed) = (Vec::new(), Vec::new());
    for (name, program) in programs {
        let start = Instant::now();
        match blocks.program(name, program.clone()) {
            Ok(program) => ready.push(program),
            Err(error) => failed.push(format!("{name}: {error}")),
        }
        eprintln!("{name}: compiled in {:.2} s", start.elapsed().as_secs_f64());
    }
    (ready, failed)
}

/// Programs of the op of a format, and those in files.
fn programs(arguments: &Arguments, format: Format) -> Result<Vec<(String, Program)>, Box<dyn Error>> {
    let mut programs = Vec::new();
    for variant in vyre_ops::find(format.op()).into_iter().flat_map(vyre_ops::Op::programs) {
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
        true => Err(format!("the op `{}` has no such program", format.op()).into()),
        false => Ok(programs),
    }
}

/// Median for a number of blocks in the output of nvcomp_batched.
fn recorded_time(path: &Path, format: Format, blocks: usize) -> Result<Duration, Box<dyn Error>> {
    let printed = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    for line in printed.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        if let [name, count, _bytes, _runs, nanoseconds, ..] = fields[..]
            && name == format.file_stem()
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
