//! Buffers of a program, their access disciplines, and their initial contents.

use vyre_ir::{AtomicOp, AtomicScope, BufferAccess, BufferDecl, DataType, Name};

use super::grid::{Numbering, Shape};
use super::ownership::Ownership;
use super::random::Random;
use crate::pool::{EDGES, ODD_NAMES};

/// A buffer with its access discipline.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub(super) decl: BufferDecl,
    pub(super) discipline: Discipline,
    /// Phase at the statement that is generated.
    pub(super) phase: Phase,
    /// Number of elements.
    pub(super) length: u32,
    pub(super) contents: Vec<u8>,
}

/// Access discipline: the rule that excludes races on a buffer during the whole dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Discipline {
    /// No invocation writes, and every invocation may load.
    Constant,
    /// Each invocation owns elements.
    PerInvocation {
        /// Numbering of invocations.
        numbering: Numbering,
        /// Ownership of elements.
        ownership: Ownership,
    },
    /// A single invocation, by its number in [`Numbering::Linear`], owns the buffer.
    SingleInvocation(u32),
    /// The rule changes at barriers, see [`Phase`]. Workgroup memory, or a slice of `extent` elements for each workgroup.
    Phased {
        /// Size of a slice; `None` for workgroup memory.
        extent: Option<u32>,
    },
    /// Atomics of one commutative operator per element. Results are not used.
    Commutative {
        /// Operator for even indices.
        even: AtomicOp,
        /// Operator for odd indices.
        odd: AtomicOp,
    },
    /// Atomics that all write the same value. Results are not used.
    SameValue {
        /// The value.
        value: u32,
        /// Expected value of compare-exchanges.
        expected: Option<u32>,
    },
    /// Only the length is used.
    LengthOnly,
    /// A buffer of an op, which each call has its own copy of.
    Private,
}

/// Access rule of a phased buffer between two barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The buffer is not phased.
    Always,
    /// Every invocation loads.
    Shared,
    /// Each invocation of the workgroup owns elements.
    Owned(Ownership),
    /// A single invocation of the workgroup owns the buffer.
    Single(u32),
    /// Atomics of this commutative operator. Results are not used.
    Update(AtomicOp),
}

/// Atomic operators whose final value does not depend on their order.
pub(super) const COMMUTATIVE: [AtomicOp; 6] =
    [AtomicOp::Add, AtomicOp::Or, AtomicOp::And, AtomicOp::Xor, AtomicOp::Min, AtomicOp::Max];

/// Types of values.
pub(super) const VALUE_TYPES: [DataType; 6] =
    [DataType::U32, DataType::I32, DataType::U64, DataType::Vec2U32, DataType::Vec4U32, DataType::Bool];

/// A random type; words are the most likely.
pub(super) fn value_type(random: &mut Random) -> DataType {
    if random.chance(55) { DataType::U32 } else { random.pick(&VALUE_TYPES) }
}

impl Buffer {
    /// Reports whether every invocation may load any index in the current phase.
    pub(super) fn is_open_to_loads(&self) -> bool {
        match self.discipline {
            Discipline::Constant | Discipline::Private => true,
            Discipline::Phased { extent: None } => self.phase == Phase::Shared,
            _ => false,
        }
    }

    /// Reports whether a load at a uniform index is uniform.
    pub(super) fn is_uniform(&self) -> bool {
        self.decl.access.is_input() && self.decl.element != DataType::Bytes
    }

    /// Scope of the atomics that the buffer permits.
    pub(super) fn atomic_scope(&self) -> Option<AtomicScope> {
        let scope = match self.decl.access {
            BufferAccess::ReadWrite => AtomicScope::Storage,
            BufferAccess::Workgroup => AtomicScope::Workgroup,
            BufferAccess::ReadOnly | BufferAccess::Uniform => return None,
        };
        (self.decl.element == DataType::U32 && self.discipline != Discipline::Private).then_some(scope)
    }

    /// A random phase after a barrier.
    pub(super) fn next_phase(&self, shape: &Shape, random: &mut Random) -> Phase {
        let Discipline::Phased { extent } = self.discipline else { return Phase::Always };
        let invocations = shape.workgroup_invocations();
        let single = if random.chance(40) { 0 } else { random.below(invocations) };
        match random.below(100) {
            0..35 if self.phase != Phase::Shared => Phase::Shared,
            0..15 => Phase::Shared,
            15..25 => Phase::Single(single),
            25..50 if self.decl.element == DataType::U32 => Phase::Update(random.pick(&COMMUTATIVE)),
            _ => {
                let ownership = Ownership::random(random, invocations, extent.is_some());
                let fits = extent.is_none_or(|extent| invocations.saturating_mul(ownership.each()) <= extent);
                Phase::Owned(if fits { ownership } else { Ownership::Blocked { each: 1 } })
            }
        }
    }
}

