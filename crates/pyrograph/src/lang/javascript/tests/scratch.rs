use std::path::{Path, PathBuf};
use std::time::Instant;

fn walk(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let mut entries: Vec<_> = std::fs::read_dir(path).unwrap().map(|e| e.unwrap().path()).collect();
        entries.sort();
        for entry in entries {
            if !entry.is_symlink() {
                walk(&entry, files);
            }
        }
    } else if let Some(extension) = path.extension().and_then(|e| e.to_str())
        && ["js", "mjs", "cjs", "ts", "tsx", "jsx"].contains(&extension)
    {
        files.push(path.to_owned());
    }
}

#[test]
fn scratch() {
    let dir = std::env::var("SCRATCH").unwrap_or_default();
    let mut files = Vec::new();
    if dir.is_empty() {
        return;
    }
    walk(Path::new(&dir), &mut files);
    let is_single = files.len() == 1 && std::env::var("QUIET").is_err();
    let (mut bytes, mut instructions, mut failed) = (0, 0, 0);
    let start = Instant::now();
    for file in &files {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        let begin = Instant::now();
        let result = super::lower(&file.to_string_lossy(), &text, &super::LowerOptions::default());
        let time = begin.elapsed().as_secs_f64();
        if time > 1.0 {
            println!("slow {} {:.2} s, {} bytes", file.display(), time, text.len());
        }
        bytes += text.len();
        match result {
            Ok(module) => {
                super::check(&module);
                instructions += module.instructions.len();
                if is_single {
                    println!("{module}");
                }
            }
            Err(error) => {
                failed += 1;
                println!("{}: {error}", file.display());
            }
        }
    }
    println!("{} files, {bytes} bytes, {instructions} instructions, {failed} failed, {:?}", files.len(), start.elapsed());
}
