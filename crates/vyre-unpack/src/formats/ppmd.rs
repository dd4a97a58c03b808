//! PPMd streams of zip entries, variant I: parameters of two bytes and the stream, with a marker at its end.
//!
//! | Bits | Parameter |
//! |---|---|
//! | 0 to 3 | order minus 1 |
//! | 4 to 11 | size of the model in MiB, minus 1 |
//! | 12 to 15 | method of restoring the model |

use std::io::Read;

use ppmd_rust::{Ppmd8Decoder, RestoreMethod};

use crate::problem::{Problem, ProblemKind};
use crate::stream::{Run, Step, StepEnd, StreamFormat, corrupt, decode_steps, u16_at, unsupported};

/// Format of zip entries of the method PPMd. Sizes and checksum are in the zip archive.
pub(super) static FORMAT: StreamFormat = StreamFormat {
    name: "ppmd",
    title: "PPMd",
    detect: |_| false,
    decode,
    find_blocks: None,
    always_has_checksum: false,
    suffixes: &[],
};

/// Maximum output of a step. The decoder is slow, and cancellation is checked between steps.
const STEP_BYTES: usize = 1 << 18;

/// Decodes the stream. It ends at its marker.
fn decode(run: &mut Run<'_, '_>) -> Result<(), Problem> {
    let Some(parameters) = u16_at(run.input, 0) else { return Err(corrupt(0, "the PPMd stream has no parameters")) };
    let order = u32::from(parameters & 15) + 1;
    let memory = (u32::from(parameters >> 4 & 0xff) + 1) << 20;
    let restore = match parameters >> 12 {
        0 => RestoreMethod::Restart,
        1 => RestoreMethod::CutOff,
        method => return Err(unsupported(0, format!("PPMd with the restore method {method}"))),
    };
    let Ok(mut decoder) = Ppmd8Decoder::new(&run.input[2..], order, memory, restore) else {
        return Err(corrupt(0, "the parameters of the PPMd stream are invalid"));
    };
    let length = run.input.len();
    let mut is_ended = false;
    decode_steps(run.input, length, &mut run.output, "PPMd stream", |_, output| {
        if is_ended {
            return Step { consumed: 0, produced: 0, end: StepEnd::Finished };
        }
        let room = output.len().min(STEP_BYTES);
        match decoder.read(&mut output[..room]) {
            Ok(produced) => {
                is_ended = produced < room;
                Step { consumed: 0, produced, end: if produced == 0 { StepEnd::Finished } else { StepEnd::More } }
            }
            Err(_) => {
                let kind = ProblemKind::Corrupt { what: "the PPMd stream is damaged" };
                Step { consumed: 0, produced: 0, end: StepEnd::Failed(kind) }
            }
        }
    })?;
    run.blocks.units += 1;
    Ok(())
}
