//! Files of failures: a program each, with its inputs, the expected results, and the command that repeats it.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use anyhow::Context as _;
use vyre::conform::certificate::Certificate;
use vyre::conform::suite::{Failure, GENERATED, GENERATORS, SectionReport};
use vyre::ir::source::is_deceptive;

use super::isolated::PROCESS;
use crate::args::conform::{ConformArgs, ConformDevice};
use crate::output::visible;
use crate::write::write_file;

/// Extension of the file with the ops of a program.
pub(super) const OPS: &str = "ops.vyre";

/// Creates the folder.
pub(super) fn create(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", visible(&folder.to_string_lossy())))
}

/// Writes all failures of a run, instead of those of earlier runs of its sections. Returns their number.
pub(super) fn write(folder: &Path, certificate: &Certificate, args: &ConformArgs) -> anyhow::Result<usize> {
    let mut written = 0;
    remove_old(folder, &certificate.sections)
        .with_context(|| format!("cannot delete old failures in {}", visible(&folder.to_string_lossy())))?;
    for section in &certificate.sections {
        for (number, failure) in (1..).zip(&section.failures) {
            let name = format!("{}-{number}", section.name);
            match &failure.example {
                Some(example) => {
                    let file = folder.join(format!("{name}.vyre"));
                    let again = repeat(&file, &args.device);
                    let text = format!("{}{}", head(certificate, section, failure, &again), example.program);
                    write_file(&file, text.as_bytes())?;
                    if let Some(ops) = &example.ops {
                        write_file(&folder.join(format!("{name}.{OPS}")), ops.as_bytes())?;
                    }
                }
                None => {
                    let again = section_again(section, failure, certificate, args);
                    let text = format!("{}\n{}\n", head(certificate, section, failure, &again), failure.message);
                    write_file(&folder.join(format!("{name}.txt")), text.as_bytes())?;
                }
            }
            written += 1;
        }
    }
    Ok(written)
}

/// Deletes the files of failures of sections.
fn remove_old(folder: &Path, sections: &[SectionReport]) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_old = |section: &SectionReport| name.to_str().is_some_and(|name| is_of_section(name, &section.name));
        if sections.iter().any(is_old) && entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Reports whether [`write`] gives this name to a file of a section: its name, a number, and an extension.
fn is_of_section(name: &str, section: &str) -> bool {
    let parts = name.strip_prefix(section).and_then(|rest| rest.strip_prefix('-')?.split_once('.'));
    parts.is_some_and(|(number, extension)| {
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number && ["vyre", OPS, "txt"].contains(&extension)
    })
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
    // It has no control characters, and is of no use if it is cut.
    let _ = writeln!(head, "// Repeat: {again}");
    head
}

fn of_device(device: &ConformDevice) -> String {
    let which = device.device.as_ref().map_or(String::new(), |device| format!(" --device {}", quoted(device)));
    format!(" --backend {}{which}", quoted(&device.backend))
}

fn repeat(file: &Path, device: &ConformDevice) -> String {
    let name = file.to_string_lossy();
    // An argument that begins with a hyphen would be an option.
    let start = if name.starts_with('-') { "./" } else { "" };
    format!("vyre conform repeat {}{}", quoted(&format!("{start}{name}")), of_device(device))
}

/// The command that runs the section of a failure again, from its seed on.
fn section_again(section: &SectionReport, failure: &Failure, certificate: &Certificate, args: &ConformArgs) -> String {
    let seed = failure.seed.unwrap_or(certificate.seed);
    let level = args.level.level();
    let mut again = format!("vyre conform --only {} --level {level} --seed {seed}", section.name);
    // The seed of a generator is that of its first program.
    // That of a process is the one of the first program that it ran.
    let is_generated = section.name == GENERATED && failure.seed.is_some() && failure.item != PROCESS;
    let programs = if is_generated { Some(GENERATORS.len() as u64) } else { args.programs };
    if let Some(programs) = programs {
        let _ = write!(again, " --programs {programs}");
    }
    if let Some(corpus) = &args.corpus {
        let _ = write!(again, " --corpus {}", quoted(&corpus.to_string_lossy()));
    }
    again + &of_device(&args.device)
}

/// A word of a command line. Characters that a terminal does not show are written as escapes, which most shells read.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if word.contains(is_deceptive) {
        return format!("$'{}'", word.chars().map(escape).collect::<String>());
    }
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// A character between `$'` and `'`.
fn escape(c: char) -> String {
    match c {
        '\\' | '\'' => format!("\\{c}"),
        c if is_deceptive(c) => {
            let mut bytes = [0; 4];
            c.encode_utf8(&mut bytes).bytes().map(|byte| format!("\\x{byte:02x}")).collect()
        }
        c => c.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_of_section, quoted};

    #[test]
    fn words_survive_the_shell() {
        for (word, expected) in [
            ("a/b-1.vyre", "a/b-1.vyre"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("a\nb's\\", r"$'a\x0ab\'s\\'"),
            ("\u{202e}", r"$'\xe2\x80\xae'"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }

    #[test]
    fn only_files_of_failures_are_old() {
        for name in ["casts-1.vyre", "casts-12.ops.vyre", "casts-3.txt"] {
            assert!(is_of_section(name, "casts"), "{name}");
        }
        for name in [
            "casts-.vyre",
            "casts-1",
            "casts-1.json",
            "casts-1.vyre.bak",
            "casts-1-2.vyre",
            "casts-a.vyre",
            "my-casts-1.vyre",
        ] {
            assert!(!is_of_section(name, "casts"), "{name}");
        }
    }
}
