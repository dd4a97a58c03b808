//! `vyre conform verify`: digests, changes since, and a replay of some programs.

use std::io::Write as _;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, bail};
use vyre::conform::certificate::{Certificate, verify};
use vyre::conform::suite::{Report, Silent, Suite};
use vyre::conform::variants;

use super::show::read_text;
use super::{Tested, suite_of, threads};
use crate::args::conform::{ConformDevice, VerifyArgs};
use crate::exit::Outcome;
use crate::output::{STDOUT, number, plain_stdout, visible};

pub(super) fn run(args: &VerifyArgs) -> anyhow::Result<Outcome> {
    let name = visible(&args.file.to_string_lossy()).into_owned();
    let suite = suite_of(vyre::conform::suite::Level::Quick);
    let sections: Vec<&str> = suite.sections().map(|(section, _)| section).collect();
    let found = verify(&read_text(&args.file)?, &sections).with_context(|| format!("cannot verify {name}"))?;
    let mut out = plain_stdout();
    let mut outcome = if found.is_current() { Outcome::Clean } else { Outcome::Findings };
    let state = match (found.is_intact(), found.changes.is_empty()) {
        (false, _) => "damaged",
        (true, true) => "intact, and nothing has changed since",
        (true, false) => "intact, but vyre has changed since",
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
        let (first, report) = replay(certificate, count, args)?;
        let [checked, failed, _] = report.counts();
        let (checked, failed_text) = (number(checked), number(failed));
        writeln!(out, "  replayed {checked} programs from seed {first} on: {failed_text} differ").context(STDOUT)?;
        for (_, failure) in report.failures() {
            writeln!(out, "  {}", visible(&failure.message)).context(STDOUT)?;
        }
        if !report.is_conformant() {
            outcome.worsen(Outcome::Findings);
        }
    }
    out.flush().context(STDOUT)?;
    Ok(outcome)
}

/// Runs consecutive programs of a certificate, from a place that differs each time. Returns their first seed.
fn replay(certificate: &Certificate, count: u64, args: &VerifyArgs) -> anyhow::Result<(u64, Report)> {
    let backend = args.backend.clone().unwrap_or_else(|| certificate.backend.clone());
    let tested = Tested::open(&ConformDevice { backend, device: args.device.clone() })?;
    let count = count.clamp(1, certificate.programs.max(1));
    // All generators share the seeds.
    let seeds = certificate.programs.div_ceil(vyre::conform::suite::GENERATORS.len().max(1) as u64);
    let free = seeds.saturating_sub(count).saturating_add(1);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
    let first = certificate.seed.wrapping_add(now.wrapping_mul(0x9e37_79b9_7f4a_7c15) % free);
    let mut suite: Suite =
        suite_of(certificate.level).with_seed(first).with_programs(count).with_threads(threads(None));
    suite = suite.with_only(["generated"])?;
    for variant in variants(tested.backend, tested.index) {
        suite = suite.with_variant(variant);
    }
    Ok((first, suite.run_on(tested.backend, Arc::clone(&tested.device), &mut Silent)))
}
