//! The call graph: on small programs, and beside call graphs that were recorded while programs ran.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use pyrograph::scan::{CallGraph, CallGraphRange, ScanControl, ScanOptions, call_graph};

fn graph_of(path: &Path) -> CallGraph {
    let mut options = ScanOptions::default();
    options.dependencies = true;
    call_graph(&[path.to_owned()], &options, &ScanControl::default()).expect("a call graph").0
}

/// Edges between functions by name.
fn edges(graph: &CallGraph) -> Vec<(&str, &str)> {
    let name = |function: u32| graph.functions[function as usize].name.as_str();
    graph.function_edges.iter().map(|&(caller, callee)| (name(caller), name(callee))).collect()
}

#[test]
fn calls_have_callers_targets_and_places() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.js"), "const b = require('./b');\nfunction f() {\n  b.g(() => 1);\n}\nf();\n")
        .expect("a file");
    fs::write(folder.path().join("b.js"), "exports.g = function g(x) { return x() };\n").expect("a file");
    let graph = graph_of(folder.path());
    assert_eq!(graph.files, ["a.js", "b.js"]);
    let mut found = edges(&graph);
    found.sort_unstable();
    assert_eq!(found, [("f", "g"), ("g", "anonymous function"), ("top-level code", "f")]);
    let f = graph.functions.iter().find(|function| function.name == "f").expect("a function");
    assert_eq!((f.range.file, f.range.start, f.range.end), (0, (2, 1), (4, 2)));
    let starts: BTreeSet<_> = graph.calls.iter().map(|call| (call.file, call.start)).collect();
    assert!(starts.contains(&(0, (3, 3))) && starts.contains(&(0, (5, 1))), "{starts:?}");
    assert_eq!(graph.call_edges.len(), 3);
}

/// Precision and recall of edges between functions beside recorded call graphs. `CALL_GRAPHS` names a folder of programs with recorded graphs
/// beside them: the folder `tests/micro` of github.com/cs-au-dk/jelly. Functions are told apart by their ends, because recorders and this
/// crate disagree on where methods begin.
#[test]
#[ignore = "needs recorded call graphs in the folder of the variable CALL_GRAPHS"]
fn recorded_call_graphs() {
    let folder = std::env::var("CALL_GRAPHS").expect("the variable CALL_GRAPHS");
    let mut paths: Vec<_> =
        fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let (mut all_found, mut all_recorded, mut all_common) = (0, 0, 0);
    let mut all = None;
    for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "json")) {
        let text = fs::read_to_string(path).expect("a text");
        let Ok(recorded) = serde_json::from_str::<serde_json::Value>(&text) else { continue };
        let (Some(files), Some(functions), Some(pairs)) =
            (recorded["files"].as_array(), recorded["functions"].as_object_or_array(), recorded["fun2fun"].as_array())
        else {
            continue;
        };
        let files: Vec<&str> = files.iter().map(|file| file.as_str().unwrap_or_default()).collect();
        // End of a function; the top-level code has none.
        let place = |function: &serde_json::Value| -> Option<(String, Option<(u32, u32)>)> {
            let text = functions.get(&function.as_u64()?)?;
            let numbers: Vec<u32> = text.split(':').map(|number| number.parse().ok()).collect::<Option<_>>()?;
            let [file, line, column, end_line, end_column] = numbers[..] else { return None };
            let is_module = line == 1
                && column == 1
                && functions.values().filter(|other| other.starts_with(&format!("{file}:"))).all(|other| {
                    let end: Vec<u32> = other.split(':').skip(3).filter_map(|number| number.parse().ok()).collect();
                    end[..] <= [end_line, end_column][..]
                });
            Some((files[file as usize].to_owned(), (!is_module).then_some((end_line, end_column))))
        };
        let wanted: BTreeSet<_> = pairs.iter().filter_map(|pair| Some((place(&pair[0])?, place(&pair[1])?))).collect();
        let graph = all.get_or_insert_with(|| graph_of(Path::new(&folder)));
        let seen: BTreeSet<&str> = files.iter().copied().collect();
        let mine = |function: u32| {
            let function = &graph.functions[function as usize];
            let file = graph.files[function.range.file as usize].clone();
            let end = (function.name != "top-level code").then_some((function.range.end.0, function.range.end.1));
            (file, end)
        };
        let ran: BTreeSet<_> = functions.keys().filter_map(|&number| place(&number.into())).collect();
        let found: BTreeSet<_> = graph
            .function_edges
            .iter()
            .map(|&(caller, callee)| (mine(caller), mine(callee)))
            .filter(|(caller, callee)| seen.contains(caller.0.as_str()) && seen.contains(callee.0.as_str()))
            // Only what ran can be compared.
            .filter(|(caller, _)| ran.contains(caller))
            .collect();
        let common = found.intersection(&wanted).count();
        println!("{}: recorded {}, found {}, common {common}", path.display(), wanted.len(), found.len());
        for (caller, callee) in wanted.difference(&found) {
            println!("    missing {caller:?} -> {callee:?}");
        }
        all_found += found.len();
        all_recorded += wanted.len();
        all_common += common;
    }
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    println!(
        "all: recorded {all_recorded}, found {all_found}, common {all_common}: recall {:.3}, precision {:.3}",
        share(all_common, all_recorded),
        share(all_common, all_found)
    );
    assert!(all_recorded > 0, "no recorded call graphs in {folder}");
}

