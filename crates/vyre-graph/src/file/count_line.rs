//! The comment with the number of nodes: `# Nodes: 5 Edges: 4`, as in the files of the SNAP collection.
//!
//! Without it, an edge list has no nodes after the last one with an edge. Node numbers may have gaps, so the count is a lower bound.

use std::io::{self, Write};

use super::fields::Field;

/// Writes the comment.
pub(crate) fn write(output: &mut impl Write, nodes: usize, edges: usize) -> io::Result<()> {
    writeln!(output, "# Nodes: {nodes} Edges: {edges}")
}

/// Digits of the number of nodes, if the line is such a comment.
pub(crate) fn node_count(line: &[u8]) -> Option<Field<'_>> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let is_number = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    let text = line.trim_ascii_start().strip_prefix(b"#")?;
    let mut words = text.split(is_blank).filter(|word| !word.is_empty());
    let words = [words.next()?, words.next()?, words.next()?, words.next()?, words.next().unwrap_or_default()];
    let [b"Nodes:", nodes, b"Edges:", edges, b""] = words else { return None };
    if !is_number(nodes) || !is_number(edges) {
        return None;
    }
    let at = line.iter().position(u8::is_ascii_digit)?;
    Some(Field { text: nodes, at, is_quoted: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_form_is_a_count() {
        for (line, digits, at) in [
            ("# Nodes: 281903 Edges: 2312497", "281903", 9),
            ("  #\tNodes:\t5\t Edges: 4 \t", "5", 11),
            ("#Nodes: 007 Edges: 99999999999999999999999", "007", 8),
        ] {
            let found = node_count(line.as_bytes()).map(|field| (field.text, field.at));
            assert_eq!(found, Some((digits.as_bytes(), at)), "{line}");
        }
        for line in [
            "",
            "#",
            "# Nodes: 5",
            "# Nodes: 5 Edges:",
            "# Nodes: Edges: 4",
            "# Nodes: 5 Edges: 4 5",
            "# Nodes: 5, Edges: 4",
            "# Nodes:5 Edges:4",
            "# nodes: 5 edges: 4",
            "# Nodes: -5 Edges: 4",
            "# Nodes: 5.0 Edges: 4",
            "# Nodes: 5 Edges: many",
            "# Nodes: \u{663} Edges: 4",
            "## Nodes: 5 Edges: 4",
            "% Nodes: 5 Edges: 4",
            "Nodes: 5 Edges: 4",
        ] {
            assert!(node_count(line.as_bytes()).is_none(), "{line}");
        }
    }
}
