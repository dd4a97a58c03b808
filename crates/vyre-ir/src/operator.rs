//! Operators of expressions: binary, unary, atomic and collective. Every operator is a total function.

/// Declares an operator enum. A line declares a variant, its spelling in the text format and its number in the wire
/// format. Wire numbers are permanent: a new operator takes the next number, and no number is changed or reused.
macro_rules! operators {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$variant_doc:meta])* $variant:ident = $text:literal, wire $number:literal;)+
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $name {
            /// Every operator, in the order of the specification.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// Every operator and its number in the wire format.
            pub(crate) const WIRE_NUMBERS: &'static [($name, u8)] = &[$(($name::$variant, $number)),+];

            /// Spelling of the operator in the text format.
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
    /// A binary operator on `U32` operands with a `U32` result. Both operands are always evaluated.
    BinOp {
        /// Sum modulo 2^32.
        Add = "+", wire 0;
        /// Difference modulo 2^32.
        Sub = "-", wire 1;
        /// Product modulo 2^32.
        Mul = "*", wire 2;
        /// Unsigned quotient; 0 if the divisor is 0.
        Div = "/", wire 3;
        /// Unsigned remainder; 0 if the divisor is 0.
        Mod = "%", wire 4;
        /// Bitwise and.
        BitAnd = "&", wire 5;
        /// Bitwise or.
        BitOr = "|", wire 6;
        /// Bitwise exclusive or.
        BitXor = "^", wire 7;
        /// Left shift by the right operand modulo 32.
        Shl = "<<", wire 8;
        /// Logical right shift by the right operand modulo 32.
        Shr = ">>", wire 9;
        /// 1 if equal, else 0.
        Eq = "==", wire 10;
        /// 1 if not equal, else 0.
        Ne = "!=", wire 11;
        /// 1 if less, unsigned, else 0.
        Lt = "<", wire 12;
        /// 1 if greater, unsigned, else 0.
        Gt = ">", wire 13;
        /// 1 if less or equal, unsigned, else 0.
        Le = "<=", wire 14;
        /// 1 if greater or equal, unsigned, else 0.
        Ge = ">=", wire 15;
        /// 1 if both operands are non-zero, else 0.
        And = "&&", wire 16;
        /// 1 if one operand is non-zero, else 0.
        Or = "||", wire 17;
        /// Unsigned minimum.
        Min = "min", wire 18;
        /// Unsigned maximum.
        Max = "max", wire 19;
        /// Absolute difference, unsigned.
        AbsDiff = "abs_diff", wire 20;
        /// High word of the 64-bit product.
        MulHi = "mul_hi", wire 21;
    }
}

operators! {
    /// A unary operator on a `U32` operand with a `U32` result.
    UnOp {
        /// Two's complement, wrapping.
        Negate = "-", wire 0;
        /// One's complement.
        BitNot = "~", wire 1;
        /// 1 if the operand is 0, else 0.
        LogicalNot = "!", wire 2;
        /// Number of one bits.
        Popcount = "popcount", wire 3;
        /// Number of leading zero bits; 32 for 0.
        Clz = "clz", wire 4;
        /// Number of trailing zero bits; 32 for 0.
        Ctz = "ctz", wire 5;
        /// Bit i becomes bit 31 - i.
        ReverseBits = "reverse_bits", wire 6;
    }
}

operators! {
    /// An atomic access to one element of a read-write `U32` buffer, or of one in workgroup memory.
    ///
    /// All operators but `Store` return the value before the update. An access out of range has no effect and returns
    /// 0.
    AtomicOp {
        /// Adds, modulo 2^32.
        Add = "atomic_add", wire 0;
        /// Bitwise or.
        Or = "atomic_or", wire 1;
        /// Bitwise and.
        And = "atomic_and", wire 2;
        /// Bitwise exclusive or.
        Xor = "atomic_xor", wire 3;
        /// Unsigned minimum.
        Min = "atomic_min", wire 4;
        /// Unsigned maximum.
        Max = "atomic_max", wire 5;
        /// Replaces the value.
        Exchange = "atomic_exchange", wire 6;
        /// Replaces the value if it equals `expected`; strong: it does not fail spuriously.
        CompareExchange = "atomic_compare_exchange", wire 7;
        /// Returns the value; takes no operand.
        Load = "atomic_load", wire 8;
        /// Writes the value and returns 0.
        Store = "atomic_store", wire 9;
    }
}

impl AtomicOp {
    /// True if the operator requires the `expected` operand; the others must not have it.
    #[must_use]
    pub const fn takes_expected(self) -> bool {
        matches!(self, AtomicOp::CompareExchange)
    }

    /// True if the operator requires the `value` operand; `Load` must not have it.
    #[must_use]
    pub const fn takes_value(self) -> bool {
        !matches!(self, AtomicOp::Load)
    }

    /// Spelling in the text format of an atomic of this scope.
    #[must_use]
    pub const fn text_in(self, scope: AtomicScope) -> &'static str {
        match scope {
            AtomicScope::Storage => self.text(),
            AtomicScope::Workgroup => match self {
                AtomicOp::Add => "workgroup_atomic_add",
                AtomicOp::Or => "workgroup_atomic_or",
                AtomicOp::And => "workgroup_atomic_and",
                AtomicOp::Xor => "workgroup_atomic_xor",
                AtomicOp::Min => "workgroup_atomic_min",
                AtomicOp::Max => "workgroup_atomic_max",
                AtomicOp::Exchange => "workgroup_atomic_exchange",
                AtomicOp::CompareExchange => "workgroup_atomic_compare_exchange",
                AtomicOp::Load => "workgroup_atomic_load",
                AtomicOp::Store => "workgroup_atomic_store",
            },
        }
    }
}

/// Memory that an atomic accesses, and the invocations that agree on the order of its accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AtomicScope {
    /// A read-write buffer, for all invocations of a dispatch: [`Expr::Atomic`](crate::Expr::Atomic).
    Storage,
    /// Workgroup memory, for the invocations of a workgroup:
    /// [`Expr::WorkgroupAtomic`](crate::Expr::WorkgroupAtomic).
    Workgroup,
}

impl AtomicScope {
    /// Both scopes.
    pub const ALL: [AtomicScope; 2] = [AtomicScope::Storage, AtomicScope::Workgroup];
}

operators! {
    /// Associative operator of [`Collective::Reduce`](crate::Collective::Reduce) and of the scans.
    ReduceOp {
        /// Sum modulo 2^32; identity 0.
        Add = "add", wire 0;
        /// Unsigned minimum; identity 2^32 - 1.
        Min = "min", wire 1;
        /// Unsigned maximum; identity 0.
        Max = "max", wire 2;
        /// Bitwise and; identity 2^32 - 1.
        And = "and", wire 3;
        /// Bitwise or; identity 0.
        Or = "or", wire 4;
        /// Bitwise exclusive or; identity 0.
        Xor = "xor", wire 5;
    }
}

impl ReduceOp {
    /// Identity element, which is the result of an exclusive scan in the first invocation.
    #[must_use]
    pub const fn identity(self) -> u32 {
        match self {
            ReduceOp::Add | ReduceOp::Max | ReduceOp::Or | ReduceOp::Xor => 0,
            ReduceOp::Min | ReduceOp::And => u32::MAX,
        }
    }
}
