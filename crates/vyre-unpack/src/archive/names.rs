//! Names of members on which installers and careful tools differ: names that occur twice, and absolute names.

use std::borrow::Cow;
use std::collections::HashSet;

use super::Listing;
use crate::entry::EntryKind;
use crate::problem::{Problem, ProblemKind};

/// Adds a problem to members whose name an earlier member has, and to members with an absolute name.
///
/// Installers write one entry over the other, so that the last one stays. A scanner that keeps the first one would show
/// something that nobody gets.
pub(crate) fn report_names(listing: &mut Listing) {
    let mut seen: HashSet<Cow<'_, [u8]>> = HashSet::with_capacity(listing.members.len());
    let mut found: Vec<(usize, &'static str)> = Vec::new();
    for (index, member) in listing.members.iter().enumerate() {
        if member.kind == EntryKind::Directory {
            continue;
        }
        if member.name.starts_with(b"/") {
            found.push((index, "the name is absolute; installers put the entry below their own directory"));
        }
        if !seen.insert(normalized(&member.name)) {
            found.push((index, "an entry before it has the same name; installers keep the last one"));
        }
    }
    for (index, what) in found {
        let member = &mut listing.members[index];
        let kind = ProblemKind::Readings { what: what.to_owned() };
        member.problems.push(Problem::new(member.offset, kind));
    }
}

/// The name as a path: with `/` between names, without empty names and `.`.
fn normalized(name: &[u8]) -> Cow<'_, [u8]> {
    let is_separator = |byte: &u8| matches!(byte, b'/' | b'\\');
    let is_plain = !name.contains(&b'\\') && name.split(is_separator).all(|part| !part.is_empty() && part != b".");
    if is_plain {
        return Cow::Borrowed(name);
    }
    let parts: Vec<&[u8]> = name.split(is_separator).filter(|part| !part.is_empty() && *part != b".").collect();
    Cow::Owned(parts.join(&b'/'))
}

#[cfg(test)]
mod tests {
    use super::normalized;

    #[test]
    fn names_of_the_same_path_are_equal() {
        for name in ["a/b", "./a/b", "/a/b", "a//b", "a/./b/", "a\\b", "//a/b"] {
            assert_eq!(&*normalized(name.as_bytes()), b"a/b", "{name}");
        }
        assert_ne!(normalized(b"a/b"), normalized(b"a/B"));
    }
}
