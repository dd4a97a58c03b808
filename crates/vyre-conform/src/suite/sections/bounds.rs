//! Accesses out of bounds, in every address space.

use vyre_ir::{DataType, OpTable};

use super::atomics::OPERATORS;
use crate::suite::context::{Context, Item, Settings};
use crate::suite::samples::{after, bytes, case};
use crate::suite::section::Section;

/// Loads, stores and atomics at and beyond the ends of buffers of every access and element type.
pub(in crate::suite) struct OutOfBounds;

/// Types of elements.
const TYPES: [DataType; 6] =
    [DataType::U32, DataType::I32, DataType::Bool, DataType::U64, DataType::Vec2U32, DataType::Vec4U32];

/// Number of elements of the buffer that is accessed.
const ELEMENTS: usize = 5;

/// Indices: all elements, the first ones behind them, and those whose byte offset overflows 32 bits, by element size.
const INDICES: [u32; 32] = [
    0,
    1,
    4,
    5,
    6,
    7,
    8,
    9,
    31,
    32,
    255,
    256,
    0xffff,
    0x1_0000,
    0x0fff_ffff,
    0x1000_0000,
    0x1000_0001,
    0x1fff_ffff,
    0x2000_0000,
    0x2000_0001,
    0x3fff_ffff,
    0x4000_0000,
    0x4000_0001,
    0x4000_0004,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0x8000_0004,
    0xc000_0000,
    0xffff_fffc,
    0xffff_fffe,
    0xffff_ffff,
];

impl Section for OutOfBounds {
    fn name(&self) -> &'static str {
        "out-of-bounds"
    }

    fn about(&self) -> &'static str {
        "Loads out of bounds give 0, stores and atomics there do nothing: in read, read_write, uniform and workgroup buffers of every type."
    }

    fn cost(&self, _: &Settings) -> u64 {
        400
    }

    fn run(&self, context: &Context) {
        let steps = TYPES.len() as u64 + 1;
        for (done, ty) in (1..).zip(TYPES) {
            if context.must_end() {
                return;
            }
            for access in ["read", "read_write", "uniform"] {
                loads(context, access, ty);
            }
            workgroup(context, ty);
            stores(context, ty);
            context.advanced(done, steps);
        }
        for (name, _, _) in OPERATORS {
            for is_workgroup in [false, true] {
                atomics(context, name, is_workgroup);
            }
        }
        empty(context);
    }
}

/// Words of elements without zeros, so that a zero was not loaded. Those of `bool` are 1.
fn elements(ty: DataType) -> Vec<u32> {
    let words = ELEMENTS * ty.element_bytes() / 4;
    (0..words as u32).map(|at| if ty == DataType::Bool { 1 } else { 0x0101_0101 * (at + 1) }).collect()
}

/// Expected results of loads at [`INDICES`].
fn loaded(ty: DataType) -> Vec<u32> {
    let lanes = ty.element_bytes() / 4;
    let words = elements(ty);
    let load = |&index: &u32| match words.chunks(lanes).nth(index as usize) {
        Some(element) => element.to_vec(),
        None => vec![0; lanes],
    };
    INDICES.iter().flat_map(load).collect()
}

/// Bytes of elements, with a part of a further element where elements are large. Uniform buffers have whole elements.
fn with_partial_element(ty: DataType, access: &str) -> Vec<u8> {
    let mut data = bytes(&elements(ty));
    if access != "uniform" && ty.element_bytes() > 4 {
        data.extend([0x77; 4]);
    }
    data
}

fn loads(context: &Context, access: &str, ty: DataType) {
    let source = format!(
        "workgroup_size 32;
        buffer data: {access} {ty} @0;
        buffer index: read u32 @1;
        buffer out: read_write {ty} @2;
        entry {{ let i = invocation_id.x; out[i] = data[index[i]]; }}"
    );
    let out = vec![0xa5; INDICES.len() * ty.element_bytes()];
    let buffers = [("data", with_partial_element(ty, access)), ("index", bytes(&INDICES)), ("out", out)];
    let case = case(&source, &OpTable::default(), [1, 1, 1], buffers);
    let expected = after(&case, [("out", bytes(&loaded(ty)))]);
    context.judge(&Item::new(format!("loads from {access} buffers")), None, &case, Some(expected));
}

