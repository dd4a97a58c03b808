//! Run corpus: programs with results from the specification.

use vyre_ir::OpTable;
use vyre_runtime::{Error, RunOptions};

use crate::embedded_corpus::CorpusFile;
use crate::run_corpus::{RunFailure, cases, check_file};
use crate::suite::context::{Context, Item, NO_CORPUS, Settings};
use crate::suite::report::Failure;
use crate::suite::section::Section;

/// The run corpus, each topic an item.
pub(in crate::suite) struct RunCorpus;

impl Section for RunCorpus {
    fn name(&self) -> &'static str {
        "run-corpus"
    }

    fn about(&self) -> &'static str {
        "Programs with inputs and with results that were written from the specification."
    }

    fn cost(&self, _: &Settings) -> u64 {
        2_000
    }

    fn run(&self, context: &Context) {
        let corpus = &context.settings().corpus;
        if corpus.is_empty() {
            return context.skipped(&Item::new("corpus"), 1, NO_CORPUS);
        }
        let ops = match corpus.ops() {
            Ok(ops) => ops,
            Err(error) => return context.failed(&Item::new("corpus"), error.to_string(), None),
        };
        let all = corpus.programs().count() as u64;
        for (done, file) in (0..).zip(corpus.programs()) {
            if context.must_end() {
                return;
            }
            context.advanced(done, all);
            let item = Item::new(file.topic().to_owned());
            match check_file(&file.text, &ops, &**context.device(), &RunOptions::default()) {
                Ok(runs) => context.passed(&item, runs as u64),
                Err(RunFailure::Device(error @ Error::ResourceExceeded { .. })) => {
                    context.skipped(&item, 1, error.to_string());
                }
                // It has no result.
                Err(RunFailure::Device(_)) if context.has_stopped_a_call() => return,
                Err(failure @ (RunFailure::Mismatch { .. } | RunFailure::Device(_))) => {
                    explain(context, &item, file, &ops, &failure);
                }
                Err(failure) => context.failed(&item, format!("{}: {failure}", file.path), None),
            }
        }
    }
}

/// Counts the failure of a file. Its runs are repeated one by one, for the bytes that differ: those that fail again count instead of the
/// first failure. A backend that is right only the second time fails all the same.
fn explain(context: &Context, item: &Item, file: &CorpusFile, ops: &OpTable, failure: &RunFailure) {
    let Ok(cases) = cases(&file.text, ops) else {
        return context.failed(item, format!("{}: {failure}", file.path), None);
    };
    let again: Vec<Option<bool>> = cases
        .iter()
        .map(|(case, expected)| if context.must_end() { None } else { context.fails_again(item, case, expected) })
        .collect();
    if again.contains(&Some(true)) {
        return;
    }
    let second = if again.contains(&None) { "a second run has no result" } else { "a second run was right" };
    let message = format!("{}: {failure}; {second}", file.path);
    // The end of the section may have stopped the second run, but not the first one.
    context.record_failure(item, Failure { item: item.name().to_owned(), message, seed: None, example: None });
}
