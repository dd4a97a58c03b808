//! Check of real files: `PYROGRAPH_FILES=folder cargo test -p pyrograph --lib real_files -- --ignored --nocapture`.

use std::path::{Path, PathBuf};

use super::{check, lower};
use crate::lang::LowerOptions;

/// Source files of a folder, in order.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_symlink() {
            continue;
        }
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if path.is_dir() {
            files(&path, found);
        } else if ["js", "mjs", "cjs", "jsx", "ts", "tsx"].contains(&extension) {
            found.push(path);
        }
    }
}

#[test]
#[ignore = "needs files"]
fn real_files() {
    let mut found = Vec::new();
    files(Path::new(&std::env::var_os("PYROGRAPH_FILES").unwrap_or_default()), &mut found);
    let (mut bytes, mut instructions) = (0, 0);
    for path in &found {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        match lower(&path.to_string_lossy(), &text, &LowerOptions::default()) {
            Ok(module) => {
                check(&module);
                bytes += text.len();
                instructions += module.instructions.len();
            }
            Err(error) => println!("{}: {error}", path.display()),
        }
    }
    println!("{} files, {bytes} bytes, {instructions} instructions", found.len());
}
