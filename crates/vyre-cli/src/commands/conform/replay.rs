//! A replay of some of the generated programs of a certificate.

use std::io::Write;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, bail};
use vyre::conform::certificate::Certificate;
use vyre::conform::suite::{EarlyEnd, GENERATED, GENERATORS, Level, SectionReport, Silent, Suite};
use vyre::runtime::CancelToken;

use super::{Tested, outcome_of, suite_of, threads};
use crate::args::conform::{ConformDevice, VerifyArgs};
use crate::exit::Outcome;
use crate::interrupt::cancelled_by_interrupt;
use crate::output::{STDOUT, counted, number, print_note, visible};
use crate::termination::{Phase, enter};

/// Result of a replay.
pub(super) struct Replayed {
    pub(super) outcome: Outcome,
    /// False if a call of the device did not return. The process must then end without exit handlers.
    pub(super) has_returned: bool,
}

/// Consecutive programs of a certificate, and the device that runs them again.
pub(super) struct Replay {
    tested: Tested,
    cancel: CancelToken,
    level: Level,
    /// Seed of the first program.
    first: u64,
    programs: u64,
}

impl Replay {
    /// Chooses programs from a place that differs each time.
    pub(super) fn new(certificate: &Certificate, count: u64, args: &VerifyArgs) -> anyhow::Result<Replay> {
        let section = certificate.sections.iter().find(|section| section.name == GENERATED);
        let Some(known) = section.filter(|section| section.checked > 0).map(programs_of) else {
            bail!("the section `{GENERATED}` has no checks, so there are no programs to repeat");
        };
        enter(Phase::Opening);
        let tested = open(certificate, args)?;
        let cancel = cancelled_by_interrupt()?;
        // A section that ended early has not run all of its programs. It began with the first ones.
        let programs = certificate.programs.min(known);
        let count = count.clamp(1, programs.max(1));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
        let place = now.wrapping_mul(0x9e37_79b9_7f4a_7c15) % first_seeds(programs, count);
        let first = certificate.seed.wrapping_add(place);
        Ok(Replay { tested, cancel, level: certificate.level, first, programs: count })
    }

    /// Runs the programs, and writes what differs.
    pub(super) fn run(&self, out: &mut impl Write) -> anyhow::Result<Replayed> {
        let suite = self.suite()?;
        enter(Phase::Running);
        let report = suite.run_on(self.tested.backend, Arc::clone(&self.tested.device), &mut Silent);
        enter(Phase::Writing);
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
        let ended_early = report.section(GENERATED).and_then(|section| section.ended_early);
        if let Some(reason) = ended_early {
            writeln!(out, "  ended early, after {}: {reason}", counted(number(checked), "program")).context(STDOUT)?;
        }
        let outcome = outcome_of(&report, Certificate::of(&report).verdict, &self.cancel);
        Ok(Replayed { outcome, has_returned: ended_early != Some(EarlyEnd::NoReturn) })
    }

    /// The suite with the limits of a run of the level of the certificate.
    fn suite(&self) -> anyhow::Result<Suite> {
        let mut suite = suite_of(self.level).with_seed(self.first).with_programs(self.programs);
        suite = suite.with_threads(threads(None)).with_only([GENERATED])?;
        suite = suite.with_section_limit(Some(self.level.section_limit())).with_cancel(self.cancel.clone());
        for variant in self.tested.variants()? {
            suite = suite.with_variant(variant);
        }
        Ok(suite)
    }
}

/// Number of programs that a section knows: those that it ran or skipped. The fields of a certificate can be any numbers.
fn programs_of(section: &SectionReport) -> u64 {
    section.checked.saturating_add(section.skipped)
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
    use vyre::conform::suite::SectionReport;

    use super::{first_seeds, programs_of};

    #[test]
    fn numbers_of_a_certificate_can_be_any() {
        let section = SectionReport { checked: u64::MAX, skipped: 2, ..SectionReport::empty("generated", "") };
        assert_eq!(programs_of(&section), u64::MAX);
        assert_eq!(first_seeds(u64::MAX, u64::MAX), 1);
    }

    #[test]
    fn replays_can_begin_at_all_seeds_after_which_enough_programs_follow() {
        for (programs, count, expected) in [(1_000, 1_000, 1), (1_000, 1, 500), (1_000, 600, 201), (5, 4, 2), (0, 1, 1)]
        {
            assert_eq!(first_seeds(programs, count), expected, "{count} of {programs}");
        }
    }
}
