//! PPMd, variant H, as 7z has it.

use std::io::Read;

use ppmd_rust::Ppmd7Decoder;

use super::{MAX_DICTIONARY_BYTES, damaged, unsupported};
use crate::archive::BlockOutput;
use crate::problem::ProblemKind;
use crate::stream::{Step, StepEnd, u32_at};

/// Maximum output of a step. The decoder is slow, and cancellation is checked between steps.
const STEP_BYTES: usize = 1 << 18;

/// Decodes a stream of PPMd. The properties are the order and the size of the model. The stream has no end of its own.
pub(in crate::formats) fn ppmd7(
    properties: &[u8],
    input: &[u8],
    size: Option<u64>,
    output: &mut BlockOutput<'_>,
) -> Result<(), ProblemKind> {
    let (Some(&order), Some(memory)) = (properties.first(), u32_at(properties, 1)) else {
        return Err(ProblemKind::Corrupt { what: "the PPMd stream has no parameters" });
    };
    if memory > MAX_DICTIONARY_BYTES {
        return Err(unsupported("a PPMd model of more than 256 MiB"));
    }
    let Ok(mut decoder) = Ppmd7Decoder::new(input, u32::from(order), memory) else {
        return Err(ProblemKind::Corrupt { what: "the parameters of the PPMd stream are invalid" });
    };
    let run = output.run(input, size, "PPMd stream", |_, room| {
        let length = room.len().min(STEP_BYTES);
        match decoder.read(&mut room[..length]) {
            Ok(produced) => Step { consumed: 0, produced, end: StepEnd::More },
            Err(_) => Step { consumed: 0, produced: 0, end: damaged("the PPMd stream is damaged") },
        }
    });
    run.map(drop)
}
