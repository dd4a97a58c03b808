//! The names that somebody who wrote an unknown one may have meant.

/// The names that are nearest to `name`, best first, each between backticks.
pub(crate) fn nearest<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> String {
    /// Beyond this a guess is not worth its time.
    const MOST_CANDIDATES: usize = 2_000;
    const SHOWN: usize = 3;

    let candidates = candidates.into_iter().take(MOST_CANDIDATES);
    let mut ranked: Vec<_> = candidates.map(|candidate| (rank(name, candidate), candidate)).collect();
    ranked.sort_by_key(|&(rank, _)| rank);
    let shown: Vec<String> =
        ranked.into_iter().take(SHOWN).map(|(_, name)| format!("`{}`", crate::output::visible(name))).collect();
    shown.join(", ")
}

/// How far a candidate is from a name: less for one that has the name as a part.
fn rank(name: &str, candidate: &str) -> (bool, usize) {
    (name.is_empty() || !candidate.contains(name), distance(name, candidate))
}

/// How many characters must be inserted, removed or replaced. Of long names only the start counts.
fn distance(left: &str, right: &str) -> usize {
    const LONGEST: usize = 64;
    let right: Vec<char> = right.chars().take(LONGEST).collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().take(LONGEST).enumerate() {
        let mut next = vec![i + 1];
        for (j, &b) in right.iter().enumerate() {
            next.push((row[j] + usize::from(a != b)).min(row[j + 1] + 1).min(next[j] + 1));
        }
        row = next;
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_before_misspellings() {
        let names = ["math.add", "math.sub", "bits.popcount", "bits.clz"];
        assert!(nearest("popcount", names).starts_with("`bits.popcount`, "));
        assert!(nearest("math.ad", names).starts_with("`math.add`, "));
        assert!(nearest("bits.cls", names).starts_with("`bits.clz`, "));
        assert_eq!(nearest("x", []), "");
    }

    #[test]
    fn distances() {
        assert_eq!(distance("abc", "abc"), 0);
        assert_eq!(distance("abc", "axc"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abcd", "bc"), 2);
    }
}
