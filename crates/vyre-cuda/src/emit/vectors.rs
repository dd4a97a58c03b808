//! Vectorization of memory accesses: adjacent words are loaded or stored by one instruction.
//!
//! The indices `x + 0` to `x + 3`, where `x` is known to be a multiple of 4, are the words of one aligned vector. If a block
//! accesses all of them, and no access in between may alias, the first load loads all of them, or the last store stores all of
//! them. Vectors of two words work in the same way.

use foldhash::{HashMap, HashMapExt as _};
use vyre_ir::BufferAccess;
use vyre_kernel::{Binary, BlockId, BufferId, Compare, Effect, Kernel, Op, Statement, Type, ValueId, element_type};

use super::idiom::Idioms;

/// Maximum depth to which the operands of an index are analysed.
const MAX_OPERAND_DEPTH: u32 = 6;

/// Maximum number of vector candidates of a block at a time.
const MAX_CANDIDATES: usize = 32;

/// Index `base + offset`, modulo 2^32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AffineIndex {
    /// `None` stands for 0.
    pub(super) base: Option<ValueId>,
    pub(super) offset: u32,
}

impl AffineIndex {
    /// Splits constants off an index.
    pub(super) fn of(kernel: &Kernel, index: ValueId) -> AffineIndex {
        let mut index = AffineIndex { base: Some(index), offset: 0 };
        for _ in 0..MAX_OPERAND_DEPTH {
            let Some(base) = index.base else { break };
            let (next, offset) = match kernel.op(base) {
                Op::Word(word) => (None, word),
                Op::Binary(Binary::Add, a, b) => match (kernel.as_word(a), kernel.as_word(b)) {
                    (_, Some(offset)) => (Some(a), offset),
                    (Some(offset), _) => (Some(b), offset),
                    _ => break,
                },
                Op::Binary(Binary::Or, a, b) => match kernel.as_word(b) {
                    Some(offset) if fits(offset, known_trailing_zeros(kernel, a, MAX_OPERAND_DEPTH)) => {
                        (Some(a), offset)
                    }
                    _ => break,
                },
                _ => break,
            };
            index = AffineIndex { base: next, offset: index.offset.wrapping_add(offset) };
        }
        index
    }

    /// Reports whether `base + offset` cannot wrap.
    pub(super) fn is_exact(self, kernel: &Kernel) -> bool {
        self.base.is_none_or(|base| fits(self.offset, known_trailing_zeros(kernel, base, MAX_OPERAND_DEPTH)))
    }
}

/// Reports whether a number has at most `bits` bits.
fn fits(number: u32, bits: u32) -> bool {
    number.checked_shr(bits).unwrap_or(0) == 0
}

/// Number of low bits of a value that are known to be zero.
fn known_trailing_zeros(kernel: &Kernel, value: ValueId, depth: u32) -> u32 {
    if depth == 0 {
        return 0;
    }
    let of = |value| known_trailing_zeros(kernel, value, depth - 1);
    match kernel.op(value) {
        Op::Word(word) => word.trailing_zeros(),
        Op::Binary(Binary::Mul, a, b) => (of(a) + of(b)).min(32),
        Op::Binary(Binary::Shl, a, b) => kernel.as_word(b).map_or(0, |amount| (of(a) + amount).min(32)),
        Op::Binary(Binary::Add | Binary::Sub | Binary::Or | Binary::Xor, a, b) | Op::Select(_, a, b) => {
            of(a).min(of(b))
        }
        Op::Binary(Binary::And, a, b) => of(a).max(of(b)),
        _ => 0,
    }
}

/// Role of a statement in a vector access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Another statement performs the access.
    Member,
    /// Loads a whole vector, by its number.
    Load(usize),
    /// Stores a whole vector, by its number.
    Store(usize),
}

/// Access to all words of a vector.
#[derive(Clone, Debug)]
pub(super) struct Vector {
    pub(super) buffer: BufferId,
    /// Index of the first word.
    pub(super) index: AffineIndex,
    /// Values that are loaded or stored, in order.
    pub(super) values: Vec<ValueId>,
    /// For each word: true if it may be out of range.
    pub(super) guarded: Vec<bool>,
}

/// Vector accesses of a kernel.
pub(super) struct Vectors {
    roles: HashMap<(BlockId, usize), Role>,
    loads: Vec<Vector>,
    stores: Vec<Vector>,
}

