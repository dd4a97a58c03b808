//! Generator of race-free programs without a grammar: it mutates and splices programs that exist (compare LangFuzz, Holler,
//! Herzig and Zeller, USENIX Security 2012; for kernels, equivalence modulo inputs and donor code, Lascu et al., ICST 2019).
//!
//! The grammar of [`race_free`](crate::race_free) never writes what its author did not think of, and all its programs share
//! that. This generator has no grammar. It starts from a program of the run corpus or of the op library, applies a few random
//! mutations, among them the transplantation of expressions and statements from other programs, and keeps what is *admissible*:
//! valid, finished within a limit of steps, and with a result that every correct device must produce.
//!
//! A result is determined if the run of the reference device with its race checker finds no race in the program with *probes*:
//! plain loads that make an atomic whose result or order matters race with every unordered update of its word. Atomics
//! that commute and whose results are discarded need no probe.
//!
//! A seed gives the same case on every machine, as long as the corpus and the ops are the same.

pub(crate) mod atomic_order;
mod expressions;
mod launches;
mod mutation;
mod scopes;
mod sources;
mod statements;
mod statistics;
mod transplant;

use std::sync::LazyLock;

use vyre_ir::validate;
use vyre_runtime::{PipelineOptions, ReferenceDevice, RunOptions};

use crate::Case;
use crate::corpus_ops::OpsError;
use crate::embedded_corpus::Corpus;
use crate::race_free::Random;
use crate::reduce::program_index::ProgramIndex;
use mutation::Mutation;
use sources::Sources;

pub use statistics::SpliceStatistics;

/// Maximum number of steps of a program on the reference device, which is about the cost of the largest programs of
/// [`race_free`](crate::race_free).
const MAX_STEPS: u64 = 400_000;

/// Maximum number of statements and expressions of a program.
const MAX_NODES: usize = 1_500;

/// Maximum number of programs that are tried for a seed.
const MAX_ATTEMPTS: u32 = 16;

/// Generator of programs by mutation and splicing.
#[derive(Debug)]
pub struct Splicer {
    sources: Sources,
}

/// Generates a case from a seed, with the [embedded corpus](Corpus::embedded) and the ops as sources.
///
/// # Panics
///
/// Panics if the embedded corpus is malformed.
#[must_use]
pub fn spliced_case(seed: u64) -> Case {
    static SPLICER: LazyLock<Splicer> =
        LazyLock::new(|| Splicer::new(&Corpus::embedded()).unwrap_or_else(|error| panic!("the run corpus: {error}")));
    SPLICER.case(seed)
}

/// Effect of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// The contents of a buffer change.
    Some,
    /// No byte changes, so that a device that does nothing gives the same result.
    None,
}

/// Reason why a program was not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rejection {
    /// The program is too large, or it exceeded the limit of steps.
    TooLong,
    /// A race, or atomics whose order matters.
    Race,
    /// The reference device failed otherwise, because a limit is exceeded.
    Failed,
}

impl Splicer {
    /// Loads the sources: the programs of a run corpus that are admissible themselves, and the op library.
    ///
    /// # Errors
    ///
    /// Fails on a malformed corpus.
    pub fn new(corpus: &Corpus) -> Result<Splicer, OpsError> {
        Ok(Splicer { sources: Sources::load(corpus)? })
    }

    /// Number of programs that are mutated and spliced.
    #[must_use]
    pub fn sources(&self) -> usize {
        self.sources.cases.len()
    }

    /// Generates a valid, race-free case from a seed.
    #[must_use]
    pub fn case(&self, seed: u64) -> Case {
        self.case_with(seed, &mut SpliceStatistics::default())
    }

    /// Generates a case, and counts what was tried.
    #[must_use]
    pub fn case_with(&self, seed: u64, statistics: &mut SpliceStatistics) -> Case {
        // Seeds of the two generators differ, so that equal seeds do not make similar choices.
        let mut random = Random::new(seed ^ 0x5eed_0f5b_11ce_0002);
        statistics.seeds += 1;
        for _ in 0..MAX_ATTEMPTS {
            if let Some(case) = self.attempt(&mut random, statistics) {
                statistics.kept += 1;
                return with_called_ops(&case);
            }
        }
        // A source itself, which is admissible.
        statistics.unchanged += 1;
        with_called_ops(&self.sources.cases[random.below(self.sources.cases.len() as u32) as usize])
    }

    /// Mutates one source. If the last version is not admissible, half of the mutations are undone, and so on.
    fn attempt(&self, random: &mut Random, statistics: &mut SpliceStatistics) -> Option<Case> {
        let source = self.sources.pick(random);
        let wanted = match random.below(10) {
            0..3 => 1,
            3..7 => random.between(2, 5),
            _ => random.between(6, 14),
        };
        let mut versions: Vec<(Mutation, Case)> = Vec::new();
        for _ in 0..3 * wanted {
            let current = versions.last().map_or(source, |(_, case)| case);
            let mutation = Mutation::random(random);
            statistics.count(mutation).tried += 1;
            let Some(next) = self.mutated(current, mutation, random) else { continue };
            if next.program == current.program && next.grid == current.grid && next.contents == current.contents {
                continue;
            }
            if validate(&next.program, &next.ops).is_err() {
                continue;
            }
            statistics.count(mutation).valid += 1;
            versions.push((mutation, next));
            if versions.len() as u32 >= wanted {
                break;
            }
        }
        while let Some((_, case)) = versions.last() {
            statistics.programs += 1;
            match admissible(case) {
                Ok(Effect::Some) => {
                    for (mutation, _) in &versions {
                        statistics.count(*mutation).kept += 1;
                    }
                    return versions.pop().map(|(_, case)| case);
                }
                Ok(Effect::None) => statistics.without_effect += 1,
                Err(Rejection::TooLong) => statistics.too_long += 1,
                Err(Rejection::Race) => statistics.races += 1,
                Err(Rejection::Failed) => statistics.failed += 1,
            }
            versions.truncate(versions.len() / 2);
        }
        None
    }

