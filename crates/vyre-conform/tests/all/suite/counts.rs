//! What counts: the first run of a check, and what a run leaves out.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use vyre_conform::suite::{Amounts, Corpus, EarlyEnd, Level, Part, Report, SectionReport, Silent, Suite};
use vyre_conform::wrapped_device::{DeviceWrapper, Wrapped};
use vyre_runtime::{CommandList, Device, Error, ReferenceDevice, Resource, RunOptions, RunReport};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// The first run does nothing.
    FirstRunIsLost,
    /// The first run is an error.
    FirstRunFails,
    /// Every run is an error.
    AllRunsFail,
    /// The run of this number does nothing, and the device refuses the next one, for a limit below that of the device or not.
    LostBeforeARefusal(u64, u64),
    /// The device refuses the first run, for this limit.
    RefusesTheFirst(u64),
    /// The run of this number does nothing, and the next one is cancelled.
    LostBeforeACancellation(u64),
}

struct Faulty {
    inner: ReferenceDevice,
    fault: Fault,
    runs: AtomicU64,
}

impl DeviceWrapper for Faulty {
    fn inner(&self) -> &dyn Device {
        &self.inner
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        let run = self.runs.fetch_add(1, Ordering::Relaxed);
        let is_first = run == 0;
        match self.fault {
            Fault::LostBeforeARefusal(number, _) | Fault::LostBeforeACancellation(number) if run == number => {
                Ok(RunReport::default())
            }
            Fault::LostBeforeACancellation(number) if run == number + 1 => {
                options.cancel.as_ref().expect("the token of the suite").cancel();
                Err(Error::Cancelled)
            }
            Fault::LostBeforeARefusal(number, limit) if run == number + 1 => Err(refusal(limit)),
            Fault::RefusesTheFirst(limit) if is_first => Err(refusal(limit)),
            Fault::FirstRunIsLost if is_first => Ok(RunReport::default()),
            Fault::FirstRunFails if is_first => Err(Error::UnsupportedCommand),
            Fault::AllRunsFail => Err(Error::UnsupportedCommand),
            _ => self.inner.run(commands, options),
        }
    }
}

fn refusal(limit: u64) -> Error {
    Error::ResourceExceeded { resource: Resource::BufferBytes, wanted: u64::MAX, limit }
}

fn suite() -> Suite {
    Suite::new(Level::Quick).with_amounts(Amounts::tiny())
}

fn run(suite: Suite, fault: Fault, sections: &[&str]) -> Report {
    let device = Arc::new(Wrapped(Faulty { inner: ReferenceDevice::new(), fault, runs: AtomicU64::new(0) }));
    suite.with_only(sections.iter().copied()).expect("sections").run_on("faulty", device, &mut Silent)
}

/// Numbers of checks of an item that were made, that failed, and that were not made, with the reason.
#[track_caller]
fn counts<'r>(section: &'r SectionReport, item: &str) -> (u64, u64, u64, Option<&'r str>) {
    let item = section.item(item).unwrap_or_else(|| panic!("{item}: {section:?}"));
    (item.checked, item.failed, item.skipped, item.reason.as_deref())
}

/// A file of the run corpus whose first run is wrong has failed, although the next one is right.
#[test]
fn the_first_run_counts() {
    for fault in [Fault::FirstRunIsLost, Fault::FirstRunFails] {
        let report = run(suite(), fault, &["run-corpus"]);
        let [section] = &report.sections[..] else { panic!("{report}") };
        let [failure] = &section.failures[..] else { panic!("{report}") };
        assert!(section.failed == 1 && !report.is_conformant(), "{report}");
        assert!(failure.message.starts_with("run/") && failure.message.contains(".vyre: "), "{report}");
    }
}

/// An op that differs does not hide the others of the same graph.
#[test]
fn every_graph_op_fails() {
    let report = run(suite(), Fault::AllRunsFail, &["graph-ops"]);
    let [section] = &report.sections[..] else { panic!("{report}") };
    let ops: Vec<_> = section.items.iter().filter(|item| item.op.is_some()).collect();
    assert!(ops.len() >= 7 && ops.iter().all(|item| item.failed > 0), "{report}");
}

/// What a device that interprets programs is spared is not made, and not forgotten.
#[test]
fn what_is_left_out_is_skipped() {
    let sections = ["collectives", "determinism", "graph-archetypes", "graph-ops"];
    let report = run(suite(), Fault::None, &sections);
    let [collectives, determinism, archetypes, graph_ops] = &report.sections[..] else { panic!("{report}") };
    assert_eq!(report.counts()[1], 0, "{report}");
    let sizes: u64 = ["workgroups of 1 to 32", "workgroups of 33 to 256", "workgroups of 257 to 1,024"]
        .iter()
        .map(|item| counts(collectives, item))
        .map(|(checked, _, skipped, _)| checked + skipped)
        .sum();
    let reason = Some("only level deep runs workgroups of every size");
    let others = counts(collectives, "workgroups of other sizes up to 1,024");
    assert_eq!(others, (0, 0, 6 * 1_024 - sizes, reason));
    assert_eq!(counts(determinism, "split grids"), (4, 0, 4, Some("the device interprets programs")));
    let reason = Some("the device interprets programs, so that every run is the same");
    let runs =
        archetypes.items.iter().filter(|item| item.name.starts_with("determinism: same graph, same sources, 100 runs"));
    let runs: Vec<_> = runs.map(|item| (item.checked, item.skipped, item.reason.as_deref())).collect();
    assert_eq!(runs, [(1, 99, reason); 2]);
    let reason = "the device interprets programs, so that graphs have at most 300 nodes";
    // A quarter of the twelve graphs.
    assert_eq!(counts(graph_ops, "large graphs"), (0, 0, 3, Some(reason)));
}

