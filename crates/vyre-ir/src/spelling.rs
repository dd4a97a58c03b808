//! Guesses at misspelt names, for messages of the validator and of tools.

/// The candidate that is nearest to `name`, if one is near enough to be what was meant.
#[must_use]
pub fn nearest<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    /// Enough for every program that people write; beyond it a guess is not worth its time.
    const MOST_CANDIDATES: usize = 2_000;
    const LONGEST_NAME: usize = 64;
    const MOST_CHANGES: usize = 4;

    if name.len() > LONGEST_NAME {
        return None;
    }
    let allowed = (name.chars().count() / 3).clamp(1, MOST_CHANGES);
    candidates
        .into_iter()
        .take(MOST_CANDIDATES)
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= 4 * allowed)
        .filter_map(|candidate| distance(name, candidate, allowed).map(|distance| (distance, candidate)))
        .filter(|&(distance, _)| distance > 0)
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many characters must be inserted, removed, replaced or swapped with a neighbour; `None` beyond `most`.
///
/// Time is in proportion to `most` and the length of `left`: only the cells of the table that are at most `most` from its diagonal are looked at; all others are beyond `most`.
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
