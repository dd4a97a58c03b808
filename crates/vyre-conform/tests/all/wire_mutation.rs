//! Mutation tests of the wire format: the reader does not panic on any bytes, and its memory is linear in their number.

use allocation_counter::measure;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use vyre_conform::arbitrary::{arb_plausible_program, arb_program, config};
use vyre_ir::wire::{MAGIC, VERSION, WireErrorKind, from_wire, to_wire};
use vyre_ir::{BufferDecl, DataType, Expr, Name, Node, Program, UnOp};

/// Maximum bytes allocated in total for each byte of input, growth of lists included. A one-byte block allocates a list of
/// several statements, and an entry of the stack of open bodies.
const MEMORY_PER_BYTE: u64 = 1_000;

/// Fixed allocation of any input.
const MEMORY_BASE: u64 = 16 * 1024;

/// The largest number of the format, encoded in five bytes.
const LARGEST_NUMBER: [u8; 5] = [0xff, 0xff, 0xff, 0xff, 0x0f];

/// A change of a file.
#[derive(Clone, Debug)]
enum Edit {
    Flip {
        at: Index,
        bits: u8,
    },
    Truncate {
        at: Index,
    },
    Insert {
        at: Index,
        bytes: Vec<u8>,
    },
    Remove {
        at: Index,
        count: usize,
    },
    Repeat {
        at: Index,
        count: usize,
        times: usize,
    },
    /// Copies a part of the file to another position.
    Splice {
        from: Index,
        count: usize,
        at: Index,
    },
}

fn arb_edit() -> impl Strategy<Value = Edit> {
    let at = any::<Index>;
    prop_oneof![
        4 => (at(), 1..=u8::MAX).prop_map(|(at, bits)| Edit::Flip { at, bits }),
        2 => (at(), 0..8u32).prop_map(|(at, bit)| Edit::Flip { at, bits: 1 << bit }),
        1 => at().prop_map(|at| Edit::Truncate { at }),
        2 => (at(), vec(any::<u8>(), 1..6)).prop_map(|(at, bytes)| Edit::Insert { at, bytes }),
        1 => at().prop_map(|at| Edit::Insert { at, bytes: LARGEST_NUMBER.to_vec() }),
        1 => (at(), 1..6usize).prop_map(|(at, count)| Edit::Remove { at, count }),
        1 => (at(), 1..6usize, 1..40usize).prop_map(|(at, count, times)| Edit::Repeat { at, count, times }),
        1 => (at(), 1..20usize, at()).prop_map(|(from, count, at)| Edit::Splice { from, count, at }),
    ]
}

/// A position in the bytes, the end included.
fn place(at: &Index, bytes: &[u8]) -> usize {
    at.index(bytes.len() + 1)
}

fn part<'b>(at: &Index, count: usize, bytes: &'b [u8]) -> &'b [u8] {
    let rest = &bytes[place(at, bytes)..];
    &rest[..count.min(rest.len())]
}

fn apply(edit: &Edit, bytes: &mut Vec<u8>) {
    match edit {
        Edit::Flip { at, bits } => {
            let place = place(at, bytes);
            if let Some(byte) = bytes.get_mut(place) {
                *byte ^= bits;
            }
        }
        Edit::Truncate { at } => bytes.truncate(place(at, bytes)),
        Edit::Insert { at, bytes: inserted } => {
            let place = place(at, bytes);
            bytes.splice(place..place, inserted.iter().copied());
        }
        Edit::Remove { at, count } => {
            let start = place(at, bytes);
            let end = (start + count).min(bytes.len());
            bytes.drain(start..end);
        }
        Edit::Repeat { at, count, times } => {
            let (place, repeated) = (place(at, bytes), part(at, *count, bytes).repeat(*times));
            bytes.splice(place..place, repeated);
        }
        Edit::Splice { from, count, at } => {
            let (place, moved) = (place(at, bytes), part(from, *count, bytes).to_vec());
            bytes.splice(place..place, moved);
        }
    }
}

/// Checks the properties of any bytes. Returns the decoded program.
fn withstand(bytes: &[u8]) -> Result<Option<Program>, TestCaseError> {
    let mut outcome = None;
    let memory = measure(|| outcome = Some(from_wire(bytes))).bytes_total;
    let bound = MEMORY_BASE + MEMORY_PER_BYTE * bytes.len() as u64;
    prop_assert!(memory <= bound, "{} bytes made the reader allocate {}", bytes.len(), memory);
    match outcome {
        Some(Ok(program)) => {
            prop_assert_eq!(to_wire(&program), bytes);
            Ok(Some(program))
        }
        Some(Err(error)) => {
            prop_assert!(error.offset <= bytes.len(), "{} bytes: {}", bytes.len(), error);
            prop_assert!(!error.to_string().is_empty());
            Ok(None)
        }
        None => Err(TestCaseError::fail("nothing was decoded")),
    }
}

