//! Copies within a buffer whose ranges overlap.

use std::sync::Arc;

use vyre_runtime::Error;

use crate::context::{Context, Current};

/// The most bytes that are in memory in between at a time.
const BETWEEN_BYTES: u64 = 64 << 20;

/// The most pieces that are as long as the ranges are apart, and so need no memory in between.
const MOST_PIECES: u64 = 64;

/// A piece of a copy: where it begins in both ranges, and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    at: u64,
    length: u64,
}

/// The pieces of a copy, none longer than `most`, in an order in which none is written before it was read.
fn pieces(source: u64, target: u64, length: u64, most: u64) -> impl Iterator<Item = Piece> {
    let count = length.div_ceil(most);
    let is_backward = target > source;
    (0..count).map(move |number| {
        let number = if is_backward { count - 1 - number } else { number };
        let at = number * most;
        Piece { at, length: most.min(length - at) }
    })
}

/// Copies bytes of the device to a range that may overlap with theirs.
pub(crate) fn move_within(
    context: &Arc<Context>,
    current: &Current<'_>,
    source: u64,
    target: u64,
    length: u64,
) -> Result<(), Error> {
    let (main, apart) = (context.main, source.abs_diff(target));
    if apart == 0 {
        return Ok(());
    }
    if length / apart < MOST_PIECES {
        for Piece { at, length } in pieces(source, target, length, apart) {
            current.copy(main, source + at, target + at, length)?;
        }
        return Ok(());
    }
    // It is given back when the commands so far are done.
    let between = current.allocate(context, BETWEEN_BYTES.min(length))?;
    for Piece { at, length } in pieces(source, target, length, BETWEEN_BYTES) {
        current.copy(main, source + at, between.address, length)?;
        current.copy(main, between.address, target + at, length)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_do_what_a_move_does() {
        let start: Vec<u8> = (0..40).collect();
        for source in 0..12_usize {
            for target in 0..12_usize {
                for length in [1, 2, 7, 20, 28] {
                    let mut expected = start.clone();
                    expected.copy_within(source..source + length, target);
                    for most in [1, 3, 8, 100] {
                        let mut found = start.clone();
                        for piece in pieces(source as u64, target as u64, length as u64, most) {
                            let (at, length) = (piece.at as usize, piece.length as usize);
                            assert!(length as u64 <= most && length > 0);
                            let between = found[source + at..source + at + length].to_vec();
                            found[target + at..target + at + length].copy_from_slice(&between);
                        }
                        assert_eq!(found, expected, "{source} to {target}, {length} bytes, at most {most}");
                    }
                }
            }
        }
    }
}
