//! Copies between overlapping ranges of device memory (`memmove`).
//!
//! The copy is split into pieces. Where the ranges are far apart, a piece is as long as their distance, so that source and
//! target of a piece do not overlap. Otherwise pieces go through a temporary buffer.

use std::sync::Arc;

use vyre_runtime::Error;

use crate::driver::context::{Context, Current};

/// Maximum size of the temporary buffer.
const MAX_TEMPORARY_BYTES: u64 = 64 << 20;

/// Maximum number of direct pieces. A copy that needs more goes through the temporary buffer.
const MAX_DIRECT_PIECES: u64 = 64;

/// Piece of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    /// Offset within both ranges.
    offset: u64,
    length: u64,
}

/// Pieces of a copy, each of at most `max_length` bytes, in an order in which no piece overwrites a later piece's source.
fn pieces(source: u64, target: u64, length: u64, max_length: u64) -> impl Iterator<Item = Piece> {
    let count = length.div_ceil(max_length);
    let is_backward = target > source;
    (0..count).map(move |number| {
        let number = if is_backward { count - 1 - number } else { number };
        let offset = number * max_length;
        Piece { offset, length: max_length.min(length - offset) }
    })
}

/// Copies device memory on the main stream. The ranges may overlap.
pub(crate) fn copy_overlapping(
    context: &Arc<Context>,
    current: &Current<'_>,
    source: u64,
    target: u64,
    length: u64,
) -> Result<(), Error> {
    let (main, distance) = (context.streams.main, source.abs_diff(target));
    if distance == 0 {
        return Ok(());
    }
    if length / distance < MAX_DIRECT_PIECES {
        for Piece { offset, length } in pieces(source, target, length, distance) {
            current.copy(main, source + offset, target + offset, length)?;
        }
        return Ok(());
    }
    // Dropping it frees it in stream order, after the copies.
    let temporary = current.allocate(context, main, MAX_TEMPORARY_BYTES.min(length))?;
    for Piece { offset, length } in pieces(source, target, length, MAX_TEMPORARY_BYTES) {
        current.copy(main, source + offset, temporary.address, length)?;
        current.copy(main, temporary.address, target + offset, length)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_in_pieces_equal_copy_within() {
        let start: Vec<u8> = (0..40).collect();
        for source in 0..12_usize {
            for target in 0..12_usize {
                for length in [1, 2, 7, 20, 28] {
                    let mut expected = start.clone();
                    expected.copy_within(source..source + length, target);
                    for max_length in [1, 3, 8, 100] {
                        let mut found = start.clone();
                        for piece in pieces(source as u64, target as u64, length as u64, max_length) {
                            let (offset, length) = (piece.offset as usize, piece.length as usize);
                            assert!(length as u64 <= max_length && length > 0);
                            let temporary = found[source + offset..source + offset + length].to_vec();
                            found[target + offset..target + offset + length].copy_from_slice(&temporary);
                        }
                        assert_eq!(found, expected, "{source} to {target}, {length} bytes, pieces of {max_length}");
                    }
                }
            }
        }
    }
}
