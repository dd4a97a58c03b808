//! Levels: amounts of checks.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Amount of checks. Every level runs all sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Under a minute on two cores.
    Quick,
    /// Under a quarter of an hour on two cores.
    Standard,
    /// As many checks as a release deserves: minutes on two cores, and hours where a driver compiles programs slowly.
    Deep,
}

impl Level {
    /// All levels, the smallest first.
    pub const ALL: [Level; 3] = [Level::Quick, Level::Standard, Level::Deep];

    /// Name on the command line and in certificates.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Level::Quick => "quick",
            Level::Standard => "standard",
            Level::Deep => "deep",
        }
    }

    /// Maximum duration of a section: many times what the slowest devices take.
    #[must_use]
    pub fn section_limit(self) -> Duration {
        Duration::from_secs(match self {
            Level::Quick => 60 * 60,
            Level::Standard => 4 * 60 * 60,
            Level::Deep => 24 * 60 * 60,
        })
    }

    /// The amounts of this level.
    #[must_use]
    pub fn amounts(self) -> Amounts {
        match self {
            Level::Quick => Amounts {
                programs: 1_000,
                operand_bits: 8,
                witnesses: 4_096,
                graphs: 40,
                dataflow_graphs: 12,
                blocks: 30,
                checksums: 8,
                repeats: 100,
                repeated_programs: 4,
                round_trips: 2_000,
                compositions: 40,
                all_collectives_to: 33,
                shaders: 50,
            },
            Level::Standard => Amounts {
                programs: 20_000,
                operand_bits: 8,
                witnesses: 65_536,
                graphs: 300,
                dataflow_graphs: 100,
                blocks: 200,
                checksums: 40,
                repeats: 100,
                repeated_programs: 40,
                round_trips: 50_000,
                compositions: 400,
                all_collectives_to: 256,
                shaders: 500,
            },
            Level::Deep => Amounts {
                programs: 50_000,
                operand_bits: 8,
                witnesses: 1 << 20,
                graphs: 1_000,
                dataflow_graphs: 400,
                blocks: 600,
                checksums: 100,
                repeats: 100,
                repeated_programs: 200,
                round_trips: 200_000,
                compositions: 2_000,
                all_collectives_to: 1_024,
                shaders: 2_000,
            },
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Numbers of checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Amounts {
    /// Generated programs, of all generators together.
    pub programs: u64,
    /// Bits of the operands of laws, all pairs of which are checked: 8 at every level.
    pub operand_bits: u32,
    /// Random arguments of every law, beside all pairs of small ones.
    pub witnesses: u64,
    /// Random graphs for every graph op.
    pub graphs: u64,
    /// Random graphs for every strategy of the dataflow engine.
    pub dataflow_graphs: u64,
    /// Seeds of compressed blocks, each of which gives several.
    pub blocks: u64,
    /// Seeds of byte ranges for every checksum op.
    pub checksums: u64,
    /// Runs of each program whose results must be equal.
    pub repeats: u64,
    /// Generated programs that run several times.
    pub repeated_programs: u64,
    /// Programs that are written and read again.
    pub round_trips: u64,
    /// Random expressions of several ops.
    pub compositions: u64,
    /// Largest workgroup up to which collectives run in workgroups of every size; larger ones are sampled.
    pub all_collectives_to: u32,
    /// Generated programs whose shaders independent tools check.
    pub shaders: u64,
}

impl Amounts {
    /// Amounts for devices that interpret programs: the expensive ones are a tenth.
    #[must_use]
    pub fn for_interpreter(self) -> Amounts {
        Amounts {
            graphs: self.graphs / 4,
            dataflow_graphs: (self.dataflow_graphs / 10).max(2),
            blocks: (self.blocks / 20).max(2),
            checksums: (self.checksums / 4).max(2),
            repeated_programs: (self.repeated_programs / 2).max(2),
            witnesses: self.witnesses.min(65_536),
            all_collectives_to: self.all_collectives_to.min(256),
            ..self
        }
    }

    /// Reports whether these are the amounts of a level, on devices that interpret programs or on others. The number of generated programs
    /// does not count: users choose it.
    #[must_use]
    pub fn are_of(self, level: Level) -> bool {
        let of_level = Amounts { programs: self.programs, ..level.amounts() };
        self == of_level || self == of_level.for_interpreter()
    }

    /// Amounts for tests of the suite: as few as possible.
    #[must_use]
    pub fn tiny() -> Amounts {
        Amounts {
            programs: 60,
            operand_bits: 3,
            witnesses: 16,
            graphs: 12,
            dataflow_graphs: 2,
            blocks: 2,
            checksums: 1,
            repeats: 3,
            repeated_programs: 2,
            round_trips: 40,
            compositions: 5,
            all_collectives_to: 5,
            shaders: 3,
        }
    }
}
