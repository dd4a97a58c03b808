//! Tests: corpora, generated programs, and checks of ops, each on one device.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use vyre_conform::checksums;
use vyre_conform::compression;
use vyre_conform::compression::check::{Checker, Verdict};
use vyre_conform::compression::corpus::CompressionCase;
use vyre_conform::compression::generated::{OwnedBlock, compression_ops, damaged_blocks, judged, seeded_blocks};
use vyre_conform::corpus::program_files;
use vyre_conform::corpus_ops::op_table;
use vyre_conform::embedded_corpus::Corpus;
use vyre_conform::graphs::{self, corpus::Repetitions, generated::Sizes as GraphSizes};
use vyre_conform::opt_corpus::Example;
use vyre_conform::race_free::race_free_case;
use vyre_conform::splice::Splicer;
use vyre_conform::{Case, run_corpus};
use vyre_graph::CsrGraph;
use vyre_ir::{BufferAccess, BufferDecl, DataType, Expr, Name, Node, OpTable, Program, text};
use vyre_ops::checksum::ChecksumKind;
use vyre_ops::compression::CompressedBlock;
use vyre_ops::graph::{GraphOps, PageRankOptions, pagerank_on_host};
use vyre_ops::{Op, Value};
use vyre_runtime::{Device, PipelineOptions, ReferenceDevice, RunOptions, words};

use crate::backends::{Backend, Backends, check_shaders, check_text};

/// Set of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Corpora, ops and few generated programs.
    Quick,
    /// More generated programs, for what survives.
    Standard,
}

/// A test.
pub struct Test {
    pub name: String,
    pub level: Level,
    pub on: On,
    pub run: Run,
}

/// Runs a test.
type Run = Box<dyn Fn(&mut Backends) -> Result<(), String> + Sync>;

/// What executes the programs of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    Device(Backend),
    /// Nothing: they are written as shaders.
    Shaders,
    /// Programs of ops on the CPU backend.
    Ops,
    /// Programs of ops on the reference device, which does not compile them.
    Programs,
    /// The same, with the check for data races.
    Races,
}

impl On {
    fn name(self) -> &'static str {
        match self {
            On::Device(backend) => backend.name(),
            On::Shaders => "shaders",
            On::Ops => "cpu",
            On::Programs => "reference",
            On::Races => "reference, races",
        }
    }
}

impl Test {
    /// True if the test can judge a mutant of this file. Mutants of kernels and of ops show on the strict evaluator and on the CPU
    /// backend, so the emitters of GPUs would only repeat these runs, except for the analysis that only they use.
    pub fn is_for(&self, file: &str) -> bool {
        let is_for_emitters = file.ends_with("vyre-kernel/src/usage.rs");
        match self.on {
            On::Shaders | On::Device(Backend::Gpu) => is_for_emitters || file.contains("vyre-wgpu"),
            On::Device(Backend::Ptx | Backend::PtxOld) => is_for_emitters || file.contains("vyre-cuda"),
            On::Device(Backend::Lowered | Backend::Optimized) => file.contains("vyre-kernel"),
            On::Device(Backend::Cpu | Backend::CpuVectors) => file.contains("vyre-kernel") || file.contains("vyre-jit"),
            On::Programs | On::Races => file.contains("vyre-ops"),
            On::Ops => !file.contains("vyre-wgpu") && !file.contains("vyre-cuda"),
        }
    }
}

/// Numbers of tests.
pub struct Sizes {
    quick_seeds: u64,
    seeds: u64,
    graph_seeds: u64,
    block_seeds: u64,
    /// Of each compression op.
    damaged_blocks: usize,
    gpu: bool,
}

impl Sizes {
    pub fn of(level: Level, gpu: bool) -> Sizes {
        match level {
            Level::Quick => Sizes {
                quick_seeds: 100,
                seeds: 100,
                graph_seeds: QUICK_GRAPH_SEEDS,
                block_seeds: 10,
                damaged_blocks: 0,
                gpu,
            },
            Level::Standard => {
                Sizes { quick_seeds: 100, seeds: 500, graph_seeds: 40, block_seeds: 10, damaged_blocks: 400, gpu }
            }
        }
    }
}

/// Longest time of a run. Mutants often make loops without end.
const MAX_RUN_TIME: Duration = Duration::from_secs(5);

/// Most Deflate streams of a seed.
const MAX_STREAMS: usize = 4;

