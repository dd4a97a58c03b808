//! Operators on expressions and variables.

use std::ops;

use super::{Var, select};
use crate::{BinOp, DataType, Expr, UnOp};

/// Overloads a Rust operator for all combinations of expressions, variables, references to variables and numbers.
macro_rules! overload {
    ($($trait:ident $method:ident $op:ident;)+) => {
        $(
            overload!(@left $trait $method $op: Expr, &Expr, Var, &Var);
            overload!(@number $trait $method $op: Expr, &Expr, Var, &Var);
        )+
    };
    (@left $trait:ident $method:ident $op:ident: $($left:ty),+) => {
        $(
            impl<R: Into<Expr>> ops::$trait<R> for $left {
                type Output = Expr;

                fn $method(self, right: R) -> Expr {
                    Expr::binary(BinOp::$op, self, right)
                }
            }
        )+
    };
    (@number $trait:ident $method:ident $op:ident: $($right:ty),+) => {
        $(
            impl ops::$trait<$right> for u32 {
                type Output = Expr;

                fn $method(self, right: $right) -> Expr {
                    Expr::binary(BinOp::$op, self, right)
                }
            }
        )+
    };
}

overload! {
    Add add Add;
    Sub sub Sub;
    Mul mul Mul;
    Div div Div;
    Rem rem Mod;
    BitAnd bitand BitAnd;
    BitOr bitor BitOr;
    BitXor bitxor BitXor;
    Shl shl Shl;
    Shr shr Shr;
}

/// Overloads a Rust prefix operator.
macro_rules! overload_prefix {
    ($($trait:ident $method:ident $op:ident: $($operand:ty),+;)+) => {
        $($(
            impl ops::$trait for $operand {
                type Output = Expr;

                fn $method(self) -> Expr {
                    Expr::unary(UnOp::$op, self)
                }
            }
        )+)+
    };
}

overload_prefix! {
    Neg neg Negate: Expr, &Expr, Var, &Var;
    Not not BitNot: Expr, &Expr, Var, &Var;
}

/// Declares the operators that Rust cannot overload, for expressions and for variables.
macro_rules! named_operators {
    (
        binary { $($(#[$binary_doc:meta])* $binary:ident $binary_op:ident;)+ }
        unary { $($(#[$unary_doc:meta])* $unary:ident $unary_op:ident;)+ }
    ) => {
        /// Operators that Rust cannot overload.
        impl Expr {
            $(
                $(#[$binary_doc])*
                #[must_use]
                pub fn $binary(self, right: impl Into<Expr>) -> Expr {
                    Expr::binary(BinOp::$binary_op, self, right)
                }
            )+
            $(
                $(#[$unary_doc])*
                #[must_use]
                pub fn $unary(self) -> Expr {
                    Expr::unary(UnOp::$unary_op, self)
                }
            )+

            /// `true_val` if the value is non-zero, else `false_val`.
            #[must_use]
            pub fn select(self, true_val: impl Into<Expr>, false_val: impl Into<Expr>) -> Expr {
                select(self, true_val, false_val)
            }

            /// The value cast to another type.
            #[must_use]
            pub fn cast(self, target: DataType) -> Expr {
                Expr::cast_to(target, self)
            }

            /// Component of the vector.
            #[must_use]
            pub fn lane(self, lane: u32) -> Expr {
                Expr::extract(self, lane)
            }
        }

        /// Operators that Rust cannot overload.
        impl Var {
            $(
                $(#[$binary_doc])*
                #[must_use]
                pub fn $binary(&self, right: impl Into<Expr>) -> Expr {
                    Expr::from(self).$binary(right)
                }
            )+
            $(
                $(#[$unary_doc])*
                #[must_use]
                pub fn $unary(&self) -> Expr {
                    Expr::from(self).$unary()
                }
            )+

            /// `true_val` if the value is non-zero, else `false_val`.
            #[must_use]
            pub fn select(&self, true_val: impl Into<Expr>, false_val: impl Into<Expr>) -> Expr {
                select(self, true_val, false_val)
            }

            /// The value cast to another type.
            #[must_use]
            pub fn cast(&self, target: DataType) -> Expr {
                Expr::cast_to(target, self)
            }

            /// Component of the vector.
            #[must_use]
            pub fn lane(&self, lane: u32) -> Expr {
                Expr::extract(self, lane)
            }
        }
    };
}

named_operators! {
    binary {
        /// 1 if equal, else 0.
        eq Eq;
        /// 1 if not equal, else 0.
        ne Ne;
        /// 1 if less, else 0.
        lt Lt;
        /// 1 if greater, else 0.
        gt Gt;
        /// 1 if less or equal, else 0.
        le Le;
        /// 1 if greater or equal, else 0.
        ge Ge;
        /// 1 if both values are non-zero, else 0.
        and And;
        /// 1 if one value is non-zero, else 0.
        or Or;
        /// Minimum.
        min Min;
        /// Maximum.
        max Max;
        /// Absolute difference.
        abs_diff AbsDiff;
        /// High word of the product.
        mul_hi MulHi;
    }
    unary {
        /// 1 if the value is 0, else 0.
        is_zero LogicalNot;
        /// The number of one bits.
        popcount Popcount;
        /// The number of leading zero bits.
        clz Clz;
        /// The number of trailing zero bits.
        ctz Ctz;
        /// Bits in reverse order.
        reverse_bits ReverseBits;
    }
}
