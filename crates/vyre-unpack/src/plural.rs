//! Counts with their nouns.

/// A count with its noun, as in `1 byte` and `2 bytes`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