/// The parts of a section make its checks once, all together, and none of them is conformant by itself. Sections that cannot be divided
/// are a matter of the first part.
#[test]
fn parts_are_the_whole_together() {
    let sections = ["run-corpus", "casts", "collectives", "composition", "graph-ops", "dataflow"];
    let whole = run(suite(), Fault::None, &sections);
    let parts = [0, 1, 2].map(|number| run(suite().with_part(Part { number, parts: 3 }), Fault::None, &sections));
    for section in &whole.sections {
        let mut sum = SectionReport::empty(&section.name, &section.about);
        let of_parts: Vec<_> = parts.iter().filter_map(|part| part.section(&section.name)).cloned().collect();
        assert_eq!(of_parts.len(), if section.name == "casts" { 1 } else { 3 });
        assert!(of_parts.iter().all(|part| part.checked < section.checked || section.name == "casts"), "{whole}");
        of_parts.into_iter().for_each(|part| sum.add(part));
        assert_eq!(SectionReport { milliseconds: section.milliseconds, ..sum }, *section);
    }
    assert!(whole.is_conformant() && parts.iter().all(|part| !part.is_conformant()), "{whole}");
}

/// A wrong run counts, although the device refuses the next one, and those that were not made are skipped.
#[test]
fn a_wrong_run_counts_before_an_error() {
    // Before the runs of programs, there are 32 grids of every shape and 4 that are split.
    let limit = ReferenceDevice::new().limits().buffer_bytes;
    let report = run(suite(), Fault::LostBeforeARefusal(36, limit), &["determinism"]);
    let section = report.section("determinism").expect("the section");
    // Of the three runs of the first of two programs, one is wrong and two are not made; then it runs once more. Two further programs are left
    // out because the device is an interpreter.
    let (checked, failed, skipped, _) = counts(section, "runs");
    assert_eq!((checked, failed, skipped), (1 + 1 + 3, 1, 2 + 2 * 3), "{report}");
    let [failure] = &section.failures[..] else { panic!("{report}") };
    assert_eq!((&*failure.message, failure.seed), ("1 of 1 runs have other bytes", Some(0)));
    assert!(!report.is_conformant());

    // A refusal that the limits of the device do not explain is a failure.
    let report = run(suite(), Fault::LostBeforeARefusal(36, limit - 1), &["determinism"]);
    let (checked, failed, skipped, _) = counts(report.section("determinism").expect("the section"), "runs");
    assert_eq!((checked, failed, skipped), (1 + 1 + 1 + 3, 2, 1 + 2 * 3), "{report}");

    // A run that was cancelled has no result, but the one before it has.
    let report = run(suite(), Fault::LostBeforeACancellation(36), &["determinism"]);
    let section = report.section("determinism").expect("the section");
    let (checked, failed, skipped, _) = counts(section, "runs");
    assert_eq!((checked, failed, skipped), (1, 1, 2 * 3), "{report}");
    assert_eq!((section.verdict(), section.ended_early), ("failed", Some(EarlyEnd::Cancelled)));
}

/// A failure names a seed, and a run from this seed on makes the same check first.
#[test]
fn checks_depend_on_seeds() {
    let seed = |seed: u64| {
        let mut amounts = Amounts::tiny();
        amounts.round_trips = 1;
        run(suite().with_amounts(amounts).with_seed(seed), Fault::None, &["round-trips"])
    };
    for (first, item) in [(0, "generator race-free"), (8, "generator splice"), (9, "arbitrary programs")] {
        let report = seed(first);
        let section = report.section("round-trips").expect("the section");
        let (checked, failed, skipped, _) = counts(section, item);
        assert!(failed == 0 && checked + 2 * skipped == 2, "{first}: {report}");
    }
}

/// Without the cases of a section, nothing is said about it, whatever else was checked.
#[test]
fn a_section_without_cases_is_missing() {
    let folder = std::env::temp_dir().join(format!("vyre-no-cases-{}", std::process::id()));
    for name in ["run", "ops"] {
        fs::create_dir_all(folder.join(name)).expect("a folder");
    }
    let corpus = Corpus::read(&folder).expect("a corpus");
    fs::remove_dir_all(&folder).expect("the folder");
    for section in ["run-corpus", "graph-archetypes", "compression-archetypes"] {
        let report = run(suite().with_corpus(corpus.clone()), Fault::None, &["casts", section]);
        let missing = report.section(section).expect("the section");
        assert!(missing.is_missing() && missing.skipped > 0, "{report}");
        assert!(!report.is_conformant() && report.to_string().contains(": the corpus has no such files"), "{report}");
    }
}

