//! The verifier finds a violation of every rule of the kernel form.

use vyre_ir::{AtomicOp, BufferDecl, DataType, Name};
use vyre_kernel::{
    Binary, BlockId, Collective, Fault, Id, Kernel, Key, Op, Slot, SlotId, Statement, Type, ValueId, verify,
};

/// Kernel with buffers of several access modes and types.
fn kernel() -> Kernel {
    let buffers = [
        BufferDecl::read("input", 0, DataType::U32),
        BufferDecl::output("out", 1, DataType::U32),
        BufferDecl::read_write("pairs", 2, DataType::Vec2U32),
        BufferDecl::workgroup("counts", 4, DataType::U32),
        BufferDecl::workgroup("quads", 4, DataType::Vec4U32),
    ];
    Kernel::new([8, 1, 1], buffers)
}

fn buffer(position: usize) -> vyre_kernel::BufferId {
    Key::from_position(position)
}

fn push(kernel: &mut Kernel, statement: Statement) {
    let entry = kernel.entry;
    kernel.blocks[entry].statements.push(statement);
}

/// Appends a computation to the entry.
fn compute(kernel: &mut Kernel, op: Op) -> ValueId {
    let value = kernel.new_value(op);
    push(kernel, Statement::Let(value));
    value
}

fn fault(kernel: &Kernel) -> Fault {
    verify(kernel).expect_err("a rule is broken").fault
}

#[test]
fn valid_kernels_pass() {
    let mut kernel = kernel();
    let (one, two) = (kernel.word(1), kernel.word(2));
    let sum = compute(&mut kernel, Op::Binary(Binary::Add, one, two));
    push(&mut kernel, Statement::Store { buffer: buffer(1), index: one, value: sum, guard: None });
    assert_eq!(verify(&kernel), Ok(()));
}

#[test]
fn values_are_visible_only_in_their_block() {
    let mut kernel = kernel();
    let (one, cond) = (kernel.word(1), kernel.bool(true));
    let (then, otherwise) = (kernel.new_block(), kernel.new_block());
    let inner = kernel.new_value(Op::Binary(Binary::Add, one, one));
    kernel.blocks[then].statements.push(Statement::Let(inner));
    push(&mut kernel, Statement::If { cond, then, otherwise });
    assert_eq!(verify(&kernel), Ok(()));
    kernel.blocks[otherwise].statements.push(Statement::Store {
        buffer: buffer(1),
        index: one,
        value: inner,
        guard: None,
    });
    assert_eq!(fault(&kernel), Fault::NotVisible(inner));
    assert_eq!(verify(&kernel).expect_err("as before").path, [0, 0]);
}

#[test]
fn loop_variables_are_visible_only_in_their_loop() {
    let mut kernel = kernel();
    let (one, variable) = (kernel.word(1), kernel.leaf(Op::LoopVariable));
    let body = kernel.new_block();
    push(&mut kernel, Statement::Loop { variable, from: one, to: one, body });
    push(&mut kernel, Statement::Store { buffer: buffer(1), index: one, value: variable, guard: None });
    assert_eq!(fault(&kernel), Fault::NotVisible(variable));
}

#[test]
fn values_are_computed_once_and_before_use() {
    let mut kernel = kernel();
    let one = kernel.word(1);
    let first = kernel.new_value(Op::Binary(Binary::Add, one, one));
    let second = compute(&mut kernel, Op::Binary(Binary::Add, first, one));
    assert_eq!(fault(&kernel), Fault::NotVisible(first));
    let entry = kernel.entry;
    kernel.blocks[entry].statements = vec![Statement::Let(first), Statement::Let(second), Statement::Let(first)];
    assert_eq!(fault(&kernel), Fault::ComputedTwice(first));
    kernel.blocks[entry].statements = vec![Statement::Let(one)];
    assert_eq!(fault(&kernel), Fault::ComputedTwice(one));
}

#[test]
fn types_match() {
    let mut kernel = kernel();
    let (one, yes) = (kernel.word(1), kernel.bool(true));
    compute(&mut kernel, Op::Binary(Binary::Add, one, yes));
    assert_eq!(fault(&kernel), Fault::OperandType { operand: yes, wanted: Type::U32 });

    let mut kernel = self::kernel();
    let one = kernel.word(1);
    compute(&mut kernel, Op::Not(one));
    assert_eq!(fault(&kernel), Fault::OperandType { operand: one, wanted: Type::Bool });

    let mut kernel = self::kernel();
    let one = kernel.word(1);
    push(&mut kernel, Statement::Store { buffer: buffer(2), index: one, value: one, guard: None });
    assert_eq!(fault(&kernel), Fault::OperandType { operand: one, wanted: Type::Vec2 });

    let mut kernel = self::kernel();
    let one = kernel.word(1);
    let value = compute(&mut kernel, Op::Binary(Binary::Add, one, one));
    kernel.values[value].ty = Type::Bool;
    assert_eq!(fault(&kernel), Fault::ResultType(value));

    let mut kernel = self::kernel();
    let one = kernel.word(1);
    kernel.values[one].ty = Type::Bool;
    compute(&mut kernel, Op::Not(one));
    assert_eq!(fault(&kernel), Fault::ResultType(one));

    let mut kernel = self::kernel();
    let one = kernel.word(1);
    let slot = kernel.slots.push(Slot { name: Name::from("x"), ty: Type::Vec4 });
    push(&mut kernel, Statement::Set { slot, value: one });
    assert_eq!(fault(&kernel), Fault::OperandType { operand: one, wanted: Type::Vec4 });

    let mut kernel = self::kernel();
    let (one, yes) = (kernel.word(1), kernel.bool(true));
    compute(&mut kernel, Op::Select(yes, one, yes));
    assert_eq!(fault(&kernel), Fault::OperandType { operand: yes, wanted: Type::U32 });
}

