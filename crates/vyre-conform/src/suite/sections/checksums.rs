//! Checksums: published values and random ranges.

use vyre_ops::checksum::ChecksumKind;
use vyre_runtime::RunOptions;

use super::graph_archetypes::{Runs, run_cases};
use crate::checksums::check::Checker;
use crate::checksums::corpus::check_text;
use crate::checksums::generated::check_seed;
use crate::suite::context::{Context, Item, Settings, caught};
use crate::suite::section::Section;

/// Every program of every checksum op.
pub(in crate::suite) struct Checksums;

impl Section for Checksums {
    fn name(&self) -> &'static str {
        "checksums"
    }

    fn about(&self) -> &'static str {
        "Every program of every checksum op has the values that specifications publish, and those of libraries on random ranges of random bytes."
    }

    fn cost(&self, settings: &Settings) -> u64 {
        300 + settings.amounts.checksums * 60
    }

    fn run(&self, context: &Context) {
        let options = RunOptions::default();
        let mut checker = Checker::new(context.device(), &options);
        run_cases(context, "checksum", &[], &mut |op, text| check_text(text, &mut checker, op).map(Runs::all));
        let all = context.settings().amounts.checksums;
        let left_out = context.settings().left_out(|amounts| amounts.checksums);
        for number in 0..all {
            context.advanced(number, all);
            let seed = context.settings().seed.wrapping_add(number);
            for kind in ChecksumKind::ALL {
                if context.must_end() {
                    return;
                }
                let op = kind.op();
                let item = Item::of_op(op.id, format!("random ranges of {}", op.id));
                match caught(|| check_seed(&mut checker, kind, seed)).and_then(|checked| checked) {
                    Ok(ranges) => {
                        context.passed(&item, ranges);
                        // Every seed has as many ranges.
                        if number == 0 {
                            context.skipped_by_interpreter(&item, left_out * ranges);
                        }
                    }
                    Err(message) => context.failed(&item, message, Some(seed)),
                }
            }
        }
    }
}
