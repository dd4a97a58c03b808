//! Guesses at misspelt names.

/// The candidate that is nearest to `name`, if one is near enough to be what was meant.
pub(super) fn nearest<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
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
fn distance(left: &str, right: &str, most: usize) -> Option<usize> {
    let right: Vec<char> = right.chars().collect();
    let mut above: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    let mut previous = None;
    for (i, a) in left.chars().enumerate() {
        let mut next = vec![i + 1];
        for (j, &b) in right.iter().enumerate() {
            let replaced = row[j] + usize::from(a != b);
            let mut best = replaced.min(row[j + 1] + 1).min(next[j] + 1);
            if j > 0 && previous == Some(b) && right[j - 1] == a {
                best = best.min(above[j - 1] + 1);
            }
            next.push(best);
        }
        if next.iter().all(|&distance| distance > most) {
            return None;
        }
        above = std::mem::replace(&mut row, next);
        previous = Some(a);
    }
    Some(row[right.len()]).filter(|&distance| distance <= most)
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
    }
}