/// An interpreter has fewer graphs than the level asks for.
#[test]
fn graphs_of_the_level_are_skipped() {
    let all = Level::Quick.amounts().graphs;
    let level = Suite::new(Level::Quick).with_max_failures(0);
    let report = run(level, Fault::AllRunsFail, &["graph-ops"]);
    let [section] = &report.sections[..] else { panic!("{report}") };
    let (checked, _, skipped, reason) = counts(section, "graph.scc");
    assert_eq!((checked + skipped, reason), (all, Some("the device interprets programs")), "{report}");
}

/// Seeds begin again at 0 after the largest one.
#[test]
fn the_largest_seed_has_all_checks() {
    for seed in [0, u64::MAX] {
        let report = run(suite().with_seed(seed), Fault::AllRunsFail, &["compressed-blocks"]);
        let [section] = &report.sections[..] else { panic!("{report}") };
        for op in ["compression.lz4", "compression.zstd"] {
            let (checked, failed, ..) = counts(section, &format!("{op}: generated blocks"));
            assert_eq!((checked, failed), (1, 1), "{seed}: {report}");
        }
    }
}

/// A folder that cannot be written is no failure of the backend.
#[test]
fn programs_that_cannot_be_kept_end_their_section() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no such folder");
    let report = run(suite().with_running_programs(folder.clone()), Fault::None, &["barriers"]);
    let [section] = &report.sections[..] else { panic!("{report}") };
    assert_eq!((section.checked, section.skipped, section.verdict()), (0, 1, "interrupted"), "{report}");
    assert_eq!(section.ended_early, Some(EarlyEnd::Storage));
    // Also if no check is left.
    let only = run(suite().with_running_programs(folder).with_programs(1), Fault::None, &["generated"]);
    assert_eq!((only.counts(), only.sections[0].ended_early), ([0, 0, 1], Some(EarlyEnd::Storage)));
    let (.., reason) = counts(section, "reversal");
    assert!(reason.is_some_and(|reason| reason.starts_with("the file of the program cannot be written: ")), "{report}");
    assert!(!report.is_conformant());
}

/// Every section that runs a corpus says that there is none.
#[test]
fn an_empty_corpus_is_skipped() {
    let sections = ["run-corpus", "round-trips", "graph-archetypes", "compression-archetypes", "checksums"];
    let report = run(suite().with_corpus(Corpus::default()), Fault::AllRunsFail, &sections);
    for section in &report.sections {
        let reasons = section.reasons();
        assert!(section.skipped > 0 && reasons.len() == 1, "{section:?}");
        assert!(reasons[0].starts_with("the corpus has no such files; "), "{section:?}");
    }
    assert_eq!(report.sections.len(), sections.len());
}

fn corpus_folder(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    for place in ["run/casts", "ops/graph"] {
        fs::create_dir_all(folder.join(place)).expect("a folder");
    }
    for (path, contents) in files {
        fs::write(folder.join(path), contents).expect("a file");
    }
    folder
}

/// A program that the device refuses for no reason has failed.
#[test]
fn a_refusal_needs_a_limit_of_the_device() {
    let limit = ReferenceDevice::new().limits().buffer_bytes;
    for (limit, expected) in [(limit, (0, 0, 1)), (limit - 1, (1, 1, 0))] {
        let report = run(suite().with_programs(1), Fault::RefusesTheFirst(limit), &["generated"]);
        assert_eq!(report.counts(), [expected.0, expected.1, expected.2], "{report}");
    }
}

/// A folder has the hash of the corpus that was embedded from it.
#[test]
fn a_corpus_has_one_hash() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus");
    let corpus = Corpus::read(&folder).expect("the corpus of the repository");
    assert_eq!(corpus.hash(), Corpus::embedded().hash());
}

/// Files of other kinds are not read, and an error names its file.
#[test]
fn a_corpus_has_programs_and_cases() {
    let files: [(&str, &[u8]); 4] = [
        ("run/casts/a.vyre", b"a"),
        ("ops/graph/b.case", b"b"),
        ("run/casts/a.vyre~", b"\xff"),
        ("run/README", b"\xff"),
    ];
    let corpus = Corpus::read(&corpus_folder("corpus of two files", &files)).expect("a corpus");
    let paths: Vec<&str> = corpus.below("").map(|file| &*file.path).collect();
    assert_eq!(paths, ["ops/graph/b.case", "run/casts/a.vyre"]);
    let folder = corpus_folder("corpus of a binary", &[("run/casts/binary.vyre", b"\xff\xfe")]);
    let error = Corpus::read(&folder).expect_err("no UTF-8").to_string();
    let path = folder.join("run/casts/binary.vyre").display().to_string();
    assert!(error.starts_with(&format!("{path}: ")), "{error}");
    fs::remove_dir_all(folder.join("ops")).expect("a folder");
    let error = Corpus::read(&folder).expect_err("no folder `ops`").to_string();
    assert!(error.contains("binary.vyre") || error.contains("ops"), "{error}");
}
