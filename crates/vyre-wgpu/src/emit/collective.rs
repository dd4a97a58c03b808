//! Collectives: two-level reduction and scan in workgroup memory, one function for each collective.
//!
//! Invocations write their words to an array, pass a barrier, and read the words that they need. The order of invocations is
//! that of the language; subgroups of the hardware are not used, since the order of their invocations is unspecified.
//!
//! In a workgroup of up to 32 invocations each one reads all words. A larger workgroup is divided into tiles of about the
//! square root of its size: one invocation combines each tile, then every invocation combines the results of the tiles. That
//! takes two barriers for every size. Tiles are padded by one word, so that the invocations that traverse them side by side
//! access different memory banks.
//!
//! WGSL regards every load from workgroup memory as divergent, except a uniform load, and rejects barriers in divergent
//! control flow. So in WGSL the results of reductions, ballots and broadcasts come from uniform loads of the whole array. Such a
//! load contains a barrier on either side: the first replaces the one before the load, the second the one before the next
//! collective.

use foldhash::HashMap;
use naga::{
    Barrier, BinaryOperator, Block, Expression, Function, FunctionArgument, FunctionResult, GlobalVariable, Handle,
    MathFunction, Span, Statement as Step, Type,
};
use vyre_ir::ReduceOp;
use vyre_kernel::{BlockId, Collective, Op, Statement};

use super::Emitter;
use super::value::min_max;

/// Workgroup memory of collectives, and the functions that use it.
#[derive(Default)]
pub(super) struct Scratch {
    /// True if invocations may still read the results of the last collective. A barrier must precede the next write.
    pub(super) is_in_use: bool,
    memory: Option<Memory>,
    functions: HashMap<Kind, Handle<Function>>,
}

/// Variables of the exchange memory.
#[derive(Clone, Copy)]
struct Memory {
    words: Handle<GlobalVariable>,
    /// One word per tile.
    tiles: Handle<GlobalVariable>,
}

/// Kind of a collective function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Broadcast,
    Shuffle,
    Reduce(ReduceOp),
    ScanExclusive(ReduceOp),
    ScanInclusive(ReduceOp),
    Ballot,
}

impl Kind {
    fn name(self) -> String {
        let of = |what: &str, op: ReduceOp| format!("{what}_{}", format!("{op:?}").to_lowercase());
        match self {
            Kind::Broadcast => "broadcast".to_owned(),
            Kind::Shuffle => "shuffle".to_owned(),
            Kind::Reduce(op) => of("reduce", op),
            Kind::ScanExclusive(op) => of("scan_exclusive", op),
            Kind::ScanInclusive(op) => of("scan_inclusive", op),
            Kind::Ballot => "ballot".to_owned(),
        }
    }
}

/// Division of a workgroup into tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tiles {
    invocations: u32,
    /// Number of invocations of a tile, a power of two.
    length: u32,
    count: u32,
}

impl Tiles {
    /// Maximum number of invocations of a single tile.
    const MAX_SINGLE_TILE: u32 = 32;

    fn of(workgroup_size: [u32; 3]) -> Tiles {
        let invocations = workgroup_size.iter().fold(1_u32, |product, &size| product.saturating_mul(size)).max(1);
        let length = if invocations <= Self::MAX_SINGLE_TILE {
            invocations
        } else {
            (invocations - 1).isqrt().saturating_add(1)
        };
        let length = length.checked_next_power_of_two().unwrap_or(1 << 31);
        Tiles { invocations, length, count: invocations.div_ceil(length) }
    }

    fn is_single(self) -> bool {
        self.invocations <= Self::MAX_SINGLE_TILE
    }

    /// Number of words of the array, with one word of padding after each tile.
    fn words(self) -> u32 {
        if self.is_single() { self.invocations } else { self.count.saturating_mul(self.length.saturating_add(1)) }
    }
}

/// Expressions that a collective function uses.
#[derive(Clone, Copy)]
struct Exchange {
    tiles: Tiles,
    /// Array with one word per invocation.
    words: Handle<Expression>,
    /// Array with one word per tile.
    tile_words: Handle<Expression>,
    local_index: Handle<Expression>,
}

