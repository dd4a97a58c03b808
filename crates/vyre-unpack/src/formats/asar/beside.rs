//! Files of an ASAR archive that are beside it, in the directory `NAME.asar.unpacked`.
//!
//! The directory of a nested archive is part of the archive around it, so its files are entries of that archive. The directory
//! of the outermost one is in the file system. The names come from the archive, so files are opened relative to a handle of the directory: neither `..` nor a symbolic link
//! leads out of it.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::BESIDE;
use crate::archive::{Block, BlockSlice, Content, Listing, Member, TableMemoryRefused};
use crate::problem::{Problem, ProblemKind};
use crate::stream::{Step, StepEnd};

/// Names of the members that are in a directory beside an ASAR archive.
pub(crate) fn names_beside(listing: &Listing) -> BTreeSet<Vec<u8>> {
    static FINDER: LazyLock<memchr::memmem::Finder<'static>> =
        LazyLock::new(|| memchr::memmem::Finder::new(b".asar.unpacked/"));
    let names = listing.members.iter().map(|member| member.name);
    names.filter(|name| FINDER.find(name).is_some()).map(<[u8]>::to_vec).collect()
}

/// Removes members that are entries of the archive around this one. `name` is the name of this archive there.
///
/// # Errors
///
/// The system refuses the memory.
pub(crate) fn omit_beside(
    listing: &mut Listing,
    name: &[u8],
    names: &BTreeSet<Vec<u8>>,
) -> Result<(), TableMemoryRefused> {
    if names.is_empty() || !listing.members.problems().any(states_beside) {
        return Ok(());
    }
    let is_known = |member: &Member| names.contains(&[name, b".unpacked/", &member.name].concat());
    listing.members.retain(|member| !(member.problems.iter().any(states_beside) && is_known(member)))
}

/// True if the problem says that the bytes of a member are beside the archive.
fn states_beside(problem: &Problem) -> bool {
    matches!(&problem.kind, ProblemKind::Unsupported { what } if what == BESIDE)
}

/// Takes the contents of files beside the archive from this directory. Files that it does not have keep their problem.
pub(crate) fn read_beside(listing: &mut Listing, directory: &Path) {
    let Ok(directory) = Dir::open_ambient_dir(directory, ambient_authority()).map(Arc::new) else { return };
    for index in 0..listing.members.len() {
        if !listing.members.problems_of(index).iter().any(states_beside) {
            continue;
        }
        let Some(mut member) = listing.members.copy(index) else { continue };
        if let Some(size) = size_of(&directory, &member) {
            member.problems.retain(|problem| !states_beside(problem));
            attach(&mut member, &directory, size);
            listing.members.replace(index, member);
        }
    }
}

/// The size of the file of a member, if it is a regular file.
fn size_of(directory: &Dir, member: &Member) -> Option<u64> {
    let name = std::str::from_utf8(&member.name).ok()?;
    let metadata = directory.symlink_metadata(name).ok().filter(|metadata| metadata.is_file())?;
    Some(metadata.len())
}

/// Makes the file the content of the member. It is read when the member is decoded.
fn attach(member: &mut Member, directory: &Arc<Dir>, size: u64) {
    let offset = member.offset;
    if let Some(expected) = member.size.filter(|&expected| expected != size) {
        member.problems.push(Problem::new(offset, ProblemKind::Size { expected, found: size }));
    }
    let name = String::from_utf8_lossy(&member.name).into_owned();
    let directory = Arc::clone(directory);
    let block = Block::new(size, move |_, output| {
        let unreadable = ProblemKind::Corrupt { what: "the file beside the archive cannot be read" };
        let Ok(mut file) = directory.open(&name) else { return Err(Problem::new(offset, unreadable)) };
        let read = output.run(&[], Some(size), "file beside the archive", |_, room| match file.read(room) {
            Ok(0) => Step { consumed: 0, produced: 0, end: StepEnd::Finished },
            Ok(produced) => Step { consumed: 0, produced, end: StepEnd::More },
            Err(_) => Step { consumed: 0, produced: 0, end: StepEnd::Failed(unreadable.clone()) },
        });
        read.map(drop).map_err(|kind| Problem::new(offset, kind))
    });
    member.content = Content::Block(BlockSlice { block, range: 0..size, crc32: None });
}
