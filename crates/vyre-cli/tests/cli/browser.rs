//! Pages in a browser: Chromium opens them, and a script of `.ci/browser` uses them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Folder for the pages of a test, which stay there. `None` if there is no browser.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    if std::env::var_os("VYRE_BROWSER").is_none() {
        println!(
            "SKIPPED: there is no browser; `.ci/install-chromium` gets one, and VYRE_BROWSER names the folder that it prints"
        );
        return None;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    Some(folder)
}

/// Runs the checks of a module of `.ci/browser` on the pages of a folder. Returns what they print.
#[track_caller]
pub(crate) fn check(module: &str, folder: &Path) -> String {
    let packages = std::env::var_os("VYRE_BROWSER").expect("there is a browser");
    let check = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.ci/browser/check.mjs");
    let output = Command::new("node").arg(check).arg(packages).arg(module).arg(folder).output();
    let output = output.unwrap_or_else(|error| panic!("VYRE_BROWSER is set, but node fails: {error}"));
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    print!("{text}");
    assert_eq!(output.status.code(), Some(0), "pages of {}:\n{text}", folder.display());
    text
}
