//! Spelling: suggestions by Damerau-Levenshtein distance (optimal string alignment), and plurals and articles of
//! messages.

use std::fmt;

/// A count with its noun in singular or plural, as in `1 file`, `2 entries` and `0 accesses`.
///
/// ```
/// use vyre_ir::spelling::counted;
///
/// assert_eq!([counted(1, "file"), counted(2, "entry"), counted(0, "access")], ["1 file", "2 entries", "0 accesses"]);
/// ```
#[must_use]
pub fn counted(count: impl fmt::Display, noun: &str) -> String {
    let count = count.to_string();
    if count == "1" {
        return format!("{count} {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(is_vowel) => format!("{count} {stem}ies"),
        _ if noun.ends_with(['s', 'x']) || noun.ends_with("ch") => format!("{count} {noun}es"),
        _ => format!("{count} {noun}s"),
    }
}

/// The form of a verb that agrees with a count, as in `1 byte is` and `2 bytes are`.
///
/// ```
/// use vyre_ir::spelling::agreeing;
///
/// assert_eq!([agreeing(1, "is", "are"), agreeing(0, "is", "are")], ["is", "are"]);
/// ```
#[must_use]
pub fn agreeing<'w>(count: impl fmt::Display, singular: &'w str, plural: &'w str) -> &'w str {
    if count.to_string() == "1" { singular } else { plural }
}

/// The indefinite article of a type, by its pronunciation: `an` for `i32`, `a` for `u32`.
///
/// ```
/// use vyre_ir::DataType;
/// use vyre_ir::spelling::article;
///
/// assert_eq!([article(DataType::I32.name()), article(DataType::U32.name())], ["an", "a"]);
/// ```
#[must_use]
pub fn article(word: &str) -> &'static str {
    // The letter `u` is spoken like "you" in the names of types.
    if word.starts_with(is_vowel) && !word.starts_with('u') { "an" } else { "a" }
}

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u')
}

/// Candidate with the smallest distance to `name`, if the distance is at most a third of its length.
#[must_use]
pub fn nearest<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    /// Bounds the time of a search.
    const MAX_CANDIDATES: usize = 2_000;
    const MAX_NAME_BYTES: usize = 64;
    const MAX_DISTANCE: usize = 4;

    if name.len() > MAX_NAME_BYTES {
        return None;
    }
    let allowed = (name.chars().count() / 3).clamp(1, MAX_DISTANCE);
    candidates
        .into_iter()
        .take(MAX_CANDIDATES)
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= 4 * allowed)
        .filter_map(|candidate| distance(name, candidate, allowed).map(|distance| (distance, candidate)))
        .filter(|&(distance, _)| distance > 0)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Number of insertions, deletions, substitutions and adjacent transpositions; `None` if it exceeds `most`.
///
/// Computes only the band of the table within `most` cells of the diagonal, so the time is proportional to `most` times
/// the length of `left`.
#[must_use]
pub fn distance(left: &str, right: &str, most: usize) -> Option<usize> {
    let beyond = most + 1;
    let right: Vec<char> = right.chars().collect();
    let mut above = vec![beyond; right.len() + 1];
    let mut row: Vec<usize> = (0..=right.len()).map(|j| j.min(beyond)).collect();
    let mut next = vec![beyond; right.len() + 1];
    let mut previous = None;
    for (i, a) in left.chars().enumerate() {
        next.fill(beyond);
        next[0] = (i + 1).min(beyond);
        for j in i.saturating_sub(most)..right.len().min(i + most + 1) {
            let b = right[j];
            let replaced = row[j] + usize::from(a != b);
            let mut best = replaced.min(row[j + 1] + 1).min(next[j] + 1);
            if j > 0 && previous == Some(b) && right[j - 1] == a {
                best = best.min(above[j - 1] + 1);
            }
            next[j + 1] = best.min(beyond);
        }
        if next.iter().all(|&distance| distance > most) {
            return None;
        }
        std::mem::swap(&mut above, &mut row);
        std::mem::swap(&mut row, &mut next);
        previous = Some(a);
    }
    row.last().copied().filter(|&distance| distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_misspellings_and_nothing_else() {
        let names = ["index", "value", "total", "i", "j"];
        assert_eq!(nearest("indx", names), Some("index"));
        assert_eq!(nearest("vlaue", names), Some("value"));
        assert_eq!(nearest("totall", names), Some("total"));
        assert_eq!(nearest("offset", names), None);
        assert_eq!(nearest("index", names), None);
        assert_eq!(nearest("x", ["i", "jj"]), Some("i"));
    }

    #[test]
    fn distances() {
        for (left, right, expected) in [
            ("", "", Some(0)),
            ("", "abc", Some(3)),
            ("abc", "", Some(3)),
            ("kitten", "sitting", Some(3)),
            ("ab", "ba", Some(1)),
            ("abcdef", "bcdefa", Some(2)),
            ("abcdefgh", "ijklmnop", None),
            ("short", "much longer than that", None),
        ] {
            assert_eq!(distance(left, right, 4), expected, "{left} {right}");
            assert_eq!(distance(right, left, 4), expected, "{right} {left}");
        }
    }
}