impl Vectors {
    pub(super) fn of(kernel: &Kernel, idioms: &Idioms) -> Vectors {
        let vectors = Vectors { roles: HashMap::new(), loads: Vec::new(), stores: Vec::new() };
        let mut search = Search { kernel, idioms, block: kernel.entry, candidates: Vec::new(), vectors };
        let mut pending = vec![kernel.entry];
        while let Some(block) = pending.pop() {
            search.block(block);
            for statement in &kernel.blocks[block].statements {
                pending.extend(statement.blocks());
            }
        }
        search.vectors
    }

    pub(super) fn role(&self, block: BlockId, position: usize) -> Option<Role> {
        self.roles.get(&(block, position)).copied()
    }

    pub(super) fn load(&self, number: usize) -> &Vector {
        &self.loads[number]
    }

    pub(super) fn store(&self, number: usize) -> &Vector {
        &self.stores[number]
    }
}

/// Access to one word.
#[derive(Clone, Copy)]
struct Access {
    position: usize,
    value: ValueId,
    is_guarded: bool,
}

/// Vector of which some words have been found.
struct Candidate {
    is_load: bool,
    buffer: BufferId,
    /// Index of the first word.
    index: AffineIndex,
    /// Number of words: 2 or 4.
    width: u32,
    words: [Option<Access>; 4],
    /// Words that are or may be written after the first load, as a bit mask. A later load of them must not move up.
    written: u8,
}

struct Search<'k> {
    kernel: &'k Kernel,
    idioms: &'k Idioms,
    block: BlockId,
    candidates: Vec<Candidate>,
    vectors: Vectors,
}

