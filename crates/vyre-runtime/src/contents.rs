//! Parser of buffer contents, as written on a command line or in a test.
//!
//! | Form | Contents |
//! |---|---|
//! | `u32: 1, 0xff, 7*3` | these words; `7*3` is three times 7 |
//! | `i32: -1, 2` | these words |
//! | `bytes: 1, 0xff` | these bytes |
//! | `zeros: N` | N elements of the buffer's type, all zero |
//! | `iota: N` | the words 0, 1, ... N-1 |
//! | `random: SEED: N` | N words of SplitMix64, the low half of each number |
//! | `empty` | nothing |

use std::fmt;

use vyre_ir::DataType;

/// Maximum number of bytes of a text.
const MAX_BYTES: u64 = 1 << 30;

/// Error of [`parse_contents`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContentsError {
    /// The form is unknown.
    UnknownForm(String),
    /// A number is malformed or does not fit its type.
    BadNumber(String),
    /// The contents exceed 1 GiB.
    TooLarge,
}

impl fmt::Display for ContentsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ContentsError::UnknownForm(form) => write!(
                f,
                "`{form}` is no form of contents; write `u32:1,2,3`, `i32:-1,2`, `bytes:1,2`, `zeros:N`, `iota:N`, \
                 `random:SEED:N` or `empty`"
            ),
            ContentsError::BadNumber(number) => write!(f, "`{number}` is no number that fits here"),
            ContentsError::TooLarge => write!(f, "contents of more than 1 GiB"),
        }
    }
}

impl std::error::Error for ContentsError {}

/// Parses the contents of a buffer with this element type.
///
/// ```
/// use vyre_ir::DataType;
/// use vyre_runtime::parse_contents;
///
/// assert_eq!(parse_contents("u32: 1, 0x2*2", DataType::U32), Ok(vec![1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0]));
/// assert_eq!(parse_contents("zeros: 2", DataType::U64), Ok(vec![0; 16]));
/// ```
///
/// # Errors
///
/// An unknown form, a malformed number, or contents of more than 1 GiB.
pub fn parse_contents(text: &str, element: DataType) -> Result<Vec<u8>, ContentsError> {
    let (form, rest) = text.split_once(':').unwrap_or((text, ""));
    match form.trim() {
        "empty" if rest.trim().is_empty() => Ok(Vec::new()),
        "u32" => words_of(rest, |number| unsigned(number).and_then(|value| u32::try_from(value).ok())),
        "i32" => words_of(rest, |number| {
            let value = match number.strip_prefix('-') {
                Some(magnitude) => -i64::try_from(unsigned(magnitude)?).ok()?,
                None => i64::try_from(unsigned(number)?).ok()?,
            };
            i32::try_from(value).ok().map(i32::cast_unsigned)
        }),
        "bytes" => bytes_of(rest, |number| unsigned(number).and_then(|value| u8::try_from(value).ok())),
        "zeros" => {
            let size = element.element_bytes() as u64;
            Ok(vec![0; bytes(count(rest)?, size)?])
        }
        "iota" => {
            let count = count(rest)?;
            bytes(count, 4)?;
            // The size check limits the number of words to far below 2^32.
            Ok((0..count).flat_map(|word| (word as u32).to_le_bytes()).collect())
        }
        "random" => {
            let (seed, rest) = rest.split_once(':').ok_or_else(|| ContentsError::UnknownForm(text.to_owned()))?;
            let count = count(rest)?;
            bytes(count, 4)?;
            let mut state = unsigned(seed.trim()).ok_or_else(|| ContentsError::BadNumber(seed.trim().to_owned()))?;
            Ok((0..count).flat_map(|_| (split_mix(&mut state) as u32).to_le_bytes()).collect())
        }
        _ => Err(ContentsError::UnknownForm(text.to_owned())),
    }
}

