//! Operators on all pairs of numbers that drivers are known to miscompute.

use super::rig::{Checked, Rig, compare, shown};

/// Numbers at the ends and in the middle, and shift amounts.
const NUMBERS: [u32; 26] = [
    0,
    1,
    2,
    3,
    5,
    7,
    8,
    15,
    16,
    31,
    32,
    33,
    63,
    64,
    255,
    256,
    65_535,
    65_536,
    0x1234_5678,
    0x7fff_fffe,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xaaaa_aaaa,
    0xffff_fffe,
    0xffff_ffff,
];

/// An expression of `x` and `y`, and its value on the host.
type Operator = (&'static str, fn(u32, u32) -> u32);

/// An operator that combines many values in any order: its name in the language, its identity element, and its value on the host.
type Combining = (&'static str, u32, fn(u32, u32) -> u32);

/// The operators of atomics, reductions and scans.
pub(super) const COMBINING: [Combining; 6] = [
    ("add", 0, u32::wrapping_add),
    ("min", u32::MAX, Ord::min),
    ("max", 0, Ord::max),
    ("and", u32::MAX, |a, b| a & b),
    ("or", 0, |a, b| a | b),
    ("xor", 0, |a, b| a ^ b),
];

pub(super) fn wrapping(rig: &Rig<'_>) -> Checked {
    on_all_pairs(
        rig,
        &[
            ("x + y", u32::wrapping_add),
            ("x - y", u32::wrapping_sub),
            ("x * y", u32::wrapping_mul),
            ("-x", |x, _| x.wrapping_neg()),
            ("mul_hi(x, y)", |x, y| ((u64::from(x) * u64::from(y)) >> 32) as u32),
        ],
    )
}

pub(super) fn division(rig: &Rig<'_>) -> Checked {
    on_all_pairs(
        rig,
        &[
            ("x / y", |x, y| x.checked_div(y).unwrap_or(0)),
            ("x % y", |x, y| x.checked_rem(y).unwrap_or(0)),
            ("x / 0", |_, _| 0),
            ("x % 0", |_, _| 0),
            ("x / 7", |x, _| x / 7),
            ("x % 10", |x, _| x % 10),
        ],
    )
}

pub(super) fn shifts(rig: &Rig<'_>) -> Checked {
    on_all_pairs(
        rig,
        &[
            ("x << y", |x, y| x << (y & 31)),
            ("x >> y", |x, y| x >> (y & 31)),
            ("x << 32", |x, _| x),
            ("x >> 33", |x, _| x >> 1),
        ],
    )
}

pub(super) fn comparisons(rig: &Rig<'_>) -> Checked {
    on_all_pairs(
        rig,
        &[
            ("x == y", |x, y| u32::from(x == y)),
            ("x != y", |x, y| u32::from(x != y)),
            ("x < y", |x, y| u32::from(x < y)),
            ("x > y", |x, y| u32::from(x > y)),
            ("x <= y", |x, y| u32::from(x <= y)),
            ("x >= y", |x, y| u32::from(x >= y)),
        ],
    )
}

pub(super) fn extremes(rig: &Rig<'_>) -> Checked {
    on_all_pairs(rig, &[("min(x, y)", Ord::min), ("max(x, y)", Ord::max), ("abs_diff(x, y)", u32::abs_diff)])
}

pub(super) fn bits(rig: &Rig<'_>) -> Checked {
    on_all_pairs(
        rig,
        &[
            ("x & y", |x, y| x & y),
            ("x | y", |x, y| x | y),
            ("x ^ y", |x, y| x ^ y),
            ("~x", |x, _| !x),
            ("popcount(x)", |x, _| x.count_ones()),
            ("clz(x)", |x, _| x.leading_zeros()),
            ("ctz(x)", |x, _| x.trailing_zeros()),
            ("reverse_bits(x)", |x, _| x.reverse_bits()),
        ],
    )
}

pub(super) fn logic(rig: &Rig<'_>) -> Checked {
    on_all_pairs(
        rig,
        &[
            ("x && y", |x, y| u32::from(x != 0 && y != 0)),
            ("x || y", |x, y| u32::from(x != 0 || y != 0)),
            ("!x", |x, _| u32::from(x == 0)),
            ("select(x, y, 7)", |x, y| if x == 0 { 7 } else { y }),
        ],
    )
}

/// Compares operators on all pairs of [`NUMBERS`] with their values on the host.
fn on_all_pairs(rig: &Rig<'_>, operators: &[Operator]) -> Checked {
    let pairs: Vec<(u32, u32)> = NUMBERS.iter().flat_map(|&x| NUMBERS.map(|y| (x, y))).collect();
    let count = operators.len();
    let stores = operators.iter().enumerate().map(|(at, (text, _))| format!("out[i * {count} + {at}] = {text};"));
    let program = format!(
        "workgroup_size 64;
        buffer left: read u32 @0;
        buffer right: read u32 @1;
        buffer out: read_write u32 @2;
        entry {{
            let i = invocation_id.x;
            if i < len(left) {{
                let x = left[i];
                let y = right[i];
                {}
            }}
        }}",
        stores.collect::<String>()
    );
    let left = rig.words(&pairs.iter().map(|pair| pair.0).collect::<Vec<u32>>())?;
    let right = rig.words(&pairs.iter().map(|pair| pair.1).collect::<Vec<u32>>())?;
    let out = rig.untouched(pairs.len() * count)?;
    rig.dispatch(&program, &[&left, &right, &out], [(pairs.len() as u32).div_ceil(64), 1, 1])?;
    let found = rig.read(&out, pairs.len() * count)?;
    // One operator at a time, so that the count of wrong results is that of one operator.
    for (at, (text, host)) in operators.iter().enumerate() {
        let found: Vec<u32> = found.iter().skip(at).step_by(count).copied().collect();
        let expected: Vec<u32> = pairs.iter().map(|&(x, y)| host(x, y)).collect();
        compare(&found, &expected, |pair| {
            let (x, y) = pairs[pair];
            let y = if text.contains('y') { format!(" and y = {}", shown(y)) } else { String::new() };
            format!("`{text}` with x = {}{y}", shown(x))
        })?;
    }
    Ok(())
}