/// Functions of a recorded graph: a list, or a table by number.
trait Functions {
    fn as_object_or_array(&self) -> Option<BTreeMap<u64, String>>;
}

impl Functions for serde_json::Value {
    fn as_object_or_array(&self) -> Option<BTreeMap<u64, String>> {
        let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
        match self {
            serde_json::Value::Array(items) => {
                Some(items.iter().enumerate().filter_map(|(number, item)| Some((number as u64, text(item)?))).collect())
            }
            serde_json::Value::Object(items) => {
                Some(items.iter().filter_map(|(number, item)| Some((number.parse().ok()?, text(item)?))).collect())
            }
            _ => None,
        }
    }
}

/// Precision and recall of edges between functions on programs with known call graphs. `PYTHON_CALL_GRAPHS` names a folder of folders: each has
/// a program and a file `callgraph.json` with the names of the functions that each function calls, such as
/// `micro-benchmark/snippets` of github.com/vitsalis/PyCG. Functions of libraries are left out.
#[test]
#[ignore = "needs known call graphs in the folder of the variable PYTHON_CALL_GRAPHS"]
fn known_python_call_graphs() {
    let folder = std::env::var("PYTHON_CALL_GRAPHS").expect("the variable PYTHON_CALL_GRAPHS");
    let mut waiting = vec![std::path::PathBuf::from(&folder)];
    let mut programs = Vec::new();
    while let Some(path) = waiting.pop() {
        if path.join("callgraph.json").exists() {
            programs.push(path);
        } else if path.is_dir() {
            waiting.extend(fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()));
        }
    }
    programs.sort();
    let mut counts: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    let (mut complete, mut sound) = (0, 0);
    for path in &programs {
        let text = fs::read_to_string(path.join("callgraph.json")).expect("a text");
        let known: BTreeMap<String, Vec<String>> = serde_json::from_str(&text).expect("a call graph");
        let found = python_edges(path);
        let wanted: BTreeSet<(String, String)> = known
            .iter()
            .flat_map(|(caller, callees)| callees.iter().map(move |callee| (caller.clone(), callee.clone())))
            // Functions of libraries have no entry of their own.
            .filter(|(_, callee)| known.contains_key(callee) && !callee.starts_with('<'))
            .collect();
        let common = found.intersection(&wanted).count();
        complete += usize::from(common == found.len());
        sound += usize::from(common == wanted.len());
        let category =
            path.parent().and_then(Path::file_name).map_or(String::new(), |name| name.to_string_lossy().into());
        let count = counts.entry(category).or_default();
        for (sum, number) in count.iter_mut().zip([wanted.len(), found.len(), common]) {
            *sum += number;
        }
        for (caller, callee) in wanted.difference(&found) {
            println!("{}: missing {caller} -> {callee}", path.display());
        }
        for (caller, callee) in found.difference(&wanted) {
            println!("{}: wrong {caller} -> {callee}", path.display());
        }
    }
    let mut all = [0; 3];
    for (category, count) in &counts {
        println!("{category}: known {}, found {}, common {}", count[0], count[1], count[2]);
        for (sum, number) in all.iter_mut().zip(count) {
            *sum += number;
        }
    }
    let [wanted, found, common] = all;
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    println!(
        "all {} programs: {complete} complete, {sound} sound; known {wanted}, found {found}, common {common}: recall {:.3}, precision {:.3}",
        programs.len(),
        share(common, wanted),
        share(common, found)
    );
    assert!(wanted > 0, "no call graphs in {folder}");
}

