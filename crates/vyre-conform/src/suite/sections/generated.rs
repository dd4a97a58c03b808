//! Generated programs, against the reference interpreter.

use crate::Case;
use crate::differential::Subject;
use crate::race_free::race_free_case;
use crate::splice::spliced_case;
use crate::suite::context::{Context, Item, Settings};
use crate::suite::section::Section;

/// Name of the section of generated programs.
pub const GENERATED: &str = "generated";

/// A generator of valid programs whose results are equal on every device.
#[derive(Clone, Copy, Debug)]
pub struct Generator {
    /// Permanent name.
    pub name: &'static str,
    /// The case of a seed, the same on every machine; `None` if the generator has none for it.
    pub case: fn(u64) -> Option<Case>,
}

/// All generators. They share the programs of a run equally.
pub const GENERATORS: &[Generator] = &[
    Generator { name: "race-free", case: |seed| Some(race_free_case(seed)) },
    Generator { name: "splice", case: |seed| Some(spliced_case(seed)) },
];

impl Generator {
    /// Reason of a check that is not made because the generator has no program.
    pub(in crate::suite) fn has_none(&self) -> String {
        format!("the generator {} has no program of this seed", self.name)
    }
}

/// Generated programs, each generator an item.
pub(in crate::suite) struct GeneratedPrograms;

impl Section for GeneratedPrograms {
    fn name(&self) -> &'static str {
        GENERATED
    }

    fn about(&self) -> &'static str {
        "Generated race-free programs have the bytes of the reference interpreter, in every configuration of the backend."
    }

    fn cost(&self, settings: &Settings) -> u64 {
        settings.amounts.programs * 6 / settings.threads as u64
    }

    fn run(&self, context: &Context) {
        // Items have the order of the generators, whichever thread is first.
        GENERATORS.iter().for_each(|generator| context.passed(&item(generator), 0));
        let (all, of_seed) = (context.settings().amounts.programs, GENERATORS.len() as u64);
        context.in_parallel_by_seed(all, of_seed, |number, seed| check(context, number, seed));
    }
}

/// Runs the program of a number on the device, or on one of its variants: half of the programs on the device itself.
fn check(context: &Context, number: u64, seed: u64) {
    let generator = &GENERATORS[(number % GENERATORS.len() as u64) as usize];
    let Some(case) = (generator.case)(seed) else {
        return context.skipped(&item(generator), 1, generator.has_none());
    };
    let subject = subject_of(context, seed);
    context.judge_on(&item(generator), Some(seed), &case, None, std::slice::from_ref(subject));
}

fn item(generator: &Generator) -> Item {
    Item::new(generator.name)
}

/// The configuration that runs the program of a seed.
fn subject_of(context: &Context, seed: u64) -> &Subject {
    let variants = context.variants();
    match (variants.len() as u64, seed % 2) {
        (0, _) | (_, 0) => context.subject(),
        (count, _) => &variants[(seed / 2 % count) as usize],
    }
}
