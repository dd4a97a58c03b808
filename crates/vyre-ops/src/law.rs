//! Laws: equations and bounds that hold for all arguments of an op.
//!
//! A law is data, so that an optimizer can use it and a test can check it on samples.

use std::fmt;

use vyre_ir::DataType;

use crate::{Op, Value, ValueError};

/// What holds for all arguments of an op on words; `f` is the op.
///
/// Where one law says all that another says, only the stronger is declared: [`Identity`](Law::Identity) holds on both
/// sides, and what is [`Associative`](Law::Associative) and [`Idempotent`](Law::Idempotent) is a projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Law {
    /// `f(a, b) = f(b, a)`.
    Commutative,
    /// `f(f(a, b), c) = f(a, f(b, c))`.
    Associative,
    /// `f(a, a) = a`; of one argument, `f(f(a)) = f(a)`.
    Idempotent,
    /// `f(f(a)) = a`.
    Involution,
    /// `f(a, e) = f(e, a) = a`.
    Identity(u32),
    /// `f(e, a) = a`.
    LeftIdentity(u32),
    /// `f(a, e) = a`.
    RightIdentity(u32),
    /// `f(a, z) = f(z, a) = z`.
    Absorbing(u32),
    /// `f(z, a) = z`.
    LeftAbsorbing(u32),
    /// `f(a, z) = z`.
    RightAbsorbing(u32),
    /// `f(a, a) = c`.
    Diagonal(u32),
    /// `f(f(a, b), b) = f(a, b)`.
    LeftProjection,
    /// `f(a, f(a, b)) = f(a, b)`.
    RightProjection,
    /// The result is at most `max`.
    Bounded {
        /// The largest result.
        max: u32,
    },
    /// The result is at most this argument, counted from 0.
    AtMost(usize),
    /// The result is at least this argument, counted from 0.
    AtLeast(usize),
    /// `g(f(a, b), b) = a`, where `g` is the op with this id.
    UndoneBy(&'static str),
    /// `f(a, b) = g(b, a)`, where `g` is the op with this id.
    ConverseOf(&'static str),
    /// `f(a, b)` is 1 where `g(a, b)` is 0, and 0 elsewhere, where `g` is the op with this id.
    ComplementOf(&'static str),
    /// `f(a, g(b, c)) = g(f(a, b), f(a, c))`, where `g` is the op with this id.
    DistributesOver(&'static str),
}

/// The law as an equation; `f` is the op.
impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let argument = |position: usize| ["a", "b", "c"].get(position).copied().unwrap_or("the argument");
        match *self {
            Law::Commutative => write!(f, "f(a, b) = f(b, a)"),
            Law::Associative => write!(f, "f(f(a, b), c) = f(a, f(b, c))"),
            Law::Idempotent => write!(f, "f(a, a) = a, or f(f(a)) = f(a) of one argument"),
            Law::Involution => write!(f, "f(f(a)) = a"),
            Law::Identity(e) => write!(f, "f(a, {e}) = f({e}, a) = a"),
            Law::LeftIdentity(e) => write!(f, "f({e}, a) = a"),
            Law::RightIdentity(e) => write!(f, "f(a, {e}) = a"),
            Law::Absorbing(z) => write!(f, "f(a, {z}) = f({z}, a) = {z}"),
            Law::LeftAbsorbing(z) => write!(f, "f({z}, a) = {z}"),
            Law::RightAbsorbing(z) => write!(f, "f(a, {z}) = {z}"),
            Law::Diagonal(constant) => write!(f, "f(a, a) = {constant}"),
            Law::LeftProjection => write!(f, "f(f(a, b), b) = f(a, b)"),
            Law::RightProjection => write!(f, "f(a, f(a, b)) = f(a, b)"),
            Law::Bounded { max } => write!(f, "the result is at most {max}"),
            Law::AtMost(position) => write!(f, "the result is at most {}", argument(position)),
            Law::AtLeast(position) => write!(f, "the result is at least {}", argument(position)),
            Law::UndoneBy(id) => write!(f, "g(f(a, b), b) = a, where g is {id}"),
            Law::ConverseOf(id) => write!(f, "f(a, b) = g(b, a), where g is {id}"),
            Law::ComplementOf(id) => write!(f, "f(a, b) is 1 where g(a, b) is 0, and 0 elsewhere, where g is {id}"),
            Law::DistributesOver(id) => write!(f, "f(a, g(b, c)) = g(f(a, b), f(a, c)), where g is {id}"),
        }
    }
}

/// Why a law was not confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LawError {
    /// A sample for which the law does not hold: the op is wrong, or the law.
    Broken {
        /// The op.
        op: &'static str,
        /// The law.
        law: Law,
        /// `a`, `b` and `c`.
        sample: [u32; 3],
    },
    /// The law says nothing about ops of this signature.
    DoesNotApply {
        /// The op.
        op: &'static str,
        /// The law.
        law: Law,
    },
    /// The law is about another op that does not exist.
    UnknownOp {
        /// The id that was looked for.
        id: &'static str,
    },
    /// The reference refused arguments that fit the signature.
    Reference(ValueError),
}

impl fmt::Display for LawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LawError::Broken { op, law, sample: [a, b, c] } => {
                write!(f, "`{op}` breaks {law:?} for a = {a:#x}, b = {b:#x}, c = {c:#x}")
            }
            LawError::DoesNotApply { op, law } => write!(f, "{law:?} does not apply to the signature of `{op}`"),
            LawError::UnknownOp { id } => write!(f, "no op has the id `{id}`"),
            LawError::Reference(error) => write!(f, "the reference failed: {error}"),
        }
    }
}

