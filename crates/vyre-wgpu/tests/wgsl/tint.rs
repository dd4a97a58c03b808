//! Tint: validates modules in a process of Node.js.

use std::path::{Path, PathBuf};
use std::process::Command;

use vyre_kernel::{BlockId, Kernel};

/// Maximum number of nested statements. Tint accepts 62; the code of an access may have three itself.
const MAX_NESTED_STATEMENTS: usize = 59;

/// Modules in a folder below that of temporary files of the build.
pub(crate) struct Modules {
    folder: PathBuf,
    count: usize,
    /// Number of programs that are nested too deeply for Tint.
    too_deep: usize,
}

/// Output of a check, and the exit code.
struct Verdict {
    code: Option<i32>,
    text: String,
}

impl Modules {
    pub(crate) fn new(folder: &str) -> Modules {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wgsl").join(folder);
        // Modules of an earlier run.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        Modules { folder, count: 0, too_deep: 0 }
    }

    pub(crate) fn add(&mut self, name: &str, kernel: &Kernel) {
        let text = super::wgsl(kernel);
        if nested_statements(kernel, kernel.entry) > MAX_NESTED_STATEMENTS {
            self.too_deep += 1;
        } else {
            self.add_text(name, &text);
        }
    }

    pub(crate) fn add_text(&mut self, name: &str, text: &str) {
        let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '_' }).collect();
        let file = self.folder.join(format!("{name}.wgsl"));
        assert!(!file.exists(), "two modules have the name {name}");
        std::fs::write(&file, text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.count += 1;
    }

    pub(crate) fn expect_accepted(&self) {
        let Modules { folder, count, too_deep } = self;
        println!("{count} modules in {}, {too_deep} nested too deeply for Tint", folder.display());
        assert!(*too_deep * 20 <= *count, "{too_deep} of {count} are nested too deeply");
        let Some(Verdict { code, text }) = self.verdict() else { return };
        print!("{text}");
        assert_eq!(code, Some(0), "Tint refuses modules of {}:\n{text}", folder.display());
        assert!(text.contains(&format!("{count} of {count} modules accepted")), "{text}");
    }

    pub(crate) fn expect_refused(&self, message: &str) {
        let Some(Verdict { code, text }) = self.verdict() else { return };
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains(message) && text.contains("0 of"), "{text}");
    }

    /// Runs Tint; `None` without it.
    fn verdict(&self) -> Option<Verdict> {
        let Some(tint) = std::env::var_os("VYRE_TINT") else {
            println!("SKIPPED: there is no Tint; `.ci/install-tint` gets it, and VYRE_TINT names its folder");
            return None;
        };
        let check = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.ci/tint/check.mjs");
        let output = Command::new("node").arg(check).arg(tint).arg(&self.folder).output();
        let output = output.unwrap_or_else(|error| panic!("VYRE_TINT is set, but node fails: {error}"));
        let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        Some(Verdict { code: output.status.code(), text })
    }
}

/// Nesting depth of the statements of a block. Validation limits it.
fn nested_statements(kernel: &Kernel, block: BlockId) -> usize {
    let nested = |block| 1 + nested_statements(kernel, block);
    kernel.blocks[block].statements.iter().flat_map(|statement| statement.blocks()).map(nested).max().unwrap_or(0)
}
