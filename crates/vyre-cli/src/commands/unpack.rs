//! `vyre unpack`: extracts and lists archives.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use bytes::Bytes;
use vyre::engine::decompress::{DecompressError, ExtractOptions, Limits, Options, Route, Summary, Unpacker};
use vyre::runtime::{CancelToken, Error, RunOptions};
use vyre::select::{AUTO, CPU};

use crate::args::DeviceArgs;
use crate::args::unpack::{LimitArgs, UnpackArgs};
use crate::exit::Outcome;
use crate::graph::Bar;
use crate::input::Input;
use crate::interrupt::cancelled_by_interrupt;
use crate::output::{STDOUT, columns, duration, plain_stdout, print_error, styled_stdout, visible};
use crate::select::select_device;
use crate::termination::{self, Phase, enter};
use crate::time_limit::TimeLimit;
use crate::unpack::{
    Archive, EarlyEnd, EntryReceiver, EntryWriter, ExtractTarget, JsonWriter, ListWriter, ReportWriter, Runner,
    Selection, stats,
};

pub(crate) fn run(args: &UnpackArgs) -> anyhow::Result<Outcome> {
    if let Some(threads) = args.device.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().context("cannot start threads")?;
    }
    let begin = Instant::now();
    enter(Phase::Running);
    let limit = TimeLimit::start(args.device.timeout, too_late);
    let selection = Selection::new(&args.include, &args.exclude)?;
    let archive = Archive::open(&Input::new(&args.archive), args.limits.limit)?;
    check_output(args.output.as_deref(), &args.archive)?;
    let runner = select_runner(&args.device)?;
    if !args.quiet && runner.decoder.is_some() {
        crate::output::print_note(&format!("running on backend `{}`: {}", runner.backend, visible(&runner.device)));
    }
    let cancel = cancelled_by_interrupt()?;
    let unpacker = unpacker(args, &runner, limit, cancel.clone());
    let bar = Bar::new(args.quiet);
    let mut out: Box<dyn Write> =
        if args.list && !args.json { Box::new(styled_stdout()) } else { Box::new(plain_stdout()) };
    let writer: Box<dyn EntryWriter> = match (args.json, args.list) {
        (true, _) => Box::new(JsonWriter::new(&mut out, &archive, &runner)),
        (false, true) => Box::new(ListWriter::new(&mut out, columns())),
        (false, false) => Box::new(ReportWriter::new(&mut out)),
    };
    let options = ExtractOptions::default().with_overwrite(args.overwrite).with_max_directories(args.limits.entries);
    let target = args.output.as_deref().map(|directory| ExtractTarget::new(directory, options));
    let mut receiver = EntryReceiver::new(writer, target, &bar, cancel, selection);
    bar.working("opening");
    let result = match archive.refused {
        Some(exceeded) => Err(exceeded.into()),
        None => unpacker.unpack(&archive.name, Bytes::clone(&archive.bytes), &mut receiver),
    };
    enter(Phase::Writing);
    bar.clear();
    let may_be_busy = matches!(&result, Err(DecompressError::Cancelled | DecompressError::Device(_)));
    let (outcome, early_end, summary) = end(result, args, &archive);
    let (outcome, early_end, totals) = receiver.finish(outcome, early_end, summary.as_ref(), begin.elapsed())?;
    let time = begin.elapsed();
    if args.stats
        && let Some(summary) = &summary
    {
        stats::print(summary, archive.bytes.len() as u64, &totals, time);
    }
    match early_end {
        Some(EarlyEnd { message, .. }) => print_error(&anyhow!(message)),
        None if !args.quiet => totals.print(args.list, time),
        None => {}
    }
    if may_be_busy {
        // The destructors of the device would wait for it.
        out.flush().context(STDOUT)?;
        termination::leave(outcome);
    }
    Ok(outcome)
}

