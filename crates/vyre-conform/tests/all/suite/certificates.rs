//! Certificates: a change of any field is detected, and changes of ops and of the suite are named.

use serde_json::Value;
use vyre_conform::certificate::{Certificate, Verdict, junit, page, table, text, verify};
use vyre_conform::suite::{Amounts, EarlyEnd, Failure, Level, Report, SectionReport, Silent, Suite};
use vyre_runtime::ReferenceBackend;

const SECTIONS: [&str; 2] = ["casts", "composition"];

fn certificate() -> Certificate {
    let suite = Suite::new(Level::Quick).with_amounts(Amounts::tiny()).with_only(SECTIONS).expect("sections");
    let report = suite.run(&ReferenceBackend, &mut Silent).expect("a device");
    // Fewer checks than those of the level are a part of it.
    let few = Certificate::of(&Report { left_out: Vec::new(), ..report.clone() });
    assert_eq!(few.verdict, Verdict::Partial);
    assert!(text(&few).contains("amounts        not those of the level"), "{}", text(&few));
    let report = Report { amounts: Level::Quick.amounts(), ..report };
    verdicts_need_checks_to_the_end(&report);
    // A run of all sections.
    let whole = Certificate::of(&Report { left_out: Vec::new(), ..report.clone() });
    assert_eq!((whole.verdict, whole.tracks[0].verdict), (Verdict::Conformant, Verdict::Conformant));
    Certificate::of(&report)
}

/// Verdicts on the backend and on an op when a section made no checks, ended early or made all.
fn verdicts_need_checks_to_the_end(report: &Report) {
    let verdicts = |change: fn(&mut Report)| {
        let mut report = report.clone();
        report.left_out.clear();
        let laws = SectionReport { name: "laws".to_owned(), ..report.sections[1].clone() };
        report.sections.push(laws);
        change(&mut report);
        let certificate = Certificate::of(&report);
        let add = certificate.ops.iter().find(|op| op.id == "primitive.math.add").expect("an op of the library");
        (certificate.verdict, add.verdict)
    };
    assert_eq!(verdicts(|_| {}), (Verdict::Conformant, Verdict::Conformant));
    let without_checks = |report: &mut Report| report.sections[2] = SectionReport::empty("laws", "");
    assert_eq!(verdicts(without_checks), (Verdict::Partial, Verdict::Partial));
    // A section that checked other ops says nothing about this one.
    let of_other_ops = |report: &mut Report| {
        report.sections[2].items.retain(|item| item.op.as_deref() != Some("primitive.math.add"));
    };
    assert_eq!(verdicts(of_other_ops), (Verdict::Conformant, Verdict::Partial));
    // Shaders need tools that a host may not have.
    let without_tools = |report: &mut Report| report.sections.push(SectionReport::empty("shader-text", ""));
    assert_eq!(verdicts(without_tools), (Verdict::Conformant, Verdict::Conformant));
    // A check that panicked may have been about any op of the section.
    let panicked = |report: &mut Report| {
        let failure = Failure { item: "panic".to_owned(), message: String::new(), seed: None, example: None };
        report.sections[2].add_failure(failure, None);
    };
    assert_eq!(verdicts(panicked), (Verdict::Failed, Verdict::Partial));
    let crashed = |report: &mut Report| {
        report.is_interrupted = true;
        report.sections[2] = SectionReport::empty("laws", "");
        report.sections[2].ended_early = Some(EarlyEnd::Crash);
    };
    assert_eq!(verdicts(crashed), (Verdict::Interrupted, Verdict::Interrupted));
}

fn known() -> Vec<&'static str> {
    Suite::new(Level::Quick).sections().map(|(name, _)| name).collect()
}

