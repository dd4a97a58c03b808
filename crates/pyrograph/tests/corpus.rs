//! The corpus of scans: every case has exactly the findings that its comments state.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use pyrograph::knowledge::ThreatModel;
use pyrograph::lines::LineIndex;
use pyrograph::scan::{ScanControl, ScanOptions, scan};
use vyre_jit::{JitDevice, JitOptions};

static DEVICE: LazyLock<Arc<JitDevice>> =
    LazyLock::new(|| Arc::new(JitDevice::new(&JitOptions::default()).expect("a CPU")));

/// Finding of a case: file, line of the sink, rule; file and line of the source.
type Expected = BTreeSet<(String, usize, String)>;

struct Case {
    name: String,
    path: PathBuf,
    model: ThreatModel,
    sinks: BTreeMap<(String, usize, String), String>,
    sources: BTreeMap<String, (String, usize)>,
}

/// Folders of the corpus, each with what begins a comment.
const LANGUAGES: [(&str, &str); 2] = [("javascript", "//"), ("python", "# ")];

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/scan")
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn files(path: &Path, out: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for child in children(path) {
            files(&child, out);
        }
    } else {
        out.push(path.to_owned());
    }
}

fn case(name: String, path: PathBuf, comment_start: &str) -> Case {
    let mut all = Vec::new();
    files(&path, &mut all);
    let mut case = Case {
        name,
        path: path.clone(),
        model: ThreatModel::Application,
        sinks: BTreeMap::new(),
        sources: BTreeMap::new(),
    };
    for file in all {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let relative = match file.strip_prefix(&path) {
            Ok(relative) if !relative.as_os_str().is_empty() => relative.to_string_lossy().replace('\\', "/"),
            _ => file.file_name().expect("a name").to_string_lossy().into_owned(),
        };
        for (number, line) in text.lines().enumerate() {
            if number == 0 && line.contains("scan: sources=library") {
                case.model = ThreatModel::Library;
            }
            for comment in line.split(comment_start).skip(1).chain(line.split("<!--").skip(1)) {
                let comment = comment.trim().trim_end_matches("-->").trim();
                if let Some(rest) = comment.strip_prefix("sink: ") {
                    let mut words = rest.split_whitespace();
                    let (rule, source) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
                    case.sinks.insert((relative.clone(), number + 1, rule.to_owned()), source.to_owned());
                } else if let Some(rest) = comment.strip_prefix("source: ") {
                    let source = rest.split_whitespace().next().unwrap_or_default();
                    case.sources.insert(source.to_owned(), (relative.clone(), number + 1));
                }
            }
        }
    }
    case
}

fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for (language, comment_start) in LANGUAGES {
        let root = corpus().join(language);
        // Cases of the first language have no name of a language.
        let base = if language == LANGUAGES[0].0 { root.clone() } else { corpus() };
        for feature in children(&root) {
            let folders = if feature.ends_with("rules") { children(&feature) } else { vec![feature] };
            for folder in folders {
                for path in children(&folder) {
                    let name = path.strip_prefix(&base).expect("inside").to_string_lossy().replace('\\', "/");
                    all.push(case(name, path, comment_start));
                }
            }
        }
    }
    all
}

