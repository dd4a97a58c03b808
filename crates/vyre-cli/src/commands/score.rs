//! `vyre scan-score`: precision and recall on annotated sources.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, anyhow, bail};
use vyre::pyrograph::scan::{ScanControl, ScanOptions};
use vyre::pyrograph::score::{RuleMap, ScoreOptions, UnitKind, score, write_json, write_text};

use crate::args::score::{ScoreArgs, Unit};
use crate::exit::Outcome;
use crate::graph::Bar;
use crate::interrupt::end_on_interrupt;
use crate::output::{STDOUT, plain_stdout, print_note, visible};
use crate::scan::{Scanner, options, read_text};
use crate::termination::{Phase, enter};

pub(crate) fn run(args: &ScoreArgs) -> anyhow::Result<Outcome> {
    // Without the handler, the system ends the process.
    let _ = end_on_interrupt();
    if !args.folder.exists() {
        bail!("there is no file or folder {}", visible(&args.folder.to_string_lossy()));
    }
    let scan_options = options(&args.selection, &args.running)?;
    let knowledge = scan_options.knowledge.clone().unwrap_or_default();
    let mut score_options = ScoreOptions::default();
    score_options.map = args.map.as_deref().map(read_map).transpose()?.unwrap_or_default();
    score_options.unit = match args.unit {
        Unit::File => UnitKind::File,
        Unit::Folder => UnitKind::Folder,
        Unit::All => UnitKind::All,
    };
    score_options.depth = args.depth;
    score_options.scan = scan_options;
    let unknown = score_options.map.unknown_rules(&knowledge);
    if !unknown.is_empty() && !args.quiet {
        print_note(&format!("the map has rules that are not selected or do not exist: {}", unknown.join(", ")));
    }
    let scanner = Scanner::new(&args.running)?;
    let bar = Bar::new(args.quiet);
    enter(Phase::Running);
    let mut units = 0;
    let mut scan = |paths: &[PathBuf], options: &ScanOptions| {
        units += 1;
        bar.units("units", units);
        scanner.scan(paths, options, &ScanControl::default())
    };
    let result = score(&args.folder, &score_options, &knowledge, &mut scan);
    bar.clear();
    let result = result.map_err(|error| anyhow!("{error}"))?;
    enter(Phase::Writing);
    let mut out = plain_stdout();
    let written =
        if args.json { write_json(&result, args.list, &mut out) } else { write_text(&result, args.list, &mut out) };
    written.and_then(|()| out.flush()).context(STDOUT)?;
    Ok(Outcome::Clean)
}

fn read_map(file: &std::path::Path) -> anyhow::Result<RuleMap> {
    RuleMap::from_json(&read_text(file)?).with_context(|| visible(&file.to_string_lossy()).into_owned())
}
