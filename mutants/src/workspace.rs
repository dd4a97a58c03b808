//! Copy of the workspace with mutants.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::render::{Numbered, Rendered, render};
use crate::sites::{Skipped, sites};

/// Folders and files whose sources have mutants, by crate.
const TARGETS: &[(&str, &[&str])] = &[
    ("vyre-kernel", &["lower", "opt", "op.rs", "uniformity.rs", "usage.rs"]),
    ("vyre-jit", &["emit", "plan", "vectorize", "bound_check.rs", "storage.rs"]),
    ("vyre-wgpu", &["emit"]),
    ("vyre-cuda", &["emit"]),
    ("vyre-ops", &["graph", "compression", "checksum", "primitive"]),
];

/// Lints that mutants break. Some of them are errors only when code is generated, so a check does not find them.
const ALLOWED: &str = "#![allow(warnings, arithmetic_overflow, unconditional_panic)]";

/// Corpora that the tests of mutants need.
const CORPORA: &[&str] = &["run", "opt", "ops"];

/// A source file with its mutants.
#[derive(Debug)]
pub struct File {
    /// Path in the workspace.
    pub path: String,
    source: String,
    pub places: Vec<Numbered>,
    pub rendered: Rendered,
}

/// A copy of the workspace.
#[derive(Debug)]
pub struct Workspace {
    pub root: PathBuf,
    pub files: Vec<File>,
    pub skipped: Skipped,
}

/// Copies a folder without build outputs. Files that did not change keep their time.
fn copy_folder(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        if path.is_dir() {
            if name != "target" {
                copy_folder(&path, &to.join(name))?;
            }
        } else {
            write_changed(&to.join(name), &fs::read(&path)?)?;
        }
    }
    Ok(())
}

fn write_changed(path: &Path, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    if fs::read(path).ok().as_deref() != Some(bytes) {
        fs::write(path, bytes)?;
    }
    Ok(())
}

fn rust_files(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    if path.is_dir() {
        let entries: Result<Vec<_>, _> = fs::read_dir(path)?.collect();
        let mut paths: Vec<PathBuf> = entries?.into_iter().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            rust_files(&path, files)?;
        }
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        files.push(path.to_owned());
    }
    Ok(())
}

/// True for a file that has no mutants: of ops only the files with programs have.
fn is_left_out(package: &str, path: &Path, source: &str) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name == "tests.rs" || package == "vyre-ops" && !source.contains("Body<") && !source.contains("ProgramBuilder")
}

impl Workspace {
    /// Copies the workspace of a repository and finds all mutants.
    ///
    /// # Errors
    ///
    /// Fails on an unreadable file, or one that is no Rust.
    pub fn copy(root: &Path, out: &Path) -> Result<Workspace, Box<dyn Error>> {
        copy_folder(&root.join("crates"), &out.join("crates"))?;
        copy_folder(&root.join("mutants/oracle"), &out.join("crates/mutant-oracle"))?;
        copy_folder(&root.join("mutants/switch"), &out.join("crates/mutant-switch"))?;
        write_changed(&out.join("Cargo.lock"), &fs::read(root.join("Cargo.lock"))?)?;
        let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
        let mut lines: Vec<&str> = manifest.lines().collect();
        lines.retain(|line| !line.starts_with("exclude = [\"fuzz\""));
        for line in &mut lines {
            if line.starts_with("members = ") {
                *line = "members = [\"crates/*\"]";
            }
        }
        write_changed(&out.join("Cargo.toml"), (lines.join("\n") + "\n").as_bytes())?;

        let mut workspace = Workspace { root: out.to_owned(), files: Vec::new(), skipped: Skipped::default() };
        let mut next = 1;
        for (package, targets) in TARGETS {
            let folder = format!("crates/{package}");
            let manifest = out.join(&folder).join("Cargo.toml");
            let with_switch = fs::read_to_string(root.join(&folder).join("Cargo.toml"))?
                .replace("[dependencies]\n", "[dependencies]\nmutant-switch = { path = \"../mutant-switch\" }\n");
            write_changed(&manifest, with_switch.as_bytes())?;
            // Mutants compare with themselves and overflow.
            let lib = Path::new(&folder).join("src/lib.rs");
            let text = format!("{ALLOWED}\n{}", fs::read_to_string(root.join(&lib))?);
            write_changed(&out.join(&lib), text.as_bytes())?;
            let mut paths = Vec::new();
            for target in *targets {
                rust_files(&root.join(&folder).join("src").join(target), &mut paths)?;
            }
            for path in paths {
                let source = fs::read_to_string(&path)?;
                if is_left_out(package, &path, &source) {
                    continue;
                }
                let (found, skipped) = sites(&source).map_err(|error| format!("{}: {error}", path.display()))?;
                workspace.skipped.constants += skipped.constants;
                workspace.skipped.patterns += skipped.patterns;
                workspace.skipped.macros += skipped.macros;
                let mut places = Vec::new();
                for site in found {
                    let numbers = (next..).take(site.mutants.len()).map(Some).collect();
                    next += site.mutants.len() as u32;
                    places.push(Numbered { site, numbers });
                }
                let path = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
                workspace.files.push(File { path, source, places, rendered: Rendered::default() });
            }
        }
        let corpora = CORPORA.iter().map(|name| corpus(&root.join("tests/corpus"), Path::new(name)));
        let corpora: Vec<serde_json::Value> = corpora.collect::<Result<Vec<_>, _>>()?.concat();
        let corpora = serde_json::to_vec(&corpora)?;
        write_changed(&out.join("crates/mutant-oracle/corpora.json"), &corpora)?;
        Ok(workspace)
    }

    /// Number of mutants that are left.
    pub fn mutants(&self) -> usize {
        let numbers = self.files.iter().flat_map(|file| &file.places).flat_map(|place| &place.numbers);
        numbers.flatten().count()
    }

    /// Leaves out a mutant.
    pub fn drop_mutant(&mut self, number: u32) {
        let places = self.files.iter_mut().flat_map(|file| &mut file.places);
        for slot in places.flat_map(|place| &mut place.numbers) {
            if *slot == Some(number) {
                *slot = None;
            }
        }
    }

    /// Writes the files, and the list of mutants for the oracle.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be written.
    pub fn write(&mut self) -> Result<(), Box<dyn Error>> {
        let mut list = Vec::new();
        for file in &mut self.files {
            file.rendered = render(&file.source, &file.places);
            write_changed(&self.root.join(&file.path), file.rendered.text.as_bytes())?;
            for place in &file.places {
                let before = &file.source[..place.site.range.start];
                let line = before.matches('\n').count() + 1;
                let original = &file.source[place.site.range.clone()];
                for (number, (kind, text)) in place.numbers.iter().zip(&place.site.mutants) {
                    if let Some(number) = number {
                        let function = &place.site.function;
                        list.push(json!([number, file.path, line, function, kind, original, text]));
                    }
                }
            }
        }
        let text = serde_json::to_vec(&list)?;
        write_changed(&self.root.join("crates/mutant-oracle/mutants.json"), &text)
    }
}

/// Paths and texts of the files of a corpus.
fn corpus(root: &Path, path: &Path) -> Result<Vec<serde_json::Value>, Box<dyn Error>> {
    let whole = root.join(path);
    if !whole.is_dir() {
        // Inputs of ops may be binary.
        let bytes = fs::read(&whole)?;
        let text = String::from_utf8(bytes).map_err(|_| format!("{} is no text", whole.display()))?;
        return Ok(vec![json!([path, text])]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(&whole)? {
        files.extend(corpus(root, &path.join(entry?.file_name()))?);
    }
    Ok(files)
}
