//! Accesses to neighbouring words that are made as one.
//!
//! The indices `x + 0` to `x + 3`, where `x` is known to be a multiple of 4, are the words of one vector, whatever `x` is.
//! Where a block accesses all of them and nothing in between could tell the difference, they are loaded with the first
//! access, or stored with the last. The same goes for two words.

use foldhash::{HashMap, HashMapExt as _};
use vyre_ir::BufferAccess;
use vyre_kernel::{Binary, BlockId, BufferId, Compare, Effect, Kernel, Op, Statement, Type, ValueId, element_type};

use super::idiom::Idioms;

/// How deep the operands of an index are looked at.
const DEPTH: u32 = 6;

/// The most vectors of a block that are looked for at the same time.
const MOST_OPEN: usize = 32;

/// An index as a value and a distance from it, modulo 2^32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// `None` for 0.
    pub(super) base: Option<ValueId>,
    pub(super) distance: u32,
}

impl Place {
    pub(super) fn of(kernel: &Kernel, index: ValueId) -> Place {
        let mut place = Place { base: Some(index), distance: 0 };
        for _ in 0..DEPTH {
            let Some(base) = place.base else { break };
            let (next, distance) = match kernel.op(base) {
                Op::Word(word) => (None, word),
                Op::Binary(Binary::Add, a, b) => match (kernel.as_word(a), kernel.as_word(b)) {
                    (_, Some(distance)) => (Some(a), distance),
                    (Some(distance), _) => (Some(b), distance),
                    _ => break,
                },
                Op::Binary(Binary::Or, a, b) => match kernel.as_word(b) {
                    Some(distance) if fits(distance, zeros(kernel, a, DEPTH)) => (Some(a), distance),
                    _ => break,
                },
                _ => break,
            };
            place = Place { base: next, distance: place.distance.wrapping_add(distance) };
        }
        place
    }

    /// Whether the sum of both does not wrap, whatever the base is.
    pub(super) fn is_exact(self, kernel: &Kernel) -> bool {
        self.base.is_none_or(|base| fits(self.distance, zeros(kernel, base, DEPTH)))
    }
}

/// Whether a number has no more than so many bits.
fn fits(number: u32, bits: u32) -> bool {
    number.checked_shr(bits).unwrap_or(0) == 0
}

/// How many low bits of a value are known to be zero.
fn zeros(kernel: &Kernel, value: ValueId, depth: u32) -> u32 {
    if depth == 0 {
        return 0;
    }
    let of = |value| zeros(kernel, value, depth - 1);
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

/// What a statement has to do with vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It is done elsewhere.
    Member,
    /// A vector is loaded here.
    Load(usize),
    /// A vector is stored here.
    Store(usize),
}

/// Accesses to all words of a vector.
#[derive(Clone, Debug)]
pub(super) struct Vector {
    pub(super) buffer: BufferId,
    /// The first word.
    pub(super) place: Place,
    /// The values that are loaded or stored, in order.
    pub(super) values: Vec<ValueId>,
    /// By word: whether it may be out of range.
    pub(super) guarded: Vec<bool>,
}

/// The vectors of a kernel.
pub(super) struct Vectors {
    roles: HashMap<(BlockId, usize), Role>,
    loads: Vec<Vector>,
    stores: Vec<Vector>,
}

