//! Programs of the corpora, the op library, the examples and the generators.

use std::path::{Path, PathBuf};

use vyre_conform::corpus::{expectations, program_files};
use vyre_conform::race_free::race_free_case;
use vyre_conform::settings::corpus;
use vyre_conform::{corpus_ops, program_from_bytes, run_corpus as runs};
use vyre_ir::build::{ProgramBuilder, call, invocation_id};
use vyre_ir::{OpTable, Program, Rule, text, validate};
use vyre_ops::Op;

/// A program, the ops that it may call, and a name for its file.
pub(crate) struct NamedProgram {
    pub(crate) name: String,
    pub(crate) program: Program,
    pub(crate) ops: OpTable,
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn parse(source: &str) -> Program {
    text::parse(source).unwrap_or_else(|error| panic!("{error}")).program
}

/// Program of a file, with the name of its folder.
fn of_file(path: PathBuf, ops: &OpTable) -> NamedProgram {
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    NamedProgram { name: format!("{folder}.{stem}"), program: parse(&read(&path)), ops: ops.clone() }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    program_files(folder).unwrap_or_else(|error| panic!("{error}"))
}

/// All programs of the run corpus.
pub(crate) fn run_corpus() -> impl Iterator<Item = NamedProgram> {
    let folder = corpus("run");
    let ops = runs::ops(&folder).unwrap_or_else(|error| panic!("{error}"));
    let files = runs::files(&folder).unwrap_or_else(|error| panic!("{error}"));
    assert!(files.len() > 100, "the corpus is incomplete");
    files.into_iter().map(move |path| of_file(path, &ops))
}

/// The programs of the validation corpus that break no rule.
pub(crate) fn validation_corpus() -> impl Iterator<Item = NamedProgram> {
    let folder = corpus("validate");
    let ops = corpus_ops::op_table(&folder.join("ops")).unwrap_or_else(|error| panic!("{error}"));
    let files = Rule::ALL.iter().flat_map(move |rule| files(&folder.join(rule.code())));
    let valid = files.filter(|path| expectations(&read(path)).is_ok_and(|expected| expected.is_empty()));
    valid.map(move |path| of_file(path, &ops))
}

/// Program that calls an op for each element of its buffers, as most callers do.
fn caller(op: &Op) -> Program {
    let mut p = ProgramBuilder::new([256, 1, 1]);
    let inputs: Vec<_> = op.inputs.iter().zip('a'..).map(|(&ty, name)| p.read(name.to_string(), ty)).collect();
    let out = p.output("out", op.output);
    p.entry(|b| {
        let i = b.let_("i", invocation_id(0));
        b.if_(i.lt(out.len()), |b| {
            let arguments: Vec<_> = inputs.iter().map(|input| input.load(&i)).collect();
            b.store(&out, &i, call(op.id, arguments));
        });
    })
}

/// All programs of all ops.
pub(crate) fn ops() -> impl Iterator<Item = NamedProgram> {
    let ops = vyre_ops::table();
    vyre_ops::ops().iter().flat_map(move |op| {
        let named = |name: String, program| NamedProgram { name, program, ops: ops.clone() };
        if op.inlinable {
            return vec![named(op.id.to_owned(), caller(op))];
        }
        op.programs().map(|variant| named(format!("{}.{}", op.id, variant.name), variant.program())).collect()
    })
}

/// The example programs.
pub(crate) fn examples() -> impl Iterator<Item = NamedProgram> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    files(&folder).into_iter().map(|path| of_file(path, &vyre_ops::table()))
}

/// The programs whose shaders are golden files.
pub(crate) fn golden() -> impl Iterator<Item = NamedProgram> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    files(&folder).into_iter().map(|path| of_file(path, &OpTable::default()))
}

/// A generated program without races.
pub(crate) fn race_free(seed: u64) -> NamedProgram {
    let case = race_free_case(seed);
    NamedProgram { name: format!("race_free.{seed}"), program: case.program, ops: case.ops }
}

/// A program of random bytes, if it is valid. It may have races.
pub(crate) fn of_bytes(seed: u64) -> Option<NamedProgram> {
    // The generator of Knuth's MMIX; its high bits are good enough here. The first byte selects programs that follow the rules.
    let mut state = seed;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    let length = 100 + usize::from(random()) * 2;
    let bytes: Vec<u8> = std::iter::once(1).chain((0..length).map(|_| random())).collect();
    let program = program_from_bytes(&bytes);
    let ops = OpTable::default();
    validate(&program, &ops).is_ok().then(|| NamedProgram { name: format!("bytes.{seed}"), program, ops })
}
