//! Generated, damaged and real compressed blocks.

use vyre_runtime::RunOptions;

use crate::compression::check::Checker;
use crate::compression::generated::{compression_ops, damaged_blocks, judged, seeded_blocks};
use crate::compression::zlib;
use crate::suite::context::{Context, INTERPRETS, Item, Settings, caught};
use crate::suite::section::Section;

/// Every program of every compression op, against its reference.
pub(in crate::suite) struct CompressedBlocks;

/// Number of seeds of generated blocks from which on all damaged blocks and large streams are checked too.
const MIN_BLOCKS: u64 = 10;

/// Maximum number of seeds of generated blocks on slow devices.
const MAX_SLOW_SEEDS: u64 = 30;

/// Maximum number of Deflate streams, and that on slow devices.
const MAX_STREAMS: usize = 4_000;
const MAX_SLOW_STREAMS: usize = 8;

/// Number of blocks of a dispatch.
const BATCH: usize = 64;

impl Section for CompressedBlocks {
    fn name(&self) -> &'static str {
        "compressed-blocks"
    }

    fn about(&self) -> &'static str {
        "Every program of every compression op agrees with its reference: on generated blocks, on damaged ones, and on streams of zlib."
    }

    fn cost(&self, settings: &Settings) -> u64 {
        2_000 + settings.amounts.blocks * 120
    }

    fn run(&self, context: &Context) {
        let settings = context.settings();
        let options = RunOptions::default();
        let mut checker = Checker::new(context.device(), &options);
        let is_slow = settings.is_interpreter || context.device().is_software() || settings.amounts.blocks < MIN_BLOCKS;
        let count = if is_slow { settings.amounts.blocks.min(MAX_SLOW_SEEDS) } else { settings.amounts.blocks };
        let max_streams = if is_slow { MAX_SLOW_STREAMS } else { MAX_STREAMS };
        let asked = settings.amounts.blocks + settings.left_out(|amounts| amounts.blocks);
        let seeds = |count: u64| (0..count).map(|number| settings.seed.wrapping_add(number));
        let reason = if settings.is_interpreter {
            INTERPRETS
        } else if context.device().is_software() {
            "the device is software"
        } else {
            "the level has few blocks"
        };
        let steps = compression_ops().count() as u64 * 2 + 1;
        let mut done = 0;
        for op in compression_ops() {
            let generated = seeded_blocks(op, seeds(count), max_streams);
            let mut damaged = damaged_blocks(op, max_streams);
            let mut all = [generated.len(), damaged.len()];
            if is_slow {
                damaged = damaged.into_iter().step_by(16).collect();
                // To make blocks takes little time beside their checks.
                all = [seeded_blocks(op, seeds(asked), MAX_STREAMS), damaged_blocks(op, MAX_STREAMS)]
                    .map(|blocks| blocks.len());
            }
            let kinds = [("generated blocks", generated), ("damaged blocks", damaged)];
            for ((kind, blocks), all) in kinds.into_iter().zip(all) {
                let item = Item::of_op(op.id, format!("{}: {kind}", op.id));
                if all > blocks.len() {
                    context.skipped(&item, (all - blocks.len()) as u64, reason);
                }
                for blocks in judged(op, &blocks).chunks(BATCH) {
                    if context.must_end() {
                        return;
                    }
                    match caught(|| checker.check(op, blocks)).and_then(|checked| checked) {
                        Ok(()) => context.passed(&item, blocks.len() as u64),
                        Err(message) => context.failed(&item, message, None),
                    }
                }
                done += 1;
                context.advanced(done, steps);
            }
        }
        let streams = zlib::streams_for(if is_slow { 1 } else { 100 });
        let item = Item::of_op("compression.deflate", "compression.deflate: streams of zlib");
        if is_slow {
            let all = zlib::streams_for(100).len();
            context.skipped(&item, all.saturating_sub(streams.len()) as u64, reason);
        }
        match zlib::check_none_refused(&mut checker, &streams) {
            Ok(()) => context.passed(&item, streams.len() as u64),
            Err(message) => context.failed(&item, message, None),
        }
    }
}
