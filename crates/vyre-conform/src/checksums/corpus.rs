//! Corpus of checksum ops, with the answers that specifications and their authors publish.
//!
//! Each file of `tests/corpus/ops/checksum/<op>/` is a case. A line is a directive; `#` outside of quotes starts a comment.
//!
//! | Directive | Meaning |
//! |---|---|
//! | `data "abc" 00 ff*20` | appends bytes to the data, in the notation of the compression corpus |
//! | `range 0 9` | offset and size of a range |
//! | `expect 0 cbf43926` | code and checksum of the last range, the latter in hexadecimal |

use std::sync::Arc;

use vyre_ops::checksum::{Checksum, ChecksumKind, ChecksumRange};
use vyre_runtime::{Device, RunOptions};

use super::check::{Checker, expected};
use crate::compression::corpus::{bytes, files};
use crate::settings;

/// A case: data, and ranges with their expected checksums.
#[derive(Clone, Debug, Default)]
struct Case {
    data: Vec<u8>,
    ranges: Vec<(ChecksumRange, Option<Checksum>)>,
}

impl Case {
    fn parse(source: &str) -> Result<Case, String> {
        let mut case = Case::default();
        for (line, text) in (1..).zip(source.lines()) {
            case.directive(text.trim()).ok_or_else(|| format!("line {line}: `{text}` is no directive"))?;
        }
        // Buffers are whole words.
        case.data.resize(case.data.len().next_multiple_of(4), 0);
        Ok(case)
    }

    fn directive(&mut self, text: &str) -> Option<()> {
        if text.is_empty() || text.starts_with('#') {
            return Some(());
        }
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        match (word, rest.split_once(' ')) {
            ("data", _) => self.data.extend(bytes(rest)?),
            ("range", Some((offset, size))) => {
                let range = ChecksumRange { offset: offset.parse().ok()?, size: size.trim().parse().ok()? };
                self.ranges.push((range, None));
            }
            ("expect", Some((code, sum))) => {
                let sum = u64::from_str_radix(sum.trim(), 16).ok()?;
                self.ranges.last_mut()?.1 = Some(Checksum { code: code.parse().ok()?, sum });
            }
            _ => return None,
        }
        Some(())
    }

    fn check(&self, checker: &mut Checker<'_>, op: &str) -> Result<(), String> {
        let kind = ChecksumKind::ALL.into_iter().find(|kind| kind.op().id.strip_prefix("checksum.") == Some(op));
        let kind = kind.ok_or_else(|| format!("there is no op `checksum.{op}`"))?;
        let mut judged = Vec::new();
        for &(range, wanted) in &self.ranges {
            let wanted = wanted.ok_or_else(|| format!("nothing is expected of {range:?}"))?;
            let by_reference = expected(kind, &self.data, range)?;
            if by_reference != wanted {
                return Err(format!("{range:?}: the reference says {by_reference:x?}, not {wanted:x?}"));
            }
            judged.push((range, wanted));
        }
        if judged.is_empty() { Err("it has no ranges".to_owned()) } else { checker.check(kind, &self.data, &judged) }
    }
}

/// Runs a case with all programs of the op, whose name is that of its folder. Returns the number of ranges.
///
/// # Errors
///
/// A malformed case, or the first difference.
pub fn check_text(text: &str, checker: &mut Checker<'_>, op: &str) -> Result<u64, String> {
    let case = Case::parse(text)?;
    case.check(checker, op)?;
    Ok(case.ranges.len() as u64)
}

/// Runs all cases of the corpus on a device, prints their number, and panics if one fails.
#[track_caller]
pub fn expect_all_right(device: &Arc<dyn Device>, options: &RunOptions) {
    let (mut cases, mut wrong) = (0, Vec::new());
    let mut checker = Checker::new(device, options);
    for (op, path) in files(&settings::corpus("ops/checksum")) {
        let source = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        cases += 1;
        if let Err(message) = Case::parse(&source).and_then(|case| case.check(&mut checker, &op)) {
            wrong.push(format!("{}: {message}", path.display()));
        }
    }
    println!("{cases} cases of checksum ops, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases >= 4 * 2, "that is not the corpus");
}
