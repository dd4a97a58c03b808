//! Checks of laws on samples.

use std::fmt;

use vyre_ir::DataType;

use crate::{Law, Op, Value, ValueError};

/// Reason why a law was not confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LawError {
    /// A sample violates the law. The op or the law is wrong.
    Broken {
        /// The op.
        op: &'static str,
        /// The law.
        law: Law,
        /// `a`, `b` and `c`.
        sample: [u32; 3],
    },
    /// The law does not apply to ops with this signature.
    DoesNotApply {
        /// The op.
        op: &'static str,
        /// The law.
        law: Law,
    },
    /// The law names another op that does not exist.
    UnknownOp {
        /// The id.
        id: &'static str,
    },
    /// The reference rejected arguments that match the signature.
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
    /// The first sample that violates the law, or the reason why the law cannot be checked.
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

    /// Reports whether the law applies to ops with this number of inputs. A sample has words for three.
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

    /// The other op that the law names.
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

/// Reports whether all arguments and the result are `U32`.
fn is_on_words(op: &Op) -> bool {
    op.output == DataType::U32 && op.inputs.iter().all(|&input| input == DataType::U32)
}

/// Evaluates an op on words.
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
