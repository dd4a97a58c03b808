//! `vyre man`: manual pages of all commands.

use std::fs;
use std::io::{self, Write};

use anyhow::Context as _;
use clap::CommandFactory as _;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::args::Cli;
use crate::args::man::ManArgs;
use crate::exit::Outcome;
use crate::output::{counted, print_note, visible};
use crate::write::write_file;

pub(crate) fn run(args: &ManArgs) -> anyhow::Result<Outcome> {
    let directory = &args.directory;
    let name = || visible(&directory.to_string_lossy()).into_owned();
    fs::create_dir_all(directory).with_context(|| format!("cannot make the folder {}", name()))?;
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let mut waiting = vec![command];
    let mut count = 0;
    while let Some(command) = waiting.pop() {
        // The name of a subcommand after `build`: `vyre-scan`.
        let page = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
        waiting.extend(command.get_subcommands().filter(|below| !below.is_hide_set()).cloned());
        let text = render(command.display_name(page.clone())).with_context(|| format!("the page of {page}"))?;
        write_file(&directory.join(format!("{page}.1")), &text)?;
        count += 1;
    }
    print_note(&format!("wrote {} to {}", counted(count, "page"), name()));
    Ok(Outcome::Clean)
}

/// Page of a command. The text after the options keeps its lines; its headings are headings of the page.
fn render(command: clap::Command) -> io::Result<Vec<u8>> {
    let extra = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let has_subcommands = command.has_subcommands();
    let man = Man::new(command);
    let mut out = Vec::new();
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    man.render_synopsis_section(&mut out)?;
    man.render_description_section(&mut out)?;
    man.render_options_section(&mut out)?;
    if has_subcommands {
        man.render_subcommands_section(&mut out)?;
    }
    write_extra(&extra, &mut out)?;
    Ok(out)
}

fn write_extra(text: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Roff::default();
    let mut is_verbatim = false;
    for line in text.lines() {
        if is_heading(line) {
            if is_verbatim {
                page.control("fi", []);
                is_verbatim = false;
            }
            page.control("SH", [line.trim_end_matches(':').to_uppercase().as_str()]);
            continue;
        }
        if !is_verbatim {
            page.control("nf", []);
            is_verbatim = true;
        }
        page.text([roman(line)]);
    }
    if is_verbatim {
        page.control("fi", []);
    }
    page.to_writer(out)
}

/// A line such as `Exit codes:`.
fn is_heading(line: &str) -> bool {
    line.ends_with(':') && line.starts_with(|first: char| first.is_uppercase()) && line.len() < 40
}