/// Differences between a case and its scan.
fn run(case: &Case) -> Vec<String> {
    let device = DEVICE.clone();
    let mut options = ScanOptions::default();
    options.models = vec![case.model];
    options.jobs = Some(1);
    let report = match scan(std::slice::from_ref(&case.path), &options, device, &ScanControl::default()) {
        Ok(report) => report,
        Err(error) => return vec![error.to_string()],
    };
    let mut problems = Vec::new();
    if report.coverage.is_incomplete() {
        problems.push(format!("the scan is incomplete: {:?}", report.coverage.problems));
        for file in &report.coverage.files {
            problems.push(format!("{}: {:?}", file.path, file.outcome));
        }
    }
    let place = |location: pyrograph::finding::Location| {
        let record = &report.coverage.files[location.file as usize];
        let text = record.text.as_deref().unwrap_or_default();
        (record.path.clone(), LineIndex::new(text).line(location.span.start as usize))
    };
    let mut found = Expected::new();
    for finding in &report.findings {
        let (file, line) = place(finding.sink());
        let key = (file, line, report.knowledge.rules[finding.rule].id.clone());
        match case.sinks.get(&key) {
            None => {
                problems.push(format!("unexpected: {}:{} {} from {:?}", key.0, key.1, key.2, place(finding.source())))
            }
            Some(source) => match case.sources.get(source) {
                Some(source) if *source != place(finding.source()) => {
                    let others: Vec<_> = finding.other_sources.iter().map(|&other| place(other)).collect();
                    if !others.contains(source) {
                        problems.push(format!(
                            "{}:{} {}: source {:?}, not {source:?}",
                            key.0,
                            key.1,
                            key.2,
                            place(finding.source())
                        ));
                    }
                }
                _ => {}
            },
        }
        found.insert(key);
    }
    for key in case.sinks.keys() {
        if !found.contains(key) {
            problems.push(format!("missing: {}:{} {}", key.0, key.1, key.2));
        }
    }
    problems
}

/// Results of all cases. A scan waits inside its own pool of threads, so that a shared one would nest the scans.
fn run_all(cases: &[Case]) -> Vec<Vec<String>> {
    let count = std::thread::available_parallelism().map_or(2, usize::from);
    let chunks: Vec<Vec<usize>> = (0..count).map(|first| (first..cases.len()).step_by(count).collect()).collect();
    let mut results = vec![Vec::new(); cases.len()];
    std::thread::scope(|scope| {
        let start = |chunk: Vec<usize>| {
            scope.spawn(|| chunk.into_iter().map(|index| (index, run(&cases[index]))).collect::<Vec<_>>())
        };
        let threads: Vec<_> = chunks.into_iter().map(start).collect();
        for thread in threads {
            for (index, problems) in thread.join().expect("no panic") {
                results[index] = problems;
            }
        }
    });
    results
}

/// Features of the language that the corpus must have.
const FEATURES: [&str; 60] = [
    "accessors",
    "arguments",
    "async-await",
    "call-apply-bind",
    "callbacks",
    "classes",
    "closures",
    "constant-conditions",
    "context-calls",
    "define-property",
    "destructuring",
    "dynamic-import",
    "dynamic-properties",
    "events",
    "for-loops",
    "functions",
    "generators",
    "guards-comparison",
    "guards-early-exit",
    "guards-membership",
    "guards-predicates",
    "guards-prefix",
    "guards-regex",
    "guards-typeof",
    "heap-instances",
    "heap-parameter-fields",
    "heap-return-objects",
    "html-scripts",
    "import-cycles",
    "inheritance",
    "iterators",
    "jsx",
    "labels",
    "library-exports",
    "methods",
    "modules-commonjs",
    "modules-esm",
    "new",
    "object-assign",
    "object-create",
    "operators",
    "optional-chaining",
    "overwritten",
    "private-members",
    "promises",
    "prototypes",
    "re-exports",
    "recursion",
    "require-expressions",
    "sanitizer-classes",
    "sources",
    "spread",
    "streams",
    "strings",
    "switch",
    "tagged-templates",
    "template-strings",
    "this",
    "try-catch",
    "umd",
];

/// Features of Python that the corpus must have.
const PYTHON_FEATURES: [&str; 28] = [
    "annotations",
    "async",
    "callbacks",
    "classes",
    "closures",
    "comprehensions",
    "constant-conditions",
    "containers",
    "context-managers",
    "dataclasses",
    "decorators",
    "descriptors",
    "exceptions",
    "functions",
    "generators",
    "guards",
    "inheritance",
    "keyword-arguments",
    "match",
    "modules",
    "multiple-inheritance",
    "properties",
    "rest-arguments",
    "rules",
    "special-methods",
    "strings",
    "unpacking",
    "web",
];

/// True if the first parameter of a list is the request that a framework passes.
fn is_handler(parameters: &str) -> bool {
    let first = parameters.trim_start_matches(['(', ' ', '_', '{']);
    let end = first.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(first.len());
    ["req", "request", "ctx"].contains(&&first[..end])
}