impl Search<'_> {
    fn block(&mut self, block: BlockId) {
        self.block = block;
        for (position, &statement) in self.kernel.blocks[block].statements.iter().enumerate() {
            match statement {
                Statement::Let(value) => match self.kernel.op(value) {
                    Op::Load { buffer, index, guard } => {
                        self.load(buffer, index, Access { position, value, is_guarded: guard.is_some() }, guard);
                    }
                    op => match op.effect() {
                        Effect::Updates(buffer) => self.close(|candidate| candidate.buffer == buffer),
                        Effect::Rendezvous => self.close(|_| true),
                        Effect::None | Effect::ReadsSlot(_) | Effect::Reads(_) => {}
                    },
                },
                Statement::Set { .. } => {}
                Statement::Store { buffer, index, value, guard } => {
                    self.store(buffer, index, Access { position, value, is_guarded: guard.is_some() }, guard);
                }
                // A branch may be the reason why an index is known to be in range.
                _ => self.close(|_| true),
            }
        }
        self.close(|_| true);
    }

    fn load(&mut self, buffer: BufferId, index: ValueId, access: Access, guard: Option<ValueId>) {
        let affine = AffineIndex::of(self.kernel, index);
        // A store of the word that is loaded here must come first.
        self.close(|candidate| {
            let is_stored = || candidate.word(affine).is_some_and(|word| candidate.words[word].is_some());
            candidate.buffer == buffer && !candidate.is_load && (candidate.index.base != affine.base || is_stored())
        });
        if self.idioms.part(access.value).is_none() {
            self.add(true, buffer, index, access, guard);
        }
    }

    fn store(&mut self, buffer: BufferId, index: ValueId, access: Access, guard: Option<ValueId>) {
        let affine = AffineIndex::of(self.kernel, index);
        self.close(|candidate| candidate.buffer == buffer && candidate.index.base != affine.base);
        for candidate in self.candidates.iter_mut().filter(|candidate| candidate.buffer == buffer && candidate.is_load)
        {
            if let Some(word) = candidate.word(affine) {
                candidate.written |= 1 << word;
            }
        }
        self.add(false, buffer, index, access, guard);
    }

    fn add(&mut self, is_load: bool, buffer: BufferId, index: ValueId, access: Access, guard: Option<ValueId>) {
        let affine = AffineIndex::of(self.kernel, index);
        let zeros = affine.base.map_or(32, |base| known_trailing_zeros(self.kernel, base, MAX_OPERAND_DEPTH));
        let is_word = element_type(self.kernel.buffers[buffer].element) == Type::U32;
        let is_plain = guard.is_none_or(|guard| self.is_bound(guard, buffer, index));
        if !is_word || zeros == 0 || !affine.is_exact(self.kernel) || !is_plain {
            // The access cannot be part of a vector. Stores of the same word must come first.
            if !is_load {
                self.close(|candidate| {
                    !candidate.is_load && candidate.word(affine).is_some_and(|word| candidate.words[word].is_some())
                });
            }
            return;
        }
        let width = if zeros == 1 { 2 } else { 4 };
        let first = AffineIndex { offset: affine.offset & !(width - 1), ..affine };
        let fitting = self.candidates.iter().position(|candidate| {
            candidate.is_load == is_load
                && candidate.buffer == buffer
                && candidate.index == first
                && candidate.width == width
        });
        let word = (affine.offset - first.offset) as usize;
        if let Some(position) = fitting {
            let candidate = &mut self.candidates[position];
            if candidate.words[word].is_none() && candidate.written & (1 << word) == 0 {
                candidate.words[word] = Some(access);
                return;
            }
            let candidate = self.candidates.remove(position);
            self.finish(&candidate);
        }
        if self.candidates.len() >= MAX_CANDIDATES {
            let candidate = self.candidates.remove(0);
            self.finish(&candidate);
        }
        let mut candidate = Candidate { is_load, buffer, index: first, width, words: [None; 4], written: 0 };
        if is_load {
            // Stores of incomplete vectors may move down, beyond this load.
            let stored = |other: &&Candidate| !other.is_load && other.buffer == buffer && other.index == first;
            let bits = self.candidates.iter().filter(stored).map(Candidate::found);
            candidate.written = bits.fold(0, |all, bits| all | bits);
        }
        candidate.words[word] = Some(access);
        self.candidates.push(candidate);
    }

    /// Reports whether a guard tests that an index is in range, and nothing else.
    fn is_bound(&self, guard: ValueId, buffer: BufferId, index: ValueId) -> bool {
        let Op::Compare(Compare::Lt, found, length) = self.kernel.op(guard) else { return false };
        let is_length = match self.kernel.op(length) {
            Op::Length(found) => found == buffer,
            Op::Word(count) => {
                let decl = &self.kernel.buffers[buffer];
                decl.access == BufferAccess::Workgroup && decl.count == count
            }
            _ => false,
        };
        found == index && is_length
    }

    fn close(&mut self, which: impl Fn(&Candidate) -> bool) {
        let (closed, open) = std::mem::take(&mut self.candidates).into_iter().partition(which);
        self.candidates = open;
        let closed: Vec<Candidate> = closed;
        closed.iter().for_each(|candidate| self.finish(candidate));
    }

    /// Adds the vectors that the found words form.
    fn finish(&mut self, candidate: &Candidate) {
        let words = &candidate.words[..candidate.width as usize];
        for (first, width) in [(0, 4), (0, 2), (2, 2)] {
            let Some(words) = words.get(first..first + width) else { continue };
            let accesses: Vec<Access> = words.iter().flatten().copied().collect();
            if accesses.len() == width {
                self.add_vector(candidate, first, &accesses);
                if width == 4 {
                    return;
                }
            }
        }
    }

    fn add_vector(&mut self, candidate: &Candidate, first: usize, accesses: &[Access]) {
        let vector = Vector {
            buffer: candidate.buffer,
            index: AffineIndex { offset: candidate.index.offset + first as u32, ..candidate.index },
            values: accesses.iter().map(|access| access.value).collect(),
            guarded: accesses.iter().map(|access| access.is_guarded).collect(),
        };
        let positions = accesses.iter().map(|access| access.position);
        let vectors = &mut self.vectors;
        let (list, leader) = if candidate.is_load {
            (&mut vectors.loads, positions.clone().min())
        } else {
            (&mut vectors.stores, positions.clone().max())
        };
        let role = if candidate.is_load { Role::Load(list.len()) } else { Role::Store(list.len()) };
        list.push(vector);
        for position in positions {
            let role = if Some(position) == leader { role } else { Role::Member };
            vectors.roles.insert((self.block, position), role);
        }
    }
}

impl Candidate {
    /// Words that were found, as a bit mask.
    fn found(&self) -> u8 {
        self.words.iter().enumerate().fold(0, |bits, (word, access)| bits | u8::from(access.is_some()) << word)
    }

    /// Number of the word at an index, if it is one of this vector.
    fn word(&self, index: AffineIndex) -> Option<usize> {
        let offset = index.offset.wrapping_sub(self.index.offset);
        (index.base == self.index.base && offset < self.width).then_some(offset as usize)
    }
}

#[cfg(test)]
mod tests {
    use vyre_ir::{BufferAccess, BufferDecl, DataType};
    use vyre_kernel::{Id, Usage};

    use super::*;

    const WORDS: usize = 8;