impl Emitter<'_> {
    /// True if a block contains a collective after which invocations may still read the exchange memory.
    pub(super) fn leaves_scratch_in_use(&self, block: BlockId) -> bool {
        let mut pending = vec![block];
        while let Some(block) = pending.pop() {
            for &statement in &self.kernel.blocks[block].statements {
                if let Statement::Let(value) = statement
                    && let Op::Collective(collective) = self.kernel.op(value)
                    && !self.has_uniform_load(collective)
                {
                    return true;
                }
                pending.extend(statement.blocks());
            }
        }
        false
    }

    /// True if a uniform load gives the result of a collective. A barrier then follows the last read of the exchange memory.
    fn has_uniform_load(&self, collective: Collective) -> bool {
        let is_uniform = match collective {
            Collective::Broadcast(..) | Collective::Reduce(..) | Collective::Ballot(_) => true,
            Collective::Shuffle(..) | Collective::ScanExclusive(..) | Collective::ScanInclusive(..) => false,
        };
        is_uniform && self.features.uniform_loads
    }

    pub(super) fn collective(&mut self, collective: Collective) -> Handle<Expression> {
        let (kind, operands) = match collective {
            Collective::Broadcast(value, source) => (Kind::Broadcast, vec![value, source]),
            Collective::Shuffle(value, source) => (Kind::Shuffle, vec![value, source]),
            Collective::Reduce(op, value) => (Kind::Reduce(op), vec![value]),
            Collective::ScanExclusive(op, value) => (Kind::ScanExclusive(op), vec![value]),
            Collective::ScanInclusive(op, value) => (Kind::ScanInclusive(op), vec![value]),
            Collective::Ballot(predicate) => (Kind::Ballot, vec![predicate]),
        };
        let mut arguments = vec![self.local_index()];
        arguments.extend(operands.into_iter().map(|operand| self.value(operand)));
        let function = self.exchange_function(kind);
        if self.scratch.is_in_use {
            self.barrier(Barrier::WORK_GROUP);
        }
        let result = self.function.expressions.append(Expression::CallResult(function), Span::UNDEFINED);
        self.push(Step::Call { function, arguments, result: Some(result) });
        self.scratch.is_in_use = !self.has_uniform_load(collective);
        result
    }

    fn exchange_memory(&mut self, tiles: Tiles) -> Memory {
        if let Some(memory) = self.scratch.memory {
            return memory;
        }
        let mut declare = |name: &str, count: u32| {
            let ty = self.array_type(self.types.word, 4, Some(count));
            self.workgroup_variable(name.to_owned(), ty, u64::from(count) * 4)
        };
        let memory =
            Memory { words: declare("exchange", tiles.words()), tiles: declare("exchange_tiles", tiles.count) };
        self.scratch.memory = Some(memory);
        memory
    }

    /// Function of a collective. The first call emits it.
    fn exchange_function(&mut self, kind: Kind) -> Handle<Function> {
        if let Some(&known) = self.scratch.functions.get(&kind) {
            return known;
        }
        let tiles = Tiles::of(self.kernel.workgroup_size);
        let memory = self.exchange_memory(tiles);
        // Sets the state of the entry point aside.
        let entry = std::mem::take(&mut self.function);
        let block = std::mem::take(&mut self.block);
        let words = std::mem::take(&mut self.words);

        let argument = |name: &str, ty| FunctionArgument { name: Some(name.to_owned()), ty, binding: None };
        let (word, boolean) = (self.types.word, self.types.boolean);
        self.function.name = Some(kind.name());
        self.function.arguments = match kind {
            Kind::Broadcast | Kind::Shuffle => {
                vec![argument("local_index", word), argument("value", word), argument("from", word)]
            }
            Kind::Ballot => vec![argument("local_index", word), argument("holds", boolean)],
            Kind::Reduce(_) | Kind::ScanExclusive(_) | Kind::ScanInclusive(_) => {
                vec![argument("local_index", word), argument("value", word)]
            }
        };
        self.function.result = Some(FunctionResult { ty: word, binding: None });
        let exchange = Exchange {
            tiles,
            words: self.add(Expression::GlobalVariable(memory.words)),
            tile_words: self.add(Expression::GlobalVariable(memory.tiles)),
            local_index: self.add(Expression::FunctionArgument(0)),
        };
        let operand = self.add(Expression::FunctionArgument(1));
        let result = match kind {
            Kind::Broadcast => self.broadcast(exchange, operand),
            Kind::Shuffle => self.shuffle(exchange, operand),
            Kind::Reduce(op) => self.reduce(exchange, op, operand),
            Kind::ScanExclusive(op) => self.scan(exchange, op, operand, BinaryOperator::Less),
            Kind::ScanInclusive(op) => self.scan(exchange, op, operand, BinaryOperator::LessEqual),
            Kind::Ballot => {
                let (zero, one) = (self.word(0), self.word(1));
                let bit = self.binary(BinaryOperator::ShiftLeft, one, exchange.local_index);
                let bit = self.add(Expression::Select { condition: operand, accept: bit, reject: zero });
                self.reduce(exchange, ReduceOp::Or, bit)
            }
        };
        self.push(Step::Return { value: Some(result) });

        let mut function = std::mem::replace(&mut self.function, entry);
        function.body = std::mem::replace(&mut self.block, block);
        self.words = words;
        let function = self.module.functions.append(function, Span::UNDEFINED);
        self.scratch.functions.insert(kind, function);
        function
    }

    fn workgroup_barrier(&mut self) {
        self.push(Step::ControlBarrier(Barrier::WORK_GROUP));
    }

    fn load_word(&mut self, array: Handle<Expression>, index: Handle<Expression>) -> Handle<Expression> {
        let pointer = self.element_pointer(array, index);
        self.add(Expression::Load { pointer })
    }

    fn store_word(&mut self, array: Handle<Expression>, index: Handle<Expression>, value: Handle<Expression>) {
        let pointer = self.element_pointer(array, index);
        self.store(pointer, value);
    }

    fn broadcast(&mut self, exchange: Exchange, value: Handle<Expression>) -> Handle<Expression> {
        let from = self.add(Expression::FunctionArgument(2));
        let zero = self.word(0);
        let is_source = self.binary(BinaryOperator::Equal, exchange.local_index, from);
        self.when(is_source, |emitter| emitter.store_word(exchange.words, zero, value));
        let found = if self.features.uniform_loads {
            let pointer = self.element_pointer(exchange.words, zero);
            self.uniform_load(pointer, self.types.word)
        } else {
            self.workgroup_barrier();
            self.load_word(exchange.words, zero)
        };
        self.or_zero(exchange, from, found)
    }

    fn shuffle(&mut self, exchange: Exchange, value: Handle<Expression>) -> Handle<Expression> {
        let from = self.add(Expression::FunctionArgument(2));
        self.store_word(exchange.words, exchange.local_index, value);
        self.workgroup_barrier();
        let last = self.word(exchange.tiles.invocations - 1);
        let nearest = self.add(min_max(MathFunction::Min, from, last));
        let found = self.load_word(exchange.words, nearest);
        self.or_zero(exchange, from, found)
    }

    /// Word of another invocation, or 0 if the workgroup has no invocation with that index.
    fn or_zero(
        &mut self,
        exchange: Exchange,
        from: Handle<Expression>,
        accept: Handle<Expression>,
    ) -> Handle<Expression> {
        let (invocations, reject) = (self.word(exchange.tiles.invocations), self.word(0));
        let condition = self.binary(BinaryOperator::Less, from, invocations);
        self.add(Expression::Select { condition, accept, reject })
    }

    /// Position of an invocation's word in the padded array.
    fn word_index(&mut self, tiles: Tiles, local_index: Handle<Expression>) -> Handle<Expression> {
        if tiles.is_single() {
            return local_index;
        }
        let tile = self.tile(tiles, local_index);
        self.binary(BinaryOperator::Add, local_index, tile)
    }

    fn tile(&mut self, tiles: Tiles, local_index: Handle<Expression>) -> Handle<Expression> {
        let shift = self.word(tiles.length.trailing_zeros());
        self.binary(BinaryOperator::ShiftRight, local_index, shift)
    }

    fn reduce(&mut self, exchange: Exchange, op: ReduceOp, value: Handle<Expression>) -> Handle<Expression> {
        let tiles = exchange.tiles;
        let word_index = self.word_index(tiles, exchange.local_index);
        self.store_word(exchange.words, word_index, value);
        if tiles.is_single() {
            let words = self.shared_words(exchange.words, tiles.invocations);
            return self.combine_all(op, words);
        }
        self.workgroup_barrier();
        self.for_tiles(exchange, |emitter, first, words| {
            let words = if tiles.invocations.is_multiple_of(tiles.length) {
                words
            } else {
                // The last tile is partial.
                let identity = emitter.word(op.identity());
                let invocations = emitter.word(tiles.invocations);
                let word_or_identity = |(at, accept): (u32, Handle<Expression>)| {
                    let offset = emitter.word(at);
                    let local_index = emitter.binary(BinaryOperator::Add, first, offset);
                    let condition = emitter.binary(BinaryOperator::Less, local_index, invocations);
                    emitter.add(Expression::Select { condition, accept, reject: identity })
                };
                (0..).zip(words).map(word_or_identity).collect()
            };
            let total = emitter.combine_all(op, words);
            emitter.store_word(exchange.tile_words, exchange.local_index, total);
        });
        let words = self.shared_words(exchange.tile_words, tiles.count);
        self.combine_all(op, words)
    }

    /// Prefix scan: combines the words of all earlier invocations, and with `LessEqual` that of the invocation itself.
    fn scan(
        &mut self,
        exchange: Exchange,
        op: ReduceOp,
        value: Handle<Expression>,
        before: BinaryOperator,
    ) -> Handle<Expression> {
        let tiles = exchange.tiles;
        let word_index = self.word_index(tiles, exchange.local_index);
        self.store_word(exchange.words, word_index, value);
        self.workgroup_barrier();
        if tiles.is_single() {
            let words = self.constant_words(exchange.words, tiles.invocations);
            return self.combine_before(op, words, before, exchange.local_index);
        }
        self.for_tiles(exchange, |emitter, first, words| {
            // The unused words of a partial last tile are combined too, and never read.
            let start = emitter.word_index(tiles, first);
            let mut total = None;
            for (at, word) in (0..).zip(words) {
                let sum = match total {
                    Some(total) => emitter.combine(op, total, word),
                    None => word,
                };
                let offset = emitter.word(at);
                let word_index = emitter.binary(BinaryOperator::Add, start, offset);
                emitter.store_word(exchange.words, word_index, sum);
                total = Some(sum);
            }
            let total = total.unwrap_or_else(|| emitter.word(op.identity()));
            emitter.store_word(exchange.tile_words, exchange.local_index, total);
        });
        self.workgroup_barrier();
        let tile = self.tile(tiles, exchange.local_index);
        // No tile follows the last one, so its result is not needed.
        let tiles_before = self.combine_first(op, exchange.tile_words, tiles.count - 1, tile);
        let within = if before == BinaryOperator::LessEqual {
            self.load_word(exchange.words, word_index)
        } else {
            let (zero, one, mask) = (self.word(0), self.word(1), self.word(tiles.length - 1));
            let within_tile = self.binary(BinaryOperator::And, exchange.local_index, mask);
            let condition = self.binary(BinaryOperator::NotEqual, within_tile, zero);
            let previous = self.binary(BinaryOperator::Subtract, word_index, one);
            let previous = self.add(Expression::Select { condition, accept: previous, reject: zero });
            let accept = self.load_word(exchange.words, previous);
            let reject = self.word(op.identity());
            self.add(Expression::Select { condition, accept, reject })
        };
        self.combine(op, tiles_before, within)
    }

    /// Emits `body` for one invocation per tile. `body` gets the first local index of the tile and the words of the tile.
    fn for_tiles(
        &mut self,
        exchange: Exchange,
        body: impl FnOnce(&mut Self, Handle<Expression>, Vec<Handle<Expression>>),
    ) {
        let tiles = exchange.tiles;
        let count = self.word(tiles.count);
        let has_tile = self.binary(BinaryOperator::Less, exchange.local_index, count);
        let accept = self.within(|emitter| {
            let shift = emitter.word(tiles.length.trailing_zeros());
            let first = emitter.binary(BinaryOperator::ShiftLeft, exchange.local_index, shift);
            let start = emitter.word_index(tiles, first);
            let words = (0..tiles.length)
                .map(|at| {
                    let offset = emitter.word(at);
                    let word_index = emitter.binary(BinaryOperator::Add, start, offset);
                    emitter.load_word(exchange.words, word_index)
                })
                .collect();
            body(emitter, first, words);
        });
        self.push(Step::If { condition: has_tile, accept, reject: Block::new() });
    }

    /// Loads all words of an array after a barrier. The words are uniform values of the shading language if it has uniform
    /// loads.
    fn shared_words(&mut self, array: Handle<Expression>, count: u32) -> Vec<Handle<Expression>> {
        if !self.features.uniform_loads {
            self.workgroup_barrier();
            return self.constant_words(array, count);
        }
        let ty = self.array_type(self.types.word, 4, Some(count));
        let words = self.uniform_load(array, ty);
        (0..count).map(|index| self.add(Expression::AccessIndex { base: words, index })).collect()
    }

    /// Passes a barrier, loads a value from workgroup memory, and passes another barrier.
    fn uniform_load(&mut self, pointer: Handle<Expression>, ty: Handle<Type>) -> Handle<Expression> {
        let result = Expression::WorkGroupUniformLoadResult { ty };
        let result = self.function.expressions.append(result, Span::UNDEFINED);
        self.push(Step::WorkGroupUniformLoad { pointer, result });
        result
    }

    /// Loads the first words of an array.
    fn constant_words(&mut self, array: Handle<Expression>, count: u32) -> Vec<Handle<Expression>> {
        (0..count)
            .map(|at| {
                let pointer = self.add(Expression::AccessIndex { base: array, index: at });
                self.add(Expression::Load { pointer })
            })
            .collect()
    }

    fn combine_all(&mut self, op: ReduceOp, words: Vec<Handle<Expression>>) -> Handle<Expression> {
        let mut words = words.into_iter();
        let first = words.next().unwrap_or_else(|| self.word(op.identity()));
        words.fold(first, |sum, word| self.combine(op, sum, word))
    }

    /// Combines the words before a position, without branches.
    fn combine_before(
        &mut self,
        op: ReduceOp,
        words: Vec<Handle<Expression>>,
        before: BinaryOperator,
        end: Handle<Expression>,
    ) -> Handle<Expression> {
        let identity = self.word(op.identity());
        let mut sum = identity;
        for (at, word) in (0..).zip(words) {
            let at = self.word(at);
            let condition = self.binary(before, at, end);
            let word = self.add(Expression::Select { condition, accept: word, reject: identity });
            sum = if sum == identity { word } else { self.combine(op, sum, word) };
        }
        sum
    }

    /// Combines the first `count` words of an array, one branch per word: it loads half of the words on average, where a
    /// sequence without branches loads all. A loop would do the same, but llvmpipe miscompiles later loops.
    fn combine_first(
        &mut self,
        op: ReduceOp,
        array: Handle<Expression>,
        max_count: u32,
        count: Handle<Expression>,
    ) -> Handle<Expression> {
        let sum = self.variable("sum".to_owned(), self.types.word);
        let identity = self.word(op.identity());
        self.store(sum, identity);
        for at in 0..max_count {
            let at_word = self.word(at);
            let is_before = self.binary(BinaryOperator::Less, at_word, count);
            self.when(is_before, |emitter| {
                let pointer = emitter.add(Expression::AccessIndex { base: array, index: at });
                let word = emitter.add(Expression::Load { pointer });
                let so_far = emitter.add(Expression::Load { pointer: sum });
                let combined = emitter.combine(op, so_far, word);
                emitter.store(sum, combined);
            });
        }
        self.add(Expression::Load { pointer: sum })
    }

    fn combine(&mut self, op: ReduceOp, a: Handle<Expression>, b: Handle<Expression>) -> Handle<Expression> {
        let sum = match op {
            ReduceOp::Add => Expression::Binary { op: BinaryOperator::Add, left: a, right: b },
            ReduceOp::And => Expression::Binary { op: BinaryOperator::And, left: a, right: b },
            ReduceOp::Or => Expression::Binary { op: BinaryOperator::InclusiveOr, left: a, right: b },
            ReduceOp::Xor => Expression::Binary { op: BinaryOperator::ExclusiveOr, left: a, right: b },
            ReduceOp::Min => min_max(MathFunction::Min, a, b),
            ReduceOp::Max => min_max(MathFunction::Max, a, b),
        };
        let sum = self.add(sum);
        // Text writers print unnamed expressions inline, to the depth of the chain.
        self.function.named_expressions.insert(sum, "sum".to_owned());
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_hold_all_invocations() {
        for invocations in 1..=1024 {
            let tiles = Tiles::of([invocations, 1, 1]);
            assert!(tiles.length.is_power_of_two() && tiles.length <= 64, "{tiles:?}");
            assert!(
                tiles.count * tiles.length >= invocations && (tiles.count - 1) * tiles.length < invocations,
                "{tiles:?}"
            );
            assert!(tiles.count <= tiles.length, "{tiles:?}");
        }
        assert_eq!(Tiles::of([16, 16, 1]), Tiles { invocations: 256, length: 16, count: 16 });
        assert_eq!(Tiles::of([7, 1, 1]).words(), 7);
    }
}
