//! Atomics on storage and workgroup memory.

use vyre_ir::OpTable;

use crate::race_free::Random;
use crate::suite::context::{Context, Item, Settings};
use crate::suite::samples::{after, bytes, case, word};
use crate::suite::section::Section;

/// Every atomic operator: results one after the other, and the effect of many invocations on few words.
pub(in crate::suite) struct Atomics;

/// New value of a word by its old one, the operand and, for a compare-exchange, the expected value.
type Update = fn(u32, u32, u32) -> u32;

/// Operators: name, new value, and whether updates of several invocations give one result in any order.
pub(super) const OPERATORS: [(&str, Update, bool); 10] = [
    ("add", |old, value, _| old.wrapping_add(value), true),
    ("or", |old, value, _| old | value, true),
    ("and", |old, value, _| old & value, true),
    ("xor", |old, value, _| old ^ value, true),
    ("min", |old, value, _| old.min(value), true),
    ("max", |old, value, _| old.max(value), true),
    ("exchange", |_, value, _| value, false),
    ("compare_exchange", |old, value, expected| if old == expected { value } else { old }, false),
    ("load", |old, _, _| old, false),
    ("store", |_, value, _| value, false),
];

/// Number of atomics that an invocation makes one after the other.
const STEPS: u32 = 64;

/// Workgroup sizes of contended atomics.
const SIZES: [u32; 7] = [1, 3, 31, 32, 64, 100, 256];

/// Number of workgroups, and of words that they share.
const GROUPS: u32 = 5;
const WORDS: u32 = 7;

impl Section for Atomics {
    fn name(&self) -> &'static str {
        "atomics"
    }

    fn about(&self) -> &'static str {
        "Every atomic operator on storage and workgroup memory: values before updates, and no lost update of many invocations."
    }

    fn cost(&self, _: &Settings) -> u64 {
        400
    }

    fn run(&self, context: &Context) {
        let all = OPERATORS.len() as u64 + 1;
        for (done, (name, update, is_commutative)) in (1..).zip(OPERATORS) {
            for is_workgroup in [false, true] {
                if context.must_end() {
                    return;
                }
                in_order(context, name, update, is_workgroup);
                if is_commutative {
                    for size in SIZES {
                        contended(context, name, update, is_workgroup, size);
                    }
                }
            }
            context.advanced(done, all);
        }
        for size in SIZES {
            for is_workgroup in [false, true] {
                tickets(context, is_workgroup, size);
                retries(context, is_workgroup, size);
                exchanges(context, is_workgroup, size);
            }
        }
    }
}

fn item(name: &str, is_workgroup: bool) -> Item {
    Item::new(format!("{}atomic_{name}", if is_workgroup { "workgroup_" } else { "" }))
}

fn call(name: &str, is_workgroup: bool, place: &str, value: &str, expected: &str) -> String {
    let prefix = if is_workgroup { "workgroup_" } else { "" };
    match name {
        "load" => format!("{prefix}atomic_load({place})"),
        "compare_exchange" => format!("{prefix}atomic_compare_exchange({place}, {expected}, {value})"),
        _ => format!("{prefix}atomic_{name}({place}, {value})"),
    }
}

