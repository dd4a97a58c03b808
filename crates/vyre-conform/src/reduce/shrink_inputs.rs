//! Reduction of the inputs of a run: workgroup size, grid, workgroup memory, and contents of buffers.

use vyre_ir::{BufferAccess, Name};
use vyre_runtime::words;

use super::search::Search;
use super::unit::Unit;
use crate::Case;

/// Shrinks workgroup and grid: all axes at once if possible, else each axis by halves.
pub(super) fn shrink_axes(search: &mut Search<'_>) {
    search.attempt(with_axes(search.current(), [1; 6]));
    for axis in 0..6 {
        let value = axes(search.current())[axis];
        search.halve(1, value, &|case, value| with_axis(case, axis, value));
    }
}

/// Minimizes each axis of workgroup and grid. A case that needs a large grid takes long for each test, so this is for small programs.
pub(super) fn minimize_axes(search: &mut Search<'_>) {
    for axis in 0..6 {
        let value = axes(search.current())[axis];
        search.lower(1, value, &|case, value| with_axis(case, axis, value));
    }
}

fn with_axis(case: &Case, axis: usize, value: u32) -> Case {
    let mut axes = axes(case);
    axes[axis] = value;
    with_axes(case, axes)
}

/// Axes of the workgroup, followed by those of the grid.
fn axes(case: &Case) -> [u32; 6] {
    let ([a, b, c], [d, e, f]) = (case.program.workgroup_size, case.grid);
    [a, b, c, d, e, f]
}

fn with_axes(case: &Case, [a, b, c, d, e, f]: [u32; 6]) -> Case {
    let mut case = case.clone();
    case.program.workgroup_size = [a, b, c];
    case.grid = [d, e, f];
    case
}

/// Shortens workgroup buffers.
pub(super) fn shrink_workgroup_buffers(search: &mut Search<'_>) {
    for position in 0..search.current().program.buffers.len() {
        let buffer = &search.current().program.buffers[position];
        if buffer.access == BufferAccess::Workgroup {
            search.lower(1, buffer.count, &|case, count| {
                let mut program = case.program.clone();
                program.buffers[position].count = count;
                Unit::Program.with_program(case, program)
            });
        }
    }
}

/// Shrinks contents: to whole words if possible, to fewer words, and to words that are zero or small.
pub(super) fn shrink_contents(search: &mut Search<'_>) {
    let names: Vec<Name> = search.current().contents.keys().cloned().collect();
    for name in &names {
        let size = bytes(search.current(), name).len();
        if !size.is_multiple_of(4) && !search.attempt(resized(search.current(), name, size - size % 4)) {
            search.attempt(resized(search.current(), name, size.next_multiple_of(4)));
        }
        let size = bytes(search.current(), name).len();
        let Ok(count) = u32::try_from(size / 4) else { continue };
        search.lower(0, count, &|case, count| resized(case, name, 4 * count as usize + size % 4));
        let zeroed = with_zero_tail(search.current(), name, size % 4);
        search.attempt(zeroed);
    }
    for name in &names {
        change_words(search, name, &|word| (word != 0).then_some(0));
        change_words(search, name, &|word| (word > 1).then_some(1));
        for shift in [16, 8, 4, 2, 1] {
            change_words(search, name, &|word| Some(word >> shift).filter(|&smaller| smaller > 1));
        }
    }
}

/// Minimizes words of contents one by one.
pub(super) fn shrink_words(search: &mut Search<'_>) {
    /// Maximum number of words that are minimized for each buffer.
    const MAX_WORDS: usize = 64;
    let names: Vec<Name> = search.current().contents.keys().cloned().collect();
    for name in &names {
        let words = words(bytes(search.current(), name));
        let large = words.into_iter().enumerate().filter(|&(_, word)| word > 1);
        for (position, word) in large.take(MAX_WORDS) {
            search.lower(0, word, &|case, word| with_words(case, name, &[(position, word)]));
        }
    }
}

fn bytes<'c>(case: &'c Case, name: &Name) -> &'c [u8] {
    case.contents.get(name).map(Vec::as_slice).unwrap_or_default()
}

fn resized(case: &Case, name: &Name, size: usize) -> Case {
    let mut case = case.clone();
    if let Some(bytes) = case.contents.get_mut(name) {
        bytes.resize(size, 0);
    }
    case
}

/// Clears the last bytes of contents.
fn with_zero_tail(case: &Case, name: &Name, count: usize) -> Case {
    let mut case = case.clone();
    if let Some(bytes) = case.contents.get_mut(name) {
        let whole = bytes.len() - count;
        bytes[whole..].fill(0);
    }
    case
}

/// Replaces as many words as possible by the value that `smaller` returns for them.
fn change_words(search: &mut Search<'_>, name: &Name, smaller: &dyn Fn(u32) -> Option<u32>) {
    let base = search.current().clone();
    let words = words(bytes(&base, name));
    let changes: Vec<(usize, u32)> =
        words.into_iter().enumerate().filter_map(|(position, word)| Some((position, smaller(word)?))).collect();
    search.apply_most(&changes, &mut |chosen| {
        let chosen: Vec<(usize, u32)> = chosen.iter().map(|change| **change).collect();
        with_words(&base, name, &chosen)
    });
}

fn with_words(case: &Case, name: &Name, words: &[(usize, u32)]) -> Case {
    let mut case = case.clone();
    if let Some(bytes) = case.contents.get_mut(name) {
        for &(position, word) in words {
            bytes[4 * position..4 * position + 4].copy_from_slice(&word.to_le_bytes());
        }
    }
    case
}
