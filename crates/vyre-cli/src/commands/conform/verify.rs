//! `vyre conform verify`: digests, changes since, and a replay of some programs.

use std::io::Write;

use anyhow::{Context as _, bail};
use vyre::conform::certificate::{Certificate, verify};

use super::replay::Replay;
use super::show::{CERTIFICATE, read_text};
use super::suite_of;
use crate::args::conform::VerifyArgs;
use crate::exit::Outcome;
use crate::output::{STDOUT, plain_stdout, print_note, visible};
use crate::termination;

pub(super) fn run(args: &VerifyArgs) -> anyhow::Result<Outcome> {
    let name = visible(&args.file.to_string_lossy()).into_owned();
    let suite = suite_of(vyre::conform::suite::Level::Quick);
    let sections: Vec<&str> = suite.sections().map(|(section, _)| section).collect();
    let found =
        verify(&read_text(&args.file, CERTIFICATE)?, &sections).with_context(|| format!("cannot verify {name}"))?;
    let mut out = plain_stdout();
    let mut outcome = if found.is_current() { Outcome::Clean } else { Outcome::Findings };
    let state = match (found.is_intact(), found.changes.is_empty()) {
        (false, _) => "damaged",
        (true, true) => "intact; the suite, its sections and all ops are those of this build",
        (true, false) => "intact; this build differs",
    };
    writeln!(out, "{name}: {state}").context(STDOUT)?;
    for line in found.damage.iter().chain(&found.changes) {
        writeln!(out, "  {}", visible(line)).context(STDOUT)?;
    }
    if let Some(certificate) = &found.certificate {
        let Certificate { verdict, backend, device, level, seed, .. } = certificate;
        let (backend, device) = (visible(backend), visible(device));
        writeln!(out, "  {verdict}: backend {backend}, {device}, level {level}, seed {seed}").context(STDOUT)?;
        writeln!(out, "  {}", visible(&certificate.notice)).context(STDOUT)?;
    }
    out.flush().context(STDOUT)?;
    if let Some(count) = args.replay {
        let Some(certificate) = &found.certificate else { bail!("{name} is damaged: its programs are unknown") };
        let replay = Replay::new(certificate, count, args).with_context(|| format!("cannot replay {name}"))?;
        let replayed = replay.run(&mut out)?;
        outcome.worsen(replayed.outcome);
        if !replayed.has_returned {
            out.flush().context(STDOUT)?;
            print_note("a call of the device did not return, so the replay ended here");
            // The exit handlers of its driver may wait for the call.
            termination::leave(outcome);
        }
    }
    out.flush().context(STDOUT)?;
    Ok(outcome)
}