    fn mutated(&self, case: &Case, mutation: Mutation, random: &mut Random) -> Option<Case> {
        let valid = validate(&case.program, &case.ops).ok()?;
        let index = ProgramIndex::new(&case.program, valid);
        mutation.apply(&mut mutation::Site { case, index: &index, sources: &self.sources, random })
    }
}

/// Checks that a case has one result, which the reference device finds within its limit of steps.
fn admissible(case: &Case) -> Result<Effect, Rejection> {
    let valid = validate(&case.program, &case.ops).map_err(|_| Rejection::Failed)?;
    if valid.expanded_node_count() > MAX_NODES as u64 {
        return Err(Rejection::TooLong);
    }
    let probed = atomic_order::probed(&case.program).ok_or(Rejection::Race)?;
    let probed = Case { program: probed, ..case.clone() };
    let options = RunOptions::default().with_race_check(true).with_max_steps(MAX_STEPS);
    match probed.run(&ReferenceDevice::new(), &PipelineOptions::default(), &options) {
        Ok(outcome) if outcome.report.races.races.is_empty() => {
            let is_changed =
                |(name, bytes): (_, &Vec<u8>)| case.contents.get(name).map_or(!bytes.is_empty(), |old| old != bytes);
            Ok(if outcome.contents.iter().any(is_changed) { Effect::Some } else { Effect::None })
        }
        Ok(_) => Err(Rejection::Race),
        Err(crate::CaseError::Device(vyre_runtime::Error::ResourceExceeded {
            resource: vyre_runtime::Resource::Steps,
            ..
        })) => Err(Rejection::TooLong),
        Err(_) => Err(Rejection::Failed),
    }
}

/// The case with no more ops than it calls.
fn with_called_ops(case: &Case) -> Case {
    let called = crate::reduce::shrink_ops::called(case);
    let ops = case.ops.iter().filter(|op| called.contains(&op.id)).cloned();
    // Ids of a subset are unique.
    let ops = vyre_ir::OpTable::new(ops).unwrap_or_else(|_| case.ops.clone());
    Case { ops, ..case.clone() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vyre_ir::text;
    use vyre_kernel::{Binary, Kernel, Op};

    use super::*;
    use crate::differential::{Subject, shrink};
    use crate::kernel_device::KernelBackend;

    fn case(program: &str) -> Case {
        let program = text::parse(program).expect("a program").program;
        let contents = program.buffers.iter().map(|decl| (decl.name.clone(), vec![0; 32])).collect();
        Case { program, ops: vyre_ir::OpTable::default(), grid: [1, 1, 1], contents }
    }

    #[test]
    fn a_program_without_effect_is_no_case() {
        let program = |value: u32| {
            case(&format!("workgroup_size 4; buffer a: read_write u32 @0; entry {{ a[local_id.x] = {value}; }}"))
        };
        assert_eq!((admissible(&program(0)), admissible(&program(1))), (Ok(Effect::None), Ok(Effect::Some)));
    }

    /// The second atomic updates the word that is the index of the first one.
    #[test]
    fn an_index_that_an_operand_updates_is_not_probed() {
        let operands = |operand: &str| {
            case(&format!(
                "workgroup_size 4;
                buffer a: read_write u32 @0; buffer b: read_write u32 @1; buffer out: read_write u32 @2;
                entry {{ out[local_id.x] = atomic_exchange(a[local_id.x + b[local_id.x]], {operand}); }}"
            ))
        };
        assert_eq!(admissible(&operands("atomic_add(b[local_id.x], local_id.x + 1) + 7")), Err(Rejection::Race));
        assert_eq!(admissible(&operands("local_id.x + 7")), Ok(Effect::Some));
    }

    /// Without its condition the program is smaller, and its result depends on the order of the additions.
    #[test]
    fn a_reduced_program_has_one_result() {
        let defect = |kernel: &mut Kernel| {
            for value in kernel.values.keys() {
                if let Op::Binary(op @ Binary::Mul, ..) = &mut kernel.values[value].op {
                    *op = Binary::Add;
                }
            }
        };
        let backend = KernelBackend::with_transform("toy", Arc::new(defect));
        let subject = Subject { name: "toy".to_owned(), device: Arc::new(backend.device()) };
        let whole = case(
            "workgroup_size 4; buffer a: read_write u32 @0; buffer out: read_write u32 @1;
            entry {
                if local_id.x == 1 {
                    let old = atomic_add(a[0], 5);
                    out[local_id.x] = (old + 3) * (old + 3);
                }
            }",
        );
        assert_eq!(admissible(&whole), Ok(Effect::Some));
        let (small, _) = shrink(&whole, &subject);
        assert!(small.program.entry.len() < 4 && admissible(&small).is_ok(), "{}", small.program);
    }
}
