//! Suggestions for misspelt names by edit distance.

use vyre::ir::spelling::distance;

/// Lists the candidates nearest to `name`, best first, each in backticks.
pub(crate) fn nearest<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> String {
    /// Bound on the time of a suggestion.
    const MAX_CANDIDATES: usize = 2_000;
    const MAX_SUGGESTIONS: usize = 3;

    let candidates = candidates.into_iter().take(MAX_CANDIDATES);
    let mut ranked: Vec<_> = candidates.map(|candidate| (rank(name, candidate), candidate)).collect();
    ranked.sort_by_key(|&(rank, _)| rank);
    let suggestions: Vec<String> = ranked
        .into_iter()
        .take(MAX_SUGGESTIONS)
        .map(|(_, name)| format!("`{}`", crate::output::visible(name)))
        .collect();
    suggestions.join(", ")
}

/// Sort key of a candidate: candidates that contain the name first, then by edit distance up to a bound.
fn rank(name: &str, candidate: &str) -> (bool, usize) {
    const MAX_EDIT_DISTANCE: usize = 16;
    let distance = distance(name, candidate, MAX_EDIT_DISTANCE).unwrap_or(MAX_EDIT_DISTANCE + 1);
    (name.is_empty() || !candidate.contains(name), distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_that_contain_the_name_come_first() {
        let names = ["math.add", "math.sub", "bits.popcount", "bits.clz"];
        assert!(nearest("popcount", names).starts_with("`bits.popcount`, "));
        assert!(nearest("math.ad", names).starts_with("`math.add`, "));
        assert!(nearest("bits.cls", names).starts_with("`bits.clz`, "));
        assert_eq!(nearest("x", []), "");
    }
}
