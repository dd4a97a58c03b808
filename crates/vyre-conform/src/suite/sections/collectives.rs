//! Collectives of workgroups of all sizes.

use vyre_ir::OpTable;

use crate::race_free::Random;
use crate::suite::context::{Context, INTERPRETS, Item, Settings};
use crate::suite::level::Level;
use crate::suite::samples::{after, bytes, case};
use crate::suite::section::Section;

/// Every collective in workgroups of every size up to a number, in larger ones, and in workgroups of two and three axes.
pub(in crate::suite) struct Collectives;

/// Larger sizes, where not all sizes are run.
const LARGE: [u32; 18] = [33, 47, 63, 64, 65, 96, 100, 127, 128, 129, 192, 255, 256, 257, 511, 512, 1_023, 1_024];

/// Workgroups of several axes.
const SHAPES: [[u32; 3]; 6] = [[2, 3, 1], [8, 4, 1], [1, 1, 9], [4, 4, 4], [16, 16, 1], [3, 5, 7]];

/// Items.
const ITEMS: [&str; 4] =
    ["workgroups of 1 to 32", "workgroups of 33 to 256", "workgroups of 257 to 1,024", "workgroups of several axes"];

/// Largest workgroup of which devices that are software run all programs. Their compilers take seconds for a program of a larger one.
const MAX_SOFTWARE_SIZE: u32 = 256;

/// Item of the programs that devices that are software leave out.
const LEFT_OUT_BY_SOFTWARE: &str = "further operators in workgroups of 257 to 1,024";

/// Item of the sizes that are left out.
const LEFT_OUT: &str = "workgroups of other sizes up to 1,024";

/// Largest size.
const MAX_SIZE: u32 = 1_024;

/// Number of workgroups.
const GROUPS: u32 = 3;

/// Name, neutral element and operator of a combination.
type Combining = (&'static str, u32, fn(u32, u32) -> u32);

/// Combinations of reductions and scans.
const COMBINING: [Combining; 6] = [
    ("add", 0, u32::wrapping_add),
    ("min", u32::MAX, Ord::min),
    ("max", 0, Ord::max),
    ("and", u32::MAX, |a, b| a & b),
    ("or", 0, |a, b| a | b),
    ("xor", 0, |a, b| a ^ b),
];

/// Largest workgroup that has `ballot`.
const MAX_BALLOT: u32 = 32;

impl Section for Collectives {
    fn name(&self) -> &'static str {
        "collectives"
    }

    fn about(&self) -> &'static str {
        "Broadcast, shuffle, ballot, and reductions and scans of every operator, in workgroups of small and large sizes; at level deep, of every size."
    }

    fn cost(&self, settings: &Settings) -> u64 {
        u64::from(settings.amounts.all_collectives_to) * 12 + 600
    }

    fn can_be_divided(&self) -> bool {
        true
    }

    fn run(&self, context: &Context) {
        let every = context.settings().amounts.all_collectives_to;
        let sizes: Vec<u32> = (1..=every).chain(LARGE.into_iter().filter(|&size| size > every)).collect();
        let left_out = u64::from(MAX_SIZE).saturating_sub(sizes.len() as u64);
        let is_software = context.device().is_software();
        let is_whole = |size: u32| !is_software || size <= MAX_SOFTWARE_SIZE || LARGE.contains(&size);
        let operators = |size: u32| {
            let one = size as usize % COMBINING.len();
            if is_whole(size) { 0..COMBINING.len() } else { one..one + 1 }
        };
        let programs: Vec<([u32; 3], usize)> = sizes
            .iter()
            .map(|&size| [size, 1, 1])
            .chain(SHAPES)
            .flat_map(|shape| operators(shape.iter().product()).map(move |operator| (shape, operator)))
            .collect();
        // Items have this order, whichever thread is first.
        ITEMS.iter().for_each(|&item| context.passed(&Item::new(item), 0));
        if context.is_first_part() {
            let is_deep = context.settings().level == Level::Deep;
            let reason = if is_deep { INTERPRETS } else { "only level deep runs workgroups of every size" };
            skip(context, LEFT_OUT, left_out * COMBINING.len() as u64, reason);
            let of_software = (sizes.len() + SHAPES.len()) * COMBINING.len() - programs.len();
            let reason = "the device is software, so that each of these workgroups has one operator";
            skip(context, LEFT_OUT_BY_SOFTWARE, of_software as u64, reason);
        }
        context.in_parallel(programs.len() as u64, |number| {
            let (shape, operator) = programs[number as usize];
            check(context, shape, operator);
        });
    }
}

fn skip(context: &Context, item: &'static str, programs: u64, reason: &str) {
    if programs > 0 {
        context.skipped(&Item::new(item), programs, reason);
    }
}