proptest! {
    #![proptest_config(config(1024))]

    #[test]
    fn changed_programs_are_read_or_refused(
        program in prop_oneof![arb_program(), arb_plausible_program()],
        edits in vec(arb_edit(), 0..6),
    ) {
        let mut bytes = to_wire(&program);
        withstand(&bytes)?;
        for edit in &edits {
            apply(edit, &mut bytes);
            withstand(&bytes)?;
        }
    }

    #[test]
    fn two_programs_spliced_are_read_or_refused(
        first in arb_plausible_program(),
        second in arb_plausible_program(),
        cut in any::<Index>(),
        join in any::<Index>(),
    ) {
        let (first, second) = (to_wire(&first), to_wire(&second));
        let spliced = [&first[..place(&cut, &first)], &second[place(&join, &second)..]].concat();
        withstand(&spliced)?;
    }

    #[test]
    fn any_bytes_after_the_header_are_read_or_refused(bytes in vec(any::<u8>(), 0..64)) {
        withstand(&bytes)?;
        withstand(&with_header(&bytes))?;
    }

    /// Small bytes are likely opcodes, so these inputs get deep into the code section.
    #[test]
    fn any_code_is_read_or_refused(code in vec(0..0x3au8, 0..200)) {
        let no_names_no_buffers_one_invocation = [0, 0, 1, 1, 1];
        withstand(&with_header(&[&no_names_no_buffers_one_invocation[..], &code].concat()))?;
    }

    #[test]
    fn truncated_programs_are_refused(program in arb_plausible_program(), cut in any::<Index>()) {
        let bytes = to_wire(&program);
        prop_assert_eq!(withstand(&bytes[..cut.index(bytes.len())])?, None);
    }

    #[test]
    fn extended_programs_are_refused(program in arb_plausible_program(), extra in vec(any::<u8>(), 1..8)) {
        let bytes = [to_wire(&program), extra].concat();
        prop_assert_eq!(withstand(&bytes)?, None);
    }
}

fn with_header(rest: &[u8]) -> Vec<u8> {
    [&MAGIC[..], &VERSION.to_le_bytes(), rest].concat()
}

fn kind_of(bytes: &[u8]) -> Option<WireErrorKind> {
    withstand(bytes).unwrap_or_else(|failure| panic!("{failure}"));
    from_wire(bytes).err().map(|error| error.kind)
}

#[test]
fn claimed_lengths_are_not_believed() {
    let claims: [&[u8]; 4] = [
        // The number of buffers.
        &[],
        // The length of the first buffer's name.
        &[1, 0],
        // The length of the name of a variable.
        &[0, 1, 1, 1, 0x24, 0],
        // The number of buffers where some bytes follow.
        &[],
    ];
    for (claim, padding) in claims.into_iter().zip([0, 0, 0, 1000]) {
        let bytes = with_header(&[claim, &LARGEST_NUMBER, &vec![0; padding]].concat());
        let left = padding;
        assert_eq!(kind_of(&bytes), Some(WireErrorKind::TooLong { count: u32::MAX, left }));
    }
    let call = Node::Let { name: "x".into(), value: Expr::Call { op_id: "f".into(), args: vec![] } };
    let pack = Node::Let { name: "x".into(), value: Expr::Pack { ty: DataType::U64, lanes: vec![] } };
    for node in [call, pack] {
        let bytes = to_wire(&Program::new(vec![], [1, 1, 1], vec![node]));
        // The operand count is followed by the statement, its literal name, and the end of the entry.
        let (before, after) = bytes.split_at(bytes.len() - 6);
        assert_eq!(after[0], 0);
        let claimed = [before, &LARGEST_NUMBER, &after[1..]].concat();
        assert_eq!(kind_of(&claimed), Some(WireErrorKind::MissingOperand));
    }
}

#[test]
fn malformed_numbers_are_refused() {
    let superfluous = with_header(&[0x80, 0x00]);
    let too_large = with_header(&[0xff, 0xff, 0xff, 0xff, 0x1f]);
    let too_long = with_header(&[0x80; 20]);
    for bytes in [superfluous, too_large, too_long] {
        assert_eq!(kind_of(&bytes), Some(WireErrorKind::BadNumber));
    }
}

fn program_of(entry: Vec<Node>) -> Program {
    Program::new(vec![BufferDecl::output("out", 0, DataType::U32)], [1, 1, 1], entry)
}

fn assert_reads_back(program: &Program) {
    let outcome = withstand(&to_wire(program)).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(outcome.is_some_and(|decoded| decoded == *program));
}

const MANY: u32 = 100_000;

#[test]
fn deep_programs_are_read_without_recursion() {
    let mut chain = Expr::LitU32(1);
    let mut nested = vec![];
    let mut else_ifs = vec![];
    for _ in 0..MANY {
        chain = Expr::UnOp { op: UnOp::BitNot, operand: Box::new(chain) };
        nested = vec![Node::Block(nested)];
        else_ifs = vec![Node::If { cond: Expr::LitBool(true), then: vec![], otherwise: else_ifs }];
    }
    assert_reads_back(&program_of(vec![Node::Let { name: "x".into(), value: chain }]));
    assert_reads_back(&program_of(nested));
    assert_reads_back(&program_of(else_ifs));
}

#[test]
fn wide_programs_are_read_in_linear_memory() {
    let discard = |value| Node::Let { name: Name::from(Name::DISCARD), value };
    let literals = || (0..MANY).map(|_| Expr::LitBool(true)).collect();
    // After a large operand list, small lists must not cost as much as the large one.
    let large = discard(Expr::Pack { ty: DataType::U64, lanes: literals() });
    let small = || discard(Expr::Pack { ty: DataType::U64, lanes: vec![Expr::LitBool(true)] });
    assert_reads_back(&program_of(std::iter::once(large).chain((0..MANY).map(|_| small())).collect()));
    assert_reads_back(&program_of((0..MANY).map(|_| Node::Block(vec![Node::Return])).collect()));
    assert_reads_back(&program_of((0..MANY).map(|number| discard(Expr::Var(number.to_string().into()))).collect()));
}
