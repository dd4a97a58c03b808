//! Files of an ASAR archive that are beside it, in the directory `NAME.asar.unpacked`.
//!
//! The names come from the archive, so files are opened relative to a handle of the directory: neither `..` nor a symbolic link
//! leads out of it.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::BESIDE;
use crate::archive::{Block, BlockSlice, Content, Listing, Member};
use crate::problem::{Problem, ProblemKind};
use crate::stream::{Step, StepEnd};

/// Takes the contents of files beside the archive from this directory. Files that it does not have keep their problem.
pub(crate) fn read_beside(listing: &mut Listing, directory: &Path) {
    let Ok(directory) = Dir::open_ambient_dir(directory, ambient_authority()).map(Arc::new) else { return };
    for member in &mut listing.members {
        let is_beside = |problem: &Problem| matches!(&problem.kind, ProblemKind::Unsupported { what } if what == BESIDE);
        if !member.problems.iter().any(is_beside) {
            continue;
        }
        if let Some(size) = size_of(&directory, member) {
            member.problems.retain(|problem| !is_beside(problem));
            attach(member, &directory, size);
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
