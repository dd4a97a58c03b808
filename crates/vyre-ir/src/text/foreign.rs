//! Words of WGSL, GLSL, CUDA, OpenCL, C and Rust, each with the construct of this language that takes its place.
//!
//! Suggestions quote code between backticks. A test checks that every quoted piece is a part of a valid program.

/// Suggestion for an `if` in place of a value.
pub(super) const IF_AS_VALUE: &str = "`if` is a statement; choose a value with `select(condition, a, b)`";

/// Suggestion for a declaration that begins with a type.
pub(super) const TYPE_FIRST: &str = "a binding takes the type of its value; write `let x = value;`";

/// Suggestion for the attributes of an entry point.
pub(super) const ENTRY_POINT: &str =
    "write `workgroup_size 64, 1, 1;` and, in place of the main function, `entry { ... }`";

/// Suggestion for the attributes of a buffer.
pub(super) const BINDING: &str = "write `buffer b: read_write u32 @0;`";

const FUNCTION: &str =
    "a program is one `entry { ... }`; functions are ops, which are called as `primitive.math.min(a, b)`";
const LOOP: &str = "write `for i in 0..MAX { ... }` with `break;`";
const LET: &str = "write `let name = value;`";
const CONSTANT: &str = "there are no global constants; bind them in the entry: `let n = 64;`";
const BARRIER: &str = "write `barrier;`";
const FIELDS: &str = "there are no structs; declare a buffer for each field: `buffer x: read u32 @0;`";
const PRINTING: &str = "a program prints nothing; store values to a buffer: `out[i] = value;`";
const SIZE_OF_WORKGROUP: &str =
    "the workgroup size is known; write the number that the program has after `workgroup_size`";
const LOCAL_INDEX: &str = "with `a` and `b` for the first two numbers of `workgroup_size`, the index of an invocation in \
    its workgroup is `(local_id.x + a * (local_id.y + b * local_id.z))`; if all but the first number are 1, it is \
    `local_id.x`";
const ABSOLUTE: &str = "a `u32` has no sign and is its own absolute value; with `a` for an `i32`, its absolute value is \
    `select((a as u32) >> 31, -(a as u32), a as u32)`";
const SHARED: &str = "write `buffer tile: workgroup u32[64];` before the entry";

/// Suggestion for a word at the start of a statement.
pub(super) fn statement(word: &str) -> Option<&'static str> {
    Some(match word {
        "while" | "loop" | "do" | "foreach" => LOOP,
        "continue" => "put the rest of the body into an `if`",
        "switch" | "match" => "write `if` and `else if`",
        "var" | "const" | "auto" | "val" => LET,
        "static" | "constexpr" | "final" | "mut" => LET,
        "fn" | "def" | "func" | "function" | "void" => FUNCTION,
        "struct" | "class" | "enum" | "union" | "typedef" | "type" => FIELDS,
        "int" | "uint" | "unsigned" | "signed" | "long" | "short" | "char" | "byte" | "size_t" | "usize"
        | "uint32_t" | "int32_t" | "uint64_t" | "u8" | "u16" | "i64" => TYPE_FIRST,
        "float" | "double" | "half" | "f16" | "f32" | "f64" => FLOAT,
        "shared" | "__shared__" | "groupshared" | "threadgroup" | "__local" => SHARED,
        "__syncthreads"
        | "workgroupBarrier"
        | "storageBarrier"
        | "groupMemoryBarrier"
        | "memoryBarrierShared"
        | "GroupMemoryBarrierWithGroupSync"
        | "threadgroup_barrier"
        | "syncthreads" => BARRIER,
        "discard" | "exit" | "yield" => "write `return;`",
        "goto" => LOOP,
        "print" | "println" | "printf" | "debugPrintfEXT" => PRINTING,
        _ => return None,
    })
}

