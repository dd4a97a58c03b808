//! Workloads: a program, shaders with the same result, and the result.

use super::data::BINS;

/// A program with the shaders that it is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// The name in reports.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// The program in text form: the input in slot 0, the result in slot 1, 256 invocations in a workgroup.
    pub(super) program: &'static str,
    /// What it is compared with.
    pub(super) shaders: &'static [Shader],
    pub(super) result: Outcome,
    /// The bytes that are read and written for each word of the input.
    pub bytes_per_word: u64,
}

/// What must come out.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outcome {
    /// As many words as the input has. The function makes them of words of the input, the first of which is the first of a
    /// workgroup.
    Words(fn(&mut [u32])),
    /// How often the lowest byte of a word has each value, added to what was there.
    Bins,
}

/// A shader that was written by hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shader {
    pub(super) name: &'static str,
    pub(super) source: &'static str,
    pub(super) role: Role,
    pub(super) spread: Spread,
    /// The words that an invocation takes.
    pub(super) words: u32,
    pub(super) needs_subgroups: bool,
}

/// What a row of a report is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The program.
    Program,
    /// What the program is compared with; the fastest, where there are several.
    Peer,
    /// Shown for information.
    Information,
}

/// How workgroups are spread over a grid that is too long for one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spread {
    /// Over two axes.
    Plane,
    /// Over several dispatches, each with a number in a uniform buffer.
    Parts,
}

/// The invocations of a workgroup, of every program and shader here.
pub(super) const LANES: u32 = 256;

impl Shader {
    const fn peer(name: &'static str, source: &'static str) -> Shader {
        Shader { name, source, role: Role::Peer, spread: Spread::Plane, words: 1, needs_subgroups: false }
    }

    const fn information(name: &'static str, source: &'static str) -> Shader {
        Shader { role: Role::Information, ..Shader::peer(name, source) }
    }
}

/// A copy of four words at a time, which is the copy bandwidth of an adapter in reports.
pub(super) const COPY_VECTORS: Shader =
    Shader { words: 4, ..Shader::information("WGSL, four words a lane", include_str!("kernels/copy_vectors.wgsl")) };

/// Every workload, in the order of the report.
pub const WORKLOADS: [Workload; 6] = [
    Workload {
        name: "copy",
        summary: "out[i] = in[i]: what a kernel can move",
        program: include_str!("kernels/copy.vyre"),
        shaders: &[
            Shader::peer("WGSL", include_str!("kernels/copy.wgsl")),
            Shader {
                spread: Spread::Parts,
                ..Shader::information("WGSL, several dispatches", include_str!("kernels/copy_parts.wgsl"))
            },
            COPY_VECTORS,
        ],
        result: Outcome::Words(|_| {}),
        bytes_per_word: 8,
    },
    Workload {
        name: "xor",
        summary: "out[i] = in[i] ^ constant",
        program: include_str!("kernels/xor.vyre"),
        shaders: &[Shader::peer("WGSL", include_str!("kernels/xor.wgsl"))],
        result: Outcome::Words(|words| words.iter_mut().for_each(|word| *word ^= 0x9e37_79b1)),
        bytes_per_word: 8,
    },
    Workload {
        name: "polynomial",
        summary: "a polynomial of degree 8 at every word",
        program: include_str!("kernels/polynomial.vyre"),
        shaders: &[Shader::peer("WGSL", include_str!("kernels/polynomial.wgsl"))],
        result: Outcome::Words(|words| words.iter_mut().for_each(|word| *word = polynomial(*word))),
        bytes_per_word: 8,
    },
    Workload {
        name: "prefix_sum",
        summary: "prefix sums in workgroups of 256, doubling the distance, two barriers a round",
        program: include_str!("../../../examples/prefix_sum.vyre"),
        shaders: &[Shader::peer("WGSL, same algorithm", include_str!("kernels/prefix_sum.wgsl"))],
        result: Outcome::Words(sums_of_tiles),
        bytes_per_word: 8,
    },
    Workload {
        name: "scan",
        summary: "the same sums by the collective scan_inclusive_add",
        program: include_str!("kernels/scan.vyre"),
        shaders: &[
            Shader::peer("WGSL, doubling, one barrier a round", include_str!("kernels/scan_doubling.wgsl")),
            Shader::peer("WGSL, rows of 16", include_str!("kernels/scan_rows.wgsl")),
            Shader {
                needs_subgroups: true,
                ..Shader::information("WGSL, subgroups", include_str!("kernels/scan_subgroups.wgsl"))
            },
        ],
        result: Outcome::Words(sums_of_tiles),
        bytes_per_word: 8,
    },
    Workload {
        name: "histogram",
        summary: "the lowest byte of every word, counted in 256 bins with global atomics",
        program: include_str!("kernels/histogram.vyre"),
        shaders: &[Shader::peer("WGSL", include_str!("kernels/histogram.wgsl"))],
        result: Outcome::Bins,
        bytes_per_word: 4,
    },
];

impl Outcome {
    /// The bytes of the result for so many words.
    pub(super) fn bytes(self, words: usize) -> u64 {
        let words = match self {
            Outcome::Words(_) => words,
            Outcome::Bins => BINS,
        };
        words as u64 * 4
    }
}

/// The coefficients of the program, that of the highest power first.
const COEFFICIENTS: [u32; 9] = [0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d, 0x27d4_eb2f, 0x1656_67b1, 5, 17, 257, 65_537];

fn polynomial(x: u32) -> u32 {
    COEFFICIENTS.iter().fold(0, |y: u32, &coefficient| y.wrapping_mul(x).wrapping_add(coefficient))
}

fn sums_of_tiles(words: &mut [u32]) {
    for tile in words.chunks_mut(LANES as usize) {
        let mut so_far = 0_u32;
        for word in tile {
            so_far = so_far.wrapping_add(*word);
            *word = so_far;
        }
    }
}

#[cfg(test)]
mod tests {
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    use vyre_ir::{OpTable, text};

    use super::*;

    #[test]
    fn programs_and_shaders_are_valid() {
        for workload in WORKLOADS {
            let parsed = text::parse(workload.program).unwrap_or_else(|error| panic!("{}: {error}", workload.name));
            assert!(parsed.validate(&OpTable::default()).is_ok(), "{}", workload.name);
            assert_eq!(parsed.program.workgroup_size, [LANES, 1, 1], "{}", workload.name);
            for shader in workload.shaders {
                let module = naga::front::wgsl::parse_str(shader.source)
                    .unwrap_or_else(|error| panic!("{}: {}", shader.name, error.emit_to_string(shader.source)));
                let outcome = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module);
                assert!(outcome.is_ok(), "{}: {outcome:?}", shader.name);
                assert_eq!(module.entry_points[0].workgroup_size, [LANES, 1, 1], "{}", shader.name);
            }
        }
    }

    #[test]
    fn sums_begin_anew_in_each_workgroup() {
        let mut words = vec![1; 300];
        sums_of_tiles(&mut words);
        assert_eq!((words[255], words[256], words[299]), (256, 1, 44));
    }
}