impl std::error::Error for LawError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            LawError::Reference(error) => Some(error),
            LawError::Broken { .. } | LawError::DoesNotApply { .. } | LawError::UnknownOp { .. } => None,
        }
    }
}

impl From<ValueError> for LawError {
    fn from(error: ValueError) -> LawError {
        LawError::Reference(error)
    }
}

impl Law {
    /// Checks the law on the reference of an op. A sample is `a`, `b` and `c` of the equations.
    ///
    /// # Errors
    ///
    /// The first sample that breaks the law, or why the law cannot be checked.
    pub fn check(&self, op: &Op, samples: &[[u32; 3]]) -> Result<(), LawError> {
        let applies = self.applies_to(op.inputs.len());
        if !applies || !is_on_words(op) {
            return Err(LawError::DoesNotApply { op: op.id, law: *self });
        }
        let other = self.other()?;
        for &sample in samples {
            if !self.holds(op, other, sample)? {
                return Err(LawError::Broken { op: op.id, law: *self, sample });
            }
        }
        Ok(())
    }

    /// Whether the law says something about ops of so many inputs. A sample has words for three.
    fn applies_to(&self, inputs: usize) -> bool {
        match *self {
            Law::Involution => inputs == 1,
            Law::Idempotent => inputs == 1 || inputs == 2,
            Law::Bounded { .. } => inputs <= 3,
            Law::AtMost(position) | Law::AtLeast(position) => position < inputs && inputs <= 3,
            Law::Commutative
            | Law::Associative
            | Law::Identity(_)
            | Law::LeftIdentity(_)
            | Law::RightIdentity(_)
            | Law::Absorbing(_)
            | Law::LeftAbsorbing(_)
            | Law::RightAbsorbing(_)
            | Law::Diagonal(_)
            | Law::LeftProjection
            | Law::RightProjection
            | Law::UndoneBy(_)
            | Law::ConverseOf(_)
            | Law::ComplementOf(_)
            | Law::DistributesOver(_) => inputs == 2,
        }
    }

    /// The other op that the law is about.
    fn other(&self) -> Result<Option<&'static Op>, LawError> {
        match *self {
            Law::UndoneBy(id) | Law::ConverseOf(id) | Law::ComplementOf(id) | Law::DistributesOver(id) => {
                crate::find(id).map(Some).ok_or(LawError::UnknownOp { id })
            }
            _ => Ok(None),
        }
    }

    fn holds(&self, op: &Op, other: Option<&Op>, [a, b, c]: [u32; 3]) -> Result<bool, LawError> {
        let f = |arguments: &[u32]| apply(op, arguments);
        let g = |arguments: &[u32]| apply(other.unwrap_or(op), arguments);
        let arguments = &[a, b, c][..op.inputs.len().min(3)];
        Ok(match *self {
            Law::Commutative => f(&[a, b])? == f(&[b, a])?,
            Law::Associative => f(&[f(&[a, b])?, c])? == f(&[a, f(&[b, c])?])?,
            Law::Idempotent if arguments.len() == 1 => f(&[f(&[a])?])? == f(&[a])?,
            Law::Idempotent => f(&[a, a])? == a,
            Law::Involution => f(&[f(&[a])?])? == a,
            Law::Identity(e) => f(&[a, e])? == a && f(&[e, a])? == a,
            Law::LeftIdentity(e) => f(&[e, a])? == a,
            Law::RightIdentity(e) => f(&[a, e])? == a,
            Law::Absorbing(z) => f(&[a, z])? == z && f(&[z, a])? == z,
            Law::LeftAbsorbing(z) => f(&[z, a])? == z,
            Law::RightAbsorbing(z) => f(&[a, z])? == z,
            Law::Diagonal(constant) => f(&[a, a])? == constant,
            Law::LeftProjection => f(&[f(&[a, b])?, b])? == f(&[a, b])?,
            Law::RightProjection => f(&[a, f(&[a, b])?])? == f(&[a, b])?,
            Law::Bounded { max } => f(arguments)? <= max,
            Law::AtMost(position) => f(arguments)? <= arguments[position],
            Law::AtLeast(position) => f(arguments)? >= arguments[position],
            Law::UndoneBy(_) => g(&[f(&[a, b])?, b])? == a,
            Law::ConverseOf(_) => f(&[a, b])? == g(&[b, a])?,
            Law::ComplementOf(_) => f(&[a, b])? == u32::from(g(&[a, b])? == 0),
            Law::DistributesOver(_) => f(&[a, g(&[b, c])?])? == g(&[f(&[a, b])?, f(&[a, c])?])?,
        })
    }
}

/// Whether all arguments and the result are `U32`.
fn is_on_words(op: &Op) -> bool {
    op.output == DataType::U32 && op.inputs.iter().all(|&input| input == DataType::U32)
}

/// The result of an op on words.
fn apply(op: &Op, arguments: &[u32]) -> Result<u32, LawError> {
    let mut values = [Value::U32(0); 3];
    for (value, &argument) in values.iter_mut().zip(arguments) {
        *value = Value::U32(argument);
    }
    match op.call(&values[..arguments.len().min(3)])? {
        Value::U32(result) => Ok(result),
        other => {
            let (expected, found) = (DataType::U32, other.data_type());
            Err(LawError::Reference(ValueError::ResultType { expected, found }))
        }
    }
}