/// A single invocation: every result is the value before the update. A store gives 0.
fn in_order(context: &Context, name: &str, update: Update, is_workgroup: bool) {
    let buffer = if is_workgroup { "tile" } else { "data" };
    let atomic = call(name, is_workgroup, &format!("{buffer}[k & 3]"), "value[k]", "expected[k]");
    let source = format!(
        "workgroup_size 1;
        buffer tile: workgroup u32[4];
        buffer data: read_write u32 @0;
        buffer value: read u32 @1;
        buffer expected: read u32 @2;
        buffer out: read_write u32 @3;
        buffer last: read_write u32 @4;
        entry {{
            for k in 0..4 {{ tile[k] = data[k]; }}
            barrier;
            for k in 0..{STEPS} {{ out[k] = {atomic}; }}
            barrier;
            for k in 0..4 {{ last[k] = {}; }}
        }}",
        if is_workgroup { "tile[k]" } else { "data[k]" }
    );
    let mut random = Random::new(context.settings().seed ^ 0xa70);
    let start: Vec<u32> = (0..4).map(|_| word(&mut random)).collect();
    let values: Vec<u32> = (0..STEPS).map(|_| word(&mut random)).collect();
    let mut words = start.clone();
    let (mut expected, mut results) = (Vec::new(), Vec::new());
    for (at, &value) in values.iter().enumerate() {
        let old = words[at & 3];
        // Half of the compare-exchanges succeed.
        expected.push(if random.chance(50) { old } else { word(&mut random) });
        results.push(if name == "store" { 0 } else { old });
        words[at & 3] = update(old, value, expected[at]);
    }
    let out = vec![0xa5; STEPS as usize * 4];
    let buffers = [
        ("data", bytes(&start)),
        ("value", bytes(&values)),
        ("expected", bytes(&expected)),
        ("out", out),
        ("last", vec![0; 16]),
    ];
    let case = case(&source, &OpTable::default(), [1, 1, 1], buffers);
    let data = bytes(if is_workgroup { &start } else { &words });
    let expected = after(&case, [("data", data), ("out", bytes(&results)), ("last", bytes(&words))]);
    context.judge(&item(name, is_workgroup), None, &case, Some(expected));
}

/// A program that does something with a few words of storage, or of workgroup memory whose last values it stores for each workgroup.
fn shared(is_workgroup: bool, size: u32, body: &str) -> String {
    let save = if is_workgroup {
        format!(
            "barrier; for k in 0..{WORDS} {{
                if local_id.x == 0 {{ data[workgroup_id.x * {WORDS} + k] = tile[k]; }}
            }}"
        )
    } else {
        String::new()
    };
    format!(
        "workgroup_size {size};
        buffer tile: workgroup u32[{WORDS}];
        buffer data: read_write u32 @0;
        buffer value: read u32 @1;
        buffer out: read_write u32 @2;
        entry {{
            let i = invocation_id.x;
            if local_id.x == 0 {{ for k in 0..{WORDS} {{ tile[k] = value[k]; }} }}
            barrier;
            {body}
            {save}
        }}"
    )
}

fn contended(context: &Context, name: &str, update: Update, is_workgroup: bool, size: u32) {
    let (buffer, count) = if is_workgroup { ("tile", GROUPS) } else { ("data", 1) };
    let atomic = call(name, is_workgroup, &format!("{buffer}[i % {WORDS}]"), "value[i]", "0");
    let source = shared(is_workgroup, size, &format!("let _ = {atomic};"));
    let invocations = GROUPS * size;
    let mut random = Random::new(context.settings().seed ^ u64::from(size));
    // As many values as words at least, which are the first contents of workgroup memory.
    let values: Vec<u32> = (0..invocations.max(WORDS)).map(|_| random.word()).collect();
    let start: Vec<u32> = (0..count).flat_map(|_| values[..WORDS as usize].to_vec()).collect();
    let mut words = start.clone();
    for i in 0..invocations {
        let place = if is_workgroup { i / size * WORDS } else { 0 } + i % WORDS;
        words[place as usize] = update(words[place as usize], values[i as usize], 0);
    }
    let buffers = [("data", bytes(&start)), ("value", bytes(&values)), ("out", vec![0; 4])];
    let case = case(&source, &OpTable::default(), [GROUPS, 1, 1], buffers);
    let expected = after(&case, [("data", bytes(&words))]);
    context.judge(&item(name, is_workgroup), None, &case, Some(expected));
}