const BLOCKS_OF_A_TEST: usize = 40;

/// Number of generated graphs of the quick tests.
const QUICK_GRAPH_SEEDS: u64 = 12;

/// Number of seeds of blocks, of each compression op, that run with the check for data races, which takes longer than the run.
const RACE_BLOCK_SEEDS: u64 = 2;

fn options() -> RunOptions {
    RunOptions::default().with_timeout(MAX_RUN_TIME)
}

/// The options of a test of ops.
fn options_of(on: On) -> RunOptions {
    options().with_race_check(on == On::Races)
}

/// All tests. Inputs and expected results are computed here, while no mutant is on.
pub fn all(corpora: &Path, sizes: &Sizes) -> Result<Vec<Test>, Box<dyn Error>> {
    let mut tests = Vec::new();
    of_run_corpus(&corpora.join("run"), sizes, &mut tests)?;
    of_opt_corpus(&corpora.join("opt"), &mut tests)?;
    of_generators(corpora, sizes, &mut tests)?;
    of_ops(corpora, sizes, &mut tests)?;
    Ok(tests)
}

fn backends(sizes: &Sizes) -> impl Iterator<Item = Backend> + use<> {
    Backend::WITHOUT_GPU.into_iter().chain(sizes.gpu.then_some(Backend::Gpu))
}

fn of_run_corpus(corpus: &Path, sizes: &Sizes, tests: &mut Vec<Test>) -> Result<(), Box<dyn Error>> {
    let ops = Arc::new(run_corpus::ops(corpus)?);
    for path in run_corpus::files(corpus)? {
        let source: Arc<str> = std::fs::read_to_string(&path)?.into();
        let name = path.strip_prefix(corpus).unwrap_or(&path).display().to_string();
        for backend in backends(sizes) {
            let (source, ops) = (Arc::clone(&source), Arc::clone(&ops));
            let run = move |backends: &mut Backends| {
                let device = backends.get(backend)?;
                run_corpus::check_file(&source, &ops, &*device, &options()).map_err(|failure| failure.to_string())?;
                Ok(())
            };
            let name = format!("{name} on {}", backend.name());
            tests.push(Test { name, level: Level::Quick, on: On::Device(backend), run: Box::new(run) });
        }
        let program = text::parse(&source).map_err(|error| error.to_string())?.program;
        add_shaders(&name, Level::Quick, Arc::new((program, OpTable::clone(&ops))), tests);
    }
    Ok(())
}

/// A test of the modules, and one of the texts, because naga refuses the text of some valid modules.
fn add_shaders(name: &str, level: Level, program: Arc<(Program, OpTable)>, tests: &mut Vec<Test>) {
    type Check = fn(&Program, &OpTable) -> Result<(), String>;
    for (form, check) in [("shaders", check_shaders as Check), ("text in WGSL", check_text)] {
        let program = Arc::clone(&program);
        let run = move |_: &mut Backends| check(&program.0, &program.1);
        tests.push(Test { name: format!("{name} as {form}"), level, on: On::Shaders, run: Box::new(run) });
    }
}

fn of_opt_corpus(corpus: &Path, tests: &mut Vec<Test>) -> Result<(), Box<dyn Error>> {
    let ops = Arc::new(op_table(&corpus.join("ops"))?);
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(corpus)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    folders.retain(|folder| !folder.ends_with("ops"));
    folders.sort();
    for folder in folders {
        let pass = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        for path in program_files(&folder)? {
            let source = std::fs::read_to_string(&path)?;
            let name = path.strip_prefix(corpus).unwrap_or(&path).display().to_string();
            let (ops, pass) = (Arc::clone(&ops), pass.clone());
            let run = move |backends: &mut Backends| {
                let example = Example::read(&pass, &source).map_err(|failure| failure.to_string())?;
                let found = example.with_kernels(&pass, &ops).map_err(|failure| failure.to_string())?;
                if found != source {
                    return Err("another kernel after the pass".to_owned());
                }
                let device = backends.get(Backend::Cpu)?;
                example.check_runs(&ops, &*device, &options()).map_err(|failure| failure.to_string())?;
                Ok(())
            };
            let name = format!("{name} of passes");
            tests.push(Test { name, level: Level::Quick, on: On::Ops, run: Box::new(run) });
        }
    }
    Ok(())
}

