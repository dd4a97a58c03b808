//! Symbolic links that stay in the tree.

use std::collections::{HashSet, VecDeque};

use cap_std::fs::Dir;

use super::file::FileId;
use super::name::{LONGEST_PATH, Place, as_bytes, as_path, is_absolute};
use super::refusal::Refusal;

/// The most links on the way to a target. Linux has the same limit.
const MOST_LINKS: usize = 40;
/// The most parts of names on the way.
const MOST_STEPS: usize = 1000;

/// Whether a symbolic link at `place` can only lead to what is below the directory of its archive, now and later.
///
/// Later entries can make names into links, but they can neither replace a directory nor a link that this archive made. So
/// `..` is followed behind these alone: behind a name that is not there yet, or a link that somebody else made, it is refused.
pub(super) fn check(root: &Dir, made: &HashSet<FileId>, place: &Place, target: &[u8]) -> Result<(), Refusal> {
    if target.is_empty() || target.contains(&0) || target.len() > LONGEST_PATH {
        return Err(Refusal::BadLinkTarget);
    }
    let mut steps: VecDeque<Vec<u8>> = VecDeque::new();
    push_steps(&mut steps, target)?;
    // The path that was reached, whose directories are real, and the places where its parts begin.
    let mut reached = place.split().0.to_vec();
    let mut links = 0;
    let mut count = 0;
    let mut is_settled = true;
    while let Some(step) = steps.pop_front() {
        count += 1;
        if count > MOST_STEPS {
            return Err(Refusal::LinkLeavesTree);
        }
        if step == b".." {
            if !is_settled || reached.len() <= place.root {
                return Err(Refusal::LinkLeavesTree);
            }
            let parent = super::name::split(&reached).0.len();
            reached.truncate(parent);
            continue;
        }
        let parent = reached.len();
        if parent > 0 {
            reached.push(b'/');
        }
        reached.extend_from_slice(&step);
        match root.symlink_metadata(as_path(&reached)) {
            Ok(found) if found.is_symlink() => {
                links += 1;
                let contents = root.read_link_contents(as_path(&reached)).map_err(|_| Refusal::LinkLeavesTree)?;
                if links > MOST_LINKS {
                    return Err(Refusal::LinkLeavesTree);
                }
                is_settled &= made.contains(&FileId::new(&found));
                push_steps(&mut steps, as_bytes(&contents))?;
                reached.truncate(parent);
            }
            Ok(found) if found.is_dir() => {}
            // A file can be nothing else later either, but there is nothing above it that could be meant.
            Ok(_) | Err(_) => is_settled = false,
        }
    }
    Ok(())
}

/// Puts the parts of a target before what is left of the way.
fn push_steps(steps: &mut VecDeque<Vec<u8>>, target: &[u8]) -> Result<(), Refusal> {
    if is_absolute(target) {
        return Err(Refusal::LinkLeavesTree);
    }
    // On Windows `\` separates too, so a part with `..` between such is refused wherever the tree is copied to.
    let mixed = |byte: &u8| matches!(byte, b'/' | b'\\');
    if target.contains(&b'\\') && target.split(mixed).any(|part| part == b"..") {
        return Err(Refusal::LinkLeavesTree);
    }
    for part in target.split(|&byte| byte == b'/').rev().filter(|part| !part.is_empty() && *part != b".") {
        steps.push_front(part.to_vec());
    }
    Ok(())
}
