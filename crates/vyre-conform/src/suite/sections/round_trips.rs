//! Round trips of programs through text and bytes.

use vyre_ir::wire::{from_wire, to_wire};
use vyre_ir::{Program, text};

use super::generated::{GENERATORS, Generator};
use crate::program_from_bytes;
use crate::race_free::Random;
use crate::suite::context::{Context, Item, Settings};
use crate::suite::section::Section;

/// Programs that are written and read again, as text and as bytes. It needs no device.
pub(in crate::suite) struct RoundTrips;

/// Maximum number of bytes of which an arbitrary program is made.
const MAX_BYTES: u32 = 2_000;

impl Section for RoundTrips {
    fn name(&self) -> &'static str {
        "round-trips"
    }

    fn about(&self) -> &'static str {
        "Programs are equal after they are written and read again, as text and in the wire format: the corpus, the ops, generated programs, valid or not."
    }

    fn cost(&self, settings: &Settings) -> u64 {
        settings.amounts.round_trips / 4
    }

    fn run(&self, context: &Context) {
        let settings = context.settings();
        for file in settings.corpus.programs() {
            match file.program() {
                Ok(program) => check(context, &Item::new("run corpus"), &program, None),
                Err(error) => context.failed(&Item::new("run corpus"), format!("{}: {error}", file.path), None),
            }
        }
        for op in vyre_ops::ops() {
            for variant in op.programs() {
                check(context, &Item::of_op(op.id, op.id), &variant.program(), None);
            }
        }
        let all = settings.amounts.round_trips;
        let generators = GENERATORS.len() as u64;
        // Items have this order, whichever thread is first.
        GENERATORS.iter().for_each(|generator| context.passed(&of_generator(generator), 0));
        context.in_parallel(all, |number| {
            let seed = settings.seed.wrapping_add(number);
            let generator = &GENERATORS[(number / 8 % generators) as usize];
            // Most programs are arbitrary: they need not be valid, and are made in less time.
            if number % 8 == 0 {
                if let Some(case) = (generator.case)(seed) {
                    check(context, &of_generator(generator), &case.program, Some(seed));
                }
                return;
            }
            let mut random = Random::new(seed);
            let bytes: Vec<u8> = (0..random.below(MAX_BYTES)).map(|_| random.word() as u8).collect();
            check(context, &Item::new("arbitrary programs"), &program_from_bytes(&bytes), Some(seed));
        });
    }
}

fn of_generator(generator: &Generator) -> Item {
    Item::new(format!("generator {}", generator.name))
}

fn check(context: &Context, item: &Item, program: &Program, seed: Option<u64>) {
    let printed = text::print(program);
    match text::parse(&printed) {
        Ok(parsed) if parsed.program == *program && text::print(&parsed.program) == printed => context.passed(item, 1),
        Ok(_) => context.failed(item, format!("the text gives another program:\n{printed}"), seed),
        Err(error) => context.failed(item, format!("the text does not parse: {error}\n{printed}"), seed),
    }
    let bytes = to_wire(program);
    match from_wire(&bytes) {
        Ok(read) if read == *program && to_wire(&read) == bytes => context.passed(item, 1),
        Ok(_) => context.failed(item, format!("the bytes give another program:\n{printed}"), seed),
        Err(error) => context.failed(item, format!("the bytes are not read: {error}\n{printed}"), seed),
    }
}
