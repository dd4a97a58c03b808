//! Suggestions for misspelt names by edit distance.

use vyre::ir::spelling::distance;

/// The names that are nearest to `name`, best first, each between backticks.
pub(crate) fn nearest<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> String {
    /// Beyond this a guess is not worth its time.
    const MAX_CANDIDATES: usize = 2_000;
    const SHOWN: usize = 3;

    let candidates = candidates.into_iter().take(MAX_CANDIDATES);
    let mut ranked: Vec<_> = candidates.map(|candidate| (rank(name, candidate), candidate)).collect();
    ranked.sort_by_key(|&(rank, _)| rank);
    let shown: Vec<String> =
        ranked.into_iter().take(SHOWN).map(|(_, name)| format!("`{}`", crate::output::visible(name))).collect();
    shown.join(", ")
}

/// Distance of a candidate from a name, smaller if it contains the name. Distances beyond a bound are equal.
fn rank(name: &str, candidate: &str) -> (bool, usize) {
    const MAX_EDIT_DISTANCE: usize = 16;
    let distance = distance(name, candidate, MAX_EDIT_DISTANCE).unwrap_or(MAX_EDIT_DISTANCE + 1);
    (name.is_empty() || !candidate.contains(name), distance)
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
}
