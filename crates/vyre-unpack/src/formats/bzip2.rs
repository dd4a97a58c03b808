//! bzip2 files: a sequence of streams.
//!
//! | Offset | Size | Field of a stream |
//! |---|---|---|
//! | 0 | 3 | magic number `BZh` |
//! | 3 | 1 | block size in units of 100,000 bytes: `1` to `9` |
//! | 4 | 6 | magic number of the first block, or of the end of an empty stream |

use bzip2::{Decompress, Error, Status};

use crate::problem::{Problem, ProblemKind};
use crate::stream::{Run, Step, StepEnd, StreamFormat, decode_steps};

/// Format of bzip2 files.
pub(super) static FORMAT: StreamFormat = StreamFormat {
    name: "bzip2",
    title: "bzip2",
    detect: has_magic,
    decode,
    find_blocks: None,
    always_has_checksum: true,
    suffixes: &[(b".bz2", b""), (b".bzip2", b""), (b".tbz2", b".tar"), (b".tbz", b".tar")],
};

/// Magic numbers of a block and of the end of a stream.
const AFTER_HEADER: [[u8; 6]; 2] = [[0x31, 0x41, 0x59, 0x26, 0x53, 0x59], [0x17, 0x72, 0x45, 0x38, 0x50, 0x90]];

/// True if the bytes start as a bzip2 stream.
fn has_magic(start: &[u8]) -> bool {
    has_header(start) && start.get(4..10).is_some_and(|magic| AFTER_HEADER.iter().any(|known| known == magic))
}

/// True if the bytes start with the header of a bzip2 stream.
fn has_header(start: &[u8]) -> bool {
    start.starts_with(b"BZh") && matches!(start.get(3), Some(b'1'..=b'9'))
}

/// Decodes all streams.
fn decode(run: &mut Run<'_, '_>) -> Result<(), Problem> {
    let mut at = 0;
    while at == 0 || at < run.input.len() {
        if !has_header(&run.input[at..]) {
            return Err(run.not_a_start(at, "this is no bzip2 stream"));
        }
        let mut decoder = Decompress::new(false);
        at = decode_steps(run.input, at, &mut run.output, "bzip2 stream", |input, output| {
            let (consumed, produced) = (decoder.total_in(), decoder.total_out());
            let end = match decoder.decompress(input, output) {
                Ok(Status::StreamEnd) => StepEnd::Finished,
                Ok(Status::MemNeeded) => {
                    StepEnd::Failed(ProblemKind::Unsupported { what: "bzip2 without memory".to_owned() })
                }
                Ok(_) => StepEnd::More,
                Err(Error::DataMagic) => StepEnd::Failed(ProblemKind::Corrupt { what: "this is no bzip2 stream" }),
                Err(_) => StepEnd::Failed(ProblemKind::Corrupt {
                    what: "the bzip2 stream is damaged, or a CRC of it differs",
                }),
            };
            Step {
                consumed: (decoder.total_in() - consumed) as usize,
                produced: (decoder.total_out() - produced) as usize,
                end,
            }
        })?;
        run.blocks.units += 1;
    }
    Ok(())
}
