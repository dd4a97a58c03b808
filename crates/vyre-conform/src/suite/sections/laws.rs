//! Laws of the primitives: exhaustive on 8-bit operands, and with random witnesses of 32 bits.

use vyre_ir::OpTable;
use vyre_ops::{Law, Op};

use super::op_calls::{Calls, primitives, program};
use crate::race_free::Random;
use crate::suite::context::{Context, Item, Settings};
use crate::suite::level::{Amounts, Level};
use crate::suite::samples::{CORNERS, after, bytes, case, word};
use crate::suite::section::Section;

/// Results of every primitive, and both sides of every law that it declares.
pub(in crate::suite) struct Laws;

/// Number of invocations of a workgroup of [`program`].
const WORKGROUP: usize = 64;

impl Section for Laws {
    fn name(&self) -> &'static str {
        "laws"
    }

    fn about(&self) -> &'static str {
        "Results and algebraic laws of every primitive: on all pairs of 8-bit operands, at level deep also on all triples, on corner cases and on random witnesses of 32 bits."
    }

    fn cost(&self, settings: &Settings) -> u64 {
        let triples = settings.level == Level::Deep && !settings.is_interpreter;
        1_500 + settings.amounts.witnesses / 40 + if triples { 60_000 } else { 0 }
    }

    fn run(&self, context: &Context) {
        let samples = samples(context.settings());
        let table = vyre_ops::table();
        let all: u64 = primitives().map(|op| 1 + op.laws.len() as u64).sum();
        let mut done = 0;
        for op in primitives() {
            let arguments: Vec<Calls> = (0..op.inputs.len()).map(Calls::Argument).collect();
            let itself = Calls::call(op, arguments);
            check(context, &table, &Item::of_op(op.id, op.id), &samples, &[("results", itself)]);
            for law in op.laws {
                done += 1;
                context.advanced(done, all);
                if context.must_end() {
                    return;
                }
                let item = Item::of_op(op.id, format!("{} {law:?}", op.id));
                match sides(op, law) {
                    Some(sides) => check_law(context, &table, &item, &samples, &sides),
                    None => context.failed(&item, "the suite does not know this law, or an op that it names", None),
                }
            }
            done += 1;
            context.advanced(done, all);
        }
        all_triples(context, &table);
    }
}

/// Item of the triples that are left out.
const TRIPLES: &str = "laws of three operands, on all triples of 8-bit operands";

/// Number of triples of a run, and of all triples of 8-bit operands.
const TRIPLES_OF_A_RUN: u32 = 1 << 20;
const ALL_TRIPLES: u32 = 1 << 24;

