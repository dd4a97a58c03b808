//! Whiteouts of container images (OCI image layer specification): empty files whose names delete files of the layers below.
//!
//! | Name | Effect for container runtimes |
//! |---|---|
//! | `.wh..wh..opq` | hides all that the layers below have in the directory |
//! | `.wh.NAME` | deletes `NAME` of the layers below |
//!
//! Other programs see ordinary files, so the two readings are reported. The deleted files stay entries of their own layers.

use crate::archive::{KindRef, Listing, MemberRef, describe_name};
use crate::problem::{Problem, ProblemKind};

/// Start of the name of a whiteout.
const PREFIX: &[u8] = b".wh.";
/// Name that hides a directory of the layers below.
const OPAQUE: &[u8] = b".wh..wh..opq";
/// Start of the names of files that a union file system keeps for itself.
const OWN: &[u8] = b".wh..wh.";

/// Adds a problem to each whiteout.
pub(super) fn report(listing: &mut Listing) {
    let mut found = Vec::new();
    for (index, member) in listing.members.iter().enumerate().filter(|(_, member)| is_empty(member)) {
        let start = memchr::memrchr(b'/', member.name).map_or(0, |slash| slash + 1);
        let (directory, own) = member.name.split_at(start);
        let Some(deleted) = own.strip_prefix(PREFIX).filter(|deleted| !deleted.is_empty()) else { continue };
        let effect = if own == OPAQUE {
            let directory = if directory.is_empty() { &b"./"[..] } else { directory };
            format!("hides all files of the layers below in {}", describe_name(directory))
        } else if own.starts_with(OWN) {
            continue;
        } else {
            format!("deletes {} of the layers below", describe_name(&[directory, deleted].concat()))
        };
        let what = format!("to container runtimes the entry is no file, but a whiteout that {effect}");
        found.push((index, Problem::new(member.offset, ProblemKind::Readings { what })));
    }
    for (index, problem) in found {
        listing.members.push_problem(index, problem);
    }
}

/// True if the member can be a whiteout: a file without bytes, or a link to one.
fn is_empty(member: &MemberRef<'_>) -> bool {
    match member.kind {
        KindRef::File => member.size == Some(0),
        KindRef::Hardlink { .. } => true,
        _ => false,
    }
}
