//! Programs of the builder compared with their text, and byte access compared with bytes in memory.

use std::collections::HashMap;

use vyre_ir::build::{ProgramBuilder, call, invocation_id, pack, reduce, select, workgroup_id};
use vyre_ir::{AtomicOp, BinOp, BufferDecl, DataType, Expr, Node, OpTable, Program, ReduceOp, UnOp, validate};

#[test]
fn built_programs_print_as_expected() {
    let mut p = ProgramBuilder::new([32, 1, 1]);
    let input = p.read("input", DataType::U32);
    let params = p.uniform("params", DataType::U32);
    let out = p.output("out", DataType::U32);
    let tile = p.workgroup("tile", 32, DataType::U32);
    let program = p.entry(|b| {
        let i = b.let_("i", invocation_id(0));
        let total = b.let_("total", 0u32);
        b.for_("k", 0u32, params.load(0u32), |b, k| {
            let x = b.let_("x", input.load(&i * 4u32 + k));
            b.if_else(
                x.gt(100u32).and(x.ne(200u32)),
                |b| b.assign(&total, &total + &x),
                |b| {
                    b.assign(&total, total.max(1u32 << &x));
                    b.break_();
                },
            );
        });
        b.store(&tile, &i % 32u32, &total);
        b.barrier();
        let x = b.let_("x", reduce(ReduceOp::Add, tile.load(31u32 - &i)));
        b.atomic("old", AtomicOp::Max, &out, 0u32, x.clone() ^ !x);
        b.workgroup_atomic("slot", AtomicOp::Add, &tile, 1u32, 2u32);
        b.discard(Expr::workgroup_atomic_compare_exchange(
            "tile",
            2u32,
            Expr::workgroup_atomic_load("tile", 3u32),
            4u32,
        ));
        b.if_(workgroup_id(0).eq(0u32), |b| b.return_());
        b.store(&out, 1u32, select(true, pack(DataType::U64, [1u32.into(), 2u32.into()]).lane(1), i.clz()));
    });
    let expected = "\
workgroup_size 32, 1, 1;

buffer input: read u32 @0;
buffer params: uniform u32 @1;
buffer out: read_write u32 @2 output;
buffer tile: workgroup u32[32];

entry {
    let i = invocation_id.x;
    let total = 0;
    for k in 0..params[0] {
        let x = input[i * 4 + k];
        if x > 100 && x != 200 {
            total = total + x;
        } else {
            total = max(total, 1 << x);
            break;
        }
    }
    tile[i % 32] = total;
    barrier;
    let x_1 = reduce_add(tile[31 - i]);
    let old = atomic_max(out[0], x_1 ^ ~x_1);
    let slot = workgroup_atomic_add(tile[1], 2);
    let _ = workgroup_atomic_compare_exchange(tile[2], workgroup_atomic_load(tile[3]), 4);
    if workgroup_id.x == 0 {
        return;
    }
    out[1] = select(true, u64(1, 2).y, clz(i));
}
";
    assert_eq!(program.to_string(), expected);
    // The bounds are uniform, so the barrier is in uniform control flow in spite of the `break` in the loop.
    assert!(validate(&program, &OpTable::default()).is_ok());
}

#[test]
fn names_are_unique_and_the_discard_is_never_a_variable() {
    let mut p = ProgramBuilder::new([1, 1, 1]);
    let first = p.read("data", DataType::U32);
    let second = p.read("data", DataType::U32);
    let program = p.entry(|b| {
        let a = b.let_("x", first.load(0u32));
        let c = b.let_("x", second.load(0u32));
        let d = b.let_("_", &a + &c);
        b.discard(d.clone() * 2u32);
        b.discard(-d);
    });
    assert!(validate(&program, &OpTable::default()).is_ok(), "{program}");
}

#[test]
fn calls_are_expressions() {
    let value = call("primitive.math.add", [1u32.into(), Expr::var("x")]) + 1u32;
    assert_eq!(value.to_string(), "primitive.math.add(1, x) + 1");
}

/// Interprets the statements of byte access on one buffer of words.
fn run(program: &Program, words: &mut [u32]) -> HashMap<String, u32> {
    let mut variables = HashMap::new();
    run_body(&program.entry, &mut variables, words);
    variables
}

fn run_body(body: &[Node], variables: &mut HashMap<String, u32>, words: &mut [u32]) {
    for node in body {
        match node {
            Node::If { cond, then, otherwise } => {
                let taken = if evaluate(cond, variables, words) != 0 { then } else { otherwise };
                run_body(taken, variables, words);
            }
            Node::Let { name, value } => {
                let value = evaluate(value, variables, words);
                variables.insert(name.to_string(), value);
            }
            Node::Store { buffer: _, index, value } => {
                let index = evaluate(index, variables, words) as usize;
                let value = evaluate(value, variables, words);
                if let Some(word) = words.get_mut(index) {
                    *word = value;
                }
            }
            other => panic!("not in byte access: {other}"),
        }
    }
}

