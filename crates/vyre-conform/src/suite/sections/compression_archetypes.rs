//! Compression archetypes, named as the specification of compression ops lists them under "What the conformance suite will verify".

use vyre_runtime::RunOptions;

use super::graph_archetypes::{Archetype, Runs, run_cases};
use crate::compression::check::Checker;
use crate::compression::corpus::CompressionCase;
use crate::suite::context::{Context, Settings};
use crate::suite::section::Section;

/// The archetypes, and the other hand-written cases of compression ops.
pub(in crate::suite) struct CompressionArchetypes;

const ARCHETYPES: [Archetype; 14] = [
    ("LZ4: empty block", &["lz4/empty_block"]),
    ("LZ4: block with only literals", &["lz4/only_literals"]),
    ("LZ4: match that does not overlap", &["lz4/match_without_overlap"]),
    ("LZ4: match that overlaps", &["lz4/match_that_overlaps", "lz4/long_runs"]),
    ("LZ4: maximum literal length (15 + 255*N)", &["lz4/long_literals"]),
    ("LZ4: maximum match length (19 + 255*N)", &["lz4/long_matches"]),
    (
        "LZ4: corrupt block (truncated input, invalid offset)",
        &[
            "lz4/truncated_lengths",
            "lz4/length_before_offset",
            "lz4/literals_beyond_the_block",
            "lz4/offset_before_the_output",
            "lz4/offset_of_zero",
        ],
    ),
    ("LZ4: uncompressed block (flag bit set)", &["lz4/stored"]),
    ("Zstd: raw block", &["zstd/raw"]),
    ("Zstd: RLE block", &["zstd/rle"]),
    ("Zstd: compressed block", &["zstd/compressed"]),
    (
        "Zstd: corrupt block",
        &["zstd/header_cut_off", "zstd/reserved_type", "zstd/rle_without_a_byte", "zstd/size_of_the_payload"],
    ),
    ("determinism: same LZ4 blocks, 100 runs", &["lz4/hundred_runs"]),
    ("determinism: same Zstd blocks, 100 runs", &["zstd/hundred_runs"]),
];

impl Section for CompressionArchetypes {
    fn name(&self) -> &'static str {
        "compression-archetypes"
    }

    fn about(&self) -> &'static str {
        "The archetypes that the specification of compression ops lists under \"What the conformance suite will verify\", and further cases by hand."
    }

    fn cost(&self, settings: &Settings) -> u64 {
        if settings.is_interpreter { 8_000 } else { 2_000 }
    }

    fn run(&self, context: &Context) {
        let options = RunOptions::default();
        let mut checker = Checker::new(context.device(), &options);
        run_cases(context, "compression", &ARCHETYPES, &mut |op, text| {
            let case = CompressionCase::parse(text)?;
            case.check(op, &mut checker).map(|()| Runs::all(u64::from(case.runs())))
        });
    }
}