fn a_certificate_is_intact_and_current(certificate: Certificate) {
    let verification = verify(&certificate.to_json(), &known()).expect("a certificate");
    assert_eq!((verification.damage, verification.changes), (vec![], vec![]));
    assert_eq!(verification.certificate, Some(certificate.clone()));
    assert_eq!(certificate.verdict, Verdict::Partial);
    let add = certificate.ops.iter().find(|op| op.id == "primitive.math.add").expect("an op of the library");
    // Laws were left out.
    assert_eq!((add.verdict, add.counts.checked, &*add.signature), (Verdict::Partial, 3, "(u32, u32) -> u32"));
    let bfs = certificate.ops.iter().find(|op| op.id == "graph.bfs").expect("an op of the library");
    assert_eq!(bfs.verdict, Verdict::Unchecked);
    let tracks: Vec<(&str, &str)> =
        certificate.tracks.iter().map(|track| (&*track.name, track.verdict.name())).collect();
    assert_eq!(tracks, [("integer", "partial"), ("strict float", "not offered"), ("approximate", "not offered")]);
    // Spaces and the order of fields are no change.
    let value: Value = serde_json::from_str(&certificate.to_json()).expect("JSON");
    assert!(verify(&value.to_string(), &known()).is_ok_and(|verification| verification.is_current()));
}

/// One process for all, because each builds the programs of all ops.
#[test]
fn certificates() {
    let certificate = certificate();
    a_certificate_is_intact_and_current(certificate.clone());
    changes_since_are_named(certificate.clone());
    what_is_no_certificate_is_refused(certificate.clone());
    certificates_obey_their_schema(certificate.clone());
    certificates_are_shown(certificate.clone());
    contradictions_are_named(certificate.clone());
    a_change_of_any_field_is_detected(certificate);
}

/// Changes each value of the JSON, at every depth.
fn a_change_of_any_field_is_detected(certificate: Certificate) {
    let original: Value = serde_json::from_str(&certificate.to_json()).expect("JSON");
    let mut paths = Vec::new();
    collect(&original, String::new(), &mut paths);
    assert!(paths.len() > 90, "{}", paths.len());
    for path in paths {
        let mut changed = original.clone();
        let place = changed.pointer_mut(&path).expect("a path of the value");
        *place = match place {
            Value::String(text) => Value::from(format!("{text}x")),
            Value::Number(number) => Value::from(number.as_u64().unwrap_or(0) ^ 1),
            Value::Bool(flag) => Value::from(!*flag),
            Value::Null => Value::from("x"),
            Value::Array(_) | Value::Object(_) => Value::Null,
        };
        let is_noticed = verify(&changed.to_string(), &known()).map_or(true, |found| !found.is_intact());
        assert!(is_noticed, "{path}");
    }
    // A field that stands twice: readers of JSON take either one.
    let twice = certificate.to_json().replacen('{', "{ \"verdict\": \"failed\",", 1);
    assert!(!verify(&twice, &known()).expect("JSON").is_intact());
    // A field that is missing, and one too many.
    for change in [
        |fields: &mut serde_json::Map<String, Value>| drop(fields.remove("seed")),
        |fields: &mut serde_json::Map<String, Value>| drop(fields.insert("more".to_owned(), Value::from(1))),
        |fields: &mut serde_json::Map<String, Value>| drop(fields.remove("digest")),
    ] {
        let mut changed = original.clone();
        change(changed.as_object_mut().expect("an object"));
        assert!(verify(&changed.to_string(), &known()).map_or(true, |found| !found.is_intact()));
    }
}

