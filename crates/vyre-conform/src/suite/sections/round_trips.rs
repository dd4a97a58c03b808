//! Round trips of programs through text and bytes.

use vyre_ir::wire::{from_wire, to_wire};
use vyre_ir::{Program, text};

use super::generated::{GENERATORS, Generator};
use crate::program_from_bytes;
use crate::race_free::Random;
use crate::suite::context::{Context, Item, NO_CORPUS, Settings};
use crate::suite::section::Section;

/// Programs that are written and read again, as text and as bytes. It needs no device.
pub(in crate::suite) struct RoundTrips {
    print: fn(&Program) -> String,
    to_wire: fn(&Program) -> Vec<u8>,
}

impl RoundTrips {
    /// The writers of the library.
    pub(in crate::suite) const OF_LIBRARY: RoundTrips = RoundTrips { print: text::print, to_wire };
}

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
        if settings.corpus.is_empty() {
            context.skipped(&Item::new("run corpus"), 1, NO_CORPUS);
        }
        for file in settings.corpus.programs() {
            match file.program() {
                Ok(program) => self.check(context, &Item::new("run corpus"), &program, None),
                Err(error) => context.failed(&Item::new("run corpus"), format!("{}: {error}", file.path), None),
            }
        }
        for op in vyre_ops::ops() {
            for variant in op.programs() {
                self.check(context, &Item::of_op(op.id, op.id), &variant.program(), None);
            }
        }
        let all = settings.amounts.round_trips;
        let generators = GENERATORS.len() as u64;
        // Items have this order, whichever thread is first.
        GENERATORS.iter().for_each(|generator| context.passed(&of_generator(generator), 0));
        context.in_parallel_by_seed(all, 1, |_, seed| {
            let generator = &GENERATORS[(seed / 8 % generators) as usize];
            // Most programs are arbitrary: they need not be valid, and are made in less time.
            if seed % 8 == 0 {
                let item = of_generator(generator);
                match (generator.case)(seed) {
                    Some(case) => self.check(context, &item, &case.program, Some(seed)),
                    None => context.skipped(&item, 1, generator.has_none()),
                }
                return;
            }
            let mut random = Random::new(seed);
            let bytes: Vec<u8> = (0..random.below(MAX_BYTES)).map(|_| random.word() as u8).collect();
            self.check(context, &Item::new("arbitrary programs"), &program_from_bytes(&bytes), Some(seed));
        });
    }
}

fn of_generator(generator: &Generator) -> Item {
    Item::new(format!("generator {}", generator.name))
}

impl RoundTrips {
    fn check(&self, context: &Context, item: &Item, program: &Program, seed: Option<u64>) {
        let printed = (self.print)(program);
        match text::parse(&printed) {
            Ok(parsed) if parsed.program == *program && (self.print)(&parsed.program) == printed => {
                context.passed(item, 1);
            }
            Ok(_) => context.failed(item, format!("the text gives another program:\n{printed}"), seed),
            Err(error) => context.failed(item, format!("the text does not parse: {error}\n{printed}"), seed),
        }
        let bytes = (self.to_wire)(program);
        match from_wire(&bytes) {
            Ok(read) if read == *program && (self.to_wire)(&read) == bytes => context.passed(item, 1),
            Ok(_) => context.failed(item, format!("the bytes give another program:\n{printed}"), seed),
            Err(error) => context.failed(item, format!("the bytes are not read: {error}\n{printed}"), seed),
        }
    }
}

#[cfg(test)]
mod tests {
    use vyre_runtime::ReferenceBackend;

    use super::*;
    use crate::suite::{Amounts, Level, Report, Silent, Suite};

    fn run(section: RoundTrips) -> Report {
        let suite = Suite::new(Level::Quick).with_amounts(Amounts::tiny()).replacing(section);
        suite.run(&ReferenceBackend, &mut Silent).expect("a device")
    }

    fn failed(report: &Report, item: &str) -> Option<u64> {
        report.section("round-trips").and_then(|section| section.item(item)).map(|item| item.failed)
    }

    #[test]
    fn the_writers_of_the_library_are_right() {
        assert!(run(RoundTrips::OF_LIBRARY).is_conformant());
    }

    /// A printer that writes `<=` as `<`.
    #[test]
    fn a_wrong_printer_is_found() {
        let print = |program: &Program| text::print(program).replace("<=", "<");
        let report = run(RoundTrips { print, ..RoundTrips::OF_LIBRARY });
        assert!(failed(&report, "primitive.compare.le") == Some(1), "{report}");
        assert!(failed(&report, "primitive.compare.lt") == Some(0), "{report}");
    }

    /// A writer that forgets the workgroup size.
    #[test]
    fn a_wrong_wire_writer_is_found() {
        let to_wire = |program: &Program| {
            let mut program = program.clone();
            program.workgroup_size = [1, 1, 1];
            to_wire(&program)
        };
        let report = run(RoundTrips { to_wire, ..RoundTrips::OF_LIBRARY });
        assert!(failed(&report, "graph.bfs").is_some_and(|failed| failed > 0), "{report}");
        assert!(failed(&report, "primitive.math.add") == Some(0), "{report}");
        assert!(report.section("round-trips").is_some_and(|section| section.verdict() == "failed"));
    }
}
