//! Programs that fetch archives.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context as _, anyhow, bail};

use crate::output::visible;

/// Most characters of the messages of another program that an error repeats.
const MAX_MESSAGE: usize = 4_000;

/// Runs a program without a shell in this folder and returns its output. A program that does not exist yields none.
///
/// The folder must have no files of others: both npm and pip prefer files of the current folder to packages of the same name, and
/// Python its modules.
pub(super) fn run(program: &str, arguments: &[&OsStr], folder: &Path) -> anyhow::Result<Option<Output>> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    match command.output() {
        Ok(output) => Ok(Some(output)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot run `{program}`")),
    }
}

/// Error with the messages of a program that failed.
pub(super) fn failure(program: &str, output: &Output) -> anyhow::Error {
    let text = String::from_utf8_lossy(&output.stderr);
    let text = match text.trim() {
        "" => String::from_utf8_lossy(&output.stdout),
        _ => text,
    };
    let lines: Vec<String> = text.trim().lines().map(|line| visible(line).into_owned()).collect();
    let mut message = lines.join("\n  ");
    if let Some((end, _)) = message.char_indices().nth(MAX_MESSAGE) {
        message.truncate(end);
        message.push_str("...");
    }
    let code = output.status.code().map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
    match message.is_empty() {
        true => anyhow!("`{program}` failed with {code} and no message"),
        false => anyhow!("`{program}` failed with {code}:\n  {message}"),
    }
}

/// The only file of a folder that `is_archive` accepts.
pub(super) fn archive(program: &str, folder: &Path, is_archive: impl Fn(&str) -> bool) -> anyhow::Result<PathBuf> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut archives: Vec<PathBuf> = entries
        .with_context(|| format!("cannot read the folder of `{program}`"))?
        .into_iter()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter(|entry| is_archive(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        .collect();
    match (archives.pop(), archives.len()) {
        (Some(archive), 0) => Ok(archive),
        (None, _) => bail!("`{program}` ended without an error, but fetched no archive"),
        (Some(_), more) => bail!("`{program}` fetched {} archives instead of one", more + 1),
    }
}