/// Words of bytes, little endian. Bytes after the last whole word are ignored.
///
/// ```
/// assert_eq!(vyre_runtime::words(&[1, 0, 0, 0, 2, 1, 0, 0]), [1, 258]);
/// ```
#[must_use]
pub fn words(contents: &[u8]) -> Vec<u32> {
    contents.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

fn unsigned(text: &str) -> Option<u64> {
    let (digits, radix) = text.strip_prefix("0x").map_or((text, 10), |hex| (hex, 16));
    let digits: String = digits.chars().filter(|&c| c != '_').collect();
    let plain = digits.chars().all(|digit| digit.is_digit(radix));
    u64::from_str_radix(&digits, radix).ok().filter(|_| plain)
}

fn count(text: &str) -> Result<u64, ContentsError> {
    unsigned(text.trim()).ok_or_else(|| ContentsError::BadNumber(text.trim().to_owned()))
}

/// Size of `count` elements, if it is within the limit.
fn bytes(count: u64, size: u64) -> Result<usize, ContentsError> {
    let bytes = count.checked_mul(size).filter(|&bytes| bytes <= MAX_BYTES).ok_or(ContentsError::TooLarge)?;
    usize::try_from(bytes).map_err(|_| ContentsError::TooLarge)
}

fn words_of(list: &str, number: impl Fn(&str) -> Option<u32>) -> Result<Vec<u8>, ContentsError> {
    self::list(list, |item| number(item).map(u32::to_le_bytes))
}

fn bytes_of(list: &str, number: impl Fn(&str) -> Option<u8>) -> Result<Vec<u8>, ContentsError> {
    self::list(list, |item| number(item).map(u8::to_le_bytes))
}

/// Parses a list of numbers of `SIZE` bytes each.
fn list<const SIZE: usize>(list: &str, number: impl Fn(&str) -> Option<[u8; SIZE]>) -> Result<Vec<u8>, ContentsError> {
    let mut contents = Vec::new();
    // A trailing comma is allowed, an empty item is not.
    let list = list.trim();
    let list = list.strip_suffix(',').unwrap_or(list);
    if list.is_empty() {
        return Ok(contents);
    }
    for item in list.split(',').map(str::trim) {
        let bad = || ContentsError::BadNumber(item.to_owned());
        let (value, times) = item.split_once('*').unwrap_or((item, "1"));
        let value = number(value.trim()).ok_or_else(bad)?;
        let times = unsigned(times.trim()).ok_or_else(bad)?;
        let added = bytes(times, SIZE as u64)?;
        if (contents.len() + added) as u64 > MAX_BYTES {
            return Err(ContentsError::TooLarge);
        }
        for _ in 0..times {
            contents.extend(value);
        }
    }
    Ok(contents)
}

/// Next number of SplitMix64 (Steele et al., OOPSLA 2014).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<u8>, ContentsError> {
        parse_contents(text, DataType::U32)
    }

    #[test]
    fn forms() {
        assert_eq!(parse("empty"), Ok(vec![]));
        assert_eq!(parse("u32:"), Ok(vec![]));
        assert_eq!(parse("i32: -1, 2"), Ok(vec![255, 255, 255, 255, 2, 0, 0, 0]));
        assert_eq!(parse("bytes: 1, 0xff*2"), Ok(vec![1, 255, 255]));
        assert_eq!(parse("iota:2"), Ok(vec![0, 0, 0, 0, 1, 0, 0, 0]));
        // The first number of SplitMix64 from state 0 is 0xe220a8397b1dcdaf.
        assert_eq!(parse("random:0:1"), Ok(0x7b1d_cdaf_u32.to_le_bytes().to_vec()));
        assert_eq!(parse_contents("zeros:3", DataType::Vec4U32).map(|bytes| bytes.len()), Ok(48));
    }

    #[test]
    fn malformed_texts_are_rejected() {
        for text in ["", "u33: 1", "random:1", "empty: 1"] {
            assert!(matches!(parse(text), Err(ContentsError::UnknownForm(_))), "{text}");
        }
        for text in [
            "u32: -1",
            "u32: 4294967296",
            "bytes: 256",
            "i32: 2147483648",
            "u32: x",
            "zeros: many",
            "u32: 1*",
            "u32: +1",
            "u32: 1,,2",
            "u32: 0_x1",
        ] {
            assert!(matches!(parse(text), Err(ContentsError::BadNumber(_))), "{text}");
        }
        for text in ["zeros: 0xffffffffffffffff", "iota: 4294967296", "u32: 1*1000000000", "random:1:999999999999"] {
            assert_eq!(parse(text), Err(ContentsError::TooLarge), "{text}");
        }
    }
}