/// Edges between functions by dotted names. A call of a class is a call of its `__init__`, or of the one that it inherits.
fn python_edges(path: &Path) -> BTreeSet<(String, String)> {
    let graph = graph_of(path);
    let is_inside = |inner: &CallGraphRange, outer: &CallGraphRange| {
        inner.file == outer.file && outer.start <= inner.start && inner.end <= outer.end
    };
    let mut names = Vec::new();
    let mut has_code = Vec::new();
    for (number, function) in graph.functions.iter().enumerate() {
        let file = &graph.files[function.range.file as usize];
        let stem = file.trim_end_matches(".py");
        let mut name = stem.strip_suffix("/__init__").unwrap_or(stem).replace('/', ".");
        let text = fs::read_to_string(path.join(file)).unwrap_or_default();
        let mut code = true;
        if function.name != "top-level code" {
            let around = graph.functions.iter().enumerate().filter(|(other, outer)| {
                *other != number && outer.name != "top-level code" && is_inside(&function.range, &outer.range)
            });
            let mut around: Vec<_> = around.map(|(_, outer)| outer).collect();
            around.sort_by_key(|outer| (outer.range.start, std::cmp::Reverse(outer.range.end)));
            for outer in around {
                name = format!("{name}.{}", outer.name);
            }
            let own = match function.name.as_str() {
                "anonymous function" => {
                    let before = graph.functions.iter().filter(|other| {
                        other.name == function.name
                            && other.range.file == function.range.file
                            && other.range.start <= function.range.start
                    });
                    format!("<lambda{}>", before.count())
                }
                own => own.to_owned(),
            };
            name = format!("{name}.{own}");
            let lines: Vec<&str> = text.lines().collect();
            let (first, last) = (function.range.start.0 as usize - 1, function.range.end.0 as usize);
            let body = lines.get(first..last.min(lines.len())).unwrap_or_default();
            let head = body.iter().map(|line| line.trim_start()).find(|line| !line.starts_with('@'));
            if head.is_some_and(|line| line.starts_with("class ")) {
                code = body.iter().any(|line| line.trim_start().starts_with("def __init__"));
                name = format!("{name}.__init__");
            }
        }
        names.push(name);
        has_code.push(code);
    }
    let mut edges = BTreeSet::new();
    for &(caller, callee) in &graph.function_edges {
        if !has_code[caller as usize] {
            continue;
        }
        let mut targets = vec![callee];
        let mut seen = BTreeSet::new();
        while let Some(target) = targets.pop() {
            if !seen.insert(target) {
                continue;
            }
            if has_code[target as usize] {
                edges.insert((names[caller as usize].clone(), names[target as usize].clone()));
            } else {
                targets.extend(graph.function_edges.iter().filter(|(from, _)| *from == target).map(|&(_, to)| to));
            }
        }
    }
    edges
}