/// Generates the buffers of a program.
pub(super) fn random_buffers(random: &mut Random, shape: &Shape) -> Vec<Buffer> {
    let mut kinds = vec![Kind::Results];
    if random.chance(75) {
        kinds.push(Kind::ReadOnly);
    }
    if random.chance(45) {
        kinds.push(Kind::Memory);
    }
    if random.chance(40) {
        kinds.push(Kind::Commutative);
    }
    if random.chance(20) {
        kinds.push(Kind::Flags);
    }
    for _ in 0..random.below(5) {
        kinds.push(random.weighted(&[
            (16, Kind::ReadOnly),
            (10, Kind::Uniform),
            (6, Kind::Untouched),
            (16, Kind::PerInvocation),
            (14, Kind::SingleInvocation),
            (14, Kind::Memory),
            (12, Kind::Slices),
            (12, Kind::Commutative),
            (6, Kind::SameValue),
            (4, Kind::Bytes),
        ]));
    }
    let odd_names = random.chance(4);
    let mut bindings: Vec<u32> = (0..kinds.len() as u32).collect();
    for at in (1..bindings.len()).rev() {
        bindings.swap(at, random.below(at as u32 + 1) as usize);
    }
    if random.chance(20) {
        bindings.iter_mut().for_each(|binding| *binding = *binding * 3 + 1);
    }
    let mut buffers: Vec<Buffer> = Vec::new();
    for (kind, binding) in kinds.into_iter().zip(bindings) {
        let name = loop {
            let name = buffer_name(random, buffers.len(), odd_names);
            if buffers.iter().all(|other| other.decl.name != name) {
                break name;
            }
        };
        let mut buffer = kind.buffer(name, binding, random, shape);
        buffer.phase = buffer.next_phase(shape, random);
        buffers.push(buffer);
    }
    if random.chance(40) {
        buffers[0].decl.is_output = true;
    }
    // Shuffle the declarations.
    let first = random.below(buffers.len() as u32) as usize;
    buffers.rotate_left(first);
    buffers
}

fn buffer_name(random: &mut Random, position: usize, odd: bool) -> Name {
    if odd {
        return Name::from(random.pick(&ODD_NAMES));
    }
    match random.below(3) {
        0 => Name::from(random.pick(&["a", "b", "c", "d", "out", "data", "tile", "table", "sums", "text"])),
        _ => Name::from(format!("b{position}")),
    }
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    ReadOnly,
    Uniform,
    /// A few small words, read-only.
    Flags,
    /// Read-write, but never written.
    Untouched,
    /// With elements for every invocation, which makes its computations observable.
    Results,
    PerInvocation,
    SingleInvocation,
    Memory,
    Slices,
    Commutative,
    SameValue,
    Bytes,
}