/// Stores to workgroup memory by more invocations than it has elements, and loads.
fn workgroup(context: &Context, ty: DataType) {
    let source = format!(
        "workgroup_size 32;
        buffer before: workgroup u32[3];
        buffer tile: workgroup {ty}[{ELEMENTS}];
        buffer behind: workgroup u32[3];
        buffer data: read {ty} @0;
        buffer index: read u32 @1;
        buffer out: read_write {ty} @2;
        buffer others: read_write u32 @3;
        entry {{
            let i = local_id.x;
            tile[i] = data[i];
            tile[index[i] | 8] = data[0];
            barrier;
            out[i] = tile[index[i]];
            others[i] = before[i % 3] | behind[i % 3];
        }}"
    );
    let out = vec![0xa5; INDICES.len() * ty.element_bytes()];
    let others = vec![0xa5; INDICES.len() * 4];
    let buffers = [("data", bytes(&elements(ty))), ("index", bytes(&INDICES)), ("out", out), ("others", others)];
    let case = case(&source, &OpTable::default(), [1, 1, 1], buffers);
    let expected = after(&case, [("out", bytes(&loaded(ty))), ("others", vec![0; INDICES.len() * 4])]);
    context.judge(&Item::new("workgroup memory"), None, &case, Some(expected));
}

fn stores(context: &Context, ty: DataType) {
    let source = format!(
        "workgroup_size 32;
        buffer before: read_write {ty} @0;
        buffer data: read_write {ty} @1;
        buffer behind: read_write {ty} @2;
        buffer index: read u32 @3;
        buffer value: read {ty} @4;
        entry {{ let i = invocation_id.x; data[index[i]] = value[i]; }}"
    );
    let lanes = ty.element_bytes() / 4;
    let data = with_partial_element(ty, "read_write");
    let values: Vec<u32> =
        (0..(INDICES.len() * lanes) as u32).map(|at| if ty == DataType::Bool { 0 } else { 0x9000_0000 + at }).collect();
    let mut expected = data.clone();
    for (at, &index) in INDICES.iter().enumerate().filter(|(_, index)| (**index as usize) < ELEMENTS) {
        let (start, size) = (index as usize * lanes * 4, lanes * 4);
        expected[start..start + size].copy_from_slice(&bytes(&values[at * lanes..(at + 1) * lanes]));
    }
    let neighbour = bytes(&elements(ty));
    let buffers = [
        ("before", neighbour.clone()),
        ("data", data),
        ("behind", neighbour),
        ("index", bytes(&INDICES)),
        ("value", bytes(&values)),
    ];
    let case = case(&source, &OpTable::default(), [1, 1, 1], buffers);
    let expected = after(&case, [("data", expected)]);
    context.judge(&Item::new("stores"), None, &case, Some(expected));
}

/// Atomics beyond the end: nothing changes, and they give 0.
fn atomics(context: &Context, name: &str, is_workgroup: bool) {
    let operands = if name == "compare_exchange" {
        ", 0, 7"
    } else if name == "load" {
        ""
    } else {
        ", 7"
    };
    let (prefix, buffer) = if is_workgroup { ("workgroup_", "tile") } else { ("", "data") };
    let source = format!(
        "workgroup_size 32;
        buffer tile: workgroup u32[{ELEMENTS}];
        buffer data: read_write u32 @0;
        buffer index: read u32 @1;
        buffer out: read_write u32 @2;
        buffer kept: read_write u32 @3;
        entry {{
            let i = invocation_id.x;
            if i < {ELEMENTS} {{ tile[i] = 3; }}
            barrier;
            if index[i] >= {ELEMENTS} {{ out[i] = {prefix}atomic_{name}({buffer}[index[i]]{operands}); }}
            barrier;
            kept[i] = tile[i];
        }}"
    );
    let out = vec![0xa5; INDICES.len() * 4];
    let buffers =
        [("data", bytes(&[9; ELEMENTS])), ("index", bytes(&INDICES)), ("out", out.clone()), ("kept", out.clone())];
    let case = case(&source, &OpTable::default(), [1, 1, 1], buffers);
    let results: Vec<u32> =
        INDICES.iter().map(|&index| if (index as usize) < ELEMENTS { 0xa5a5_a5a5 } else { 0 }).collect();
    let kept: Vec<u32> = (0..INDICES.len()).map(|at| if at < ELEMENTS { 3 } else { 0 }).collect();
    let expected = after(&case, [("out", bytes(&results)), ("kept", bytes(&kept))]);
    let item = Item::new(if is_workgroup { "workgroup atomics" } else { "atomics" });
    context.judge(&item, None, &case, Some(expected));
}

/// Buffers without a byte.
fn empty(context: &Context) {
    let source = "workgroup_size 32;
        buffer none: read u32 @0;
        buffer nothing: read_write vec4u32 @1;
        buffer no_words: read_write u32 @2;
        buffer out: read_write u32 @3;
        entry {
            let i = invocation_id.x;
            nothing[i] = vec4u32(1, 2, 3, 4);
            let before = atomic_add(no_words[i], 5);
            out[i] = none[i] + nothing[i].z + before + len(none) + len(nothing) + len(no_words);
        }";
    let buffers = [("none", vec![]), ("nothing", vec![]), ("no_words", vec![]), ("out", vec![0xa5; 128])];
    let case = case(source, &OpTable::default(), [1, 1, 1], buffers);
    let expected = after(&case, [("out", vec![0; 128])]);
    context.judge(&Item::new("empty buffers"), None, &case, Some(expected));
}