/// Every invocation that adds 1 gets a number of its own, with which it marks a place.
fn tickets(context: &Context, is_workgroup: bool, size: u32) {
    let (buffer, first) =
        if is_workgroup { ("tile", format!("workgroup_id.x * {size} + ")) } else { ("data", String::new()) };
    let atomic = call("add", is_workgroup, &format!("{buffer}[0]"), "1", "0");
    let source = shared(is_workgroup, size, &format!("let ticket = {atomic}; out[{first}ticket] = ticket + 1;"));
    let (count, each) = if is_workgroup { (GROUPS, size) } else { (1, GROUPS * size) };
    let zeros = vec![0_u32; (count * WORDS) as usize];
    let mut last = zeros.clone();
    last.chunks_mut(WORDS as usize).for_each(|words| words[0] = each);
    let marks: Vec<u32> = (0..count).flat_map(|_| 1..=each).collect();
    let out = vec![0; (GROUPS * size) as usize * 4];
    let buffers = [("data", bytes(&zeros)), ("value", vec![0; WORDS as usize * 4]), ("out", out)];
    let case = case(&source, &OpTable::default(), [GROUPS, 1, 1], buffers);
    let expected = after(&case, [("data", bytes(&last)), ("out", bytes(&marks))]);
    context.judge(&Item::new(if is_workgroup { "workgroup tickets" } else { "tickets" }), None, &case, Some(expected));
}

/// Increments by compare-exchange in a loop. At most as many attempts fail as there are other invocations.
fn retries(context: &Context, is_workgroup: bool, size: u32) {
    let buffer = if is_workgroup { "tile" } else { "data" };
    let atomic = call("compare_exchange", is_workgroup, &format!("{buffer}[1]"), "seen + 3", "seen");
    let attempts = GROUPS * size + 1;
    let body = format!(
        "let seen = 0;
        for attempt in 0..{attempts} {{
            let before = {atomic};
            if before == seen {{ break; }}
            seen = before;
        }}"
    );
    let source = shared(is_workgroup, size, &body);
    let (count, each) = if is_workgroup { (GROUPS, size) } else { (1, GROUPS * size) };
    let zeros = vec![0_u32; (count * WORDS) as usize];
    let mut last = zeros.clone();
    last.chunks_mut(WORDS as usize).for_each(|words| words[1] = each * 3);
    let buffers = [("data", bytes(&zeros)), ("value", vec![0; WORDS as usize * 4]), ("out", vec![0; 4])];
    let case = case(&source, &OpTable::default(), [GROUPS, 1, 1], buffers);
    let expected = after(&case, [("data", bytes(&last))]);
    let item = Item::new(if is_workgroup { "workgroup retries" } else { "retries" });
    context.judge(&item, None, &case, Some(expected));
}

/// Exchanged values are neither lost nor doubled: the values that come out of a word of each workgroup, and its last one, are all that
/// went in. Each marks its place.
fn exchanges(context: &Context, is_workgroup: bool, size: u32) {
    let place = if is_workgroup { "tile[2]".to_owned() } else { format!("data[workgroup_id.x * {WORDS} + 2]") };
    let atomic = call("exchange", is_workgroup, &place, "i + 1", "0");
    let body = format!(
        "let before = {atomic};
        if before != 0 {{ out[before] = before + 1; }}
        barrier;
        if local_id.x == 0 {{ out[{place}] = {place} + 1; {place} = 0; }}"
    );
    let source = shared(is_workgroup, size, &body);
    let zeros = vec![0; (GROUPS * WORDS) as usize * 4];
    let marks: Vec<u32> = (0..=GROUPS * size).map(|value| if value == 0 { 0 } else { value + 1 }).collect();
    let buffers = [("data", zeros), ("value", vec![0; WORDS as usize * 4]), ("out", vec![0; marks.len() * 4])];
    let case = case(&source, &OpTable::default(), [GROUPS, 1, 1], buffers);
    let expected = after(&case, [("out", bytes(&marks))]);
    let item = Item::new(if is_workgroup { "workgroup exchanges" } else { "exchanges" });
    context.judge(&item, None, &case, Some(expected));
}
