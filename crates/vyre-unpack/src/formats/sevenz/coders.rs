//! Coders of 7z folders.

use std::ops::{Deref, Range};

use bytes::Bytes;

use super::bcj2;
use super::header::{Coder, Folder};
use crate::archive::BlockOutput;
use crate::formats::codec::{self, Filter};
use crate::problem::{Problem, ProblemKind};

const AES: u64 = 0x06f1_0701;
const BCJ2: u64 = 0x0303_011b;

/// True if a coder of the folder decrypts.
pub(super) fn is_encrypted(folder: &Folder) -> bool {
    folder.coders.iter().any(|coder| coder.method == AES)
}

/// The filter of a method.
fn filter_of(method: u64) -> Option<Filter> {
    Some(match method {
        3 => Filter::Delta,
        4 | 0x0303_0103 => Filter::X86,
        5 | 0x0303_0205 => Filter::PowerPc,
        6 | 0x0303_0401 => Filter::Ia64,
        7 | 0x0303_0501 => Filter::Arm,
        8 | 0x0303_0701 => Filter::ArmThumb,
        9 | 0x0303_0805 => Filter::Sparc,
        10 => Filter::Arm64,
        11 => Filter::RiscV,
        _ => return None,
    })
}

/// Name of the compression method of a folder.
pub(super) fn method_name(folder: &Folder) -> &'static str {
    let name = |coder: &Coder| match coder.method {
        0x21 => Some("lzma2"),
        0x03_0101 => Some("lzma"),
        0x03_0401 => Some("ppmd"),
        0x04_0108 => Some("deflate"),
        0x04_0109 => Some("deflate64"),
        0x04_0202 => Some("bzip2"),
        0x04f7_1101 => Some("zstd"),
        0x04f7_1102 => Some("brotli"),
        _ => None,
    };
    let is_known = |coder: &Coder| coder.method == 0 || coder.method == BCJ2 || filter_of(coder.method).is_some();
    let compression = folder.coders.iter().find_map(name);
    compression.unwrap_or(if folder.coders.iter().all(is_known) { "stored" } else { "unknown" })
}

/// Decodes a folder.
pub(super) fn decode(
    folder: &Folder,
    packs: &[Range<usize>],
    archive: &[u8],
    output: &mut BlockOutput<'_>,
) -> Result<(), Problem> {
    let at = packs.first().map_or(0, |pack| pack.start) as u64;
    let graph = Graph { folder, packs, archive };
    graph.output(folder.main_output(), 0, output).map_err(|kind| Problem::new(at, kind))
}

/// The graph of coders of a folder with its packed streams.
struct Graph<'a> {
    folder: &'a Folder,
    packs: &'a [Range<usize>],
    archive: &'a [u8],
}

/// The bytes of an input of a coder.
enum Input<'a> {
    /// A packed stream of the archive.
    Packed(&'a [u8]),
    /// The output of another coder.
    Decoded(Bytes),
}

impl Deref for Input<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Input::Packed(bytes) => bytes,
            Input::Decoded(bytes) => bytes,
        }
    }
}

impl<'a> Graph<'a> {
    /// Decodes an output of a coder. `depth` is the number of coders on the path to it.
    fn output(&self, index: usize, depth: usize, output: &mut BlockOutput<'_>) -> Result<(), ProblemKind> {
        let invalid = ProblemKind::Corrupt { what: "the coders of the folder form no tree" };
        // Every coder has one output, so they have the same numbers.
        let (Some(coder), Some(&size)) = (self.folder.coders.get(index), self.folder.sizes.get(index)) else {
            return Err(invalid);
        };
        if depth >= self.folder.coders.len() {
            return Err(invalid);
        }
        let first = self.folder.coders[..index].iter().map(|coder| coder.inputs).sum::<usize>();
        let mut inputs = Vec::with_capacity(coder.inputs);
        for input in first..first + coder.inputs {
            inputs.push(self.input(input, depth, output)?);
        }
        let before = output.bytes().len();
        run(coder, &inputs, size, output)?;
        let found = (output.bytes().len() - before) as u64;
        if found == size { Ok(()) } else { Err(ProblemKind::Size { expected: size, found }) }
    }

    /// The bytes of an input of a coder: a packed stream, or the output of another coder.
    fn input(&self, index: usize, depth: usize, output: &BlockOutput<'_>) -> Result<Input<'a>, ProblemKind> {
        if let Some(&(_, from)) = self.folder.bonds.iter().find(|(input, _)| *input == index) {
            let mut intermediate = output.intermediate();
            let decoded = self.output(from, depth + 1, &mut intermediate);
            let bytes = intermediate.discard();
            return decoded.map(|()| Input::Decoded(bytes));
        }
        let pack = self.folder.packed.iter().position(|&input| input == index);
        let place = pack.and_then(|pack| self.packs.get(pack)).cloned().unwrap_or(0..0);
        let length = self.archive.len();
        Ok(Input::Packed(&self.archive[place.start.min(length)..place.end.min(length)]))
    }
}

/// Runs a coder.
fn run(coder: &Coder, inputs: &[Input<'_>], size: u64, output: &mut BlockOutput<'_>) -> Result<(), ProblemKind> {
    let properties = &coder.properties[..];
    if coder.method == BCJ2 {
        let [main, calls, jumps, ranges] = inputs else {
            return Err(ProblemKind::Corrupt { what: "the coder BCJ2 has not four inputs" });
        };
        return bcj2::decode([main, calls, jumps, ranges], size, output);
    }
    let [input] = inputs else {
        return Err(ProblemKind::Corrupt { what: "the coder has several inputs" });
    };
    let stated = Some(size);
    if let Some(filter) = filter_of(coder.method) {
        return codec::filter(filter, properties, input, output);
    }
    match coder.method {
        0 => output.append(&input[..input.len().min(usize::try_from(size).unwrap_or(usize::MAX))]),
        0x21 => codec::lzma2(properties, input, stated, output),
        0x03_0101 => codec::lzma(properties, input, stated, output),
        0x03_0401 => codec::ppmd7(properties, input, stated, output),
        0x04_0108 => codec::deflate(input, stated, output),
        0x04_0109 => codec::deflate64(input, stated, output),
        0x04_0202 => codec::bzip2(input, stated, output),
        0x04f7_1101 => codec::zstd(input, stated, output),
        0x04f7_1102 => codec::brotli(input, stated, output),
        AES => Err(ProblemKind::Unsupported { what: "encryption".to_owned() }),
        method => Err(ProblemKind::Unsupported { what: format!("7z method {method:x}") }),
    }
}
