//! Workloads: a program, hand-written shaders with the same result, and the expected result.

use crate::data::BINS;
use crate::harness::Role;

/// Program with the shaders that it is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// Name in reports.
    pub name: &'static str,
    /// Description in one line.
    pub summary: &'static str,
    /// Program in text form: the input in slot 0, the result in slot 1, 256 invocations per workgroup.
    pub(super) program: &'static str,
    /// Hand-written shaders.
    pub(super) shaders: &'static [Shader],
    pub(super) result: Output,
    /// Bytes that are read and written per word of the input.
    pub bytes_per_word: u64,
}

/// Expected result.
#[derive(Clone, Copy, Debug)]
pub(super) enum Output {
    /// A word per word of the input. The function transforms words of the input; the first one is the first of a workgroup.
    Words(fn(&mut [u32])),
    /// Histogram of the lowest bytes, added to the contents of the bins.
    Bins,
}

/// Hand-written shader.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shader {
    pub(super) name: &'static str,
    pub(super) source: &'static str,
    pub(super) role: Role,
    pub(super) spread: Spread,
    /// Words per invocation.
    pub(super) words: u32,
    pub(super) needs_subgroups: bool,
}

/// Mapping of a grid that is too long for one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spread {
    /// One dispatch over two axes.
    Plane,
    /// Several dispatches, each with its first invocation in a uniform.
    Parts,
}

/// Invocations per workgroup of every program and shader.
pub(super) const WORKGROUP_SIZE: u32 = 256;

impl Shader {
    const fn peer(name: &'static str, source: &'static str) -> Shader {
        Shader { name, source, role: Role::Peer, spread: Spread::Plane, words: 1, needs_subgroups: false }
    }

    const fn information(name: &'static str, source: &'static str) -> Shader {
        Shader { role: Role::Information, ..Shader::peer(name, source) }
    }
}

/// Copy of four words per invocation, which is the bandwidth of an adapter in reports.
pub(super) const COPY_VECTORS: Shader = Shader {
    words: 4,
    ..Shader::information("WGSL, four words per invocation", include_str!("kernels/copy_vectors.wgsl"))
};

/// All workloads, in the order of the report.
pub const WORKLOADS: [Workload; 6] = [
    Workload {
        name: "copy",
        summary: "out[i] = in[i]: the bandwidth of a kernel",
        program: include_str!("kernels/copy.vyre"),
        shaders: &[
            Shader::peer("WGSL", include_str!("kernels/copy.wgsl")),
            Shader {
                spread: Spread::Parts,
                ..Shader::information("WGSL, several dispatches", include_str!("kernels/copy_parts.wgsl"))
            },
            COPY_VECTORS,
        ],
        result: Output::Words(|_| {}),
        bytes_per_word: 8,
    },
    Workload {
        name: "xor",
        summary: "out[i] = in[i] ^ constant",
        program: include_str!("kernels/xor.vyre"),
        shaders: &[Shader::peer("WGSL", include_str!("kernels/xor.wgsl"))],
        result: Output::Words(|words| words.iter_mut().for_each(|word| *word ^= 0x9e37_79b1)),
        bytes_per_word: 8,
    },
    Workload {
        name: "polynomial",
        summary: "a polynomial of degree 8 at every word",
        program: include_str!("kernels/polynomial.vyre"),
        shaders: &[Shader::peer("WGSL", include_str!("kernels/polynomial.wgsl"))],
        result: Output::Words(|words| words.iter_mut().for_each(|word| *word = polynomial(*word))),
        bytes_per_word: 8,
    },
    Workload {
        name: "prefix_sum",
        summary: "prefix sums in workgroups of 256, recursive doubling, two barriers per step",
        program: include_str!("../../../examples/prefix_sum.vyre"),
        shaders: &[Shader::peer("WGSL, same algorithm", include_str!("kernels/prefix_sum.wgsl"))],
        result: Output::Words(sums_of_tiles),
        bytes_per_word: 8,
    },
    Workload {
        name: "scan",
        summary: "the same sums by the collective scan_inclusive_add",
        program: include_str!("kernels/scan.vyre"),
        shaders: &[
            Shader::peer("WGSL, recursive doubling, one barrier per step", include_str!("kernels/scan_doubling.wgsl")),
            Shader::peer("WGSL, two levels of 16", include_str!("kernels/scan_two_levels.wgsl")),
            Shader {
                needs_subgroups: true,
                ..Shader::information("WGSL, subgroups", include_str!("kernels/scan_subgroups.wgsl"))
            },
        ],
        result: Output::Words(sums_of_tiles),
        bytes_per_word: 8,
    },
    Workload {
        name: "histogram",
        summary: "the lowest byte of every word, counted in 256 bins with global atomics",
        program: include_str!("kernels/histogram.vyre"),
        shaders: &[Shader::peer("WGSL", include_str!("kernels/histogram.wgsl"))],
        result: Output::Bins,
        bytes_per_word: 4,
    },
];

impl Output {
    /// Bytes of the result for an input of `words` words.
    pub(super) fn bytes(self, words: usize) -> u64 {
        let words = match self {
            Output::Words(_) => words,
            Output::Bins => BINS,
        };
        words as u64 * 4
    }
}

/// Coefficients of the program, highest power first.
const COEFFICIENTS: [u32; 9] = [0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d, 0x27d4_eb2f, 0x1656_67b1, 5, 17, 257, 65_537];

fn polynomial(x: u32) -> u32 {
    COEFFICIENTS.iter().fold(0, |y: u32, &coefficient| y.wrapping_mul(x).wrapping_add(coefficient))
}

fn sums_of_tiles(words: &mut [u32]) {
    for tile in words.chunks_mut(WORKGROUP_SIZE as usize) {
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
            assert_eq!(parsed.program.workgroup_size, [WORKGROUP_SIZE, 1, 1], "{}", workload.name);
            for shader in workload.shaders {
                let module = naga::front::wgsl::parse_str(shader.source)
                    .unwrap_or_else(|error| panic!("{}: {}", shader.name, error.emit_to_string(shader.source)));
                let result = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module);
                assert!(result.is_ok(), "{}: {result:?}", shader.name);
                assert_eq!(module.entry_points[0].workgroup_size, [WORKGROUP_SIZE, 1, 1], "{}", shader.name);
            }
        }
    }

    #[test]
    fn sums_restart_in_each_workgroup() {
        let mut words = vec![1; 300];
        sums_of_tiles(&mut words);
        assert_eq!((words[255], words[256], words[299]), (256, 1, 44));
    }
}