    /// Kernel of random unguarded accesses to one buffer, near two multiples of 4.
    struct Random {
        kernel: Kernel,
        /// Bases of the indices.
        bases: [ValueId; 2],
        /// Loads, in order.
        loads: Vec<ValueId>,
    }

    fn random_kernel(seed: u64) -> Random {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 20) % below
        };
        let buffer = BufferDecl::storage("b", 0, BufferAccess::ReadWrite, DataType::U32);
        let mut kernel = Kernel::new([64, 1, 1], [buffer]);
        let (entry, two) = (kernel.entry, kernel.word(2));
        let buffer = kernel.buffers.iter().next().map(|(id, _)| id).expect("a buffer");
        let mut statements = Vec::new();
        let bases = [0, 1].map(|axis| {
            let id = kernel.leaf(Op::Id(Id::Invocation, axis));
            let base = kernel.new_value(Op::Binary(Binary::Shl, id, two));
            statements.push(Statement::Let(base));
            base
        });
        let mut loads = Vec::new();
        for number in 0..next(14) {
            let base = bases[usize::from(next(4) == 0)];
            let index = match next(4) {
                0 => base,
                offset => {
                    let offset = kernel.word(offset as u32);
                    let index = kernel.new_value(Op::Binary(Binary::Add, base, offset));
                    statements.push(Statement::Let(index));
                    index
                }
            };
            if next(2) == 0 {
                let load = kernel.new_value(Op::Load { buffer, index, guard: None });
                loads.push(load);
                statements.push(Statement::Let(load));
            } else {
                let value = kernel.word(100 + number as u32);
                statements.push(Statement::Store { buffer, index, value, guard: None });
            }
        }
        kernel.blocks[entry].statements = statements;
        Random { kernel, bases, loads }
    }

    impl Random {
        fn value(&self, value: ValueId, bases: [usize; 2]) -> usize {
            match self.kernel.op(value) {
                Op::Word(word) => word as usize,
                Op::Binary(Binary::Add, a, b) => self.value(a, bases) + self.value(b, bases),
                _ => bases[usize::from(value == self.bases[1])],
            }
        }

        /// Executes the kernel, as it stands or with vector accesses. Returns the loaded values and the final memory.
        fn run(&self, bases: [usize; 2], vectors: Option<&Vectors>) -> (Vec<usize>, [usize; WORDS]) {
            let mut memory: [usize; WORDS] = std::array::from_fn(|at| at);
            let mut loaded = HashMap::new();
            for (position, &statement) in self.kernel.blocks[self.kernel.entry].statements.iter().enumerate() {
                let first = |vector: &Vector| {
                    vector.index.base.map_or(0, |base| self.value(base, bases)) + vector.index.offset as usize
                };
                match vectors.and_then(|vectors| Some((vectors, vectors.role(self.kernel.entry, position)?))) {
                    Some((_, Role::Member)) => {}
                    Some((vectors, Role::Load(number))) => {
                        let vector = vectors.load(number);
                        for (word, &value) in vector.values.iter().enumerate() {
                            loaded.insert(value, memory[first(vector) + word]);
                        }
                    }
                    Some((vectors, Role::Store(number))) => {
                        let vector = vectors.store(number);
                        for (word, &value) in vector.values.iter().enumerate() {
                            memory[first(vector) + word] = self.value(value, bases);
                        }
                    }
                    None => match statement {
                        Statement::Store { index, value, .. } => {
                            memory[self.value(index, bases)] = self.value(value, bases);
                        }
                        Statement::Let(value) => {
                            if let Op::Load { index, .. } = self.kernel.op(value) {
                                loaded.insert(value, memory[self.value(index, bases)]);
                            }
                        }
                        _ => {}
                    },
                }
            }
            (self.loads.iter().map(|load| loaded[load]).collect(), memory)
        }
    }

    #[test]
    fn vector_accesses_have_the_same_effect() {
        let mut found = [0, 0];
        for seed in 0..50_000 {
            let random = random_kernel(seed);
            let usage = Usage::of(&random.kernel);
            let vectors = Vectors::of(&random.kernel, &Idioms::of(&random.kernel, &usage));
            found[0] += vectors.loads.len();
            found[1] += vectors.stores.len();
            for bases in [[0, 0], [0, 4], [4, 0]] {
                let expected = random.run(bases, None);
                assert_eq!(random.run(bases, Some(&vectors)), expected, "{seed}, {bases:?}\n{}", random.kernel);
            }
        }
        println!("{} vectors loaded and {} stored", found[0], found[1]);
        assert!(found.iter().all(|&found| found > 5_000), "{found:?}");
    }
}
