//! Indices of elements that an invocation may access, in range and out of range.

use vyre_ir::{BufferAccess, DataType, Expr, Name};

use super::buffers::{Buffer, Discipline, Phase};
use super::generator::Generator;
use super::grid::Numbering;
use super::ownership::Ownership;
use super::scope::Role;

impl Generator<'_> {
    /// Name of a buffer.
    pub(super) fn buffer_name(&self, buffer: usize) -> Name {
        self.buffers[buffer].decl.name.clone()
    }

    pub(super) fn length_of(&self, buffer: usize) -> Expr {
        Expr::buf_len(self.buffer_name(buffer))
    }

    /// A random buffer that fits.
    pub(super) fn pick_buffer(&mut self, fits: impl Fn(&Buffer) -> bool) -> Option<usize> {
        let fitting: Vec<usize> = (0..self.buffers.len()).filter(|&at| fits(&self.buffers[at])).collect();
        if fitting.is_empty() { None } else { Some(self.random.pick(&fitting)) }
    }

    /// Index of an element that this invocation may load, or also store to if it `writes`. `None` if it may not.
    pub(super) fn index(&mut self, buffer: usize, writes: bool, depth: u32) -> Option<Expr> {
        let (discipline, phase) = (self.buffers[buffer].discipline, self.buffers[buffer].phase);
        match discipline {
            Discipline::LengthOnly => return None,
            Discipline::Commutative { .. } | Discipline::SameValue { .. } => {
                return self.random.chance(30).then(|| self.beyond(buffer));
            }
            _ if self.random.chance(5) => return Some(self.beyond(buffer)),
            _ => {}
        }
        if self.random.chance(40)
            && let Some(name) = self.scope.with_role(&mut self.random, Role::Element { buffer, phase })
        {
            return Some(Expr::var(name));
        }
        match (discipline, phase) {
            (Discipline::Constant, _) => (!writes).then(|| self.any_index(buffer, depth)),
            (Discipline::Private, _) => Some(self.any_index(buffer, depth)),
            (Discipline::PerInvocation { numbering, ownership }, _) => {
                Some(self.own_index(buffer, numbering, ownership, depth))
            }
            (Discipline::SingleInvocation(owner), _) => {
                let guarded = self.context.only_linear_index == Some(owner);
                self.index_of_one(buffer, None, guarded, Numbering::Linear, owner, depth)
            }
            (Discipline::Phased { extent }, Phase::Shared) => match extent {
                _ if writes => None,
                None => Some(self.any_index(buffer, depth)),
                Some(extent) => Some(self.slice_index(extent, depth)),
            },
            (Discipline::Phased { extent: None }, Phase::Owned(ownership)) => {
                Some(self.own_index(buffer, Numbering::Local, ownership, depth))
            }
            (Discipline::Phased { extent: Some(extent) }, Phase::Owned(ownership)) => {
                let id = self.number(Numbering::Local);
                let part = self.bounded(ownership.each(), depth);
                let local = ownership.element(id, part, &mut self.random);
                Some(self.in_slice(extent, local))
            }
            (Discipline::Phased { extent }, Phase::Single(local)) => {
                let guarded = self.context.only_local_index == Some(local);
                self.index_of_one(buffer, extent, guarded, Numbering::Local, local, depth)
            }
            _ => None,
        }
    }

    /// Index of an element that this invocation owns, for the dispatch or for the phase.
    fn own_index(&mut self, buffer: usize, numbering: Numbering, ownership: Ownership, depth: u32) -> Expr {
        let id = self.number(numbering);
        // A variable selects among the owned elements, or an element out of range.
        if self.random.chance(12)
            && let Some(local) = self.scope.pick(&mut self.random, |local| local.ty == DataType::U32)
        {
            let any = Expr::var(&local.name);
            if let Some(test) = ownership.test(id.clone(), any.clone(), &mut self.random) {
                let beyond = self.beyond(buffer);
                return test.select(any, beyond);
            }
        }
        let part = self.bounded(ownership.each(), depth);
        ownership.element(id, part, &mut self.random)
    }

    /// Any index for the invocation with the number `owner`; an index out of range for others.
    fn index_of_one(
        &mut self,
        buffer: usize,
        extent: Option<u32>,
        guarded: bool,
        numbering: Numbering,
        owner: u32,
        depth: u32,
    ) -> Option<Expr> {
        if !guarded && self.random.chance(60) {
            return None;
        }
        let any = match extent {
            Some(extent) => self.slice_index(extent, depth),
            None => self.any_index(buffer, depth),
        };
        if guarded {
            return Some(any);
        }
        let beyond = self.beyond(buffer);
        let id = self.number(numbering);
        Some(if self.random.chance(50) { id.eq(owner).select(any, beyond) } else { id.ne(owner).select(beyond, any) })
    }

    /// Index in the slice of this workgroup.
    fn slice_index(&mut self, extent: u32, depth: u32) -> Expr {
        let local = self.bounded(extent, depth);
        self.in_slice(extent, local)
    }

    /// Index of element `local` of the slice of this workgroup. `local` must be below `extent`.
    pub(super) fn in_slice(&mut self, extent: u32, local: Expr) -> Expr {
        let group = self.shape.workgroup_index(&mut self.random);
        if extent.is_power_of_two() && self.random.chance(30) {
            return (group << extent.ilog2()) + local;
        }
        if self.random.chance(50) { group * extent + local } else { local + extent * group }
    }

    /// A number below `end`, which must not be 0.
    pub(super) fn bounded(&mut self, end: u32, depth: u32) -> Expr {
        if end == 1 || depth == 0 || self.random.chance(30) {
            return Expr::LitU32(self.random.below(end));
        }
        let any = self.word(depth - 1).expr;
        match self.random.below(3) {
            0 => any.min(end - 1),
            1 if end.is_power_of_two() => any & (end - 1),
            _ => any % end,
        }
    }

    /// An index out of range.
    pub(super) fn beyond(&mut self, buffer: usize) -> Expr {
        let decl = &self.buffers[buffer].decl;
        // Indices whose byte offset overflows 32 bits to that of an element.
        let wrapping = match decl.element {
            DataType::U64 | DataType::Vec2U32 => 0x2000_0000,
            DataType::Vec4U32 => 0x1000_0000,
            _ => 0x4000_0000,
        };
        let static_length = (decl.access == BufferAccess::Workgroup).then_some(decl.count);
        let any = self.scope.pick(&mut self.random, |local| local.ty == DataType::U32).map(|local| local.name.clone());
        match (self.random.below(9), static_length, any) {
            (0, Some(length), _) => Expr::LitU32(length),
            (0 | 1, _, _) => self.length_of(buffer),
            (2, _, _) => self.length_of(buffer) + self.random.below(5),
            (3, _, Some(any)) => Expr::var(any) | (1u32 << self.random.between(28, 31)),
            (4, _, Some(any)) => self.length_of(buffer) + (Expr::var(any) & 7u32),
            (4 | 5, _, _) => Expr::LitU32(u32::MAX),
            (6, _, _) => Expr::LitU32(wrapping * self.random.between(1, 3)),
            (7, _, _) => Expr::LitU32(wrapping + self.random.below(4)),
            _ => Expr::LitU32(0x8000_0000 + self.random.below(2)),
        }
    }

    /// Any index, often in range or just beyond.
    pub(super) fn any_index(&mut self, buffer: usize, depth: u32) -> Expr {
        let length = self.buffers[buffer].length;
        if depth == 0 {
            return match self.random.below(4) {
                0 => self.beyond(buffer),
                1 => Expr::LitU32(length.wrapping_sub(self.random.below(2))),
                _ => Expr::LitU32(self.random.below(length.max(1))),
            };
        }
        match self.random.below(24) {
            0..3 => Expr::LitU32(self.random.below(length + 2)),
            3 => self.length_of(buffer) - 1u32,
            4 => self.beyond(buffer),
            5..7 => self.word(depth - 1).expr % self.length_of(buffer),
            7..9 => self.word(depth - 1).expr.min(self.length_of(buffer) - 1u32),
            9..11 => {
                let mask = match length.is_power_of_two() && self.random.chance(60) {
                    true => length - 1,
                    false => self.random.pick(&[1u32, 3, 7, 15, 31, 63]),
                };
                self.word(depth - 1).expr & mask
            }
            11..14 => self.number(Numbering::Local),
            14..17 => self.number(Numbering::Linear),
            17 => {
                let near = self.random.between(1, 3);
                let id = self.number(Numbering::Linear);
                if self.random.chance(50) { id + near } else { id - near }
            }
            18 => self.number(Numbering::Local) ^ self.random.pick(&[1u32, 2, 3, 7, 31]),
            19..21 => self.word(0).expr,
            _ => self.word(depth - 1).expr,
        }
    }
}
