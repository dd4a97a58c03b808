//! Files of failures: a program each, with its inputs, the expected results, and the command that repeats it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use vyre::conform::certificate::Certificate;
use vyre::conform::suite::{Failure, Level, SectionReport};

use crate::args::conform::ConformDevice;
use crate::output::visible;
use crate::write::write_file;

/// Extension of the file with the ops of a program.
pub(super) const OPS: &str = "ops.vyre";

/// Creates the folder.
pub(super) fn create(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", visible(&folder.to_string_lossy())))
}

/// Writes all failures of a run. Returns their number.
pub(super) fn write(
    folder: &Path,
    certificate: &Certificate,
    device: &ConformDevice,
    level: Level,
) -> anyhow::Result<usize> {
    let mut written = 0;
    for section in &certificate.sections {
        for (number, failure) in (1..).zip(&section.failures) {
            let name = format!("{}-{number}", section.name);
            match &failure.example {
                Some(example) => {
                    let file = folder.join(format!("{name}.vyre"));
                    let again = repeat(&file, device);
                    let text = format!("{}{}", head(certificate, section, failure, &again), example.program);
                    write_file(&file, text.as_bytes())?;
                    if let Some(ops) = &example.ops {
                        write_file(&folder.join(format!("{name}.{OPS}")), ops.as_bytes())?;
                    }
                }
                None => {
                    let again = section_again(section, failure, certificate, device, level);
                    let text = format!("{}\n{}\n", head(certificate, section, failure, &again), failure.message);
                    write_file(&folder.join(format!("{name}.txt")), text.as_bytes())?;
                }
            }
            written += 1;
        }
    }
    Ok(written)
}

/// Comments with everything about a failure.
fn head(certificate: &Certificate, section: &SectionReport, failure: &Failure, again: &str) -> String {
    let mut head = String::new();
    let mut line = |what: &str, text: &str| {
        for text in text.lines().take(1) {
            let _ = writeln!(head, "// {what}: {}", visible(text));
        }
    };
    line("Section", &format!("{}, {}", section.name, failure.item));
    line("Failure", &failure.message);
    let driver = certificate.driver.as_deref().unwrap_or("no driver");
    line("Device", &format!("{}, {}, {driver}", certificate.backend, certificate.device));
    if let Some(seed) = failure.seed {
        line("Seed", &seed.to_string());
    }
    if let Some(example) = &failure.example {
        if !example.buffer.is_empty() {
            line("Buffer", &format!("{} from byte {} on", example.buffer, example.byte));
            line("Expected", &example.expected);
        }
        line("Observed", &example.observed);
        line("Program", if example.is_reduced { "reduced" } else { "as the suite ran it" });
    }
    line("Repeat", again);
    head
}

fn of_device(device: &ConformDevice) -> String {
    let which = device.device.as_ref().map_or(String::new(), |device| format!(" --device {}", quoted(device)));
    format!(" --backend {}{which}", quoted(&device.backend))
}

fn repeat(file: &Path, device: &ConformDevice) -> String {
    format!("vyre conform repeat {}{}", quoted(&file.to_string_lossy()), of_device(device))
}

/// The command that runs the section of a failure again, from its seed on.
fn section_again(
    section: &SectionReport,
    failure: &Failure,
    certificate: &Certificate,
    device: &ConformDevice,
    level: Level,
) -> String {
    let seed = failure.seed.unwrap_or(certificate.seed);
    format!("vyre conform --only {} --level {level} --seed {seed}{}", section.name, of_device(device))
}

/// A word of a command line.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
