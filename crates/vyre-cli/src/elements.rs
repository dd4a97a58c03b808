//! Printer of the elements of a buffer.

use std::io::{self, Write};

use vyre::ir::DataType;
use vyre::runtime::words;

use crate::output::{GUTTER, STRONG, counted, visible};

/// Number of words on a line.
const WORDS_PER_LINE: usize = 8;

/// A buffer with its element type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements<'b> {
    pub(crate) name: &'b str,
    pub(crate) element: DataType,
    pub(crate) bytes: &'b [u8],
}

impl Elements<'_> {
    /// Writes at most `limit` elements, then the number of omitted elements and the flag `see_all` that prints all of them.
    pub(crate) fn write(&self, out: &mut impl Write, limit: usize, see_all: &str) -> io::Result<()> {
        let Elements { name, element, bytes } = *self;
        let name = visible(name);
        let size = element.element_bytes();
        let (count, rest) = (bytes.len() / size, bytes.len() % size);
        let extra = if rest == 0 { String::new() } else { format!(", and {}", counted(rest, "byte")) };
        writeln!(out, "{STRONG}{name}{STRONG:#}: {element}, {}{extra}", counted(count, "element"))?;

        // The texts of a large buffer take much more memory than the buffer, so they are made twice instead of kept.
        let printed = count.min(limit);
        let shown = bytes.get(..printed * size).unwrap_or(bytes);
        let widths = shown.chunks_exact(size).map(|bytes| element_text(element, bytes).len());
        let width = widths.max().unwrap_or_default();
        let digits = printed.saturating_sub(1).to_string().len();
        let per_line = (WORDS_PER_LINE * 4 / size).max(1);
        for (line, elements) in shown.chunks(per_line * size).enumerate() {
            write!(out, "  {GUTTER}{:digits$}:{GUTTER:#}", line * per_line)?;
            for bytes in elements.chunks_exact(size) {
                write!(out, " {:>width$}", element_text(element, bytes))?;
            }
            writeln!(out)?;
        }
        if count > printed {
            writeln!(out, "  ... {} more (print all with {see_all})", count - printed)?;
        }
        Ok(())
    }
}

fn element_text(element: DataType, bytes: &[u8]) -> String {
    let words = words(bytes);
    match (element, &*words) {
        (DataType::I32, &[word]) => word.cast_signed().to_string(),
        (DataType::U64, &[low, high]) => (u64::from(high) << 32 | u64::from(low)).to_string(),
        (DataType::Bool, &[0]) => "false".to_owned(),
        (DataType::Bool, &[1]) => "true".to_owned(),
        (DataType::Bytes, &[word]) => format!("{word:#010x}"),
        (_, &[word]) => word.to_string(),
        (_, components) => {
            let components: Vec<String> = components.iter().map(u32::to_string).collect();
            format!("({})", components.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(element: DataType, words: &[u32], limit: usize) -> String {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut out = Vec::new();
        let elements = Elements { name: "b", element, bytes: &bytes };
        elements.write(&mut out, limit, "--out b").expect("writes to a vector do not fail");
        anstream::adapter::strip_str(&String::from_utf8(out).expect("text")).to_string()
    }

    #[test]
    fn every_type_is_printed() {
        assert_eq!(printed(DataType::U32, &[1, u32::MAX], 9), "b: u32, 2 elements\n  0:          1 4294967295\n");
        assert_eq!(printed(DataType::I32, &[u32::MAX], 9), "b: i32, 1 element\n  0: -1\n");
        assert_eq!(printed(DataType::U64, &[1, 1], 9), "b: u64, 1 element\n  0: 4294967297\n");
        assert_eq!(printed(DataType::Vec2U32, &[1, 2], 9), "b: vec2u32, 1 element\n  0: (1, 2)\n");
        assert_eq!(printed(DataType::Bool, &[0, 1, 2], 9), "b: bool, 3 elements\n  0: false  true     2\n");
        assert_eq!(printed(DataType::Bytes, &[0x6162], 9), "b: bytes, 1 element\n  0: 0x00006162\n");
        assert_eq!(printed(DataType::U32, &[], 9), "b: u32, 0 elements\n");
        assert_eq!(printed(DataType::U64, &[1, 0, 2], 9), "b: u64, 1 element, and 4 bytes\n  0: 1\n");
    }

    #[test]
    fn lines_have_eight_words_and_omitted_elements_are_counted() {
        let words: Vec<u32> = (0..20).map(|word| word % 10).collect();
        let expected =
            "b: u32, 20 elements\n   0: 0 1 2 3 4 5 6 7\n   8: 8 9 0\n  ... 9 more (print all with --out b)\n";
        assert_eq!(printed(DataType::U32, &words, 11), expected);
        assert!(printed(DataType::Vec4U32, &[0; 12], 9).contains("\n  2: (0, 0, 0, 0)\n"));
    }
}
