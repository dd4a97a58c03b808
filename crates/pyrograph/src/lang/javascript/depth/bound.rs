//! Stack that the parser may need for a text, whatever the text is.
//!
//! No text can mislead the bound, because it does not tell strings, regular expressions and tags from code: each character and each keyword that can begin a nested construct
//! counts, also in strings and comments, and nothing ends a construct. Stacks take memory only where they are used, so that a
//! bound far above the need costs nothing.

/// Stack of the parser outside of all nesting, in bytes.
const BASE: u64 = 64 << 10;

/// Margin above the measured costs, in percent.
///
/// The costs below are bytes of stack for each level in the optimised parser (oxc 0.146, x86-64), rounded up. The measurement repeated 180
/// constructs 300 times, and read the resident memory of the stack of a fresh thread after parsing. The tests of this module repeat the
/// measurement, also with random constructs, and fail where the bound is too low.
const MARGIN: u64 = 160;

/// Factor for builds without optimisation. With it, no construct that was measured takes more than 60 percent of the bound.
const DEBUG_FACTOR: u64 = if cfg!(debug_assertions) { 2 } else { 1 };

/// Bytes of stack that the parser needs at most for a text.
pub(in super::super) fn stack_bound(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let mut sum = 0_u64;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        if byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$') {
            while bytes.get(at).is_some_and(|&byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')) {
                at += 1;
            }
            sum += keyword(&bytes[start..at]);
        } else {
            sum += character(byte);
        }
    }
    BASE + sum * MARGIN / 100 * DEBUG_FACTOR
}

/// Cost of a character: brackets, and operators that take an operand on their right.
fn character(byte: u8) -> u64 {
    match byte {
        b'(' | b'[' | b'{' | b'<' => 1_900,
        b'=' | b'@' => 1_000,
        b'?' | b':' => 600,
        b'!' | b'~' | b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'>' => 300,
        _ => 0,
    }
}

/// Cost of a word: zero unless it is a keyword. Keywords of TypeScript are keywords in every text, since a text may be tried in all
/// dialects.
fn keyword(word: &[u8]) -> u64 {
    match word {
        b"class" | b"extends" | b"function" | b"is" | b"asserts" | b"import" => 1_400,
        b"abstract" | b"accessor" | b"as" | b"async" | b"await" | b"case" | b"catch" | b"const" | b"declare"
        | b"default" | b"delete" | b"do" | b"else" | b"enum" | b"export" | b"finally" | b"for" | b"get" | b"global"
        | b"if" | b"implements" | b"in" | b"infer" | b"instanceof" | b"interface" | b"keyof" | b"let" | b"module"
        | b"namespace" | b"new" | b"of" | b"out" | b"override" | b"private" | b"protected" | b"public"
        | b"readonly" | b"return" | b"satisfies" | b"set" | b"static" | b"super" | b"switch" | b"throw" | b"try"
        | b"type" | b"typeof" | b"unique" | b"using" | b"var" | b"void" | b"while" | b"with" | b"yield" => 600,
        _ => 0,
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
