//! Operators of expressions: binary, unary, atomic and collective. All are total.

/// Declares an operator enum together with the table of its variants and their names in the text format.
macro_rules! operators {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $name {
            /// Every operator, in the order of the specification.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// How the text format writes the operator.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)+
                }
            }
        }
    };
}

operators! {
    /// A binary operator on `U32` operands, giving `U32`. Both operands are always evaluated.
    BinOp {
        /// Sum modulo 2^32.
        Add = "+",
        /// Difference modulo 2^32.
        Sub = "-",
        /// Product modulo 2^32.
        Mul = "*",
        /// Unsigned quotient; 0 where the divisor is 0.
        Div = "/",
        /// Unsigned remainder; 0 where the divisor is 0.
        Mod = "%",
        /// Bitwise and.
        BitAnd = "&",
        /// Bitwise or.
        BitOr = "|",
        /// Bitwise exclusive or.
        BitXor = "^",
        /// Left shift by the right operand modulo 32.
        Shl = "<<",
        /// Logical right shift by the right operand modulo 32.
        Shr = ">>",
        /// 1 if equal, else 0.
        Eq = "==",
        /// 1 if not equal, else 0.
        Ne = "!=",
        /// 1 if less, unsigned, else 0.
        Lt = "<",
        /// 1 if greater, unsigned, else 0.
        Gt = ">",
        /// 1 if less or equal, unsigned, else 0.
        Le = "<=",
        /// 1 if greater or equal, unsigned, else 0.
        Ge = ">=",
        /// 1 if both operands are non-zero, else 0.
        And = "&&",
        /// 1 if one operand is non-zero, else 0.
        Or = "||",
        /// The smaller operand, unsigned.
        Min = "min",
        /// The larger operand, unsigned.
        Max = "max",
        /// The distance of the operands, unsigned.
        AbsDiff = "abs_diff",
        /// The high word of the 64-bit product.
        MulHi = "mul_hi",
    }
}

operators! {
    /// A unary operator on a `U32` operand, giving `U32`.
    UnOp {
        /// Two's complement, wrapping.
        Negate = "-",
        /// One's complement.
        BitNot = "~",
        /// 1 if the operand is 0, else 0.
        LogicalNot = "!",
        /// The number of one bits.
        Popcount = "popcount",
        /// The number of leading zero bits; 32 for 0.
        Clz = "clz",
        /// The number of trailing zero bits; 32 for 0.
        Ctz = "ctz",
        /// Bit i becomes bit 31 - i.
        ReverseBits = "reverse_bits",
    }
}

operators! {
    /// An atomic access to one element of a read-write `U32` buffer.
    ///
    /// All but `Load` and `Store` give the value before the update. Out of range nothing happens and the result is 0.
    AtomicOp {
        /// Adds, modulo 2^32.
        Add = "atomic_add",
        /// Bitwise or.
        Or = "atomic_or",
        /// Bitwise and.
        And = "atomic_and",
        /// Bitwise exclusive or.
        Xor = "atomic_xor",
        /// Unsigned minimum.
        Min = "atomic_min",
        /// Unsigned maximum.
        Max = "atomic_max",
        /// Replaces the value.
        Exchange = "atomic_exchange",
        /// Replaces the value if it equals `expected`; strong, so it never fails without cause.
        CompareExchange = "atomic_compare_exchange",
        /// Gives the value; takes no operand.
        Load = "atomic_load",
        /// Writes the value and gives 0.
        Store = "atomic_store",
    }
}

impl AtomicOp {
    /// Whether the operator needs the `expected` operand; the others must not have it.
    #[must_use]
    pub const fn takes_expected(self) -> bool {
        matches!(self, AtomicOp::CompareExchange)
    }

    /// Whether the operator needs the `value` operand; `Load` must not have it.
    #[must_use]
    pub const fn takes_value(self) -> bool {
        !matches!(self, AtomicOp::Load)
    }
}

operators! {
    /// How [`Collective::Reduce`](crate::Collective::Reduce) and the scans combine the values of two lanes.
    ReduceOp {
        /// Sum modulo 2^32; the empty sum is 0.
        Add = "add",
        /// Unsigned minimum; of nothing, 2^32 - 1.
        Min = "min",
        /// Unsigned maximum; of nothing, 0.
        Max = "max",
        /// Bitwise and; of nothing, 2^32 - 1.
        And = "and",
        /// Bitwise or; of nothing, 0.
        Or = "or",
        /// Bitwise exclusive or; of nothing, 0.
        Xor = "xor",
    }
}

impl ReduceOp {
    /// What an exclusive scan gives lane 0: the neutral element of the operator.
    #[must_use]
    pub const fn identity(self) -> u32 {
        match self {
            ReduceOp::Add | ReduceOp::Max | ReduceOp::Or | ReduceOp::Xor => 0,
            ReduceOp::Min | ReduceOp::And => u32::MAX,
        }
    }
}
