//! Embeds the corpus that the suite runs, and hashes the suite: its sources, that corpus, and what expected results come from.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// Folders of `tests/corpus` that the suite runs.
const FOLDERS: [&str; 2] = ["run", "ops"];

/// Sources outside this crate that decide what the suite checks: probes, the reference interpreter, contents of buffers in files, host
/// references of ops and of the dataflow engine, generated graphs, the section of shaders, and other configurations of backends. A package of
/// this crate does not have them.
const OTHERS: [&str; 11] = [
    "../vyre-runtime/src/probe",
    "../vyre-runtime/src/reference",
    "../vyre-runtime/src/contents.rs",
    "../vyre-ops/src",
    "../vyre-dataflow/src/reference.rs",
    "../vyre-graph/src/construct.rs",
    "../vyre-graph/src/csr.rs",
    "../vyre-graph/src/generate.rs",
    "../vyre-graph/src/role.rs",
    "../vyre-cli/src/commands/conform",
    "../vyre/src/conform.rs",
];

fn main() -> io::Result<()> {
    let here = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(variable("OUT_DIR")?);
    println!("cargo:rerun-if-changed=build.rs");
    let mut hash = Sha256::new();

    for folder in std::iter::once("src").chain(OTHERS).map(|folder| here.join(folder)).filter(|folder| folder.exists())
    {
        println!("cargo:rerun-if-changed={}", folder.display());
        for file in files(&folder)? {
            add(&mut hash, &folder, &file)?;
        }
    }

    // A package of this crate has no corpus. The suite then skips the sections that run it, unless it gets a folder.
    let corpus = here.join("../../tests/corpus");
    let mut table = "&[\n".to_owned();
    for folder in FOLDERS.map(|folder| corpus.join(folder)) {
        if !folder.is_dir() {
            continue;
        }
        println!("cargo:rerun-if-changed={}", folder.display());
        for file in files(&folder)? {
            let name = add(&mut hash, &corpus, &file)?;
            let path = file.canonicalize()?;
            let _ = writeln!(table, "    ({name:?}, include_str!({:?})),", path.display().to_string());
        }
    }
    table.push_str("]\n");
    fs::write(out.join("corpus.rs"), table)?;
    let digest: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    println!("cargo:rustc-env=VYRE_SUITE_HASH={digest}");
    Ok(())
}

fn variable(name: &str) -> io::Result<String> {
    std::env::var(name).map_err(io::Error::other)
}

/// All files below a folder, sorted by path, or the file that it is.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        if folder.is_file() {
            found.push(folder);
            continue;
        }
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

/// Adds the name and the contents of a file to the hash. Returns the name, with slashes on every system.
fn add(hash: &mut Sha256, root: &Path, file: &Path) -> io::Result<String> {
    let name = file.strip_prefix(root).unwrap_or(file);
    let name = name.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
    let contents = fs::read(file)?;
    hash.update((name.len() as u64).to_le_bytes());
    hash.update(&name);
    hash.update((contents.len() as u64).to_le_bytes());
    hash.update(&contents);
    Ok(name)
}
