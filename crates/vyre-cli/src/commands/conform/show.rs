//! `vyre conform show`: certificates as text, as a table and as a page.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;

use anyhow::Context as _;
use vyre::conform::certificate::{Certificate, page, table, text};

use crate::args::conform::ShowArgs;
use crate::exit::Outcome;
use crate::output::{STDOUT, plain_stdout, short_size, visible};
use crate::write::write_file;

pub(super) fn run(args: &ShowArgs) -> anyhow::Result<Outcome> {
    let certificates = args.files.iter().map(|file| read(file)).collect::<anyhow::Result<Vec<Certificate>>>()?;
    if let Some(html) = &args.html {
        write_file(html, page(&certificates).as_bytes())?;
        return Ok(Outcome::Clean);
    }
    let shown = match &certificates[..] {
        [one] => text(one),
        several => table(several),
    };
    let mut out = plain_stdout();
    out.write_all(shown.as_bytes()).and_then(|()| out.flush()).context(STDOUT)?;
    Ok(Outcome::Clean)
}

/// Maximum size of a certificate.
const MAX_BYTES: u64 = 64 << 20;

/// The text of a certificate.
pub(super) fn read_text(file: &Path) -> anyhow::Result<String> {
    let name = visible(&file.to_string_lossy()).into_owned();
    let mut text = String::new();
    // The size of a device or a pipe is unknown.
    let opened = File::open(file).with_context(|| format!("cannot read {name}"))?;
    let read = opened.take(MAX_BYTES + 1).read_to_string(&mut text);
    let size = read.with_context(|| format!("cannot read {name}"))? as u64;
    anyhow::ensure!(size <= MAX_BYTES, "{name} is no certificate: it has more than {}", short_size(MAX_BYTES));
    Ok(text)
}

fn read(file: &Path) -> anyhow::Result<Certificate> {
    let name = visible(&file.to_string_lossy()).into_owned();
    Certificate::from_json(&read_text(file)?).with_context(|| format!("cannot read {name}"))
}
