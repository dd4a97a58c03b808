//! Corpus of compression ops, with answers written by hand.
//!
//! Each file of `tests/corpus/ops/compression/<op>/` is a case. A line is a directive; `#` outside of quotes starts a comment.
//!
//! | Directive | Meaning |
//! |---|---|
//! | `block 33 "abc" 03 00 ff*20` | bytes of a block: in hexadecimal, as text, and repeated |
//! | `room 10` | maximum bytes of its output |
//! | `stored` | the block is stored without compression |
//! | `expect 0 "abcabc"` | error code and output bytes, in the notation of a block |
//! | `runs 100` | number of runs, which must all give the same result |
//!
//! A file has any number of blocks, which run together.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use vyre_ops::compression::CompressedBlock;
use vyre_ops::find;
use vyre_runtime::{Device, RunOptions};

use super::check::{Checker, Verdict, reference};
use super::generated::OwnedBlock;
use crate::{graphs, settings};

/// A case: blocks and their expected results.
#[derive(Clone, Debug, Default)]
pub struct CompressionCase {
    blocks: Vec<(OwnedBlock, Option<Verdict>)>,
    runs: u32,
}

impl CompressionCase {
    /// Parses a case.
    ///
    /// # Errors
    ///
    /// Fails on a malformed line, or a block without an expectation.
    pub fn parse(source: &str) -> Result<CompressionCase, String> {
        let mut case = CompressionCase { runs: 1, ..CompressionCase::default() };
        for (line, text) in (1..).zip(source.lines()) {
            case.directive(text.trim()).ok_or_else(|| format!("line {line}: `{text}` is no directive"))?;
        }
        if case.blocks.is_empty() || case.blocks.iter().any(|(_, verdict)| verdict.is_none()) {
            return Err("nothing is expected of a block".to_owned());
        }
        Ok(case)
    }

    /// Number of runs, which must all give the same result.
    #[must_use]
    pub fn runs(&self) -> u32 {
        self.runs.max(1)
    }

    fn directive(&mut self, text: &str) -> Option<()> {
        if text.is_empty() || text.starts_with('#') {
            return Some(());
        }
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        if word == "block" {
            self.blocks.push((OwnedBlock { bytes: bytes(rest)?, room: 0, is_stored: false }, None));
            return Some(());
        }
        if word == "runs" {
            self.runs = rest.parse().ok()?;
            return Some(());
        }
        let (block, verdict) = self.blocks.last_mut()?;
        match word {
            "room" => block.room = rest.parse().ok()?,
            "stored" => block.is_stored = true,
            "expect" if verdict.is_none() => {
                let (code, rest) = rest.split_once(' ').unwrap_or((rest, ""));
                *verdict = Some(Verdict { code: code.parse().ok()?, bytes: bytes(rest)? });
            }
            _ => return None,
        }
        Some(())
    }

    /// Runs the blocks on a device with all programs of an op.
    ///
    /// # Errors
    ///
    /// Fails if a program or the reference differs from the expectation.
    pub fn check(&self, op: &str, checker: &mut Checker<'_>) -> Result<(), String> {
        let op = find(&format!("compression.{op}")).ok_or_else(|| format!("there is no op `compression.{op}`"))?;
        let mut judged = Vec::new();
        for (number, (OwnedBlock { bytes, room, is_stored }, verdict)) in self.blocks.iter().enumerate() {
            let block = CompressedBlock { bytes, room: *room, is_stored: *is_stored };
            let verdict = verdict.clone().unwrap_or_else(|| reference(op, &block));
            let of_reference = reference(op, &block);
            if of_reference != verdict {
                return Err(format!("block {number}: the reference says {of_reference:?}, not {verdict:?}"));
            }
            judged.push((block, verdict));
        }
        (0..self.runs.max(1)).try_for_each(|_| checker.check(op, &judged))
    }
}

/// Parses bytes: hexadecimal, text in quotes, and repetitions with `*`.
pub(crate) fn bytes(mut text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        text = text.trim_start();
        if text.is_empty() || text.starts_with('#') {
            return Some(bytes);
        }
        if let Some(quoted) = text.strip_prefix('"') {
            let (inside, rest) = quoted.split_once('"')?;
            bytes.extend_from_slice(inside.as_bytes());
            text = rest;
            continue;
        }
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let (byte, times) = word.split_once('*').unwrap_or((word, "1"));
        let byte = u8::from_str_radix(byte, 16).ok()?;
        bytes.resize(bytes.len() + times.parse::<usize>().ok()?, byte);
        text = rest;
    }
}

/// Cases of the corpus: op names without `compression.`, and files.
#[must_use]
pub fn files(corpus: &Path) -> Vec<(String, PathBuf)> {
    graphs::corpus::files(corpus)
}

/// Runs all cases of the corpus on a device, prints their number, and panics if one fails.
#[track_caller]
pub fn expect_all_right(device: &Arc<dyn Device>, options: &RunOptions) {
    let mut checker = Checker::new(device, options);
    let (mut cases, mut wrong) = (0, Vec::new());
    for (op, path) in files(&settings::corpus("ops/compression")) {
        let source = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        cases += 1;
        if let Err(message) = CompressionCase::parse(&source).and_then(|case| case.check(&op, &mut checker)) {
            wrong.push(format!("{}: {message}", path.display()));
        }
    }
    println!("{cases} cases of compression ops, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases > 20, "that is not the corpus");
}
