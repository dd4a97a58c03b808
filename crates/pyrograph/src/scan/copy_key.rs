//! Keys of findings that are equal for copies of the same code.

use xxhash_rust::xxh3::Xxh3Default;

use super::analysed::Analysed;
use crate::flow::FunctionKind;
use crate::program::ValueIndex;

/// Shortest function that counts as a copy, in characters without white space. Shorter ones can be equal by chance.
const MIN_FUNCTION: u64 = 120;

/// Code that a finding is about: equal for copies.
pub(super) type CopyKey = (usize, u64, u64);

/// Key of a finding: its rule, the text of the function around the sink without white space, and the place of the sink in it.
/// None: the sink is in no function, or in a short one.
pub(super) fn copy_key(analysed: &Analysed, rule: usize, sink: ValueIndex) -> Option<CopyKey> {
    let module = analysed.program.module_of_value(sink);
    let instruction = module.instruction(sink);
    let function = module.flow.function(instruction.function);
    if function.kind == FunctionKind::Module {
        return None;
    }
    let sources = &analysed.input.sources;
    let position = sources.binary_search_by_key(&module.file, |source| source.file).ok()?;
    let text = sources[position].text.get(function.span.start as usize..function.span.end as usize)?;
    let mut hasher = Xxh3Default::new();
    let (mut length, mut before) = (0, 0);
    for (offset, byte) in text.bytes().enumerate().filter(|(_, byte)| !byte.is_ascii_whitespace()) {
        hasher.update(&[byte]);
        length += 1;
        if (function.span.start as usize + offset) < instruction.span.start as usize {
            before += 1;
        }
    }
    (length >= MIN_FUNCTION).then(|| (rule, hasher.digest(), before))
}
