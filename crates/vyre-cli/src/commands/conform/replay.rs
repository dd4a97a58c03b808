//! A replay of some of the generated programs of a certificate.

use std::io::Write;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, bail};
use vyre::conform::certificate::Certificate;
use vyre::conform::suite::{GENERATED, GENERATORS, Level, Report, Silent};
use vyre::conform::variants;

use super::{Tested, suite_of, threads};
use crate::args::conform::{ConformDevice, VerifyArgs};
use crate::exit::Outcome;
use crate::output::{STDOUT, counted, number, print_note, visible};

/// Consecutive programs of a certificate, and the device that runs them again.
pub(super) struct Replay {
    tested: Tested,
    level: Level,
    /// Seed of the first program.
    first: u64,
    programs: u64,
}

impl Replay {
    /// Chooses programs from a place that differs each time.
    pub(super) fn new(certificate: &Certificate, count: u64, args: &VerifyArgs) -> anyhow::Result<Replay> {
        let section = certificate.sections.iter().find(|section| section.name == GENERATED);
        let known = section.filter(|section| section.checked > 0).map(|section| section.checked + section.skipped);
        let Some(known) = known else {
            bail!("the section `{GENERATED}` has no checks, so there are no programs to repeat");
        };
        let tested = open(certificate, args)?;
        // A section that ended early has not run all of its programs. It began with the first ones.
        let programs = certificate.programs.min(known);
        let count = count.clamp(1, programs.max(1));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
        let place = now.wrapping_mul(0x9e37_79b9_7f4a_7c15) % first_seeds(programs, count);
        Ok(Replay { tested, level: certificate.level, first: certificate.seed.wrapping_add(place), programs: count })
    }

    /// Runs the programs, and writes what differs.
    pub(super) fn run(&self, out: &mut impl Write) -> anyhow::Result<Outcome> {
        let report = self.report()?;
        let [checked, failed, _] = report.counts();
        let Tested { backend, device, .. } = &self.tested;
        let device = device.name();
        writeln!(
            out,
            "  replayed {} from seed {} on, backend {backend}, {}: {} {}",
            counted(number(checked), "program"),
            self.first,
            visible(&device),
            number(failed),
            if failed == 1 { "differs" } else { "differ" }
        )
        .context(STDOUT)?;
        for (_, failure) in report.failures() {
            let seed = failure.seed.map_or(String::new(), |seed| format!(", seed {seed}"));
            writeln!(out, "  {}{seed}: {}", visible(&failure.item), visible(&failure.message)).context(STDOUT)?;
        }
        Ok(if report.is_conformant() { Outcome::Clean } else { Outcome::Findings })
    }

    fn report(&self) -> anyhow::Result<Report> {
        let mut suite = suite_of(self.level).with_seed(self.first).with_programs(self.programs);
        suite = suite.with_threads(threads(None)).with_only([GENERATED])?;
        for variant in variants(self.tested.backend, self.tested.index) {
            suite = suite.with_variant(variant);
        }
        Ok(suite.run_on(self.tested.backend, Arc::clone(&self.tested.device), &mut Silent))
    }
}

/// Number of seeds at which a number of programs can begin. All generators share the seeds.
fn first_seeds(programs: u64, count: u64) -> u64 {
    let seeds = |programs: u64| programs.div_ceil(GENERATORS.len().max(1) as u64);
    seeds(programs).saturating_sub(seeds(count)).saturating_add(1)
}

/// Opens the device of the arguments, or that of the certificate.
fn open(certificate: &Certificate, args: &VerifyArgs) -> anyhow::Result<Tested> {
    let backend = args.backend.clone().unwrap_or_else(|| certificate.backend.clone());
    if args.device.is_some() || backend != certificate.backend {
        return Tested::open(&ConformDevice { backend, device: args.device.clone() });
    }
    let device = place_of_device(certificate).map(|index| index.to_string());
    if device.is_none() {
        let name = visible(&certificate.device).into_owned();
        print_note(&format!("{name}, the device of the certificate, is not here; the first device takes its place"));
    }
    Tested::open(&ConformDevice { backend, device })
}

/// Index of the device of a certificate in its backend.
fn place_of_device(certificate: &Certificate) -> Option<usize> {
    let backends = vyre::backends();
    let backend = backends.iter().find(|backend| backend.name() == certificate.backend)?;
    backend.devices().ok()?.iter().position(|device| device.name() == certificate.device)
}

#[cfg(test)]
mod tests {
    use super::first_seeds;

    #[test]
    fn replays_can_begin_at_all_seeds_after_which_enough_programs_follow() {
        for (programs, count, expected) in [(1_000, 1_000, 1), (1_000, 1, 500), (1_000, 600, 201), (5, 4, 2), (0, 1, 1)]
        {
            assert_eq!(first_seeds(programs, count), expected, "{count} of {programs}");
        }
    }
}
