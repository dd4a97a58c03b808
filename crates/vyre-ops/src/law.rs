//! Algebraic laws: equations and bounds that hold for all arguments of an op.
//!
//! A law is data: an optimizer can use it, and a test can check it on samples.

use std::fmt;

/// A law that holds for all arguments of an op on words; `f` is the op.
///
/// If one law implies another, only the stronger one is declared: [`Identity`](Law::Identity) holds on both sides, and an op that
/// is [`Associative`](Law::Associative) and [`Idempotent`](Law::Idempotent) is a projection on both sides.
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