/// Outcome of the command, and its message after an early end.
fn end(
    result: Result<Summary, DecompressError>,
    args: &UnpackArgs,
    archive: &Archive,
) -> (Outcome, Option<EarlyEnd>, Option<Summary>) {
    let name = visible(&archive.file);
    let (outcome, kind, message) = match result {
        Ok(summary) => return (Outcome::Clean, None, Some(summary)),
        Err(DecompressError::Cancelled | DecompressError::Device(Error::Cancelled)) => {
            let what = if args.list { "the list is not complete" } else { "not everything is unpacked" };
            (Outcome::Interrupted, "interrupted", format!("ended by a signal: {what}"))
        }
        Err(DecompressError::Device(Error::DeadlineExceeded)) => {
            let timeout = args.device.timeout.unwrap_or_default();
            (Outcome::Failure, "timeout", too_late(Phase::Running, timeout))
        }
        Err(DecompressError::Limit(exceeded)) => {
            let option = limit_option(exceeded.limit);
            (Outcome::Findings, "limit", format!("{name}: stopped at a limit: {exceeded}; see {option}"))
        }
        Err(error @ (DecompressError::UnknownFormat | DecompressError::Unsupported { .. })) => {
            (Outcome::Failure, "format", format!("{name}: {error}"))
        }
        Err(error @ DecompressError::Archive { .. }) => (Outcome::Failure, "archive", format!("{name}: {error}")),
        Err(error @ DecompressError::Device(_)) => {
            (Outcome::Failure, "device", format!("{error}; try `--backend {CPU}`"))
        }
        Err(error @ DecompressError::Readings { .. }) => {
            (Outcome::Failure, "readings", format!("{name}: {error}; see --strict"))
        }
        Err(error @ DecompressError::OutOfMemory) => (Outcome::Failure, "memory", format!("{name}: {error}")),
        Err(DecompressError::Receiver(error)) => (Outcome::Failure, "write", error.to_string()),
        Err(error) => (Outcome::Failure, "other", error.to_string()),
    };
    (outcome, Some(EarlyEnd { kind, message }), None)
}

/// Message for a time limit that has passed.
fn too_late(_: Phase, timeout: Duration) -> String {
    format!("deadline exceeded: it took longer than {}, see --timeout", duration(timeout))
}

/// Flag that sets a limit.
fn limit_option(limit: vyre::engine::decompress::Limit) -> &'static str {
    use vyre::engine::decompress::Limit;
    match limit {
        Limit::Total => "--limit",
        Limit::Entry => "--entry-limit",
        Limit::Ratio | Limit::TotalRatio => "--ratio",
        Limit::Entries => "--entries",
        Limit::Depth => "--depth",
        Limit::Window => "--window",
        _ => "--help",
    }
}

/// Rejects an output that cannot be a directory, before decoding.
fn check_output(output: Option<&Path>, archive: &Path) -> anyhow::Result<()> {
    match output {
        Some(path) if path.as_os_str() == "-" => bail!("an archive is unpacked to a directory; `-` is none"),
        Some(path) if path.exists() && !path.is_dir() => {
            let what = if path == archive { "the archive itself" } else { "a file" };
            bail!("{} is {what}; name a directory with `-o`", visible(&path.to_string_lossy()))
        }
        _ => Ok(()),
    }
}

/// Selects the decoder: the host, or the host with a device. The CPU backend means the decoders of the host.
fn select_runner(args: &DeviceArgs) -> anyhow::Result<Runner> {
    if args.device.is_none() && (args.backend == CPU || args.backend == AUTO) {
        return Ok(Runner::host());
    }
    // `--threads` applies to the decoders of the host.
    let selected = select_device(&args.request().with_threads(None))?;
    Ok(if selected.backend == CPU { Runner::host() } else { Runner::new(selected, Route::Device) })
}

fn unpacker(args: &UnpackArgs, runner: &Runner, time_limit: TimeLimit, cancel: CancelToken) -> Unpacker {
    let LimitArgs { limit, entry_limit, ratio, entries, depth, window } = args.limits;
    let limits = Limits::default().with_total(limit).with_entry(entry_limit).with_ratio(ratio);
    let options = Options::default()
        .with_limits(limits.with_entries(entries).with_depth(depth).with_window(window))
        .with_route(runner.route)
        .with_nested(!args.no_nested)
        .with_strict(args.strict)
        // Inner archives must be decoded to be listed.
        .with_list_only(args.list && args.no_nested)
        .with_files_beside(&args.archive);
    let unpacker = match &runner.decoder {
        Some(device) => Unpacker::on_device(device.clone(), options),
        None => Unpacker::on_host(options),
    };
    let mut run_options = RunOptions::default();
    run_options.deadline = time_limit.deadline();
    run_options.cancel = Some(cancel);
    unpacker.with_run_options(run_options)
}