impl Kind {
    fn buffer(self, name: Name, binding: u32, random: &mut Random, shape: &Shape) -> Buffer {
        let total = shape.invocations();
        let any_length = match random.below(12) {
            0 => 0,
            1 => 1,
            2..5 => random.between(2, 9),
            5..8 => random.pick(&[16, 32, 64]),
            8 => total,
            9 => total + random.below(4),
            10 => total.saturating_sub(random.between(1, 3)),
            _ => random.between(10, 100),
        };
        let word_or_any = if random.chance(45) { DataType::U32 } else { random.pick(&VALUE_TYPES) };
        let storage = |access, element| BufferDecl::storage(name.clone(), binding, access, element);
        let (decl, discipline, length) = match self {
            Kind::ReadOnly => (storage(BufferAccess::ReadOnly, word_or_any), Discipline::Constant, any_length),
            Kind::Uniform => (storage(BufferAccess::Uniform, word_or_any), Discipline::Constant, any_length),
            Kind::Flags => (storage(BufferAccess::Uniform, DataType::U32), Discipline::Constant, random.between(1, 8)),
            Kind::Untouched => (storage(BufferAccess::ReadWrite, word_or_any), Discipline::Constant, any_length),
            Kind::Results => {
                let numbering = if random.chance(70) { Numbering::Linear } else { Numbering::RowMajor };
                let ownership = Ownership::random(random, total, true);
                let element = if random.chance(60) { DataType::U32 } else { random.pick(&VALUE_TYPES) };
                let discipline = Discipline::PerInvocation { numbering, ownership };
                let length = match random.below(10) {
                    0 => total * ownership.each() + random.between(1, 5),
                    1 => (total * ownership.each()).saturating_sub(random.between(1, 5)).max(1),
                    _ => total * ownership.each(),
                };
                (storage(BufferAccess::ReadWrite, element), discipline, length)
            }
            Kind::PerInvocation => {
                let numbering = if random.chance(70) { Numbering::Linear } else { Numbering::RowMajor };
                let ownership = Ownership::random(random, total, false);
                let length = match random.below(20) {
                    0..14 => total * ownership.each(),
                    14 => total * ownership.each() + random.between(1, 5),
                    15..17 => (total * ownership.each()).saturating_sub(random.between(1, 5)),
                    17 => total * ownership.each() / 2,
                    18 => any_length,
                    _ => 0,
                };
                let discipline = Discipline::PerInvocation { numbering, ownership };
                (storage(BufferAccess::ReadWrite, word_or_any), discipline, length)
            }
            Kind::SingleInvocation => {
                let owner = if random.chance(50) { 0 } else { random.below(total + 1) };
                (storage(BufferAccess::ReadWrite, word_or_any), Discipline::SingleInvocation(owner), any_length)
            }
            Kind::Memory => {
                let invocations = shape.workgroup_invocations();
                let count = match random.below(10) {
                    0..3 => invocations,
                    3 => invocations + random.between(1, 3),
                    4 => invocations.saturating_sub(1).max(1),
                    5 => invocations * random.between(2, 4),
                    6..8 => 64,
                    8 => random.pick(&[1, 2, 4, 8, 16, 32]),
                    _ => random.between(1, 100),
                };
                (BufferDecl::workgroup(name, count, word_or_any), Discipline::Phased { extent: None }, count)
            }
            Kind::Slices => {
                let each = random.weighted(&[(60, 1), (20, 2), (20, 4)]);
                let extent = match random.chance(50) {
                    true => (shape.workgroup_invocations() * each).next_power_of_two(),
                    false => shape.workgroup_invocations() * each + random.below(4),
                };
                let whole = extent * shape.workgroups();
                let length = match random.below(8) {
                    0 => whole.saturating_sub(random.between(1, 5)),
                    1 => whole + random.below(5),
                    _ => whole,
                };
                let element = if random.chance(70) { DataType::U32 } else { value_type(random) };
                let discipline = Discipline::Phased { extent: Some(extent) };
                (storage(BufferAccess::ReadWrite, element), discipline, length)
            }
            Kind::Commutative => {
                let even = random.pick(&COMMUTATIVE);
                let odd = if random.chance(70) { even } else { random.pick(&COMMUTATIVE) };
                let discipline = Discipline::Commutative { even, odd };
                (storage(BufferAccess::ReadWrite, DataType::U32), discipline, any_length.max(1))
            }
            Kind::SameValue => {
                let value = random.number();
                let expected = random.chance(50).then(|| random.below(3));
                let discipline = Discipline::SameValue { value, expected };
                (storage(BufferAccess::ReadWrite, DataType::U32), discipline, any_length)
            }
            Kind::Bytes => {
                let access = random.pick(&[BufferAccess::ReadOnly, BufferAccess::Uniform, BufferAccess::ReadWrite]);
                (storage(access, DataType::Bytes), Discipline::LengthOnly, any_length)
            }
        };
        let contents = match decl.access {
            BufferAccess::Workgroup => Vec::new(),
            _ if matches!(self, Kind::Flags) && random.chance(80) => random_flags(random, length),
            _ => random_contents(random, decl.element, length),
        };
        Buffer { decl, discipline, phase: Phase::Always, length, contents }
    }
}

/// Small words, many of them 0.
fn random_flags(random: &mut Random, length: u32) -> Vec<u8> {
    (0..length).flat_map(|_| random.pick(&[0u32, 0, 0, 1, 1, 2, 3, 4, 5]).to_le_bytes()).collect()
}

/// Bytes for `length` elements, sometimes with a partial element at the end.
fn random_contents(random: &mut Random, element: DataType, length: u32) -> Vec<u8> {
    let size = element.element_bytes();
    let words = length as usize * size / 4;
    let style = random.below(6);
    let mut bytes = Vec::with_capacity(words * 4);
    for at in 0..words as u32 {
        let word = match style {
            0 => 0,
            1 => at,
            2 => random.below(4),
            3 => random.word(),
            4 => random.pick(&EDGES),
            _ => random.number(),
        };
        bytes.extend(word.to_le_bytes());
    }
    if random.chance(15) {
        for _ in 0..random.between(1, size as u32 - 1) {
            bytes.push(random.word() as u8);
        }
    }
    bytes
}
