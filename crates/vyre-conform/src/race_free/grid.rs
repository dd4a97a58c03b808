//! Sizes of grid and workgroup, and numberings of invocations.

use vyre_ir::Expr;
use vyre_ir::build::{invocation_id, local_id, num_workgroups, workgroup_id};

use super::random::Random;

/// Sizes of workgroup and grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Invocations of a workgroup on each axis.
    pub(super) size: [u32; 3],
    /// Workgroups on each axis.
    pub(super) grid: [u32; 3],
}

/// Numbering of invocations. Numbers are unique within the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbering {
    /// Within the workgroup, along x first, then y, then z.
    Local,
    /// Within the grid, workgroup after workgroup.
    Linear,
    /// Within the grid, in row-major order.
    RowMajor,
}

/// Sizes on three axes: a line, or one of several boxes.
fn sizes(random: &mut Random, line: u32, planes: &[[u32; 3]]) -> [u32; 3] {
    if random.chance(50) {
        return [line, 1, 1];
    }
    let mut sizes = random.pick(planes);
    let rotation = random.below(3) as usize;
    sizes.rotate_left(rotation);
    sizes
}

impl Shape {
    pub(super) fn random(random: &mut Random) -> Shape {
        let invocations = match random.below(100) {
            0..5 => 1,
            5..25 => random.between(2, 8),
            25..40 => random.pick(&[4, 8, 16]),
            40..58 => random.between(9, 32),
            58..72 => 32,
            72..82 => random.between(33, 63),
            82..96 => 64,
            96..98 => 128,
            98 => random.between(65, 250),
            _ => 256,
        };
        let planes = [
            [2, 2, 1],
            [3, 2, 1],
            [4, 4, 1],
            [8, 4, 1],
            [5, 7, 1],
            [8, 8, 1],
            [16, 3, 1],
            [1, 13, 1],
            [2, 2, 2],
            [2, 3, 4],
            [4, 4, 2],
            [4, 4, 4],
            [3, 3, 3],
            [5, 2, 3],
        ];
        let size = if invocations > 64 { [invocations, 1, 1] } else { sizes(random, invocations, &planes) };
        let workgroups = random.weighted(&[(34, 1), (32, 2), (20, 3), (14, 5)]);
        let mut grid = if invocations > 64 {
            [random.between(1, 2), 1, 1]
        } else {
            sizes(random, workgroups, &[[1, 1, 1], [2, 2, 1], [3, 2, 1], [2, 1, 1], [1, 3, 1], [2, 2, 2]])
        };
        if random.chance(1) {
            grid[random.below(3) as usize] = 0;
        }
        Shape { size, grid }
    }

    /// Invocations of a workgroup.
    pub(super) fn workgroup_invocations(&self) -> u32 {
        self.size.iter().product()
    }

    /// Workgroups of the grid; 1 for an empty one, so that sizes stay sensible.
    pub(super) fn workgroups(&self) -> u32 {
        self.grid.iter().product::<u32>().max(1)
    }

    pub(super) fn invocations(&self) -> u32 {
        self.workgroup_invocations() * self.workgroups()
    }

    /// Number of invocations in the domain of a numbering.
    pub(super) fn count(&self, numbering: Numbering) -> u32 {
        match numbering {
            Numbering::Local => self.workgroup_invocations(),
            Numbering::Linear | Numbering::RowMajor => self.invocations(),
        }
    }

    fn is_line(&self) -> bool {
        self.size[1..] == [1, 1] && self.grid[1..] == [1, 1]
    }

    /// An expression for the number of an invocation, in one of several forms.
    pub(super) fn number(&self, numbering: Numbering, random: &mut Random) -> Expr {
        match numbering {
            Numbering::Local => self.local_index(random),
            Numbering::Linear | Numbering::RowMajor if self.is_line() && random.chance(80) => invocation_id(0),
            Numbering::Linear if random.chance(50) => {
                self.workgroup_index(random) * self.workgroup_invocations() + self.local_index(random)
            }
            Numbering::Linear => self.local_index(random) + self.workgroup_invocations() * self.workgroup_index(random),
            Numbering::RowMajor => {
                let mut extent = |axis: u32| match random.chance(40) {
                    true => Expr::LitU32(self.size[axis as usize] * self.grid[axis as usize]),
                    false => num_workgroups(axis) * self.size[axis as usize],
                };
                (invocation_id(2) * extent(1) + invocation_id(1)) * extent(0) + invocation_id(0)
            }
        }
    }

    fn local_index(&self, random: &mut Random) -> Expr {
        let [width, height, _] = self.size;
        let local = |axis: u32, random: &mut Random| match random.below(10) {
            0 => invocation_id(axis) % self.size[axis as usize],
            1 => invocation_id(axis) - workgroup_id(axis) * self.size[axis as usize],
            _ => local_id(axis),
        };
        let x = local(0, random);
        if self.size[1..] == [1, 1] && random.chance(80) {
            return x;
        }
        let (y, z) = (local(1, random), local(2, random));
        if random.chance(50) { (z * height + y) * width + x } else { x + y * width + z * (width * height) }
    }

    /// Index of the workgroup, along x first, then y, then z.
    pub(super) fn workgroup_index(&self, random: &mut Random) -> Expr {
        if self.grid[1..] == [1, 1] && random.chance(80) {
            return workgroup_id(0);
        }
        let mut extent = |axis: u32| match random.chance(40) {
            true => Expr::LitU32(self.grid[axis as usize]),
            false => num_workgroups(axis),
        };
        (workgroup_id(2) * extent(1) + workgroup_id(1)) * extent(0) + workgroup_id(0)
    }
}