/// Suggestion for a word at the start of a declaration.
pub(super) fn declaration(word: &str) -> Option<&'static str> {
    Some(match word {
        "fn" | "def" | "func" | "function" | "void" | "kernel" | "__kernel" | "__global__" | "__device__"
        | "extern" | "pub" | "main" => FUNCTION,
        "struct" | "class" | "enum" | "union" | "typedef" | "type" | "alias" => FIELDS,
        "const" | "static" | "constexpr" | "override" | "define" => CONSTANT,
        "var" | "layout" | "uniform" | "RWStructuredBuffer" | "StructuredBuffer" | "RWBuffer" | "Buffer" | "device"
        | "in" | "out" | "inout" => BINDING,
        "shared" | "__shared__" | "groupshared" | "threadgroup" => SHARED,
        "local_size" | "numthreads" | "workgroup" => "write `workgroup_size 64, 1, 1;`",
        "import" | "include" | "use" | "using" | "enable" | "requires" | "module" | "mod" => {
            "a program is one file; ops are called by their ids: `primitive.math.min(a, b)`"
        }
        _ => return None,
    })
}

const FLOAT: &str = "there are no floating-point numbers; use integers, for example `value << 16` as fixed point";

/// Reason why a word is no type.
pub(super) fn ty(word: &str) -> Option<&'static str> {
    Some(match word {
        "f16" | "f32" | "f64" | "float" | "double" | "half" => "there are no floating-point numbers",
        "int" | "signed" | "int32_t" | "short" | "i16" | "i8" => "write `i32`",
        "uint" | "unsigned" | "uint32_t" | "usize" | "size_t" | "u16" => "write `u32`",
        "ulong" | "uint64_t" => "write `u64`",
        "long" | "i64" | "int64_t" => {
            "there is no signed type of 64 bits; `u64` has the bits, but its numbers have no sign"
        }
        "u8" | "byte" | "char" | "uint8_t" => "bytes lie in words; write `u32`",
        "vec2" | "uvec2" | "uint2" => "write `vec2u32`",
        "vec4" | "uvec4" | "uint4" => "write `vec4u32`",
        "ivec2" | "int2" => {
            "there are no vectors of signed numbers; `vec2u32` has the bits, but its numbers have no sign"
        }
        "ivec4" | "int4" => {
            "there are no vectors of signed numbers; `vec4u32` has the bits, but its numbers have no sign"
        }
        "vec3" | "uvec3" | "uint3" => "vectors have two or four components; write `vec4u32`",
        "boolean" | "Bool" => "write `bool`",
        "array" | "ptr" | "atomic" | "vec" | "runtime" => "a buffer has the type of its elements",
        _ => return None,
    })
}

/// Suggestion for a word that is an operator in other languages.
pub(super) fn operator(word: &str) -> Option<&'static str> {
    Some(match word {
        "and" => "write `a && b`",
        "or" => "write `a || b`",
        "not" => "write `!a`",
        "xor" => "write `a ^ b`",
        "mod" | "rem" => "write `a % b`",
        "div" => "write `a / b`",
        "shl" => "write `a << b`",
        "shr" => "write `a >> b`",
        "is" => "write `a == b`",
        _ => return None,
    })
}

/// Suggestion for a variable that is not declared.
pub(crate) fn variable(name: &str) -> Option<&'static str> {
    Some(match name {
        "global_id"
        | "global_invocation_id"
        | "gl_GlobalInvocationID"
        | "gid"
        | "thread_id"
        | "dispatch_thread_id"
        | "thread_position_in_grid"
        | "SV_DispatchThreadID"
        | "DTid" => "the id of an invocation in the grid is `invocation_id.x`",
        "threadIdx" | "local_invocation_id" | "gl_LocalInvocationID" | "lid" | "thread_position_in_threadgroup" => {
            "the id of an invocation in its workgroup is `local_id.x`"
        }
        "local_invocation_index" | "gl_LocalInvocationIndex" | "local_index" => LOCAL_INDEX,
        "blockIdx" | "group_id" | "gl_WorkGroupID" | "workgroup" | "wid" | "threadgroup_position_in_grid" => {
            "the id of the workgroup is `workgroup_id.x`"
        }
        "gridDim" | "gl_NumWorkGroups" | "num_groups" => "the size of the grid in workgroups is `num_workgroups.x`",
        "blockDim" | "gl_WorkGroupSize" | "workgroup_dim" => SIZE_OF_WORKGROUP,
        "True" | "TRUE" => "write `true`",
        "False" | "FALSE" => "write `false`",
        "UINT_MAX" | "UINT32_MAX" => "write `0xffffffff`",
        "INT_MAX" | "INT32_MAX" => "write `2147483647i32`",
        "null" | "NULL" | "nullptr" | "None" | "nil" => "there are no pointers; write `0`",
        _ => return None,
    })
}

