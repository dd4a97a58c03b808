//! Mutations of the launch: workgroup size, grid, contents and lengths of buffers.

use vyre_ir::{BufferAccess, BufferDecl, DataType, Program};

use super::mutation::Site;
use crate::Case;
use crate::pool::EDGES;

/// Maximum number of elements of a buffer whose length changes.
const MAX_ELEMENTS: u32 = 600;

pub(super) fn workgroup_size(site: &mut Site<'_>) -> Option<Case> {
    const SIZES: [[u32; 3]; 18] = [
        [1, 1, 1],
        [2, 1, 1],
        [3, 1, 1],
        [4, 1, 1],
        [7, 1, 1],
        [8, 1, 1],
        [16, 1, 1],
        [31, 1, 1],
        [32, 1, 1],
        [33, 1, 1],
        [64, 1, 1],
        [65, 1, 1],
        [100, 1, 1],
        [128, 1, 1],
        [4, 2, 1],
        [2, 3, 2],
        [1, 8, 1],
        [1, 1, 5],
    ];
    let size = site.random.pick(&SIZES);
    let program = Program { workgroup_size: size, ..site.case.program.clone() };
    Some(Case { program, ..site.case.clone() })
}

pub(super) fn grid(site: &mut Site<'_>) -> Option<Case> {
    let random = &mut *site.random;
    let grid = match random.below(6) {
        0 => [random.below(2), 1, 1],
        1 => [random.between(1, 3), random.between(1, 3), 1],
        2 => [1, random.between(1, 2), random.between(1, 3)],
        _ => [random.between(1, 8), 1, 1],
    };
    Some(Case { grid, ..site.case.clone() })
}

fn bound<'s>(site: &mut Site<'s>) -> Option<&'s BufferDecl> {
    let case = site.case;
    let bound: Vec<&BufferDecl> =
        case.program.buffers.iter().filter(|decl| decl.access != BufferAccess::Workgroup).collect();
    site.choose(&bound).copied()
}

/// Other words in a buffer.
pub(super) fn contents(site: &mut Site<'_>) -> Option<Case> {
    let decl = bound(site)?;
    let mut case = site.case.clone();
    let bytes = case.contents.get_mut(&decl.name)?;
    let random = &mut *site.random;
    let style = random.below(7);
    let count = (bytes.len() / 4) as u32;
    for (at, word) in bytes.chunks_exact_mut(4).enumerate() {
        let at = at as u32;
        let new = match style {
            0 => random.word(),
            1 => random.below(4),
            2 => random.pick(&EDGES),
            3 => count - at,
            4 => random.below(count + 1),
            // Most words stay.
            _ if random.chance(80) => continue,
            _ => random.number(),
        };
        word.copy_from_slice(&new.to_le_bytes());
    }
    Some(case)
}

pub(super) fn length(site: &mut Site<'_>) -> Option<Case> {
    let mut case = site.case.clone();
    if site.random.chance(25) {
        let memory: Vec<usize> =
            (0..case.program.buffers.len()).filter(|&at| case.program.buffers[at].count > 0).collect();
        let count = &mut case.program.buffers[*site.choose(&memory)?].count;
        *count = match site.random.below(4) {
            0 => count.saturating_sub(1).max(1),
            1 => *count + 1,
            2 => site.random.pick(&[1, 2, 31, 32, 33, 64]),
            _ => (*count / 2).max(1),
        };
        return Some(case);
    }
    let decl = bound(site)?;
    let bytes = case.contents.get_mut(&decl.name)?;
    let size = decl.element.element_bytes();
    let elements = (bytes.len() / size) as u32;
    let new = match site.random.below(7) {
        0 => 0,
        1 => 1,
        2 => elements + 1,
        3 => elements.saturating_sub(1),
        4 => elements * 2,
        5 => elements / 2,
        _ => site.random.pick(&[2, 3, 16, 31, 32, 33, 64, 65]),
    };
    if new > MAX_ELEMENTS.max(elements) {
        return None;
    }
    let partial = if size > 1 && site.random.chance(10) { site.random.below(size as u32) as usize } else { 0 };
    let fill = site.random.below(3) as u8;
    bytes.resize(new as usize * size + partial, fill);
    Some(case)
}

/// Another access mode. Stores make a read-only buffer invalid, so validation rejects wrong ones.
pub(super) fn access(site: &mut Site<'_>) -> Option<Case> {
    let decl = bound(site)?;
    let mut case = site.case.clone();
    let access = site.random.pick(&[BufferAccess::ReadOnly, BufferAccess::ReadWrite, BufferAccess::Uniform]);
    let changed = case.program.buffers.iter_mut().find(|other| other.name == decl.name)?;
    changed.access = access;
    if site.random.chance(30) && changed.element.element_bytes() == 4 {
        changed.element = site.random.pick(&[DataType::U32, DataType::I32, DataType::Bool]);
    }
    Some(case)
}
