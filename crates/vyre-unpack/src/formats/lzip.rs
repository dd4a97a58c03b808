//! lzip files: a sequence of members, each with a header of 6 bytes, an LZMA stream and a trailer with checksum and sizes.
//!
//! | Offset | Size | Field of a member |
//! |---|---|---|
//! | 0 | 4 | magic number `LZIP` |
//! | 4 | 1 | version: 0 or 1 |
//! | 5 | 1 | size of the dictionary, coded |

use liblzma::stream::Stream;

use super::lzma::decode_with;
use crate::problem::Problem;
use crate::stream::{Run, StreamFormat, unsupported};

/// Format of lzip files.
pub(super) static FORMAT: StreamFormat = StreamFormat {
    name: "lzip",
    title: "lzip",
    detect: has_magic,
    decode,
    find_blocks: None,
    always_has_checksum: true,
    suffixes: &[(b".lz", b""), (b".tlz", b".tar")],
};

/// True if the bytes start as an lzip member.
fn has_magic(start: &[u8]) -> bool {
    start.starts_with(b"LZIP") && matches!(start.get(4), Some(0 | 1))
}

/// Decodes all members.
fn decode(run: &mut Run<'_, '_>) -> Result<(), Problem> {
    let mut at = 0;
    while at == 0 || at < run.input.len() {
        if !has_magic(&run.input[at..]) {
            return Err(run.not_a_start(at, "this is no lzip member"));
        }
        let Ok(decoder) = Stream::new_lzip_decoder(run.decoder_memory(), 0) else {
            return Err(unsupported(at, "lzip without memory"));
        };
        at = decode_with(run, at, decoder, "lzip member")?;
        run.blocks.units += 1;
    }
    Ok(())
}