#[test]
fn components_and_axes_are_in_range() {
    let mut kernel = kernel();
    let one = kernel.word(1);
    let pair = compute(&mut kernel, Op::Pack2([one, one]));
    compute(&mut kernel, Op::Extract(pair, 2));
    assert_eq!(fault(&kernel), Fault::OutOfRange);

    let mut kernel = self::kernel();
    let (one, id) = (kernel.word(1), kernel.leaf(Op::Id(Id::Local, 3)));
    compute(&mut kernel, Op::Binary(Binary::Add, one, id));
    assert_eq!(fault(&kernel), Fault::OutOfRange);
}

#[test]
fn control_flow_is_structured() {
    let mut kernel = kernel();
    push(&mut kernel, Statement::Break);
    assert_eq!(fault(&kernel), Fault::StrayBreak);

    let mut kernel = self::kernel();
    push(&mut kernel, Statement::Return);
    push(&mut kernel, Statement::Barrier);
    assert_eq!(fault(&kernel), Fault::AfterExit);

    let mut kernel = self::kernel();
    let (body, cond) = (kernel.new_block(), kernel.bool(true));
    push(&mut kernel, Statement::If { cond, then: body, otherwise: body });
    assert_eq!(fault(&kernel), Fault::SharedBlock(body));

    let mut kernel = self::kernel();
    let body = kernel.entry;
    push(&mut kernel, Statement::Block { body });
    assert_eq!(fault(&kernel), Fault::SharedBlock(body));

    let mut kernel = self::kernel();
    let (one, body) = (kernel.word(1), kernel.new_block());
    push(&mut kernel, Statement::Loop { variable: one, from: one, to: one, body });
    assert_eq!(fault(&kernel), Fault::NoLoopVariable(one));

    let mut kernel = self::kernel();
    let mut block = kernel.entry;
    for _ in 0..200 {
        let body = kernel.new_block();
        kernel.blocks[block].statements.push(Statement::Block { body });
        block = body;
    }
    assert_eq!(fault(&kernel), Fault::TooDeep);
}

#[test]
fn breakable_blocks_contain_no_barrier_or_collective() {
    for rendezvous in [true, false] {
        let mut kernel = kernel();
        let (one, body) = (kernel.word(1), kernel.new_block());
        let ballot = kernel.new_value(Op::Collective(Collective::Broadcast(one, one)));
        let statement = if rendezvous { Statement::Barrier } else { Statement::Let(ballot) };
        kernel.blocks[body].statements.push(statement);
        push(&mut kernel, Statement::Block { body });
        assert_eq!(fault(&kernel), Fault::RendezvousInBlock);
    }
}

#[test]
fn access_modes_are_respected() {
    let mut kernel = kernel();
    let one = kernel.word(1);
    push(&mut kernel, Statement::Store { buffer: buffer(0), index: one, value: one, guard: None });
    assert_eq!(fault(&kernel), Fault::BufferAccess);

    let atomic = |op, buffer, expected, value| Op::Atomic {
        op,
        buffer,
        index: value,
        expected,
        value: Some(value),
        guard: None,
    };
    for at in [0, 2, 4] {
        let mut kernel = self::kernel();
        let one = kernel.word(1);
        compute(&mut kernel, atomic(AtomicOp::Add, buffer(at), None, one));
        assert_eq!(fault(&kernel), Fault::BufferAccess);
    }
    for at in [1, 3] {
        let mut kernel = self::kernel();
        let one = kernel.word(1);
        compute(&mut kernel, atomic(AtomicOp::Add, buffer(at), None, one));
        assert_eq!(verify(&kernel), Ok(()));
    }
    let mut kernel = self::kernel();
    let one = kernel.word(1);
    compute(&mut kernel, atomic(AtomicOp::CompareExchange, buffer(1), None, one));
    assert_eq!(fault(&kernel), Fault::AtomicOperands);
}

#[test]
fn references_resolve() {
    let far: usize = 1_000_000;
    let mut kernel = kernel();
    push(&mut kernel, Statement::Let(ValueId::from_position(far)));
    assert_eq!(fault(&kernel), Fault::Unknown);

    let mut kernel = self::kernel();
    push(&mut kernel, Statement::Block { body: BlockId::from_position(far) });
    assert_eq!(fault(&kernel), Fault::Unknown);

    let mut kernel = self::kernel();
    let one = kernel.word(1);
    push(&mut kernel, Statement::Set { slot: SlotId::from_position(far), value: one });
    assert_eq!(fault(&kernel), Fault::Unknown);

    let mut kernel = self::kernel();
    let (one, length) = (kernel.word(1), kernel.leaf(Op::Length(buffer(far))));
    compute(&mut kernel, Op::Binary(Binary::Add, one, length));
    assert_eq!(fault(&kernel), Fault::Unknown);

    let mut kernel = self::kernel();
    let one = kernel.word(1);
    push(&mut kernel, Statement::Store { buffer: buffer(far), index: one, value: one, guard: None });
    assert_eq!(fault(&kernel), Fault::Unknown);
}
