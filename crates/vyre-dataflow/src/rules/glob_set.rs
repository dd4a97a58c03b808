//! Pattern sets: an Aho-Corasick prefilter over required texts, then a match of each candidate pattern.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use aho_corasick::AhoCorasick;

use super::glob::Glob;

/// Patterns with their owners. One scan of a name finds the required texts of all patterns; only patterns whose text occurs are
/// matched against the name.
pub(crate) struct GlobSet<'r> {
    globs: Vec<(&'r Glob, u32)>,
    /// Automaton of the required texts. Pattern i of the automaton is pattern `with_text[i]` of the set.
    texts: Option<AhoCorasick>,
    with_text: Vec<u32>,
    /// Patterns without a required text, which are matched against every name.
    always: Vec<u32>,
}

/// Reusable state of searches.
pub(crate) struct Scratch {
    /// Last search that matched each pattern.
    last_search: Vec<u32>,
    search: u32,
}

impl<'r> GlobSet<'r> {
    /// Compiles patterns. The sample estimates the frequency of texts in names.
    pub(crate) fn new(globs: Vec<(&'r Glob, u32)>, sample: &[&str]) -> GlobSet<'r> {
        let texts = rare_texts(&globs, sample);
        let (mut with_text, mut always): (Vec<u32>, Vec<u32>) =
            (0..globs.len() as u32).partition(|&glob| !texts[glob as usize].is_empty());
        let searched = AhoCorasick::new(with_text.iter().map(|&glob| &texts[glob as usize])).ok();
        if searched.is_none() {
            // The texts exceed the capacity of an automaton.
            always.append(&mut with_text);
        }
        GlobSet { globs, texts: searched, with_text, always }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.globs.is_empty()
    }

    pub(crate) fn scratch(&self) -> Scratch {
        Scratch { last_search: vec![0; self.globs.len()], search: 0 }
    }

    /// Fills `owners` with the owners of all patterns that match, sorted and without duplicates.
    pub(crate) fn owners(&self, name: &str, scratch: &mut Scratch, owners: &mut Vec<u32>) {
        owners.clear();
        if scratch.search == u32::MAX {
            *scratch = self.scratch();
        }
        scratch.search += 1;
        let mut try_pattern = |glob: u32| {
            let last_search = &mut scratch.last_search[glob as usize];
            let (glob, owner) = self.globs[glob as usize];
            if *last_search != scratch.search && glob.matches(name) {
                owners.push(owner);
            }
            *last_search = scratch.search;
        };
        self.always.iter().for_each(|&glob| try_pattern(glob));
        if let Some(texts) = &self.texts {
            for found in texts.find_overlapping_iter(name) {
                try_pattern(self.with_text[found.pattern().as_usize()]);
            }
        }
        owners.sort_unstable();
        owners.dedup();
    }
}

/// For each pattern, its required text with the lowest expected number of matches; empty if it has none.
fn rare_texts(globs: &[(&Glob, u32)], sample: &[&str]) -> Vec<String> {
    // For each text, the number of patterns that require it and its occurrences in the sample.
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for text in globs.iter().flat_map(|(glob, _)| glob.required_texts()) {
        counts.entry(text).or_default().0 += 1;
    }
    if let Ok(search) = AhoCorasick::new(counts.keys()) {
        let mut found = vec![0; counts.len()];
        for text in sample.iter().flat_map(|name| search.find_overlapping_iter(name)) {
            found[text.pattern().as_usize()] += 1;
        }
        counts.values_mut().zip(found).for_each(|(counts, found)| counts.1 = found);
    }
    let cost = |text: &String| {
        let (patterns, found) = counts.get(text).copied().unwrap_or_default();
        (patterns.saturating_mul(found + 1), Reverse(text.len()))
    };
    globs.iter().map(|(glob, _)| glob.required_texts().min_by_key(cost).unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_matches_as_its_patterns() {
        let patterns = ["*", "a*", "*a", "*a*", "aa", "[ab]?", "*ab*ab*", "b", "*b?", r"\*", "abab"];
        let globs: Vec<Glob> = patterns.iter().map(|pattern| Glob::parse(pattern).expect(pattern)).collect();
        let set = GlobSet::new(globs.iter().zip(0..).collect(), &["ab", "b"]);
        let mut scratch = set.scratch();
        let mut owners = Vec::new();
        for number in 0..3_u32.pow(6) {
            let name: String = (0..6).map(|digit| ["", "a", "b"][(number / 3_u32.pow(digit) % 3) as usize]).collect();
            set.owners(&name, &mut scratch, &mut owners);
            let expected: Vec<u32> =
                (0..).zip(&globs).filter(|(_, glob)| glob.matches(&name)).map(|(n, _)| n).collect();
            assert_eq!(owners, expected, "{name}");
        }
    }

    #[test]
    fn the_rarest_required_text_is_searched() {
        let patterns = ["com.*exec", "com.*read", "com.*", "*a*getParameter", "*"];
        let globs: Vec<Glob> = patterns.iter().map(|pattern| Glob::parse(pattern).expect(pattern)).collect();
        let globs: Vec<(&Glob, u32)> = globs.iter().map(|glob| (glob, 0)).collect();
        assert_eq!(rare_texts(&globs, &[]), ["exec", "read", "com.", "getParameter", ""]);
        let sample = ["exec exec exec", "getParameter getParameter getParameter"];
        assert_eq!(rare_texts(&globs, &sample), ["com.", "read", "com.", "getParameter", ""]);
    }

    #[test]
    fn owners_are_distinct() {
        let globs = ["a*", "*b"].map(|pattern| Glob::parse(pattern).expect(pattern));
        let set = GlobSet::new(globs.iter().map(|glob| (glob, 7)).collect(), &[]);
        let mut owners = vec![1];
        set.owners("ab", &mut set.scratch(), &mut owners);
        assert_eq!(owners, [7]);
        let mut spent = Scratch { search: u32::MAX, ..set.scratch() };
        set.owners("xb", &mut spent, &mut owners);
        assert_eq!(owners, [7]);
        let none = GlobSet::new(Vec::new(), &["x"]);
        none.owners("x", &mut none.scratch(), &mut owners);
        assert!(owners.is_empty() && none.is_empty());
    }
}