/// True if a line begins a class, or a function or method that is not the handler of a request.
fn begins_function(line: &str) -> bool {
    let declared = line.trim_start().trim_start_matches("async ").strip_prefix("def ");
    if declared.is_some_and(|name| !name.starts_with("index(")) {
        return true;
    }
    const KEYWORDS: [&str; 6] = ["if", "for", "while", "switch", "catch", "with"];
    let line = line.split("//").next().unwrap_or_default().trim();
    let arrows = line.match_indices("=>").map(|(at, _)| line[..at].trim_end());
    let mut parameters = arrows.map(|head| match head.strip_suffix(')') {
        Some(list) => list.rfind('(').map_or("", |open| &list[open..]),
        None => head.rsplit([' ', '(']).next().unwrap_or_default(),
    });
    let mut declared =
        line.match_indices("function").map(|(at, _)| line[at..].split_once('(').map_or("", |parts| parts.1));
    let is_method = line.ends_with('{')
        && line.split_once('(').is_some_and(|(head, list)| {
            let name = head.rsplit(' ').next().unwrap_or_default().trim_start_matches(['#', '*']);
            let is_name = !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
            is_name
                && !KEYWORDS.contains(&name)
                && list.trim_end_matches(['{', ' ']).ends_with(')')
                && !line.contains('=')
        });
    let is_class = line.split(' ').any(|word| word == "class");
    is_class || is_method || parameters.any(|list| !is_handler(list)) || declared.any(|list| !is_handler(list))
}

/// True if the values of a case may cross functions or files: it has several files with code, or functions. A handler of requests
/// alone is no such function, because source and sink are both inside it.
fn is_across(case: &Case) -> bool {
    let mut all = Vec::new();
    files(&case.path, &mut all);
    all.retain(|file| file.extension().is_none_or(|extension| extension != "json"));
    let has_function = |file: &PathBuf| fs::read_to_string(file).unwrap_or_default().lines().any(begins_function);
    all.len() > 1 || all.iter().any(has_function)
}

#[test]
fn every_feature_has_flows_and_near_misses() {
    let mut counts: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    for case in cases() {
        let feature = case.name.rsplit_once('/').map_or("", |(feature, _)| feature).to_owned();
        let count = counts.entry(feature).or_default();
        count[usize::from(case.sinks.is_empty())] += 1;
        count[2] += usize::from(is_across(&case));
    }
    let mut wrong: Vec<String> = FEATURES
        .iter()
        .filter(|feature| !counts.contains_key(**feature))
        .map(|feature| format!("{feature}: no cases"))
        .collect();
    for feature in PYTHON_FEATURES {
        let prefix = format!("python/{feature}");
        if !counts.keys().any(|known| *known == prefix || known.starts_with(&format!("{prefix}/"))) {
            wrong.push(format!("{prefix}: no cases"));
        }
    }
    for (feature, [flows, misses, across]) in &counts {
        let needed = (flows + misses).div_ceil(2).max(3);
        if *flows < 3 || *misses < 2 || *across < needed {
            wrong.push(format!(
                "{feature}: {flows} flows, {misses} near misses, {across} of {needed} across functions or files"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_case_has_the_findings_of_its_comments() {
    let filter = std::env::var("SCAN_CASE").ok();
    let cases: Vec<Case> =
        cases().into_iter().filter(|case| filter.as_deref().is_none_or(|filter| case.name.contains(filter))).collect();
    let results: Vec<(&Case, Vec<String>)> = cases.iter().zip(run_all(&cases)).collect();
    let known = fs::read_to_string(corpus().join("known-failures.txt")).unwrap_or_default();
    let known: BTreeSet<&str> = known.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let mut wrong = Vec::new();
    for (case, problems) in &results {
        let is_known = known.contains(case.name.as_str());
        match (problems.is_empty(), is_known) {
            (true, true) => wrong.push(format!("{}: passes; remove it from known-failures.txt", case.name)),
            (false, false) => wrong.push(format!("{}:\n    {}", case.name, problems.join("\n    "))),
            _ => {}
        }
    }
    assert!(!cases.is_empty(), "there are no cases");
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