fn of_generators(corpora: &Path, sizes: &Sizes, tests: &mut Vec<Test>) -> Result<(), Box<dyn Error>> {
    let splicer = Splicer::new(&Corpus::read(corpora)?)?;
    for seed in 0..sizes.seeds {
        for (generator, case) in [("grammar", race_free_case(seed)), ("splice", splicer.case(seed))] {
            let reference = ReferenceDevice::new();
            let outcome = case.run(&reference, &PipelineOptions::default(), &RunOptions::default())?;
            let (case, expected) = (Arc::new(case), Arc::new(outcome.contents));
            let level = if seed < sizes.quick_seeds { Level::Quick } else { Level::Standard };
            for backend in backends(sizes) {
                let (case, expected) = (Arc::clone(&case), Arc::clone(&expected));
                let run = move |backends: &mut Backends| compare(&case, &expected, backend, backends);
                let name = format!("{generator} {seed} on {}", backend.name());
                tests.push(Test { name, level, on: On::Device(backend), run: Box::new(run) });
            }
            let program = Arc::new((case.program.clone(), case.ops.clone()));
            add_shaders(&format!("{generator} {seed}"), level, program, tests);
        }
    }
    Ok(())
}

fn compare(
    case: &Case,
    expected: &BTreeMap<Name, Vec<u8>>,
    backend: Backend,
    backends: &mut Backends,
) -> Result<(), String> {
    let device = backends.get(backend)?;
    let outcome = case.run(&*device, &PipelineOptions::default(), &options()).map_err(|error| error.to_string())?;
    let differs = expected.iter().find(|(name, bytes)| outcome.contents.get(*name) != Some(*bytes));
    differs.map_or(Ok(()), |(name, _)| Err(format!("buffer `{name}` differs")))
}

fn of_ops(corpora: &Path, sizes: &Sizes, tests: &mut Vec<Test>) -> Result<(), Box<dyn Error>> {
    for on in [On::Programs, On::Ops, On::Races] {
        of_graph_ops(on, corpora, sizes, tests)?;
        of_compression_ops(on, corpora, sizes, tests)?;
        of_checksum_ops(on, corpora, tests)?;
    }
    of_large_graphs(tests);
    for op in vyre_ops::ops().iter().filter(|op| op.reference.is_some()) {
        let run = Box::new(move |_: &mut Backends| check_primitive(op));
        tests.push(Test { name: format!("op {}", op.id), level: Level::Quick, on: On::Ops, run });
    }
    Ok(())
}

/// The device of a test of ops.
fn device_of(on: On, backends: &mut Backends) -> Result<Arc<dyn Device>, String> {
    if on == On::Ops { backends.get(Backend::Cpu) } else { Ok(Arc::new(ReferenceDevice::new())) }
}

fn of_graph_ops(on: On, corpora: &Path, sizes: &Sizes, tests: &mut Vec<Test>) -> Result<(), Box<dyn Error>> {
    let mut add = |name: String, level: Level, run: Run| {
        tests.push(Test { name: format!("{name} on {}", on.name()), level, on, run });
    };
    for (op, path) in graphs::corpus::files(&corpora.join("ops/graph")) {
        let source = std::fs::read_to_string(&path)?;
        let name = path.strip_prefix(corpora).unwrap_or(&path).display().to_string();
        let run = move |backends: &mut Backends| {
            let ops = GraphOps::new(device_of(on, backends)?).with_run_options(options_of(on));
            let case = graphs::corpus::GraphCase::parse(&source);
            case.and_then(|case| case.check(&op, &ops, Repetitions::One)).map_err(|failure| failure.to_string())?;
            Ok(())
        };
        add(name, Level::Quick, Box::new(run));
    }
    for seed in 0..if on == On::Races { sizes.graph_seeds.min(QUICK_GRAPH_SEEDS) } else { sizes.graph_seeds } {
        let run = move |backends: &mut Backends| {
            let ops = GraphOps::new(device_of(on, backends)?).with_run_options(options_of(on));
            let case = graphs::generated::graph_case(seed, GraphSizes::TINY);
            graphs::generated::check_case(&ops, &case).map_err(|difference| difference.to_string())
        };
        add(
            format!("graph {seed}"),
            if seed < QUICK_GRAPH_SEEDS { Level::Quick } else { Level::Standard },
            Box::new(run),
        );
    }
    if on == On::Races {
        return Ok(());
    }
    let run = move |backends: &mut Backends| {
        graphs::raw::expect_documented_behaviour(&device_of(on, backends)?, 60);
        Ok(())
    };
    add("programs of searches".to_owned(), Level::Quick, Box::new(run));
    Ok(())
}