/// Suggestion for an op that does not exist.
pub(crate) fn function(name: &str) -> Option<&'static str> {
    Some(match name {
        "clamp" => "write `min(max(a, b), c)`",
        "f16" | "f32" | "f64" | "float" | "double" | "half" | "sqrt" | "pow" | "exp" | "log" | "sin" | "cos"
        | "floor" | "ceil" | "round" | "fract" => FLOAT,
        "mix" | "lerp" | "step" | "if_else" | "ternary" => "choose a value with `select(condition, a, b)`",
        "int" | "i32_from" => "write `a as i32`",
        "uint" | "unsigned" => "write `a as u32`",
        "vec2" | "uvec2" | "uint2" | "make_uint2" => "write `vec2u32(a, b)`",
        "vec4" | "uvec4" | "uint4" | "make_uint4" => "write `vec4u32(a, b, c, d)`",
        "vec3" | "uvec3" | "uint3" => "vectors have two or four components; write `vec4u32(a, b, c, 0)`",
        "arrayLength" | "length" | "size" | "sizeof" => "write `len(b)`",
        "mod" | "fmod" | "rem" => "write `a % b`",
        "abs" => ABSOLUTE,
        "countOneBits" | "bitCount" | "popc" | "__popc" | "count_ones" => "write `popcount(a)`",
        "countLeadingZeros" | "__clz" | "leading_zeros" => "write `clz(a)`",
        "countTrailingZeros" | "__ctz" | "trailing_zeros" => "write `ctz(a)`",
        "findLSB" | "firstTrailingBit" => {
            "write `ctz(a)`, which is 32 if there is no bit; `select(a, ctz(a), 0xffffffff)` has all bits set then"
        }
        "reverseBits" | "bitfieldReverse" | "__brev" => "write `reverse_bits(a)`",
        "mulhi" | "__umulhi" | "mul_high" => "write `mul_hi(a, b)`",
        "get_global_id" => "axis 0 is `invocation_id.x`, axis 1 `invocation_id.y`",
        "get_local_id" => "axis 0 is `local_id.x`, axis 1 `local_id.y`",
        "get_group_id" => "axis 0 is `workgroup_id.x`, axis 1 `workgroup_id.y`",
        "get_num_groups" => "axis 0 is `num_workgroups.x`, axis 1 `num_workgroups.y`",
        "get_local_size" => SIZE_OF_WORKGROUP,
        "atomicAdd" | "InterlockedAdd" => "write `atomic_add(b[i], value)`",
        "atomicSub" => "write `atomic_add(b[i], 0 - value)`",
        "atomicMin" | "InterlockedMin" => "write `atomic_min(b[i], value)`",
        "atomicMax" | "InterlockedMax" => "write `atomic_max(b[i], value)`",
        "atomicAnd" | "InterlockedAnd" => "write `atomic_and(b[i], value)`",
        "atomicOr" | "InterlockedOr" => "write `atomic_or(b[i], value)`",
        "atomicXor" | "InterlockedXor" => "write `atomic_xor(b[i], value)`",
        "atomicExchange" | "atomicExch" | "InterlockedExchange" => "write `atomic_exchange(b[i], value)`",
        "atomicCAS" | "atomicCompSwap" | "atomicCompareExchangeWeak" | "InterlockedCompareExchange" => {
            "write `atomic_compare_exchange(b[i], expected, value)`"
        }
        "atomicLoad" => "write `atomic_load(b[i])`",
        "atomicStore" => "write `atomic_store(b[i], value)`",
        "subgroupAdd" | "workgroupAdd" | "WaveActiveSum" => "collectives span the workgroup; write `reduce_add(value)`",
        "subgroupBallot" | "__ballot_sync" | "WaveActiveBallot" => "collectives span the workgroup; write `ballot(a)`",
        "subgroupBroadcast" | "workgroupUniformLoad" => "collectives span the workgroup; write `broadcast(value, 0)`",
        "subgroupShuffle" | "__shfl_sync" => "collectives span the workgroup; write `shuffle(value, a)`",
        "workgroupBarrier" | "storageBarrier" | "__syncthreads" | "barrier" => "a barrier is a statement: `barrier;`",
        "print" | "println" | "printf" => PRINTING,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DataType, Diagnostic, OpSignature, OpSpec, OpTable, text};

    /// Words that the functions above know. A word that occurs in a new suggestion must be added here.
    const WORDS: &str = "while loop do foreach continue switch match var const auto val static constexpr final mut fn def \
        func function void struct class enum union typedef type int uint unsigned signed long short char byte size_t usize \
        uint32_t int32_t uint64_t u8 u16 i64 float double half f16 f32 f64 shared __shared__ groupshared threadgroup \
        __local __syncthreads workgroupBarrier storageBarrier groupMemoryBarrier memoryBarrierShared \
        GroupMemoryBarrierWithGroupSync threadgroup_barrier syncthreads discard exit yield goto print println printf \
        debugPrintfEXT kernel __kernel __global__ __device__ extern pub main alias override define layout uniform \
        RWStructuredBuffer StructuredBuffer RWBuffer Buffer device in out inout local_size numthreads workgroup import \
        include use using enable requires module mod i16 i8 ulong int64_t uint8_t vec2 uvec2 uint2 ivec2 int2 vec4 uvec4 \
        uint4 ivec4 int4 vec3 uvec3 uint3 boolean Bool array ptr atomic vec runtime and or not xor rem div shl shr is \
        global_id global_invocation_id gl_GlobalInvocationID gid thread_id dispatch_thread_id thread_position_in_grid \
        SV_DispatchThreadID DTid threadIdx local_invocation_id gl_LocalInvocationID lid thread_position_in_threadgroup \
        local_invocation_index gl_LocalInvocationIndex local_index blockIdx group_id gl_WorkGroupID wid \
        threadgroup_position_in_grid gridDim gl_NumWorkGroups num_groups blockDim gl_WorkGroupSize workgroup_dim True TRUE \
        False FALSE UINT_MAX UINT32_MAX INT_MAX INT32_MAX null NULL nullptr None nil clamp sqrt pow exp log sin cos floor \
        ceil round fract mix lerp step if_else ternary i32_from make_uint2 make_uint4 arrayLength length size sizeof fmod \
        abs countOneBits bitCount popc __popc count_ones countLeadingZeros __clz leading_zeros countTrailingZeros findLSB \
        firstTrailingBit __ctz trailing_zeros reverseBits bitfieldReverse __brev mulhi __umulhi mul_high get_global_id \
        get_local_id get_group_id get_num_groups get_local_size atomicAdd InterlockedAdd atomicSub atomicMin \
        InterlockedMin atomicMax InterlockedMax atomicAnd InterlockedAnd atomicOr InterlockedOr atomicXor InterlockedXor \
        atomicExchange atomicExch InterlockedExchange atomicCAS atomicCompSwap atomicCompareExchangeWeak \
        InterlockedCompareExchange atomicLoad atomicStore subgroupAdd workgroupAdd WaveActiveSum subgroupBallot \
        __ballot_sync WaveActiveBallot subgroupBroadcast workgroupUniformLoad subgroupShuffle __shfl_sync barrier";

    /// All suggestions.
    fn suggestions() -> Vec<&'static str> {
        let of_word =
            |word| [statement(word), declaration(word), ty(word), operator(word), variable(word), function(word)];
        let mut all: Vec<&str> = WORDS.split_whitespace().flat_map(of_word).flatten().collect();
        all.extend([IF_AS_VALUE, TYPE_FIRST, ENTRY_POINT, BINDING]);
        all.sort_unstable();
        all.dedup();
        all
    }

    /// An op table with the op that suggestions name.
    fn ops() -> OpTable {
        let source =
            "workgroup_size 1; buffer a: read u32 @0; buffer b: read u32 @1; buffer out: read_write u32 @2 output;
            entry { out[0] = min(a[0], b[0]); }";
        let program = text::parse(source).expect("parses").program;
        let signature = OpSignature { inputs: vec![DataType::U32, DataType::U32], output: DataType::U32 };
        let min = OpSpec { id: "primitive.math.min".into(), version: 1, signature, inlinable: true, program };
        OpTable::new([min]).expect("unique ids")
    }

    /// Programs that contain a piece of code; one of them must be valid.
    fn programs(piece: &str) -> Vec<String> {
        let piece = piece.replace("{ ... }", "{ }").replace("MAX", "8");
        let program = |declarations: &str, statements: &str| {
            let size = if declarations.contains("workgroup_size") { "" } else { "workgroup_size 32;" };
            format!("{size} {declarations} entry {{ {statements} }}")
        };
        let buffers = "buffer b: read_write u32 @8; buffer out: read_write u32 @9;";
        let operands = "let a = 1; let b = 2; let c = 3; let d = 4; let i = 0; let expected = 5; let condition = true;";
        let value = "let value = 7;";
        vec![
            program(&piece, ""),
            format!("workgroup_size 1; {piece}"),
            format!("{piece} 1; entry {{ }}"),
            program(buffers, &format!("{operands} {value} {piece}")),
            program(buffers, &format!("{operands} {value} let _ = {piece};")),
            program(buffers, &format!("{operands} {value} let _ = a as {piece};")),
            program(buffers, &format!("{operands} let t = true; let _ = {};", piece.replace(['a', 'b'], "t"))),
            program(buffers, &format!("for k in 0..8 {{ {piece} }}")),
            program(buffers, &format!("{piece} true {{ }}")),
            program(buffers, &format!("if true {{ }} {piece} true {{ }}")),
            program(&format!("buffer z: read {piece} @0;"), ""),
        ]
    }

    #[test]
    fn every_suggested_piece_of_code_is_part_of_a_valid_program() {
        let ops = ops();
        let mut pieces = 0;
        for suggestion in suggestions() {
            for piece in suggestion.split('`').skip(1).step_by(2) {
                let is_valid = |source: &String| text::parse(source).is_ok_and(|parsed| parsed.validate(&ops).is_ok());
                assert!(programs(piece).iter().any(is_valid), "`{piece}` of: {suggestion}");
                pieces += 1;
            }
        }
        assert!(pieces > 60, "{pieces} pieces");
    }

    #[test]
    fn suggestions_for_other_languages_are_no_words_of_this_one() {
        for word in WORDS.split_whitespace() {
            if crate::text::vocabulary::callee(word).is_some() {
                assert_eq!(function(word), None, "`{word}` is a function");
            }
        }
    }

    #[test]
    fn diagnostics_of_unknown_names_suggest_the_words_of_this_language() {
        let cases = [
            ("let x = global_id.x;", "the id of an invocation in the grid is `invocation_id.x`"),
            ("let x = threadIdx.x;", "the id of an invocation in its workgroup is `local_id.x`"),
            ("let x = clamp(1, 2, 3);", "write `min(max(a, b), c)`"),
            ("let x = atomicAdd(1, 2);", "write `atomic_add(b[i], value)`"),
            ("let x = gl_LocalInvocationIndex;", "`(local_id.x + a * (local_id.y + b * local_id.z))`"),
            ("let x = blockDim.x;", "write the number that the program has after `workgroup_size`"),
            ("let x = abs(1);", "a `u32` has no sign and is its own absolute value"),
            ("let x = findLSB(1);", "`ctz(a)`, which is 32 if there is no bit"),
        ];
        for (statement, expected) in cases {
            let parsed = text::parse(&format!("workgroup_size 1; entry {{ {statement} }}")).expect("parses");
            let ops = OpTable::default();
            let diagnostics = parsed.validate(&ops).map(|_| ()).expect_err("an unknown name");
            let help = |diagnostic: &Diagnostic| diagnostic.help.clone().unwrap_or_default();
            assert!(diagnostics.iter().any(|diagnostic| help(diagnostic).contains(expected)), "{diagnostics:?}");
        }
    }
}
