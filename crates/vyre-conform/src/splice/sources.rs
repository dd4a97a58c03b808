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
    /// Programs of ops that are too large to be mutated, or that do too little with random contents. Fragments of them are spliced.
    donors: Vec<Case>,
    /// Ids of ops that can be called, with the types of their arguments and results, in the table of every case.
    pub(super) callable: OpTable,
}

/// Maximum number of statements and expressions of a source.
const MAX_SOURCE_NODES: usize = 700;

/// Maximum number of statements and expressions of a donor: more than any op has.
const MAX_DONOR_NODES: usize = 10_000;

/// Number of random contents that are tried with a program of an op.
const LAUNCHES: u32 = 8;

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
        let (mut random, mut donors) = (Random::new(0), Vec::new());
        for op in vyre_ops::ops() {
            for variant in op.programs() {
                let program = variant.program();
                match (0..LAUNCHES).find_map(|_| admissible(launched(&program, &callable, &mut random))) {
                    Some(case) => cases.push(case),
                    None => donors.extend(donor(launched(&program, &callable, &mut random))),
                }
            }
        }
        Ok(Sources { cases, of_corpus, donors, callable })
    }

    /// A source. Programs of ops are few beside those of the corpus.
    pub(super) fn pick(&self, random: &mut Random) -> &Case {
        let (of_corpus, of_ops) = self.cases.split_at(self.of_corpus);
        let list = if of_ops.is_empty() || !of_corpus.is_empty() && random.chance(80) { of_corpus } else { of_ops };
        &list[random.below(list.len() as u32) as usize]
    }

    /// A program with fragments to splice.
    pub(super) fn pick_donor(&self, random: &mut Random) -> &Case {
        match !self.donors.is_empty() && random.chance(15) {
            true => &self.donors[random.below(self.donors.len() as u32) as usize],
            false => self.pick(random),
        }
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
fn launched(program: &Program, ops: &OpTable, random: &mut Random) -> Case {
    let contents = |decl: &BufferDecl, random: &mut Random| {
        let words = decl.element.element_bytes() / 4 * random.between(4, 40) as usize;
        let bytes: Vec<u8> = (0..words).flat_map(|_| random.below(40).to_le_bytes()).collect();
        (decl.name.clone(), bytes)
    };
    let bound = program.buffers.iter().filter(|decl| decl.access != BufferAccess::Workgroup);
    let contents = bound.map(|decl| contents(decl, random)).collect();
    Case { program: program.clone(), ops: ops.clone(), grid: [1, 1, 1], contents }
}

/// A case of which fragments can be spliced, although it need not be admissible.
fn donor(case: Case) -> Option<Case> {
    let valid = validate(&case.program, &case.ops).ok()?;
    (valid.node_count() <= MAX_DONOR_NODES).then(|| super::with_called_ops(&case))
}

fn admissible(case: Case) -> Option<Case> {
    let valid = validate(&case.program, &case.ops).ok()?;
    if valid.node_count() > MAX_SOURCE_NODES || super::admissible(&case).is_err() {
        return None;
    }
    Some(super::with_called_ops(&case))
}
