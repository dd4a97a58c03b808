//! Declared laws hold, and laws that hold are declared.

use vyre_ops::{Law, LawError, Op, find, ops};

use crate::samples::triples;

#[test]
fn declared_laws_hold() {
    let samples = triples(10_000);
    for op in ops().iter().filter(|op| op.reference.is_some()) {
        for law in op.laws {
            assert_eq!(law.check(op, &samples), Ok(()), "{}", op.id);
        }
    }
}

#[test]
fn laws_that_hold_are_declared() {
    let samples = triples(1_000);
    let mut candidates = vec![Law::Commutative, Law::Associative, Law::Idempotent, Law::Involution];
    candidates.extend([Law::LeftProjection, Law::RightProjection, Law::Diagonal(0), Law::Diagonal(1)]);
    for constant in [0, u32::MAX] {
        candidates.extend([Law::LeftIdentity(constant), Law::RightIdentity(constant)]);
        candidates.extend([Law::LeftAbsorbing(constant), Law::RightAbsorbing(constant)]);
    }
    candidates.extend([Law::AtMost(0), Law::AtMost(1), Law::AtLeast(0), Law::AtLeast(1)]);
    candidates.extend([1, 32, 0xffff, 0x7fff_ffff].map(|max| Law::Bounded { max }));
    for other in ops().iter().filter(|op| op.reference.is_some()) {
        candidates.extend([Law::UndoneBy(other.id), Law::ConverseOf(other.id)]);
        if other.id.starts_with("primitive.compare.") {
            candidates.push(Law::ComplementOf(other.id));
        }
    }
    let mut missing = Vec::new();
    for op in ops().iter().filter(|op| op.reference.is_some()) {
        let holding = candidates.iter().filter(|law| law.check(op, &samples) == Ok(()));
        missing.extend(holding.filter(|law| !follows(op, **law)).map(|law| (op.id, law)));
    }
    assert!(missing.is_empty(), "laws that hold and are not declared: {missing:#?}");
}

/// Reports whether a law is declared or follows from declared laws.
fn follows(op: &Op, law: Law) -> bool {
    let declared = |law: Law| op.laws.contains(&law);
    declared(law)
        || match law {
            Law::LeftIdentity(constant) | Law::RightIdentity(constant) => declared(Law::Identity(constant)),
            Law::LeftAbsorbing(constant) | Law::RightAbsorbing(constant) => declared(Law::Absorbing(constant)),
            Law::LeftProjection | Law::RightProjection => declared(Law::Associative) && declared(Law::Idempotent),
            Law::Bounded { max } => {
                op.laws.iter().any(|law| matches!(law, Law::Bounded { max: declared } if *declared <= max))
            }
            Law::ConverseOf(id) => id == op.id && declared(Law::Commutative),
            _ => false,
        }
}

fn op(id: &str) -> &'static Op {
    find(id).expect("is in the library")
}

#[test]
fn a_broken_law_names_a_sample() {
    let samples = [[2, 2, 2], [5, 3, 0], [9, 1, 0]];
    let broken = Law::Commutative.check(op("primitive.math.sub"), &samples);
    let expected = LawError::Broken { op: "primitive.math.sub", law: Law::Commutative, sample: [5, 3, 0] };
    assert_eq!(broken, Err(expected));
    assert_eq!(expected.to_string(), "`primitive.math.sub` breaks Commutative for a = 0x5, b = 0x3, c = 0x0");
}

#[test]
fn a_law_of_another_arity_does_not_apply() {
    let laws = [Law::Commutative, Law::Identity(0), Law::AtMost(1)];
    for law in laws {
        let id = "primitive.bitwise.not";
        assert_eq!(law.check(op(id), &[[0; 3]]), Err(LawError::DoesNotApply { op: id, law }));
    }
    let (id, law) = ("primitive.math.add", Law::Involution);
    assert_eq!(law.check(op(id), &[[0; 3]]), Err(LawError::DoesNotApply { op: id, law }));
}

#[test]
fn a_law_about_an_unknown_op() {
    let law = Law::UndoneBy("primitive.math.root");
    let error = LawError::UnknownOp { id: "primitive.math.root" };
    assert_eq!(law.check(op("primitive.math.add"), &[[0; 3]]), Err(error));
}