fn evaluate(expr: &Expr, variables: &HashMap<String, u32>, words: &mut [u32]) -> u32 {
    match expr {
        Expr::LitU32(value) => *value,
        Expr::Var(name) => variables[name.as_str()],
        Expr::Load { buffer: _, index } => {
            let index = evaluate(index, variables, words) as usize;
            words.get(index).copied().unwrap_or(0)
        }
        Expr::UnOp { op: UnOp::BitNot, operand } => !evaluate(operand, variables, words),
        Expr::BinOp { op, left, right } => {
            let left = evaluate(left, variables, words);
            let right = evaluate(right, variables, words);
            match op {
                BinOp::Add => left.wrapping_add(right),
                BinOp::Sub => left.wrapping_sub(right),
                BinOp::BitAnd => left & right,
                BinOp::BitOr => left | right,
                BinOp::Shl => left << (right & 31),
                BinOp::Shr => left >> (right & 31),
                other => panic!("not in byte access: {other:?}"),
            }
        }
        Expr::Atomic { op, buffer: _, index, expected: None, value: Some(value) } => {
            let index = evaluate(index, variables, words) as usize;
            let value = evaluate(value, variables, words);
            let Some(word) = words.get_mut(index) else { return 0 };
            let before = *word;
            match op {
                AtomicOp::And => *word &= value,
                AtomicOp::Or => *word |= value,
                other => panic!("not in byte access: {other:?}"),
            }
            before
        }
        other => panic!("not in byte access: {other}"),
    }
}

const BYTES: [u8; 12] = [0x01, 0x82, 0x03, 0xff, 0x10, 0x20, 0x30, 0xf0, 0xaa, 0xbb, 0xcc, 0xdd];

fn words() -> Vec<u32> {
    BYTES.chunks(4).map(|chunk| chunk.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))).collect()
}

fn byte(words: &[u32], index: usize) -> u8 {
    words.get(index / 4).map_or(0, |word| word.to_le_bytes()[index % 4])
}

#[test]
fn bytes_and_unaligned_words_are_loaded() {
    for at in 0..16u32 {
        let mut p = ProgramBuilder::new([1, 1, 1]);
        let data = p.read_write("data", DataType::U32);
        let program = p.entry(|b| {
            b.load_byte(&data, at);
            b.load_word(&data, at);
        });
        assert!(validate(&program, &OpTable::default()).is_ok());
        let mut memory = words();
        let result = run(&program, &mut memory);
        let expected = |offset: usize| BYTES.get(at as usize + offset).copied().unwrap_or(0);
        assert_eq!(result["byte"], u32::from(expected(0)), "byte {at}");
        let word = u32::from_le_bytes([expected(0), expected(1), expected(2), expected(3)]);
        assert_eq!(result["unaligned"], word, "word at {at}");
    }
}

#[test]
fn unaligned_words_are_stored() {
    for at in 0..16u32 {
        let mut p = ProgramBuilder::new([1, 1, 1]);
        let data = p.read_write("data", DataType::U32);
        let program = p.entry(|b| b.store_word(&data, at, 0x4433_2211u32));
        assert!(validate(&program, &OpTable::default()).is_ok());
        let mut memory = words();
        run(&program, &mut memory);
        for (index, &before) in BYTES.iter().enumerate() {
            let offset = index.wrapping_sub(at as usize);
            let expected = if offset < 4 { 0x11 * (offset as u8 + 1) } else { before };
            assert_eq!(byte(&memory, index), expected, "byte {index} after a store to {at}");
        }
    }
}

#[test]
fn used_slots_are_not_assigned_again() {
    let mut p = ProgramBuilder::new([1, 1, 1]);
    p.declare(BufferDecl::read("last", u32::MAX, DataType::U32));
    p.declare(BufferDecl::read("second", 1, DataType::U32));
    p.read("first", DataType::U32);
    p.read("third", DataType::U32);
    let program = p.entry(|_| ());
    let slots: Vec<_> = program.buffers.iter().map(|buffer| buffer.binding).collect();
    assert_eq!(slots, [u32::MAX, 1, 0, 2]);
}

#[test]
fn storing_a_byte_keeps_its_neighbours() {
    for atomic in [false, true] {
        for at in 0..16u32 {
            let mut p = ProgramBuilder::new([1, 1, 1]);
            let data = p.read_write("data", DataType::U32);
            let program = p.entry(|b| match atomic {
                true => b.store_byte_atomic(&data, at, 0x15au32),
                false => b.store_byte(&data, at, 0x15au32),
            });
            assert!(validate(&program, &OpTable::default()).is_ok());
            let mut memory = words();
            run(&program, &mut memory);
            for (index, &before) in BYTES.iter().enumerate() {
                let expected = if index == at as usize { 0x5a } else { before };
                assert_eq!(byte(&memory, index), expected, "byte {index} after a store to {at}");
            }
        }
    }
}
