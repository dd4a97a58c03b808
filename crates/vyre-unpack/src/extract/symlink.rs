//! Containment check of symbolic links.

use std::collections::{HashSet, VecDeque};

use cap_std::fs::Dir;

use super::file::FileId;
use super::path::{DestinationPath, MAX_PATH_BYTES, as_bytes, as_path, is_absolute, split};
use super::refusal::Refusal;

/// Maximum number of links that are followed. Linux has the same limit.
const MAX_LINKS: usize = 40;
/// Maximum number of path components that are followed.
const MAX_STEPS: usize = 1000;

/// Checks that a symbolic link at `link` leads only to paths below the directory of its archive, now and after any later entry.
///
/// Later entries can create links under free names, but they can replace neither a directory nor a link that this archive
/// created. So `..` is allowed only after these. After a name that does not exist yet, or a link of another origin, it is refused.
///
/// # Errors
///
/// [`Refusal::BadLinkTarget`] or [`Refusal::LinkLeavesTree`].
pub(super) fn check(
    root: &Dir,
    created: &HashSet<FileId>,
    link: &DestinationPath,
    target: &[u8],
) -> Result<(), Refusal> {
    check_with(link, target, &mut |path| match root.symlink_metadata(as_path(path)) {
        Ok(found) if found.is_symlink() => match root.read_link_contents(as_path(path)) {
            Ok(target) => {
                let is_own = created.contains(&FileId::new(&found));
                Found::Link { target: as_bytes(&target).to_vec(), is_own }
            }
            Err(_) => Found::Unreadable,
        },
        Ok(found) if found.is_dir() => Found::Directory,
        Ok(_) => Found::Other,
        Err(_) => Found::Missing,
    })
}

/// Object at a path.
pub(super) enum Found {
    Missing,
    Directory,
    /// A symbolic link. It is final if this archive created it.
    Link {
        target: Vec<u8>,
        is_own: bool,
    },
    /// A symbolic link that cannot be read.
    Unreadable,
    Other,
}

/// Checks a symbolic link as [`check`] does, in the tree that `look` describes.
pub(super) fn check_with(
    link: &DestinationPath,
    target: &[u8],
    look: &mut dyn FnMut(&[u8]) -> Found,
) -> Result<(), Refusal> {
    if target.is_empty() || target.contains(&0) || target.len() > MAX_PATH_BYTES {
        return Err(Refusal::BadLinkTarget);
    }
    let mut steps: VecDeque<Vec<u8>> = VecDeque::new();
    push_steps(&mut steps, target)?;
    // The resolved path; all its components are directories.
    let mut reached = link.split().0.to_vec();
    let mut links = 0;
    let mut count = 0;
    let mut is_final = true;
    while let Some(step) = steps.pop_front() {
        count += 1;
        if count > MAX_STEPS {
            return Err(Refusal::LinkLeavesTree);
        }
        if step == b".." {
            if !is_final || reached.len() <= link.archive_root {
                return Err(Refusal::LinkLeavesTree);
            }
            let parent = split(&reached).0.len();
            reached.truncate(parent);
            continue;
        }
        let parent = reached.len();
        if parent > 0 {
            reached.push(b'/');
        }
        reached.extend_from_slice(&step);
        match look(&reached) {
            Found::Link { target, is_own } => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(Refusal::LinkLeavesTree);
                }
                is_final &= is_own;
                push_steps(&mut steps, &target)?;
                reached.truncate(parent);
            }
            Found::Unreadable => return Err(Refusal::LinkLeavesTree),
            Found::Directory => {}
            // A missing name may become a link later, and `..` after a file has no meaning.
            Found::Missing | Found::Other => is_final = false,
        }
    }
    Ok(())
}

/// Inserts the components of a target before the remaining ones.
fn push_steps(steps: &mut VecDeque<Vec<u8>>, target: &[u8]) -> Result<(), Refusal> {
    if is_absolute(target) {
        return Err(Refusal::LinkLeavesTree);
    }
    // `\` is a separator on Windows, so `..` next to it is refused on every system: the tree may be copied.
    let mixed = |byte: &u8| matches!(byte, b'/' | b'\\');
    if target.contains(&b'\\') && target.split(mixed).any(|component| component == b"..") {
        return Err(Refusal::LinkLeavesTree);
    }
    for part in target.split(|&byte| byte == b'/').rev().filter(|part| !part.is_empty() && *part != b".") {
        steps.push_front(part.to_vec());
    }
    Ok(())
}
