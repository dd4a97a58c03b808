//! Names of members on which installers and careful tools differ: names that occur twice, and absolute names.

use std::borrow::Cow;
use std::hash::{BuildHasher as _, RandomState};

use super::table::UNCHECKED_MEMBERS;
use super::{KindRef, Listing, TableMemoryRefused, check_headroom, push, table_of};
use crate::problem::{Problem, ProblemKind};

/// Problem text of absolute names.
const ABSOLUTE: &str = "the name is absolute; installers put the entry below their own directory";
/// Problem text of names that occur before.
const REPEATED: &str = "an entry before it has the same name; installers keep the last one";

/// Adds a problem to members whose name an earlier member has, and to members with an absolute name.
///
/// Installers write one entry over the other, so that the last one stays. A scanner that keeps the first one would show
/// something that nobody gets.
///
/// # Errors
///
/// The system refuses the memory.
pub(crate) fn report_names(listing: &mut Listing) -> Result<(), TableMemoryRefused> {
    let count = listing.members.len();
    // Names of one hash are next to each other after sorting, and only those are compared.
    let mut hashes: Vec<(u64, usize)> = table_of(count)?;
    let mut found: Vec<(usize, &'static str)> = Vec::new();
    let state = RandomState::new();
    for (index, member) in listing.members.iter().enumerate() {
        if member.kind == KindRef::Directory {
            continue;
        }
        if member.name.starts_with(b"/") {
            push(&mut found, (index, ABSOLUTE))?;
        }
        hashes.push((state.hash_one(normalized(member.name)), index));
    }
    hashes.sort_unstable();
    for group in hashes.chunk_by(|one, other| one.0 == other.0).filter(|group| group.len() > 1) {
        for index in repeated(listing, group)? {
            push(&mut found, (index, REPEATED))?;
        }
    }
    found.sort_by_key(|(index, _)| *index);
    for (number, (index, what)) in found.into_iter().enumerate() {
        if number.is_multiple_of(UNCHECKED_MEMBERS) {
            check_headroom()?;
        }
        let offset = listing.members.get(index).map_or(0, |member| member.offset);
        let kind = ProblemKind::Readings { what: what.to_owned() };
        listing.members.push_problem(index, Problem::new(offset, kind));
    }
    Ok(())
}

/// The members of a group of one hash whose name an earlier one has.
fn repeated(listing: &Listing, group: &[(u64, usize)]) -> Result<Vec<usize>, TableMemoryRefused> {
    let name =
        |index: usize| listing.members.get(index).map_or(Cow::Borrowed(&[][..]), |member| normalized(member.name));
    let mut first: Vec<Cow<'_, [u8]>> = Vec::new();
    let mut found = Vec::new();
    for &(_, index) in group {
        let name = name(index);
        if first.contains(&name) {
            push(&mut found, index)?;
        } else {
            push(&mut first, name)?;
        }
    }
    Ok(found)
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
