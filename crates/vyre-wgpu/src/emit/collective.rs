//! Collectives through workgroup memory, in functions of their own: lanes put words into an array, meet, and read what they
//! need. The order of lanes is that of the language, so the subgroups of the hardware, whose lanes may be in any order,
//! have no part in it.
//!
//! A workgroup of up to 32 lanes reads all words. A larger one is cut into rows of about the square root of its size: one
//! lane for each row goes through it, and then every lane goes through the results of the rows. That takes two barriers
//! whatever the size is. Rows are one word longer than they need to be, so that the lanes that go through them side by side
//! do not meet in one memory bank.

use foldhash::HashMap;
use naga::{
    Barrier, BinaryOperator, Block, Expression, Function, FunctionArgument, FunctionResult, GlobalVariable, Handle,
    MathFunction, Span, Statement as Step,
};
use vyre_ir::ReduceOp;
use vyre_kernel::{BlockId, Collective, Effect, Statement};

use super::Emitter;
use super::value::min_max;

/// The memory that lanes exchange words through, and the functions that use it.
#[derive(Default)]
pub(super) struct Scratch {
    /// Whether lanes may still read what the last collective left, so that the next one must not write yet.
    pub(super) is_in_use: bool,
    memory: Option<Memory>,
    functions: HashMap<Kind, Handle<Function>>,
}

/// The variables of the memory.
#[derive(Clone, Copy)]
struct Memory {
    words: Handle<GlobalVariable>,
    /// One word for each row.
    rows: Handle<GlobalVariable>,
}

/// What a function does.
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

/// How the lanes of a workgroup are cut into rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rows {
    lanes: u32,
    /// The lanes of a row, a power of two.
    length: u32,
    count: u32,
}

impl Rows {
    /// The most lanes that are one row.
    const MOST_IN_ONE: u32 = 32;

    fn of(workgroup_size: [u32; 3]) -> Rows {
        let lanes = workgroup_size.iter().fold(1_u32, |product, &size| product.saturating_mul(size)).max(1);
        let length = if lanes <= Self::MOST_IN_ONE { lanes } else { (lanes - 1).isqrt().saturating_add(1) };
        let length = length.checked_next_power_of_two().unwrap_or(1 << 31);
        Rows { lanes, length, count: lanes.div_ceil(length) }
    }

    fn is_one(self) -> bool {
        self.lanes <= Self::MOST_IN_ONE
    }

    /// The words of the array, with a word behind each row.
    fn words(self) -> u32 {
        if self.is_one() { self.lanes } else { self.count.saturating_mul(self.length.saturating_add(1)) }
    }
}

/// What a function of a collective is made of.
#[derive(Clone, Copy)]
struct Exchange {
    rows: Rows,
    /// The array of words.
    words: Handle<Expression>,
    /// The array with a word for each row.
    row_words: Handle<Expression>,
    lane: Handle<Expression>,
}