/// PageRank of graphs with a degree, or a number of nodes, of 65,536 and more, by which numbers are divided bit by bit.
fn of_large_graphs(tests: &mut Vec<Test>) {
    const COUNT: u32 = 1 << 16;
    // Functions that construct graphs start threads for so many edges.
    let star = |leaves: u32, nodes: u32| {
        let offsets = std::iter::once(0).chain(std::iter::repeat_n(leaves, nodes as usize)).collect();
        CsrGraph { offsets, targets: (1..=leaves).collect(), node_data: vec![0; nodes as usize] }
    };
    for (name, graph) in [("a star", star(COUNT, COUNT + 1)), ("nodes without edges", star(0, COUNT))] {
        let graph = Arc::new(graph);
        for iterations in [1, 2] {
            let ranking = PageRankOptions::default().with_max_iterations(iterations);
            let expected = pagerank_on_host(graph.view(), &ranking);
            let graph = Arc::clone(&graph);
            let run = move |backends: &mut Backends| {
                let ops = GraphOps::new(backends.get(Backend::Cpu)?).with_run_options(options());
                let found = ops.load(graph.view()).and_then(|graph| graph.pagerank(&ranking));
                let found = found.map_err(|error| error.to_string())?;
                if found == expected { Ok(()) } else { Err("other ranks".to_owned()) }
            };
            let name = format!("PageRank of {name}, {iterations} iterations on {}", On::Ops.name());
            tests.push(Test { name, level: Level::Quick, on: On::Ops, run: Box::new(run) });
        }
    }
}

fn of_compression_ops(on: On, corpora: &Path, sizes: &Sizes, tests: &mut Vec<Test>) -> Result<(), Box<dyn Error>> {
    for (op, path) in compression::corpus::files(&corpora.join("ops/compression")) {
        let source = std::fs::read_to_string(&path)?;
        let name = path.strip_prefix(corpora).unwrap_or(&path).display();
        let name = format!("{name} on {}", on.name());
        let run = move |backends: &mut Backends| {
            let (device, options) = (device_of(on, backends)?, options_of(on));
            CompressionCase::parse(&source)?.check(&op, &mut Checker::new(&device, &options))
        };
        tests.push(Test { name, level: Level::Quick, on, run: Box::new(run) });
    }
    for op in compression_ops() {
        let seeds = if on == On::Races { RACE_BLOCK_SEEDS } else { sizes.block_seeds };
        for seed in 0..seeds {
            of_blocks(on, op, &format!("seed {seed}"), Level::Quick, seeded_blocks(op, [seed], MAX_STREAMS), tests);
        }
        if sizes.damaged_blocks == 0 || on == On::Races {
            continue;
        }
        let damaged = damaged_blocks(op, sizes.damaged_blocks);
        // Each byte has eleven or twelve damages. A step without a factor of these reaches all kinds of them.
        let least = damaged.len().div_ceil(sizes.damaged_blocks);
        let step = (least..).find(|step| [2, 3, 11].iter().all(|factor| step % factor != 0)).unwrap_or(least);
        let damaged: Vec<OwnedBlock> = damaged.into_iter().step_by(step).collect();
        for (part, blocks) in damaged.chunks(BLOCKS_OF_A_TEST).enumerate() {
            of_blocks(on, op, &format!("damage {part}"), Level::Standard, blocks.to_vec(), tests);
        }
    }
    Ok(())
}

