//! The names that somebody who wrote an unknown one may have meant.

use vyre::ir::spelling::distance;

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

/// How far a candidate is from a name: less for one that has the name as a part. Beyond some distance all are alike.
fn rank(name: &str, candidate: &str) -> (bool, usize) {
    const MOST_CHANGES: usize = 16;
    let distance = distance(name, candidate, MOST_CHANGES).unwrap_or(MOST_CHANGES + 1);
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