impl Emitter<'_> {
    pub(super) fn has_collective(&self, block: BlockId) -> bool {
        let mut pending = vec![block];
        while let Some(block) = pending.pop() {
            for &statement in &self.kernel.blocks[block].statements {
                if let Statement::Let(value) = statement
                    && self.kernel.op(value).effect() == Effect::Rendezvous
                {
                    return true;
                }
                pending.extend(statement.blocks());
            }
        }
        false
    }

    pub(super) fn collective(&mut self, collective: Collective) -> Handle<Expression> {
        let (kind, operands) = match collective {
            Collective::Broadcast(value, lane) => (Kind::Broadcast, vec![value, lane]),
            Collective::Shuffle(value, lane) => (Kind::Shuffle, vec![value, lane]),
            Collective::Reduce(op, value) => (Kind::Reduce(op), vec![value]),
            Collective::ScanExclusive(op, value) => (Kind::ScanExclusive(op), vec![value]),
            Collective::ScanInclusive(op, value) => (Kind::ScanInclusive(op), vec![value]),
            Collective::Ballot(predicate) => (Kind::Ballot, vec![predicate]),
        };
        let mut arguments = vec![self.lane()];
        arguments.extend(operands.into_iter().map(|operand| self.value(operand)));
        let function = self.exchange_function(kind);
        if self.scratch.is_in_use {
            self.barrier(Barrier::WORK_GROUP);
        }
        let result = self.function.expressions.append(Expression::CallResult(function), Span::UNDEFINED);
        self.push(Step::Call { function, arguments, result: Some(result) });
        self.scratch.is_in_use = true;
        result
    }

    fn exchange_memory(&mut self, rows: Rows) -> Memory {
        if let Some(memory) = self.scratch.memory {
            return memory;
        }
        let mut declare = |name: &str, count: u32| {
            let ty = self.array(self.types.word, 4, Some(count));
            self.workgroup_variable(name.to_owned(), ty, u64::from(count) * 4)
        };
        let memory = Memory { words: declare("exchange", rows.words()), rows: declare("exchange_rows", rows.count) };
        self.scratch.memory = Some(memory);
        memory
    }

    /// The function of a collective, which is made once.
    fn exchange_function(&mut self, kind: Kind) -> Handle<Function> {
        if let Some(&known) = self.scratch.functions.get(&kind) {
            return known;
        }
        let rows = Rows::of(self.kernel.workgroup_size);
        let memory = self.exchange_memory(rows);
        // The function of the entry point waits meanwhile.
        let entry = std::mem::take(&mut self.function);
        let block = std::mem::take(&mut self.block);
        let words = std::mem::take(&mut self.words);

        let argument = |name: &str, ty| FunctionArgument { name: Some(name.to_owned()), ty, binding: None };
        let (word, truth) = (self.types.word, self.types.boolean);
        self.function.name = Some(kind.name());
        self.function.arguments = match kind {
            Kind::Broadcast | Kind::Shuffle => {
                vec![argument("lane", word), argument("value", word), argument("from", word)]
            }
            Kind::Ballot => vec![argument("lane", word), argument("holds", truth)],
            Kind::Reduce(_) | Kind::ScanExclusive(_) | Kind::ScanInclusive(_) => {
                vec![argument("lane", word), argument("value", word)]
            }
        };
        self.function.result = Some(FunctionResult { ty: word, binding: None });
        let exchange = Exchange {
            rows,
            words: self.add(Expression::GlobalVariable(memory.words)),
            row_words: self.add(Expression::GlobalVariable(memory.rows)),
            lane: self.add(Expression::FunctionArgument(0)),
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
                let bit = self.binary(BinaryOperator::ShiftLeft, one, exchange.lane);
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

    fn meet(&mut self) {
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
        let is_it = self.binary(BinaryOperator::Equal, exchange.lane, from);
        self.when(is_it, |emitter| emitter.store_word(exchange.words, zero, value));
        self.meet();
        let found = self.load_word(exchange.words, zero);
        self.if_there(exchange, from, found)
    }

    fn shuffle(&mut self, exchange: Exchange, value: Handle<Expression>) -> Handle<Expression> {
        let from = self.add(Expression::FunctionArgument(2));
        self.store_word(exchange.words, exchange.lane, value);
        self.meet();
        let last = self.word(exchange.rows.lanes - 1);
        let nearest = self.add(min_max(MathFunction::Min, from, last));
        let found = self.load_word(exchange.words, nearest);
        self.if_there(exchange, from, found)
    }

    /// A word that comes from a lane, or 0 if the workgroup has no such lane.
    fn if_there(
        &mut self,
        exchange: Exchange,
        from: Handle<Expression>,
        accept: Handle<Expression>,
    ) -> Handle<Expression> {
        let (lanes, reject) = (self.word(exchange.rows.lanes), self.word(0));
        let condition = self.binary(BinaryOperator::Less, from, lanes);
        self.add(Expression::Select { condition, accept, reject })
    }

    /// The place of the word of a lane in an array with rows.
    fn place(&mut self, rows: Rows, lane: Handle<Expression>) -> Handle<Expression> {
        if rows.is_one() {
            return lane;
        }
        let row = self.row(rows, lane);
        self.binary(BinaryOperator::Add, lane, row)
    }

    fn row(&mut self, rows: Rows, lane: Handle<Expression>) -> Handle<Expression> {
        let shift = self.word(rows.length.trailing_zeros());
        self.binary(BinaryOperator::ShiftRight, lane, shift)
    }

    fn reduce(&mut self, exchange: Exchange, op: ReduceOp, value: Handle<Expression>) -> Handle<Expression> {
        let rows = exchange.rows;
        let place = self.place(rows, exchange.lane);
        self.store_word(exchange.words, place, value);
        self.meet();
        if rows.is_one() {
            let words = self.constant_words(exchange.words, rows.lanes);
            return self.combine_all(op, words);
        }
        self.for_rows(exchange, |emitter, first, words| {
            let words = if rows.lanes.is_multiple_of(rows.length) {
                words
            } else {
                // The last row is not full.
                let identity = emitter.word(op.identity());
                let lanes = emitter.word(rows.lanes);
                let word_of_lane = |(at, accept): (u32, Handle<Expression>)| {
                    let offset = emitter.word(at);
                    let lane = emitter.binary(BinaryOperator::Add, first, offset);
                    let condition = emitter.binary(BinaryOperator::Less, lane, lanes);
                    emitter.add(Expression::Select { condition, accept, reject: identity })
                };
                (0..).zip(words).map(word_of_lane).collect()
            };
            let total = emitter.combine_all(op, words);
            emitter.store_word(exchange.row_words, exchange.lane, total);
        });
        self.meet();
        let words = self.constant_words(exchange.row_words, rows.count);
        self.combine_all(op, words)
    }

    /// The combination of the words of all lanes that come before this one, `LessEqual` with itself.
    fn scan(
        &mut self,
        exchange: Exchange,
        op: ReduceOp,
        value: Handle<Expression>,
        before: BinaryOperator,
    ) -> Handle<Expression> {
        let rows = exchange.rows;
        let place = self.place(rows, exchange.lane);
        self.store_word(exchange.words, place, value);
        self.meet();
        if rows.is_one() {
            let words = self.constant_words(exchange.words, rows.lanes);
            return self.combine_before(op, words, before, exchange.lane);
        }
        self.for_rows(exchange, |emitter, first, words| {
            // The rest of a last row that is not full is combined too, and never read.
            let start = emitter.place(rows, first);
            let mut total = None;
            for (at, word) in (0..).zip(words) {
                let sum = match total {
                    Some(total) => emitter.combine(op, total, word),
                    None => word,
                };
                let offset = emitter.word(at);
                let place = emitter.binary(BinaryOperator::Add, start, offset);
                emitter.store_word(exchange.words, place, sum);
                total = Some(sum);
            }
            let total = total.unwrap_or_else(|| emitter.word(op.identity()));
            emitter.store_word(exchange.row_words, exchange.lane, total);
        });
        self.meet();
        let row = self.row(rows, exchange.lane);
        // The last row is before none.
        let rows_before = self.combine_first(op, exchange.row_words, rows.count - 1, row);
        let within = if before == BinaryOperator::LessEqual {
            self.load_word(exchange.words, place)
        } else {
            let (zero, one, mask) = (self.word(0), self.word(1), self.word(rows.length - 1));
            let within_row = self.binary(BinaryOperator::And, exchange.lane, mask);
            let condition = self.binary(BinaryOperator::NotEqual, within_row, zero);
            let previous = self.binary(BinaryOperator::Subtract, place, one);
            let previous = self.add(Expression::Select { condition, accept: previous, reject: zero });
            let accept = self.load_word(exchange.words, previous);
            let reject = self.word(op.identity());
            self.add(Expression::Select { condition, accept, reject })
        };
        self.combine(op, rows_before, within)
    }

    /// Runs what `body` adds in one lane for each row. It gets the first lane of the row and the words of the row.
    fn for_rows(
        &mut self,
        exchange: Exchange,
        body: impl FnOnce(&mut Self, Handle<Expression>, Vec<Handle<Expression>>),
    ) {
        let rows = exchange.rows;
        let count = self.word(rows.count);
        let has_row = self.binary(BinaryOperator::Less, exchange.lane, count);
        let accept = self.within(|emitter| {
            let shift = emitter.word(rows.length.trailing_zeros());
            let first = emitter.binary(BinaryOperator::ShiftLeft, exchange.lane, shift);
            let start = emitter.place(rows, first);
            let words = (0..rows.length)
                .map(|at| {
                    let offset = emitter.word(at);
                    let place = emitter.binary(BinaryOperator::Add, start, offset);
                    emitter.load_word(exchange.words, place)
                })
                .collect();
            body(emitter, first, words);
        });
        self.push(Step::If { condition: has_row, accept, reject: Block::new() });
    }

    /// The first words of an array.
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

    /// Combines the words whose positions come before another one.
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

    /// Combines the first words of an array, and leaves the others alone: half of them on average, where a row without branches
    /// would load all. A loop up to the position would do the same, but llvmpipe loses its way in loops after some of them.
    fn combine_first(
        &mut self,
        op: ReduceOp,
        array: Handle<Expression>,
        most: u32,
        count: Handle<Expression>,
    ) -> Handle<Expression> {
        let sum = self.variable("sum".to_owned(), self.types.word);
        let identity = self.word(op.identity());
        self.store(sum, identity);
        for at in 0..most {
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
        // Chains of sums would be printed in one expression otherwise.
        self.function.named_expressions.insert(sum, "sum".to_owned());
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_hold_all_lanes() {
        for lanes in 1..=1024 {
            let rows = Rows::of([lanes, 1, 1]);
            assert!(rows.length.is_power_of_two() && rows.length <= 64, "{rows:?}");
            assert!(rows.count * rows.length >= lanes && (rows.count - 1) * rows.length < lanes, "{rows:?}");
            assert!(rows.count <= rows.length, "{rows:?}");
        }
        assert_eq!(Rows::of([16, 16, 1]), Rows { lanes: 256, length: 16, count: 16 });
        assert_eq!(Rows::of([7, 1, 1]).words(), 7);
    }
}