/// Fields that contradict others, although the digest is theirs.
fn contradictions_are_named(certificate: Certificate) {
    let original = certificate.to_json();
    let damage = |change: fn(&mut Value)| {
        let mut value: Value = serde_json::from_str(&original).expect("JSON");
        change(&mut value);
        let mut changed = Certificate::from_json(&value.to_string()).expect("a certificate");
        changed.seal();
        verify(&changed.to_json(), &known()).expect("a certificate").damage
    };
    assert_eq!(damage(|_| {}), [""; 0]);
    type Change = (&'static str, fn(&mut Value));
    let changes: [Change; 7] = [
        ("the verdict is not that of the sections", |value| value["verdict"] = "conformant".into()),
        ("the verdict is not that of the sections", |value| value["verdict"] = "failed".into()),
        ("the verdict of track `integer` is not", |value| value["tracks"][0]["verdict"] = "conformant".into()),
        ("verdict or counts of op `primitive.bitwise.and` are not", |value| {
            value["ops"][0]["verdict"] = "failed".into()
        }),
        ("verdict or counts of op `primitive.bitwise.and` are not", |value| {
            value["ops"][0]["counts"]["checked"] = 1_000.into();
        }),
        ("the counts are not the sums", |value| value["counts"]["checked"] = 0.into()),
        ("section `casts` stands twice", |value| value["sections"][1]["name"] = "casts".into()),
    ];
    for (expected, change) in changes {
        let found = damage(change);
        assert!(found.iter().any(|line| line.starts_with(expected)), "{expected}: {found:?}");
    }
    // A field that may be null is not the same if it is missing, or if it stands where it must not.
    let mut value: Value = serde_json::from_str(&original).expect("JSON");
    value["corpus"] = Value::Null;
    assert!(Certificate::from_json(&value.to_string()).is_err());
    let fields = value.as_object_mut().expect("an object");
    fields.remove("corpus");
    fields.remove("driver");
    assert!(Certificate::from_json(&value.to_string()).is_err());
}

/// JSON pointers of all values below a value.
fn collect(value: &Value, path: String, paths: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                collect(value, format!("{path}/{name}"), paths);
            }
        }
        Value::Array(values) => {
            for (position, value) in values.iter().enumerate() {
                collect(value, format!("{path}/{position}"), paths);
            }
        }
        _ => {}
    }
    // All ops have equal fields, and so have all items.
    let is_like_others = |list: &str| {
        path.split_once(list).and_then(|(_, rest)| rest.split('/').next()?.parse::<u32>().ok()).is_some_and(|at| at > 1)
    };
    if !path.is_empty() && !is_like_others("/ops/") && !is_like_others("/items/") {
        paths.push(path);
    }
}

/// Someone who computes the digest again is found by counts that contradict each other, or not at all: it is not signed.
fn changes_since_are_named(certificate: Certificate) {
    let mut certificate = certificate;
    certificate.ops[0].hash = "0".repeat(64);
    certificate.ops[1].version = 7;
    certificate.ops.remove(2);
    certificate.suite = "1".repeat(64);
    certificate.version = "0.0.9".to_owned();
    // The digest is missing, so damage is reported; the changes are named all the same.
    certificate.left_out.retain(|name| name != "laws");
    certificate.corpus = Some("2".repeat(64));
    let found = verify(&certificate.to_json(), &known()).expect("a certificate");
    assert!(!found.is_intact());
    let changes = found.changes.join("\n");
    for expected in [
        "vyre was version 0.0.9, and is ",
        "the suite was 111111111111, and is ",
        "the run had a corpus of its own, 222222222222",
        "section `laws` is new",
        "op `primitive.bitwise.and` has other programs or another signature",
        "op `primitive.bitwise.or` was version 7, and is 1",
        "op `primitive.bitwise.xor` is new",
    ] {
        assert!(changes.contains(expected), "{expected}: {changes}");
    }
    let found = verify(&certificate.to_json(), &["casts"]).expect("a certificate").changes.join("\n");
    assert!(found.contains("section `composition` no longer exists"), "{found}");
}

fn what_is_no_certificate_is_refused(certificate: Certificate) {
    for wrong in ["", "{", "[]x", "nothing"] {
        assert!(verify(wrong, &[]).is_err() && Certificate::from_json(wrong).is_err(), "{wrong}");
    }
    assert!(!verify("{}", &[]).expect("JSON").is_intact());
    assert!(Certificate::from_json("{}").is_err());
    let other = certificate.to_json().replacen("\"format\": 1", "\"format\": 2", 1);
    let error = Certificate::from_json(&other).expect_err("another form").to_string();
    assert_eq!(error, "the certificate has form 2, and this build reads form 1");
}

