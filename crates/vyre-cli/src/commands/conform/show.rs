//! `vyre conform show`: certificates as text, as a table and as a page.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;

use anyhow::{Context as _, bail};
use vyre::conform::certificate::{Certificate, page, table, text};

use super::outputs::is_one_file;
use crate::args::conform::ShowArgs;
use crate::exit::Outcome;
use crate::output::{STDOUT, plain_stdout, print_note, short_size, visible};
use crate::write::write_file;

/// What [`read_text`] reads for most commands.
pub(super) const CERTIFICATE: &str = "certificate";

pub(super) fn run(args: &ShowArgs) -> anyhow::Result<Outcome> {
    if let Some(html) = &args.html
        && let Some(file) = args.files.iter().find(|file| is_one_file(file, html))
    {
        bail!("`--html` names a certificate, {}", visible(&file.to_string_lossy()));
    }
    let certificates = args.files.iter().map(|file| read(file)).collect::<anyhow::Result<Vec<Certificate>>>()?;
    let mut outcome = Outcome::Clean;
    for (file, _) in args.files.iter().zip(&certificates).filter(|(_, certificate)| !certificate.is_intact()) {
        let name = visible(&file.to_string_lossy()).into_owned();
        print_note(&format!("{name} is damaged: its digest is not that of the other fields"));
        outcome.worsen(Outcome::Findings);
    }
    if let Some(html) = &args.html {
        write_file(html, page(&certificates).as_bytes())?;
        return Ok(outcome);
    }
    let shown = match &certificates[..] {
        [one] => text(one),
        several => table(several),
    };
    let mut out = plain_stdout();
    out.write_all(shown.as_bytes()).and_then(|()| out.flush()).context(STDOUT)?;
    Ok(outcome)
}

/// Maximum size of a certificate, and of a failing program.
const MAX_BYTES: u64 = 64 << 20;

/// The text of a certificate, or of another file that the suite writes: `what`.
pub(super) fn read_text(file: &Path, what: &str) -> anyhow::Result<String> {
    let name = visible(&file.to_string_lossy()).into_owned();
    let mut text = String::new();
    let mut opened = File::open(file).with_context(|| format!("cannot read {name}"))?;
    let is_small = opened.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MAX_BYTES);
    let read = match is_small {
        true => opened.read_to_string(&mut text),
        // The size of a device or a pipe is unknown.
        false => opened.take(MAX_BYTES + 1).read_to_string(&mut text),
    };
    let size = read.with_context(|| format!("cannot read {name}"))? as u64;
    anyhow::ensure!(size <= MAX_BYTES, "{name} is no {what}: it has more than {}", short_size(MAX_BYTES));
    Ok(text)
}

fn read(file: &Path) -> anyhow::Result<Certificate> {
    let name = visible(&file.to_string_lossy()).into_owned();
    Certificate::from_json(&read_text(file, CERTIFICATE)?).with_context(|| format!("cannot read {name}"))
}
