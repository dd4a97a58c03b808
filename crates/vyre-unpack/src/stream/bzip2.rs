//! bzip2 streams, one after the other.

use bzip2::{Decompress, Error, Status};

use super::Run;
use super::steps::{self, Step};
use crate::problem::{Problem, ProblemKind};

/// What the first block of a stream begins with, and what the end of a stream without blocks begins with.
const AFTER_HEADER: [[u8; 6]; 2] = [[0x31, 0x41, 0x59, 0x26, 0x53, 0x59], [0x17, 0x72, 0x45, 0x38, 0x50, 0x90]];

/// Whether bytes start as a bzip2 stream.
pub(super) fn has_magic(start: &[u8]) -> bool {
    has_header(start) && start.get(4..10).is_some_and(|magic| AFTER_HEADER.iter().any(|known| known == magic))
}

/// Whether bytes start as the header of a bzip2 stream.
fn has_header(start: &[u8]) -> bool {
    start.starts_with(b"BZh") && matches!(start.get(3), Some(b'1'..=b'9'))
}

/// Decodes all streams.
pub(super) fn decode(run: &mut Run<'_, '_>) -> Result<(), Problem> {
    let mut at = 0;
    while at == 0 || at < run.input.len() {
        if !has_header(&run.input[at..]) {
            return Err(run.not_a_start(at, "this is no bzip2 stream"));
        }
        let mut decoder = Decompress::new(false);
        at = steps::run(run.input, at, &mut run.output, "bzip2 stream", |input, output| {
            let (consumed, produced) = (decoder.total_in(), decoder.total_out());
            let end = match decoder.decompress(input, output) {
                Ok(Status::StreamEnd) => Ok(true),
                Ok(Status::MemNeeded) => Err(ProblemKind::Unsupported { what: "bzip2 without memory".to_owned() }),
                Ok(_) => Ok(false),
                Err(Error::DataMagic) => Err(ProblemKind::Corrupt { what: "this is no bzip2 stream" }),
                Err(_) => Err(ProblemKind::Corrupt { what: "the bzip2 stream is damaged, or a CRC of it differs" }),
            };
            Step {
                consumed: (decoder.total_in() - consumed) as usize,
                produced: (decoder.total_out() - produced) as usize,
                end,
            }
        })?;
        run.units += 1;
    }
    Ok(())
}