fn certificates_obey_their_schema(certificate: Certificate) {
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/certificate.schema.json");
    let schema = std::fs::read_to_string(schema).expect("the schema");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let certificate: Value = serde_json::from_str(&certificate.to_json()).expect("JSON");
    let errors: Vec<String> = validator.iter_errors(&certificate).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    for (path, wrong) in
        [("/amounts/graphs", "1"), ("/verdict", "good"), ("/digest", "12"), ("/level", "deeper"), ("/seed", "1")]
    {
        let mut changed = certificate.clone();
        *changed.pointer_mut(path).expect("a field") = Value::from(wrong);
        assert!(!validator.is_valid(&changed), "{path}");
    }
}

fn certificates_are_shown(certificate: Certificate) {
    let shown = text(&certificate);
    for line in ["verdict        partial", "backend        reference", "device         reference interpreter"] {
        assert!(shown.contains(line), "{shown}");
    }
    assert!(shown.contains("  left out: driver-probes, "), "{shown}");
    let mut other = certificate.clone();
    other.backend = "<b>".to_owned();
    let compared = table(&[certificate.clone(), other.clone()]);
    assert!(
        compared.lines().next().is_some_and(|line| line.contains("reference") && line.contains("<b>")),
        "{compared}"
    );
    assert!(compared.contains("section casts") && !shown.contains("DAMAGED"), "{compared}");
    let later = Certificate { time: "2100-01-01T00:00:00Z".to_owned(), ..certificate.clone() };
    let compared = table(&[certificate.clone(), later]);
    assert!(compared.lines().next().is_some_and(|line| line.contains(", 2100-01-01T00:00:00Z")), "{compared}");
    // Whoever changes a field must not decide what is shown.
    let mut hostile = certificate.clone();
    hostile.sections[0].name = "casts\u{1b}[2J\u{202e}".to_owned();
    hostile.sections[0].ended_early = Some(EarlyEnd::Storage);
    hostile.sections[0].items[0].reason = Some("\u{7}".to_owned());
    let failure = Failure { item: "one".to_owned(), message: "\u{1b}".to_owned(), seed: None, example: None };
    hostile.sections[0].failures = vec![failure];
    hostile.sections[0].failures_left_out = 2;
    let shown = text(&hostile);
    assert!(shown.contains("DAMAGED") && shown.contains("\nFailures\n") && shown.contains("2 further"), "{shown}");
    let page_of_it = page(&[hostile]);
    let is_visible = |text: &str| !text.chars().any(|c| c != '\n' && vyre_ir::source::is_deceptive(c));
    assert!(is_visible(&shown) && is_visible(&page_of_it) && page_of_it.contains("damaged, "), "{shown}{page_of_it}");
    let page = page(&[certificate.clone(), other]);
    assert!(page.contains("&lt;b&gt;") && !page.contains("<b>") && page.contains("class=\"good\""), "{page}");
    junit_has_what_the_run_does_not_prove(certificate);
}

/// A chosen section that did not run and one without checks are errors, as the exit code of the command says.
fn junit_has_what_the_run_does_not_prove(mut certificate: Certificate) {
    let only = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let whole = junit(&certificate, &only(&SECTIONS));
    assert!(whole.contains("<testsuite name=\"casts\"") && whole.contains("name=\"u32 to u64\"/>"), "{whole}");
    assert!(!whole.contains("<error ") && !whole.contains("\"laws\""), "{whole}");
    let cancelled = junit(&certificate, &only(&["casts", "composition", "laws"]));
    let suite = "<testsuite name=\"laws\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\" time=\"0.000\">";
    assert!(cancelled.contains(suite) && cancelled.matches("<error ").count() == 1, "{cancelled}");
    assert!(cancelled.lines().nth(1).is_some_and(|line| line.contains(" errors=\"1\"")), "{cancelled}");
    let all = junit(&certificate, &[]);
    assert_eq!(all.matches("<error ").count(), certificate.left_out.len(), "{all}");
    certificate.sections.push(SectionReport::empty("laws", ""));
    certificate.sections.push(SectionReport::empty("shader-text", ""));
    let missing = junit(&certificate, &only(&SECTIONS));
    assert!(missing.contains("<error message=\"the section made no check\"/>"), "{missing}");
    assert_eq!((missing.matches("<error ").count(), missing.matches(" errors=\"1\"").count()), (1, 2), "{missing}");
}