/// Laws of three operands on all triples of 8-bit operands, at level deep.
fn all_triples(context: &Context, table: &OpTable) {
    let has_three = |law: &&Law| matches!(law, Law::Associative | Law::DistributesOver(_));
    let laws: Vec<(&'static Op, &Law)> =
        primitives().flat_map(|op| op.laws.iter().filter(has_three).map(move |law| (op, law))).collect();
    let runs = u64::from(ALL_TRIPLES / TRIPLES_OF_A_RUN);
    let all = laws.len() as u64 * runs;
    let settings = context.settings();
    if settings.level != Level::Deep {
        return context.skipped(&Item::new(TRIPLES), all, "only level deep runs them");
    }
    if settings.is_interpreter {
        return context.skipped_by_interpreter(&Item::new(TRIPLES), all);
    }
    context.in_parallel(all, |number| {
        let (op, law) = laws[(number / runs) as usize];
        let first = (number % runs) as u32 * TRIPLES_OF_A_RUN;
        let triple = |triple: u32| [triple & 0xff, triple >> 8 & 0xff, triple >> 16];
        let samples: Vec<[u32; 3]> = (first..first + TRIPLES_OF_A_RUN).map(triple).collect();
        let item = Item::of_op(op.id, format!("{} {law:?}, all triples", op.id));
        match sides(op, law) {
            Some(sides) => check_law(context, table, &item, &samples, &sides),
            None => context.failed(&item, "the suite does not know an op that the law names", None),
        }
    });
}

/// All pairs of 8-bit operands with a third one, all pairs of corner cases, and random triples; a whole number of workgroups.
fn samples(settings: &Settings) -> Vec<[u32; 3]> {
    let Amounts { operand_bits: bits, witnesses, .. } = settings.amounts;
    let mut random = Random::new(settings.seed ^ 0x1a5);
    let all = 1_u32 << bits.min(8);
    let mut samples: Vec<[u32; 3]> = (0..all * all).map(|pair| [pair % all, pair / all, random.below(all)]).collect();
    for &a in &CORNERS {
        samples.extend(CORNERS.iter().map(|&b| [a, b, random.pick(&CORNERS)]));
    }
    samples.extend((0..witnesses).map(|_| [word(&mut random), word(&mut random), word(&mut random)]));
    samples.resize(samples.len().next_multiple_of(WORKGROUP), [0; 3]);
    samples
}

/// Checks that both sides of a law are equal on the host and on the device.
fn check_law(context: &Context, table: &OpTable, item: &Item, samples: &[[u32; 3]], sides: &[(Calls, Calls)]) {
    for (left, right) in sides {
        let broken = samples.iter().find(|&&sample| left.on_host(sample) != right.on_host(sample));
        if let Some([a, b, c]) = broken {
            context.failed(item, format!("the references break the law for a = {a:#x}, b = {b:#x}, c = {c:#x}"), None);
            continue;
        }
        check(context, table, item, samples, &[("left", left.clone()), ("right", right.clone())]);
    }
}

/// Compares results of expressions with those of the host references.
fn check(context: &Context, table: &OpTable, item: &Item, samples: &[[u32; 3]], results: &[(&str, Calls)]) {
    let column = |at: usize| bytes(&samples.iter().map(|sample| sample[at]).collect::<Vec<u32>>());
    let on_host = |calls: &Calls| samples.iter().map(|&sample| calls.on_host(sample)).collect::<Option<Vec<u32>>>();
    let expected: Option<Vec<(&str, Vec<u8>)>> =
        results.iter().map(|(name, calls)| Some((*name, bytes(&on_host(calls)?)))).collect();
    let Some(expected) = expected else {
        return context.failed(item, "a reference rejects its arguments", None);
    };
    let texts: Vec<(&str, String)> = results.iter().map(|(name, calls)| (*name, calls.to_string())).collect();
    let zeros = vec![0; samples.len() * 4];
    let inputs = [("first", column(0)), ("second", column(1)), ("third", column(2))];
    let buffers = inputs.into_iter().chain(results.iter().map(|(name, _)| (*name, zeros.clone())));
    let groups = (samples.len() / WORKGROUP) as u32;
    let case = case(&program(&texts), table, [groups, 1, 1], buffers);
    let expected = after(&case, expected);
    context.judge(item, None, &case, Some(expected));
}

/// Both sides of a law, as pairs of expressions that must be equal.
fn sides(op: &'static Op, law: &Law) -> Option<Vec<(Calls, Calls)>> {
    let (a, b, c) = (|| Calls::Argument(0), || Calls::Argument(1), || Calls::Argument(2));
    let f = |arguments: Vec<Calls>| Calls::call(op, arguments);
    let all = || f((0..op.inputs.len()).map(Calls::Argument).collect());
    let least = |left, right| Calls::of("primitive.math.min", [left, right]);
    let most = |left, right| Calls::of("primitive.math.max", [left, right]);
    let word = Calls::Word;
    Some(match *law {
        Law::Commutative => vec![(f(vec![a(), b()]), f(vec![b(), a()]))],
        Law::Associative => {
            vec![(f(vec![f(vec![a(), b()]), c()]), f(vec![a(), f(vec![b(), c()])]))]
        }
        Law::Idempotent if op.inputs.len() == 1 => vec![(f(vec![f(vec![a()])]), f(vec![a()]))],
        Law::Idempotent => vec![(f(vec![a(), a()]), a())],
        Law::Involution => vec![(f(vec![f(vec![a()])]), a())],
        Law::Identity(e) => vec![(f(vec![a(), word(e)]), a()), (f(vec![word(e), a()]), a())],
        Law::LeftIdentity(e) => vec![(f(vec![word(e), a()]), a())],
        Law::RightIdentity(e) => vec![(f(vec![a(), word(e)]), a())],
        Law::Absorbing(z) => vec![(f(vec![a(), word(z)]), word(z)), (f(vec![word(z), a()]), word(z))],
        Law::LeftAbsorbing(z) => vec![(f(vec![word(z), a()]), word(z))],
        Law::RightAbsorbing(z) => vec![(f(vec![a(), word(z)]), word(z))],
        Law::Diagonal(constant) => vec![(f(vec![a(), a()]), word(constant))],
        Law::LeftProjection => vec![(f(vec![f(vec![a(), b()]), b()]), f(vec![a(), b()]))],
        Law::RightProjection => vec![(f(vec![a(), f(vec![a(), b()])]), f(vec![a(), b()]))],
        Law::Bounded { max } => vec![(least(all(), word(max))?, all())],
        Law::AtMost(position) => vec![(least(all(), Calls::Argument(position))?, all())],
        Law::AtLeast(position) => vec![(most(all(), Calls::Argument(position))?, all())],
        Law::UndoneBy(id) => vec![(Calls::of(id, [f(vec![a(), b()]), b()])?, a())],
        Law::ConverseOf(id) => vec![(f(vec![a(), b()]), Calls::of(id, [b(), a()])?)],
        Law::ComplementOf(id) => {
            let other = Calls::of(id, [a(), b()])?;
            vec![(f(vec![a(), b()]), Calls::of("primitive.compare.logical_not", [other])?)]
        }
        Law::DistributesOver(id) => {
            let right = Calls::of(id, [f(vec![a(), b()]), f(vec![a(), c()])])?;
            vec![(f(vec![a(), Calls::of(id, [b(), c()])?]), right)]
        }
        // The enum may grow; the section then fails until it knows the new law.
        _ => return None,
    })
}