impl Vectors {
    pub(super) fn of(kernel: &Kernel, idioms: &Idioms) -> Vectors {
        let vectors = Vectors { roles: HashMap::new(), loads: Vec::new(), stores: Vec::new() };
        let mut search = Search { kernel, idioms, block: kernel.entry, open: Vec::new(), vectors };
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

/// An access to a word.
#[derive(Clone, Copy)]
struct Access {
    position: usize,
    value: ValueId,
    is_guarded: bool,
}

/// A vector some of whose words have been found.
struct Open {
    is_load: bool,
    buffer: BufferId,
    /// The place of the first word.
    place: Place,
    /// How many words it can have: 2 or 4.
    width: u32,
    words: [Option<Access>; 4],
    /// Words that have been written since the first load, or may be, as bits; a later load of them must not be made earlier.
    written: u8,
}

struct Search<'k> {
    kernel: &'k Kernel,
    idioms: &'k Idioms,
    block: BlockId,
    open: Vec<Open>,
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
                        Effect::Updates(buffer) => self.close(|open| open.buffer == buffer),
                        Effect::Rendezvous => self.close(|_| true),
                        Effect::None | Effect::ReadsSlot(_) | Effect::Reads(_) => {}
                    },
                },
                Statement::Set { .. } => {}
                Statement::Store { buffer, index, value, guard } => {
                    self.store(buffer, index, Access { position, value, is_guarded: guard.is_some() }, guard);
                }
                // What is known to be in range may be so because of a branch.
                _ => self.close(|_| true),
            }
        }
        self.close(|_| true);
    }

    fn load(&mut self, buffer: BufferId, index: ValueId, access: Access, guard: Option<ValueId>) {
        let place = Place::of(self.kernel, index);
        // A store of what is read here must come before.
        self.close(|open| {
            let is_stored = || open.word(place).is_some_and(|word| open.words[word].is_some());
            open.buffer == buffer && !open.is_load && (open.place.base != place.base || is_stored())
        });
        if self.idioms.part(access.value).is_none() {
            self.add(true, buffer, index, access, guard);
        }
    }

    fn store(&mut self, buffer: BufferId, index: ValueId, access: Access, guard: Option<ValueId>) {
        let place = Place::of(self.kernel, index);
        self.close(|open| open.buffer == buffer && open.place.base != place.base);
        for open in self.open.iter_mut().filter(|open| open.buffer == buffer && open.is_load) {
            if let Some(word) = open.word(place) {
                open.written |= 1 << word;
            }
        }
        self.add(false, buffer, index, access, guard);
    }

    fn add(&mut self, is_load: bool, buffer: BufferId, index: ValueId, access: Access, guard: Option<ValueId>) {
        let place = Place::of(self.kernel, index);
        let zeros = place.base.map_or(32, |base| zeros(self.kernel, base, DEPTH));
        let is_word = element_type(self.kernel.buffers[buffer].element) == Type::U32;
        let is_plain = guard.is_none_or(|guard| self.is_bound(guard, buffer, index));
        if !is_word || zeros == 0 || !place.is_exact(self.kernel) || !is_plain {
            // It cannot be part of a vector, and comes after those stores of the same buffer that it could overwrite.
            if !is_load {
                self.close(|open| !open.is_load && open.word(place).is_some_and(|word| open.words[word].is_some()));
            }
            return;
        }
        let width = if zeros == 1 { 2 } else { 4 };
        let first = Place { distance: place.distance & !(width - 1), ..place };
        let fitting = self.open.iter().position(|open| {
            open.is_load == is_load && open.buffer == buffer && open.place == first && open.width == width
        });
        let word = (place.distance - first.distance) as usize;
        if let Some(position) = fitting {
            let open = &mut self.open[position];
            if open.words[word].is_none() && open.written & (1 << word) == 0 {
                open.words[word] = Some(access);
                return;
            }
            let open = self.open.remove(position);
            self.finish(&open);
        }
        if self.open.len() >= MOST_OPEN {
            let open = self.open.remove(0);
            self.finish(&open);
        }
        let mut open = Open { is_load, buffer, place: first, width, words: [None; 4], written: 0 };
        if is_load {
            // Stores whose vector is not whole yet may be made later, after this load.
            let stored = |other: &&Open| !other.is_load && other.buffer == buffer && other.place == first;
            let bits = self.open.iter().filter(stored).map(Open::found);
            open.written = bits.fold(0, |all, bits| all | bits);
        }
        open.words[word] = Some(access);
        self.open.push(open);
    }

    /// Whether a guard says that an index is in range, and nothing else.
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

    fn close(&mut self, which: impl Fn(&Open) -> bool) {
        let (closed, open) = std::mem::take(&mut self.open).into_iter().partition(which);
        self.open = open;
        let closed: Vec<Open> = closed;
        closed.iter().for_each(|open| self.finish(open));
    }

    /// Makes vectors of the words that were found.
    fn finish(&mut self, open: &Open) {
        let words = &open.words[..open.width as usize];
        for (first, width) in [(0, 4), (0, 2), (2, 2)] {
            let Some(words) = words.get(first..first + width) else { continue };
            let accesses: Vec<Access> = words.iter().flatten().copied().collect();
            if accesses.len() == width {
                self.add_vector(open, first, &accesses);
                if width == 4 {
                    return;
                }
            }
        }
    }

    fn add_vector(&mut self, open: &Open, first: usize, accesses: &[Access]) {
        let vector = Vector {
            buffer: open.buffer,
            place: Place { distance: open.place.distance + first as u32, ..open.place },
            values: accesses.iter().map(|access| access.value).collect(),
            guarded: accesses.iter().map(|access| access.is_guarded).collect(),
        };
        let positions = accesses.iter().map(|access| access.position);
        let vectors = &mut self.vectors;
        let (list, leader) = if open.is_load {
            (&mut vectors.loads, positions.clone().min())
        } else {
            (&mut vectors.stores, positions.clone().max())
        };
        let role = if open.is_load { Role::Load(list.len()) } else { Role::Store(list.len()) };
        list.push(vector);
        for position in positions {
            let role = if Some(position) == leader { role } else { Role::Member };
            vectors.roles.insert((self.block, position), role);
        }
    }
}

impl Open {
    /// The words that were found, as bits.
    fn found(&self) -> u8 {
        self.words.iter().enumerate().fold(0, |bits, (word, access)| bits | u8::from(access.is_some()) << word)
    }

    /// Which of its words a place is.
    fn word(&self, place: Place) -> Option<usize> {
        let distance = place.distance.wrapping_sub(self.place.distance);
        (place.base == self.place.base && distance < self.width).then_some(distance as usize)
    }
}

#[cfg(test)]
mod tests {
    use vyre_ir::{BufferAccess, BufferDecl, DataType};
    use vyre_kernel::{Id, Usage};

    use super::*;

    const WORDS: usize = 8;

    /// A kernel of random accesses to one buffer at places around two multiples of 4, without guards.
    struct Random {
        kernel: Kernel,
        /// The two values that indices are counted from.
        bases: [ValueId; 2],
        /// What is loaded, in order.
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
                distance => {
                    let distance = kernel.word(distance as u32);
                    let index = kernel.new_value(Op::Binary(Binary::Add, base, distance));
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

        /// What is loaded, and the memory in the end; in the order of the kernel, or as vectors.
        fn run(&self, bases: [usize; 2], vectors: Option<&Vectors>) -> (Vec<usize>, [usize; WORDS]) {
            let mut memory: [usize; WORDS] = std::array::from_fn(|at| at);
            let mut loaded = HashMap::new();
            for (position, &statement) in self.kernel.blocks[self.kernel.entry].statements.iter().enumerate() {
                let first = |vector: &Vector| {
                    vector.place.base.map_or(0, |base| self.value(base, bases)) + vector.place.distance as usize
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
    fn accesses_as_vectors_see_and_leave_the_same() {
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
