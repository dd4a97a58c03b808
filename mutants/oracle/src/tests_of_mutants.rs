//! Tests: corpora, generated programs, and checks of ops, each on one device.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use vyre_conform::checksums;
use vyre_conform::compression::{self, check::Checker, corpus::CompressionCase};
use vyre_conform::corpus::program_files;
use vyre_conform::corpus_ops::op_table;
use vyre_conform::generated::Seeds;
use vyre_conform::graphs::{self, corpus::Repetitions, generated::Sizes as GraphSizes};
use vyre_conform::opt_corpus::Example;
use vyre_conform::race_free::race_free_case;
use vyre_conform::splice::Splicer;
use vyre_conform::{Case, run_corpus};
use vyre_ir::{BufferAccess, BufferDecl, DataType, Expr, Name, Node, Program, text};
use vyre_ops::graph::GraphOps;
use vyre_ops::{Op, Value};
use vyre_runtime::{PipelineOptions, ReferenceDevice, RunOptions, words};

use crate::backends::{Backend, Backends, check_shaders};

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
    pub run: Box<dyn Fn(&mut Backends) -> Result<(), String> + Sync>,
}

/// What executes the programs of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    Device(Backend),
    /// Nothing: they are written as shaders.
    Shaders,
    /// The CPU backend or the reference device, as the test wants.
    Ops,
}

impl Test {
    /// True if the test can judge a mutant of this file. Mutants of kernels and of ops show on the strict evaluator and on the CPU
    /// backend, so the emitters of GPUs would only repeat these runs.
    pub fn is_for(&self, file: &str) -> bool {
        match self.on {
            On::Shaders | On::Device(Backend::Gpu) => file.contains("vyre-wgpu"),
            On::Device(Backend::Ptx | Backend::PtxOld) => file.contains("vyre-cuda"),
            On::Device(Backend::Lowered | Backend::Optimized) => file.contains("vyre-kernel"),
            On::Device(Backend::Cpu | Backend::CpuVectors) => file.contains("vyre-kernel") || file.contains("vyre-jit"),
            On::Ops => !file.contains("vyre-wgpu") && !file.contains("vyre-cuda"),
        }
    }
}

/// Numbers of tests.
pub struct Sizes {
    quick_seeds: u64,
    seeds: u64,
    graph_seeds: u64,
    gpu: bool,
}

impl Sizes {
    pub fn of(level: Level, gpu: bool) -> Sizes {
        match level {
            Level::Quick => Sizes { quick_seeds: 100, seeds: 100, graph_seeds: 12, gpu },
            Level::Standard => Sizes { quick_seeds: 100, seeds: 500, graph_seeds: 40, gpu },
        }
    }
}

/// Longest time of a run.
const MAX_RUN_TIME: Duration = Duration::from_secs(10);

fn options() -> RunOptions {
    RunOptions::default().with_timeout(MAX_RUN_TIME)
}

/// All tests. Inputs and expected results are computed here, while no mutant is on.
pub fn all(corpora: &Path, sizes: &Sizes) -> Result<Vec<Test>, Box<dyn Error>> {
    let mut tests = Vec::new();
    of_run_corpus(&corpora.join("run"), sizes, &mut tests)?;
    of_opt_corpus(&corpora.join("opt"), &mut tests)?;
    of_generators(&corpora.join("run"), sizes, &mut tests)?;
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
        let ops = Arc::clone(&ops);
        let run = move |_: &mut Backends| check_shaders(&program, &ops);
        let name = format!("{name} as shaders");
        tests.push(Test { name, level: Level::Quick, on: On::Shaders, run: Box::new(run) });
    }
    Ok(())
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

fn of_generators(corpus: &Path, sizes: &Sizes, tests: &mut Vec<Test>) -> Result<(), Box<dyn Error>> {
    let splicer = Splicer::new(corpus)?;
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
            let run = move |_: &mut Backends| check_shaders(&case.program, &case.ops);
            let name = format!("{generator} {seed} as shaders");
            tests.push(Test { name, level, on: On::Shaders, run: Box::new(run) });
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
    let mut add = |name: String, level: Level, run: Box<dyn Fn(&mut Backends) -> Result<(), String> + Sync>| {
        tests.push(Test { name, level, on: On::Ops, run });
    };
    for (op, path) in graphs::corpus::files(&corpora.join("ops/graph")) {
        let source = std::fs::read_to_string(&path)?;
        let name = path.strip_prefix(corpora).unwrap_or(&path).display().to_string();
        add(
            name,
            Level::Quick,
            Box::new(move |backends| {
                let ops = GraphOps::new(backends.get(Backend::Cpu)?);
                let case = graphs::corpus::GraphCase::parse(&source);
                case.and_then(|case| case.check(&op, &ops, Repetitions::One)).map_err(|failure| failure.to_string())?;
                Ok(())
            }),
        );
    }
    for seed in 0..sizes.graph_seeds {
        add(
            format!("graph {seed}"),
            if seed < 12 { Level::Quick } else { Level::Standard },
            Box::new(move |backends| {
                let ops = GraphOps::new(backends.get(Backend::Cpu)?);
                let case = graphs::generated::graph_case(seed, GraphSizes::TINY);
                graphs::generated::check_case(&ops, &case).map_err(|difference| difference.to_string())
            }),
        );
    }
    add(
        "programs of searches".to_owned(),
        Level::Quick,
        Box::new(|backends| {
            graphs::raw::expect_documented_behaviour(&backends.get(Backend::Cpu)?, 60);
            Ok(())
        }),
    );
    for (op, path) in compression::corpus::files(&corpora.join("ops/compression")) {
        let source = std::fs::read_to_string(&path)?;
        let name = path.strip_prefix(corpora).unwrap_or(&path).display().to_string();
        add(
            name,
            Level::Quick,
            Box::new(move |backends| {
                let (device, options) = (backends.get(Backend::Cpu)?, options());
                let mut checker = Checker::new(&device, &options);
                CompressionCase::parse(&source)?.check(&op, &mut checker)
            }),
        );
    }
    add(
        "compressed blocks".to_owned(),
        Level::Quick,
        Box::new(|backends| {
            let device = backends.get(Backend::Cpu)?;
            let max = compression::generated::max_streams(30);
            compression::generated::expect_agreement(&device, &options(), Seeds::new(0, 30), max);
            Ok(())
        }),
    );
    add(
        "damaged blocks".to_owned(),
        Level::Standard,
        Box::new(|backends| {
            let device = backends.get(Backend::Cpu)?;
            let max = compression::generated::max_streams(30);
            compression::generated::expect_agreement_on_damage(&device, &options(), max);
            Ok(())
        }),
    );
    add(
        "checksums".to_owned(),
        Level::Quick,
        Box::new(|backends| {
            let device = backends.get(Backend::Cpu)?;
            checksums::corpus::expect_all_right(&device, &options());
            checksums::generated::expect_agreement(&device, &options(), Seeds::new(0, 4));
            Ok(())
        }),
    );
    for op in vyre_ops::ops().iter().filter(|op| op.reference.is_some()) {
        add(format!("op {}", op.id), Level::Quick, Box::new(move |_| check_primitive(op)));
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
        let ops = vyre_ir::OpTable::new([spec]).map_err(|error| error.to_string())?;
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
