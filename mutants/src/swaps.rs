//! What replaces what: operators, variants of enums, methods, and instructions in strings.

/// Variants of one enum, each of which may replace every other. The first name is the last segment but one of the path.
const VARIANTS: &[(&str, &[&str])] = &[
    (
        "Binary",
        &["Add", "Sub", "Mul", "MulHi", "Div", "Mod", "And", "Or", "Xor", "Shl", "Shr", "Min", "Max", "AbsDiff"],
    ),
    (
        "BinOp",
        &[
            "Add", "Sub", "Mul", "Div", "Mod", "BitAnd", "BitOr", "BitXor", "Shl", "Shr", "Eq", "Ne", "Lt", "Gt", "Le",
            "Ge", "And", "Or", "Min", "Max", "AbsDiff", "MulHi",
        ],
    ),
    ("Unary", &["Negate", "BitNot", "Popcount", "Clz", "Ctz", "ReverseBits"]),
    ("UnOp", &["Negate", "BitNot", "LogicalNot", "Popcount", "Clz", "Ctz", "ReverseBits"]),
    ("Compare", &["Eq", "Ne", "Lt", "Le"]),
    ("Logic", &["And", "Or"]),
    ("AtomicOp", &["Add", "Or", "And", "Xor", "Min", "Max", "Exchange"]),
    ("ReduceOp", &["Add", "Min", "Max", "And", "Or", "Xor"]),
    ("Id", &["Workgroup", "NumWorkgroups", "Local", "Invocation"]),
    ("BufferAccess", &["ReadOnly", "ReadWrite", "Uniform", "Workgroup"]),
    ("DataType", &["U32", "I32", "U64", "Vec2U32", "Vec4U32", "Bool"]),
    // Cranelift.
    (
        "IntCC",
        &[
            "Equal",
            "NotEqual",
            "UnsignedLessThan",
            "UnsignedLessThanOrEqual",
            "UnsignedGreaterThan",
            "UnsignedGreaterThanOrEqual",
        ],
    ),
    // Naga.
    (
        "BinaryOperator",
        &[
            "Add",
            "Subtract",
            "Multiply",
            "Divide",
            "Modulo",
            "Equal",
            "NotEqual",
            "Less",
            "LessEqual",
            "Greater",
            "GreaterEqual",
            "And",
            "ExclusiveOr",
            "InclusiveOr",
            "LogicalAnd",
            "LogicalOr",
            "ShiftLeft",
            "ShiftRight",
        ],
    ),
    ("UnaryOperator", &["Negate", "LogicalNot", "BitwiseNot"]),
    ("MathFunction", &["Min", "Max", "CountOneBits", "CountLeadingZeros", "CountTrailingZeros", "ReverseBits"]),
    ("BuiltIn", &["GlobalInvocationId", "LocalInvocationId", "LocalInvocationIndex", "WorkGroupId", "NumWorkGroups"]),
];

/// Number of the other variants that replace one: the next ones in the list.
const VARIANTS_OF_ONE: usize = 2;

/// Replacements of `Enum::Variant`, by the names of enum and variant.
pub fn variants(owner: &str, variant: &str) -> Vec<&'static str> {
    let Some((_, all)) = VARIANTS.iter().find(|(name, _)| *name == owner) else { return Vec::new() };
    let Some(at) = all.iter().position(|name| *name == variant) else { return Vec::new() };
    (1..all.len()).take(VARIANTS_OF_ONE).map(|step| all[(at + step) % all.len()]).collect()
}

/// Methods with equal signatures: each is replaced by the next in its list.
const METHODS: &[&[&str]] = &[
    &["is_some", "is_none"],
    &["is_ok", "is_err"],
    &["any", "all"],
    &["first", "last"],
    &["min", "max"],
    &["wrapping_add", "wrapping_sub"],
    &["saturating_add", "saturating_sub"],
    &["checked_add", "checked_sub"],
    &["checked_mul", "checked_add"],
    &["wrapping_mul", "wrapping_add"],
    &["saturating_mul", "saturating_add"],
    &["leading_zeros", "trailing_zeros"],
    &["div_ceil", "saturating_sub"],
    &["push_front", "push_back"],
    // Builders of programs.
    &["lt", "le"],
    &["le", "lt"],
    &["gt", "ge"],
    &["ge", "gt"],
    &["eq", "ne"],
    &["and", "or"],
    &["clz", "ctz"],
    &["if_", "block_if"],
    // Builders of Cranelift.
    &["iadd", "isub"],
    &["imul", "iadd"],
    &["udiv", "urem"],
    &["band", "bor"],
    &["bxor", "band"],
    &["ishl", "ushr"],
    &["umin", "umax"],
    &["iadd_imm", "imul_imm"],
    &["ishl_imm", "ushr_imm"],
    &["uextend", "sextend"],
];

/// Replacement of a method.
pub fn method(name: &str) -> Option<&'static str> {
    METHODS.iter().find_map(|list| {
        let at = list.iter().position(|other| *other == name)?;
        Some(list[(at + 1) % list.len()])
    })
}

/// Instructions of PTX with equal operands.
const INSTRUCTIONS: &[&[&str]] = &[
    &["add.u32", "sub.u32"],
    &["mul.lo.u32", "mul.hi.u32"],
    &["div.u32", "rem.u32"],
    &["and.b32", "or.b32", "xor.b32"],
    &["shl.b32", "shr.u32"],
    &["min.u32", "max.u32"],
    &["popc.b32", "clz.b32", "brev.b32"],
    &["add", "min", "max", "and", "or", "xor", "exch"],
    &["eq", "ne", "lt", "le"],
    &["up", "down"],
    &["not.b32", "neg.s32"],
];

/// Replacement of a string that is an instruction.
pub fn instruction(text: &str) -> Option<&'static str> {
    INSTRUCTIONS.iter().find_map(|list| {
        let at = list.iter().position(|other| *other == text)?;
        Some(list[(at + 1) % list.len()])
    })
}

/// Replacements of a binary operator.
pub fn operators(operator: &str) -> &'static [&'static str] {
    match operator {
        "+" => &["-", "*"],
        "-" => &["+"],
        "*" => &["+"],
        "/" => &["*", "%"],
        "%" => &["/", "+"],
        "<<" => &[">>"],
        ">>" => &["<<"],
        "&" => &["|", "^"],
        "|" => &["&", "^"],
        "^" => &["|", "&"],
        "<" => &["<=", ">", "=="],
        "<=" => &["<", ">="],
        ">" => &[">=", "<"],
        ">=" => &[">", "<="],
        "==" => &["!="],
        "!=" => &["=="],
        "&&" => &["||"],
        "||" => &["&&"],
        "+=" => &["-="],
        "-=" => &["+="],
        "*=" => &["+="],
        "|=" => &["&="],
        "&=" => &["|="],
        "^=" => &["|="],
        "<<=" => &[">>="],
        ">>=" => &["<<="],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_replaces_itself() {
        for list in METHODS.iter().chain(INSTRUCTIONS) {
            for name in *list {
                assert_ne!(method(name), Some(*name));
                assert_ne!(instruction(name), Some(*name));
            }
        }
        for (owner, all) in VARIANTS {
            for variant in *all {
                assert!(!variants(owner, variant).contains(variant));
            }
        }
    }
}