/// A test for each program of an op.
fn of_blocks(on: On, op: &'static Op, name: &str, level: Level, blocks: Vec<OwnedBlock>, tests: &mut Vec<Test>) {
    let verdicts: Vec<Verdict> = judged(op, &blocks).into_iter().map(|(_, verdict)| verdict).collect();
    let blocks = Arc::new((blocks, verdicts));
    for program in op.programs() {
        let name = format!("{} {}, {name} on {}", op.id, program.name, on.name());
        let blocks = Arc::clone(&blocks);
        let run = move |backends: &mut Backends| {
            let (device, options) = (device_of(on, backends)?, options_of(on));
            let judged: Vec<(CompressedBlock<'_>, Verdict)> = blocks
                .0
                .iter()
                .zip(&blocks.1)
                .map(|(OwnedBlock { bytes, room, is_stored }, verdict)| {
                    (CompressedBlock { bytes, room: *room, is_stored: *is_stored }, verdict.clone())
                })
                .collect();
            Checker::new(&device, &options).check_program(op, &program, &judged)
        };
        tests.push(Test { name, level, on, run: Box::new(run) });
    }
}

fn of_checksum_ops(on: On, corpora: &Path, tests: &mut Vec<Test>) -> Result<(), Box<dyn Error>> {
    for (op, path) in compression::corpus::files(&corpora.join("ops/checksum")) {
        let source = std::fs::read_to_string(&path)?;
        let name = path.strip_prefix(corpora).unwrap_or(&path).display();
        let name = format!("{name} on {}", on.name());
        let run = move |backends: &mut Backends| {
            let (device, options) = (device_of(on, backends)?, options_of(on));
            checksums::corpus::check_text(&source, &mut checksums::check::Checker::new(&device, &options), &op)?;
            Ok(())
        };
        tests.push(Test { name, level: Level::Quick, on, run: Box::new(run) });
    }
    for kind in ChecksumKind::ALL {
        for seed in 0..3 {
            let run = move |backends: &mut Backends| {
                let (device, options) = (device_of(on, backends)?, options_of(on));
                let mut checker = checksums::check::Checker::new(&device, &options);
                checksums::generated::check_seed(&mut checker, kind, seed)?;
                Ok(())
            };
            let name = format!("{} of seed {seed} on {}", kind.op().id, on.name());
            tests.push(Test { name, level: Level::Quick, on, run: Box::new(run) });
        }
    }
    Ok(())
}

/// Compares the programs of an op on words with its host reference.
fn check_primitive(op: &'static Op) -> Result<(), String> {
    const WITNESSES: [u32; 14] =
        [0, 1, 2, 3, 7, 31, 32, 33, 0xff, 0x7fff_ffff, 0x8000_0000, 0xdead_beef, u32::MAX - 1, u32::MAX];
    let count = WITNESSES.len().pow(op.inputs.len() as u32);
    let argument = |run: usize, input: usize| WITNESSES[run / WITNESSES.len().pow(input as u32) % WITNESSES.len()];
    let columns: Vec<Vec<u8>> = (0..op.inputs.len())
        .map(|input| (0..count).flat_map(|run| argument(run, input).to_le_bytes()).collect())
        .collect();
    let mut buffers: Vec<BufferDecl> = (0..op.inputs.len())
        .map(|input| BufferDecl::storage(format!("in{input}"), input as u32, BufferAccess::ReadOnly, op.inputs[input]))
        .collect();
    buffers.push(BufferDecl::output("out", op.inputs.len() as u32, op.output));
    let here = || Expr::InvocationId { axis: 0 };
    let args = (0..op.inputs.len()).map(|input| Expr::load(format!("in{input}"), here())).collect();
    let entry = vec![Node::store("out", here(), Expr::Call { op_id: op.id.into(), args })];
    for variant in op.programs() {
        let mut spec = op.spec();
        spec.program = variant.program();
        let ops = OpTable::new([spec]).map_err(|error| error.to_string())?;
        let mut contents: BTreeMap<Name, Vec<u8>> =
            columns.iter().enumerate().map(|(input, bytes)| (format!("in{input}").into(), bytes.clone())).collect();
        contents.insert("out".into(), vec![0; 4 * count]);
        let program = Program::new(buffers.clone(), [WITNESSES.len() as u32, 1, 1], entry.clone());
        let grid = [(count / WITNESSES.len()) as u32, 1, 1];
        let case = Case { program, ops, grid, contents };
        let outcome = case.run(&ReferenceDevice::new(), &PipelineOptions::default(), &options());
        let found = words(&outcome.map_err(|error| error.to_string())?.contents["out"]);
        for (run, &found) in found.iter().enumerate() {
            let values: Vec<Value> = (0..op.inputs.len())
                .map(|input| match op.inputs[input] {
                    DataType::I32 => Value::I32(argument(run, input).cast_signed()),
                    _ => Value::U32(argument(run, input)),
                })
                .collect();
            let expected = match op.call(&values).map_err(|error| error.to_string())? {
                Value::U32(word) => word,
                Value::I32(word) => word.cast_unsigned(),
                other => return Err(format!("a result of another type: {other:?}")),
            };
            if found != expected {
                return Err(format!("{values:?} gives {found}, not {expected}"));
            }
        }
    }
    Ok(())
}
