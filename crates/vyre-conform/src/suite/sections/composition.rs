//! Composition: calls of ops have the results of hand-written expressions.

use vyre_ir::OpTable;
use vyre_ops::Op;

use super::op_calls::{Calls, primitives, program};
use crate::race_free::Random;
use crate::suite::context::{Context, Item, Settings};
use crate::suite::samples::{after, bytes, case, word};
use crate::suite::section::Section;

/// Calls beside hand-written expressions, and expressions of several ops.
pub(in crate::suite) struct Composition;

/// Every primitive with an expression of operators that a person would write instead.
const BY_HAND: [(&str, &str); 33] = [
    ("primitive.bitwise.and", "a & b"),
    ("primitive.bitwise.or", "a | b"),
    ("primitive.bitwise.xor", "a ^ b"),
    ("primitive.bitwise.not", "~a"),
    ("primitive.bitwise.shl", "a << b"),
    ("primitive.bitwise.shr", "a >> b"),
    ("primitive.bitwise.rotl", "(a << (b & 31)) | (a >> (32 - (b & 31)))"),
    ("primitive.bitwise.rotr", "(a >> (b & 31)) | (a << (32 - (b & 31)))"),
    ("primitive.bitwise.popcount", "popcount(a)"),
    ("primitive.bitwise.clz", "clz(a)"),
    ("primitive.bitwise.ctz", "ctz(a)"),
    ("primitive.bitwise.reverse_bits", "reverse_bits(a)"),
    ("primitive.bitwise.extract_bits", "(a >> (b & 31)) & ((1 << ((b >> 5) & 31)) - 1)"),
    (
        "primitive.bitwise.insert_bits",
        "(b & ~(((1 << ((a >> 5) & 31)) - 1) << (a & 31))) | (((a >> 10) & ((1 << ((a >> 5) & 31)) - 1)) << (a & 31))",
    ),
    ("primitive.math.add", "a + b"),
    ("primitive.math.sub", "a - b"),
    ("primitive.math.mul", "a * b"),
    ("primitive.math.div", "a / b"),
    ("primitive.math.mod", "a % b"),
    ("primitive.math.min", "min(a, b)"),
    ("primitive.math.max", "max(a, b)"),
    ("primitive.math.clamp", "min(max(a, b & 0xffff), (b >> 16) | (b & 0xffff))"),
    ("primitive.math.abs", "select((a >> 31) != 0, 0 - a, a)"),
    ("primitive.math.negate", "0 - a"),
    ("primitive.math.abs_diff", "max(a, b) - min(a, b)"),
    ("primitive.compare.eq", "a == b"),
    ("primitive.compare.ne", "a != b"),
    ("primitive.compare.lt", "a < b"),
    ("primitive.compare.gt", "a > b"),
    ("primitive.compare.le", "a <= b"),
    ("primitive.compare.ge", "a >= b"),
    ("primitive.compare.select", "select(b != 0, a, 0)"),
    ("primitive.compare.logical_not", "select(a == 0, 1, 0)"),
];

/// Number of samples of an expression.
const SAMPLES: usize = 512;

/// Maximum nesting of a random expression.
const MAX_DEPTH: u32 = 4;

impl Section for Composition {
    fn name(&self) -> &'static str {
        "composition"
    }

    fn about(&self) -> &'static str {
        "A call of an op is inlined: it has the results of a hand-written expression, and calls of calls those of the references."
    }

    fn cost(&self, settings: &Settings) -> u64 {
        300 + settings.amounts.compositions * 4
    }

    fn can_be_divided(&self) -> bool {
        true
    }

    fn run(&self, context: &Context) {
        let table = vyre_ops::table();
        let all = context.settings().amounts.compositions;
        let samples = samples(context.settings().seed);
        for op in primitives().filter(|_| context.is_first_part()) {
            match BY_HAND.iter().find(|(id, _)| *id == op.id) {
                Some((_, by_hand)) => compare(context, &table, op, by_hand, &samples),
                None => context.skipped(&Item::of_op(op.id, op.id), 1, "no expression was written by hand for this op"),
            }
        }
        context.in_parallel_by_seed(all, 1, |_, seed| nested(context, &table, seed));
    }
}

fn samples(seed: u64) -> Vec<[u32; 3]> {
    let mut random = Random::new(seed ^ 0xc0de);
    (0..SAMPLES).map(|_| [word(&mut random), word(&mut random), word(&mut random)]).collect()
}

/// Runs expressions, and expects the results of the host references for all of them.
fn check(
    context: &Context,
    table: &OpTable,
    (item, seed): (&Item, Option<u64>),
    samples: &[[u32; 3]],
    (calls, texts): (&Calls, &[(&str, String)]),
) {
    let column = |at: usize| bytes(&samples.iter().map(|sample| sample[at]).collect::<Vec<u32>>());
    let results: Option<Vec<u32>> = samples.iter().map(|&sample| calls.on_host(sample)).collect();
    let Some(results) = results else { return context.failed(item, "a reference rejects its arguments", seed) };
    let inputs = [("first", column(0)), ("second", column(1)), ("third", column(2))];
    let zeros = vec![0; samples.len() * 4];
    let buffers = inputs.into_iter().chain(texts.iter().map(|(name, _)| (*name, zeros.clone())));
    let case = case(&program(texts), table, [(samples.len() / 64) as u32, 1, 1], buffers);
    let expected = after(&case, texts.iter().map(|(name, _)| (*name, bytes(&results))));
    context.judge(item, seed, &case, Some(expected));
}

fn compare(context: &Context, table: &OpTable, op: &'static Op, by_hand: &str, samples: &[[u32; 3]]) {
    let calls = Calls::call(op, (0..op.inputs.len()).map(Calls::Argument));
    let item = Item::of_op(op.id, op.id);
    // Alone, and in one program.
    let texts = [("called", calls.to_string()), ("written", by_hand.to_owned())];
    for results in [&texts[..1], &texts[1..], &texts[..]] {
        check(context, table, (&item, None), samples, (&calls, results));
    }
}

/// A random expression of calls of calls.
fn nested(context: &Context, table: &OpTable, seed: u64) {
    let ops: Vec<&'static Op> = primitives().collect();
    let mut random = Random::new(seed);
    let calls = expression(&ops, &mut random, MAX_DEPTH);
    let item = Item::new("calls of calls");
    check(context, table, (&item, Some(seed)), &samples(seed), (&calls, &[("called", calls.to_string())]));
}

fn expression(ops: &[&'static Op], random: &mut Random, depth: u32) -> Calls {
    if depth == 0 || (depth < MAX_DEPTH && random.chance(20)) {
        return if random.chance(20) { Calls::Word(word(random)) } else { Calls::Argument(random.below(3) as usize) };
    }
    let op = random.pick(ops);
    Calls::call(op, (0..op.inputs.len()).map(|_| expression(ops, random, depth - 1)))
}
