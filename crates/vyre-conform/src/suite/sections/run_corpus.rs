//! Run corpus: programs with results from the specification.

use vyre_ir::OpTable;

use crate::embedded_corpus::{Corpus, CorpusFile};
use crate::run_corpus::cases;
use crate::suite::context::{Context, Item, NO_CORPUS, Settings};
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

    fn can_be_divided(&self) -> bool {
        true
    }

    fn run(&self, context: &Context) {
        let corpus = &context.settings().corpus;
        let of_corpus = Item::new("corpus");
        match (corpus.is_empty(), corpus.ops()) {
            (false, Ok(ops)) => check(context, corpus, &ops),
            _ if !context.is_first_part() => {}
            (true, _) => context.skipped(&of_corpus, 1, NO_CORPUS),
            (false, Err(error)) => context.failed(&of_corpus, error.to_string(), None),
        }
    }
}

fn check(context: &Context, corpus: &Corpus, ops: &OpTable) {
    let files: Vec<&CorpusFile> = corpus.programs().collect();
    let item = |file: &CorpusFile| Item::new(file.topic().to_owned());
    // Items have the order of the files, whichever thread is first.
    files.iter().for_each(|file| context.passed(&item(file), 0));
    context.in_parallel(files.len() as u64, |number| {
        let file = files[number as usize];
        match cases(&file.text, ops) {
            Ok(cases) => {
                for (case, expected) in cases {
                    context.judge_file(&item(file), &file.path, &case, expected);
                }
            }
            Err(failure) => context.failed(&item(file), format!("{}: {failure}", file.path), None),
        }
    });
}
