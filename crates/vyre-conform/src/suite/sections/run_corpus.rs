//! Run corpus: programs with results from the specification.

use vyre_runtime::{Error, RunOptions};

use crate::run_corpus::{RunFailure, cases, check_file};
use crate::suite::context::{Context, Item, Settings};
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
            return context.skipped(&Item::new("corpus"), 1, "this build has no corpus; name a folder");
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
                // The runs again, one by one, for the bytes that differ.
                Err(RunFailure::Mismatch { .. } | RunFailure::Device(_)) => match cases(&file.text, &ops) {
                    Ok(cases) => {
                        for (case, expected) in cases {
                            context.judge(&item, None, &case, Some(expected));
                        }
                    }
                    Err(failure) => context.failed(&item, format!("{}: {failure}", file.path), None),
                },
                Err(failure) => context.failed(&item, format!("{}: {failure}", file.path), None),
            }
        }
    }
}