/// A collective in the text format, and its results for a workgroup, from the values and source indices of its invocations.
type Collective = (String, Box<dyn Fn(&[u32], &[u32]) -> Vec<u32>>);

/// Runs the collectives of an operator in workgroups of a shape.
fn check(context: &Context, shape: [u32; 3], operator: usize) {
    let size: u32 = shape.iter().product();
    let collectives = collectives(size, operator);
    let count = collectives.len();
    let stores: String =
        (0..).zip(&collectives).map(|(at, (text, _))| format!("out[i * {count} + {at}] = {text};\n")).collect();
    let [x, y, z] = shape;
    let source = format!(
        "workgroup_size {x}, {y}, {z};
        buffer values: read u32 @0;
        buffer sources: read u32 @1;
        buffer params: uniform u32 @2;
        buffer out: read_write u32 @3;
        entry {{
            let i = workgroup_id.x * {size} + local_id.x + {x} * (local_id.y + {y} * local_id.z);
            let v = values[i];
            let source = sources[i];
            {stores}
        }}"
    );
    let mut random = Random::new(context.settings().seed ^ u64::from(size) << 8 ^ (operator as u64) << 24);
    let all = (GROUPS * size) as usize;
    let values: Vec<u32> = (0..all).map(|_| random.word()).collect();
    // Some source indices lie outside of the workgroup.
    let sources: Vec<u32> =
        (0..all).map(|_| if random.chance(5) { random.word() } else { random.below(size + size / 4 + 2) }).collect();
    let mut expected = vec![0; all * count];
    for (at, (_, on_host)) in collectives.iter().enumerate() {
        let groups = values.chunks(size as usize).zip(sources.chunks(size as usize));
        let results = groups.flat_map(|(values, sources)| on_host(values, sources));
        for (result, place) in results.zip(expected[at..].iter_mut().step_by(count)) {
            *place = result;
        }
    }
    let params = [0, size - 1, size, u32::MAX, size / 2];
    let buffers = [
        ("values", bytes(&values)),
        ("sources", bytes(&sources)),
        ("params", bytes(&params)),
        ("out", vec![0xa5; expected.len() * 4]),
    ];
    let case = case(&source, &OpTable::default(), [GROUPS, 1, 1], buffers);
    let expected = after(&case, [("out", bytes(&expected))]);
    let item = ITEMS[match shape {
        [1..=32, 1, 1] => 0,
        [33..=256, 1, 1] => 1,
        [_, 1, 1] => 2,
        _ => 3,
    }];
    context.judge(&Item::new(item), None, &case, Some(expected));
}

/// The collectives of a program: those that combine by an operator, and the others. A broadcast is from another invocation for each operator.
fn collectives(size: u32, operator: usize) -> Vec<Collective> {
    let mut all: Vec<Collective> = Vec::new();
    let sources = [0, size - 1, size, u32::MAX, size / 2];
    let at = operator % sources.len();
    let source = sources[at];
    let on_host = move |values: &[u32], _: &[u32]| vec![value_of(values, source); values.len()];
    all.push((format!("broadcast(v, params[{at}])"), Box::new(on_host)));
    let shuffled = |values: &[u32], sources: &[u32]| sources.iter().map(|&source| value_of(values, source)).collect();
    all.push(("shuffle(v, source)".to_owned(), Box::new(shuffled)));
    let (name, neutral, combine) = COMBINING[operator];
    let reduced = move |values: &[u32], _: &[u32]| vec![values.iter().copied().fold(neutral, combine); values.len()];
    all.push((format!("reduce_{name}(v)"), Box::new(reduced)));
    let scanned = move |values: &[u32], own: bool| {
        let mut so_far = neutral;
        let next = |&value: &u32| {
            let before = so_far;
            so_far = combine(so_far, value);
            if own { so_far } else { before }
        };
        values.iter().map(next).collect::<Vec<u32>>()
    };
    all.push((format!("scan_exclusive_{name}(v)"), Box::new(move |values, _| scanned(values, false))));
    all.push((format!("scan_inclusive_{name}(v)"), Box::new(move |values, _| scanned(values, true))));
    if size <= MAX_BALLOT {
        let ballot = |values: &[u32], _: &[u32]| {
            let bits = (0..).zip(values).fold(0, |bits, (at, value)| bits | u32::from(value & 6 != 0) << at);
            vec![bits; values.len()]
        };
        all.push(("ballot(v & 6)".to_owned(), Box::new(ballot)));
    }
    all
}

fn value_of(values: &[u32], source: u32) -> u32 {
    values.get(source as usize).copied().unwrap_or(0)
}
