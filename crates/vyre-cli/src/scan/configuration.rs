//! Project configuration of a scan: the file `vyre.toml` of the scanned folder.

use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use clap::ValueEnum as _;
use vyre::pyrograph::configuration::{Configuration, FILE_NAME};

use super::read::read_text;
use crate::args::findings::FailSeverity;
use crate::args::scan::{ScanArgs, ScanFormat, Sources};
use crate::output::visible;

/// Applies the configuration to the arguments. Arguments of the command line take precedence; lists of patterns and of files with
/// rules are joined.
pub(crate) fn apply(args: &mut ScanArgs) -> anyhow::Result<()> {
    refuse_settings_of_rules(&args.selection.rules)?;
    let Some(file) = find(args)? else { return Ok(()) };
    let name = visible(&file.to_string_lossy()).into_owned();
    let formats: Vec<String> = ScanFormat::value_variants().iter().filter_map(value_name).collect();
    let formats: Vec<&str> = formats.iter().map(String::as_str).collect();
    let configuration = Configuration::parse(&name, &read_text(&file)?, &formats).map_err(|problems| {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        anyhow!("{}", problems.join("\n")).context("the configuration has mistakes; --no-config scans without it")
    })?;
    args.input.configuration = Some(format!("{name}: {}", configuration.describe()));
    let is_given = |option: &str| args.input.given.iter().any(|given| given == option);
    if let Some(format) = configuration.format.as_deref().filter(|_| !is_given("format")) {
        args.format = ScanFormat::from_str(format, false).map_err(|error| anyhow!("{error}"))?;
    }
    if let Some(fail_on) = configuration.fail_on.as_deref().filter(|_| !is_given("fail_on")) {
        args.findings.fail_on = FailSeverity::from_str(fail_on, false).map_err(|error| anyhow!("{error}"))?;
    }
    let selection = &mut args.selection;
    if let Some(sources) = configuration.sources.as_deref().filter(|_| !is_given("sources")) {
        selection.sources = Sources::from_str(sources, false).map_err(|error| anyhow!("{error}"))?;
    }
    if !is_given("rule") {
        selection.rule.clone_from(&configuration.rule);
    }
    selection.include.extend(configuration.include.iter().cloned());
    selection.exclude.extend(configuration.exclude.iter().cloned());
    selection.dependencies |= configuration.dependencies && !is_given("with_deps");
    selection.with_deps |= configuration.with_deps && !is_given("dependencies");
    let folder = folder_of(&file);
    for rules in &configuration.rules {
        let rules = folder.join(rules);
        // The configuration may be that of a stranger: it must not make the command read pipes, devices or files elsewhere.
        let is_file = rules.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
        let inside = |whole: PathBuf| folder_of(&file).canonicalize().is_ok_and(|folder| whole.starts_with(folder));
        if !is_file || !rules.canonicalize().is_ok_and(inside) {
            let rules = visible(&rules.to_string_lossy()).into_owned();
            bail!("the configuration {name} names rules that are no file of its folder: {rules}");
        }
        selection.rules.push(rules);
    }
    if configuration.has_rules() {
        selection.rules.push(file);
    }
    Ok(())
}

/// Folder of a file, as a path that exists.
fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Refuses files of rules with settings, which would have no effect.
fn refuse_settings_of_rules(files: &[PathBuf]) -> anyhow::Result<()> {
    for file in files.iter().filter(|file| file.is_file()) {
        if read_text(file).is_ok_and(|text| Configuration::has_settings(&text)) {
            let name = visible(&file.to_string_lossy()).into_owned();
            bail!("{name} is a configuration: it has a table [scan]; use `--config {name}`");
        }
    }
    Ok(())
}

/// The file of the arguments, or that of a scanned folder. Files inside of archives do not count.
fn find(args: &ScanArgs) -> anyhow::Result<Option<PathBuf>> {
    if args.input.no_config {
        return Ok(None);
    }
    if let Some(file) = &args.input.config {
        return Ok(Some(file.clone()));
    }
    // The releases that are compared may be those of a stranger, whose configuration must not hide anything.
    if args.input.compare.is_some() {
        return Ok(None);
    }
    let candidates = args.paths.iter().filter(|path| path.is_dir()).map(|path| path.join(FILE_NAME));
    let is_regular = |file: &PathBuf| file.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    let mut found: Vec<PathBuf> = candidates.filter(is_regular).collect();
    found.sort();
    found.dedup();
    match found.as_slice() {
        [] => Ok(None),
        [file] => Ok(Some(file.clone())),
        [first, second, ..] => {
            let [first, second] = [first, second].map(|file| visible(&file.to_string_lossy()).into_owned());
            bail!("several folders have a configuration: {first}, {second}; use --config FILE, or --no-config")
        }
    }
}

/// Name of a value on the command line.
fn value_name<V: clap::ValueEnum>(value: &V) -> Option<String> {
    value.to_possible_value().map(|value| value.get_name().to_owned())
}
