//! Programs to mutate and to splice: those of the run corpus, and those of the op library.

use vyre_ir::{BufferAccess, BufferDecl, OpTable, Program, text, validate};

use crate::Case;
use crate::corpus_ops::OpsError;
use crate::embedded_corpus::Corpus;
use crate::race_free::Random;
use crate::run_corpus::{self, bytes};

/// Programs with launches.
#[derive(Debug)]
pub(super) struct Sources {
    pub(super) cases: Vec<Case>,
    /// Number of cases of the corpus, which come first.
    of_corpus: usize,
    /// Ids of ops that can be called, with the types of their arguments and results, in the table of every case.
    pub(super) callable: OpTable,
}

/// Maximum number of statements and expressions of a source.
const MAX_SOURCE_NODES: usize = 700;

impl Sources {
    pub(super) fn load(corpus: &Corpus) -> Result<Sources, OpsError> {
        let corpus_ops = corpus.ops()?;
        let library = vyre_ops::ops().iter().filter(|op| op.inlinable && corpus_ops.get(op.id).is_none());
        let callable = OpTable::new(library.map(vyre_ops::Op::spec).chain(corpus_ops.iter().cloned()));
        let callable = callable.map_err(OpsError::Duplicate)?;
        let mut cases = Vec::new();
        for file in corpus.programs() {
            cases.extend(cases_of_file(&file.text, &callable));
        }
        let of_corpus = cases.len();
        let mut random = Random::new(0);
        for op in vyre_ops::ops() {
            for variant in op.programs() {
                cases.extend(launched(variant.program(), &callable, &mut random));
            }
        }
        Ok(Sources { cases, of_corpus, callable })
    }

    /// A source. Programs of ops are few and large, and many of them do little with random contents.
    pub(super) fn pick(&self, random: &mut Random) -> &Case {
        let count = self.cases.len() as u32;
        let at = match self.of_corpus > 0 && random.chance(85) {
            true => random.below(self.of_corpus as u32),
            false => random.below(count),
        };
        &self.cases[at as usize]
    }
}

/// The admissible runs of a file of the corpus. Some files have programs whose result depends on the order of atomics, and
/// expect what does not.
fn cases_of_file(source: &str, ops: &OpTable) -> Vec<Case> {
    let (Ok(runs), Ok(parsed)) = (run_corpus::runs(source), text::parse(source)) else { return Vec::new() };
    let program = parsed.program;
    let mut cases = Vec::new();
    for run in runs {
        let contents = run.inputs.iter().map(|(name, text)| Ok((name.as_str().into(), bytes(&program, name, text)?)));
        let Ok(contents) = contents.collect::<Result<_, run_corpus::RunFailure>>() else { continue };
        let case = Case { program: program.clone(), ops: ops.clone(), grid: run.grid, contents };
        cases.extend(admissible(case));
    }
    cases
}

/// A program of an op with small random contents.
fn launched(program: Program, ops: &OpTable, random: &mut Random) -> Option<Case> {
    let contents = |decl: &BufferDecl, random: &mut Random| {
        let words = decl.element.element_bytes() / 4 * random.between(4, 40) as usize;
        let bytes: Vec<u8> = (0..words).flat_map(|_| random.below(40).to_le_bytes()).collect();
        (decl.name.clone(), bytes)
    };
    let bound = program.buffers.iter().filter(|decl| decl.access != BufferAccess::Workgroup);
    let contents = bound.map(|decl| contents(decl, random)).collect();
    admissible(Case { program, ops: ops.clone(), grid: [1, 1, 1], contents })
}

fn admissible(case: Case) -> Option<Case> {
    let valid = validate(&case.program, &case.ops).ok()?;
    if valid.node_count() > MAX_SOURCE_NODES || super::admissible(&case).is_err() {
        return None;
    }
    Some(super::with_called_ops(&case))
}
