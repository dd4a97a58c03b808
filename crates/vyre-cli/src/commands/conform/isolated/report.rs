//! Reports of processes. A report counts only if its process ran the section that it was asked for, on the device under test.

use vyre::conform::certificate::Certificate;
use vyre::conform::suite::SectionReport;

/// The report of a section in the certificate of its process, or `None` if the process ended before the section began. `expected` is the
/// certificate of the run without its sections. Fails with what is wrong.
pub(super) fn section_of(text: &str, section: &str, expected: &Certificate) -> Result<Option<SectionReport>, String> {
    let found = Certificate::from_json(text).map_err(|error| format!("its report cannot be read: {error}"))?;
    if !found.is_intact() {
        return Err("its report is damaged".to_owned());
    }
    if let Some(difference) = difference(expected, &found) {
        return Err(difference);
    }
    let mut sections = found.sections.into_iter();
    match (sections.next(), sections.next()) {
        (None, _) => Ok(None),
        (Some(report), None) if report.name == section => Ok(Some(report)),
        _ => Err(format!("its report is not that of the section `{section}`")),
    }
}

/// The first difference between what a process ran on and what it had to run on. If a GPU is lost, another adapter can take its place in
/// the list of devices.
fn difference(expected: &Certificate, found: &Certificate) -> Option<String> {
    if device(found) != device(expected) {
        return Some(format!("it ran on another device: {}, and not {}", device(found), device(expected)));
    }
    let build = |one: &Certificate| (one.version.clone(), one.suite.clone(), one.op_table.clone());
    if build(found) != build(expected) {
        let of = |one: &Certificate| format!("version {}, suite {}, ops {}", one.version, one.suite, one.op_table);
        return Some(format!("it was another build of vyre: {}, and not {}", of(found), of(expected)));
    }
    if found.corpus != expected.corpus {
        let of = |one: &Certificate| one.corpus.clone().unwrap_or_else(|| "that of the suite".to_owned());
        return Some(format!("it had another corpus: {}, and not {}", of(found), of(expected)));
    }
    let is_other_level = found.level != expected.level;
    is_other_level.then(|| format!("it had another level: {}, and not {}", found.level, expected.level))
}

/// Backend, device and driver in words.
fn device(certificate: &Certificate) -> String {
    let Certificate { backend, device, driver, .. } = certificate;
    let driver = driver.as_ref().map_or(String::new(), |driver| format!(", {driver}"));
    format!("backend {backend}, {device}{driver}")
}

#[cfg(test)]
mod tests {
    use vyre::conform::suite::{Level, Report, Suite};
    use vyre::runtime::ReferenceDevice;

    use super::*;

    fn report() -> Report {
        Suite::new(Level::Quick).empty_report("reference", &ReferenceDevice::new())
    }

    /// What is wrong with the report of a process, if anything is.
    fn wrong(change: impl FnOnce(&mut Report)) -> Option<String> {
        let mut report = report();
        report.sections = vec![SectionReport { checked: 3, ..SectionReport::empty("casts", "") }];
        change(&mut report);
        section_of(&Certificate::of(&report).to_json(), "casts", &Certificate::of(&self::report())).err()
    }

    #[test]
    fn only_reports_of_the_device_under_test_count() {
        assert_eq!(wrong(|_| {}), None);
        let found = wrong(|report| report.device = "llvmpipe".to_owned()).expect("another device");
        let expected = "it ran on another device: backend reference, llvmpipe, and not backend reference, ";
        assert!(found.starts_with(expected), "{found}");
        for change in [(|report| report.backend = "cpu".to_owned()) as fn(&mut Report), |report| {
            report.driver = Some("a driver".to_owned())
        }] {
            assert!(wrong(change).is_some_and(|text| text.starts_with("it ran on another device: ")));
        }
        let corpus = wrong(|report| report.corpus = Some("1".repeat(64))).expect("another corpus");
        assert!(corpus.starts_with("it had another corpus: 1111"), "{corpus}");
        assert_eq!(
            wrong(|report| report.level = Level::Deep).as_deref(),
            Some("it had another level: deep, and not quick")
        );
        let other = Some("its report is not that of the section `casts`".to_owned());
        assert_eq!(wrong(|report| report.sections[0].name = "laws".to_owned()), other);
        assert_eq!(wrong(|report| report.sections.push(SectionReport::empty("laws", ""))), other);
    }

    #[test]
    fn reports_of_other_builds_and_damaged_ones_do_not_count() {
        let expected = Certificate::of(&report());
        let mut suite = expected.clone();
        suite.suite = "2".repeat(64);
        let of_suite = difference(&expected, &suite).expect("another suite");
        assert!(of_suite.starts_with("it was another build of vyre: "), "{of_suite}");
        let text = expected.to_json();
        assert_eq!(section_of(&text, "casts", &expected), Ok(None));
        let changed = text.replacen("\"seed\": 0", "\"seed\": 1", 1);
        assert_eq!(section_of(&changed, "casts", &expected), Err("its report is damaged".to_owned()));
        let half = section_of(&text[..text.len() / 2], "casts", &expected).expect_err("no certificate");
        assert!(half.starts_with("its report cannot be read: "), "{half}");
    }
}
