//! Independent tools that check shaders: where they are, and what they say.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// The script that runs Tint, for Node.js.
const TINT: &str = include_str!("tint.mjs");

/// A tool that accepts or refuses shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    /// The validator of SPIRV-Tools.
    SpirvVal,
    /// The reference compiler of GLSL.
    Glslang,
    /// The WGSL compiler of Dawn and Chromium.
    Tint,
    /// NVIDIA's assembler.
    Ptxas,
}

/// A tool that was found.
pub(super) struct Installed {
    tool: Tool,
    command: OsString,
    folder: TempDir,
}

impl Tool {
    /// All tools.
    pub(super) const ALL: [Tool; 4] = [Tool::SpirvVal, Tool::Glslang, Tool::Tint, Tool::Ptxas];

    pub(super) fn name(self) -> &'static str {
        match self {
            Tool::SpirvVal => "spirv-val",
            Tool::Glslang => "glslang",
            Tool::Tint => "Tint",
            Tool::Ptxas => "ptxas",
        }
    }

    /// What is to be done where it is missing.
    pub(super) fn advice(self) -> &'static str {
        match self {
            Tool::SpirvVal => "spirv-val is not in the search path",
            Tool::Glslang => "neither glslang nor glslangValidator is in the search path",
            Tool::Tint => "VYRE_TINT names no folder with npm's package webgpu, or node is missing",
            Tool::Ptxas => "ptxas is not in the search path, and VYRE_PTXAS names none",
        }
    }

    /// Finds the tool: the one that a variable names, or the one in the search path. `folder` creates a folder for its files. Fails if the tool
    /// is installed and there is no such folder.
    pub(super) fn find(self, folder: impl FnOnce() -> io::Result<TempDir>) -> io::Result<Option<Installed>> {
        let works = |command: &OsString, argument: &str| {
            let output = Command::new(command).arg(argument).stdin(Stdio::null()).output();
            output.is_ok_and(|output| output.status.success())
        };
        let command = match self {
            Tool::SpirvVal => Some(OsString::from("spirv-val")).filter(|command| works(command, "--version")),
            Tool::Glslang => ["glslang", "glslangValidator"]
                .map(OsString::from)
                .into_iter()
                .find(|command| works(command, "--version")),
            Tool::Tint => std::env::var_os("VYRE_TINT").filter(|folder| {
                works(&OsString::from("node"), "--version") && Path::new(folder).join("node_modules/webgpu").is_dir()
            }),
            Tool::Ptxas => {
                let command = std::env::var_os("VYRE_PTXAS").unwrap_or_else(|| "ptxas".into());
                Some(command).filter(|command| works(command, "--version"))
            }
        };
        let Some(command) = command else { return Ok(None) };
        Ok(Some(Installed { tool: self, command, folder: folder()? }))
    }
}

impl Installed {
    /// Checks shaders. Returns a message for each that the tool refuses, by position, or the reason why the tool failed. Batches of different
    /// numbers can be checked at the same time.
    pub(super) fn check(&self, shaders: &[Vec<u8>], batch: u64) -> Result<Vec<Option<String>>, String> {
        if shaders.is_empty() {
            return Ok(Vec::new());
        }
        let folder = self.folder.path().join(batch.to_string());
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let verdicts = match self.tool {
            Tool::Tint => self.tint(shaders, &folder),
            _ => shaders.iter().map(|shader| self.check_one(shader, &folder)).collect(),
        };
        // What cannot be deleted is deleted with the whole folder.
        let _ = fs::remove_dir_all(&folder);
        verdicts
    }

    fn check_one(&self, shader: &[u8], folder: &Path) -> Result<Option<String>, String> {
        let mut command = Command::new(&self.command);
        match self.tool {
            Tool::SpirvVal => {
                command.args(["--target-env", "vulkan1.1", "-"]);
                return said(with_input(command, shader));
            }
            Tool::Glslang => {
                command.args(["-S", "comp"]).arg(file(folder, "shader.comp", shader)?);
            }
            Tool::Ptxas => {
                command.arg(format!("--gpu-name=sm_{}", super::shader_text::SM));
                command.arg("--output-file").arg(folder.join("kernel.cubin"));
                command.arg(file(folder, "kernel.ptx", shader)?);
            }
            Tool::Tint => {}
        }
        said(command.stdin(Stdio::null()).output())
    }

    /// A single process for all modules, because it takes a second to start.
    fn tint(&self, shaders: &[Vec<u8>], folder: &Path) -> Result<Vec<Option<String>>, String> {
        let script = file(folder, "tint.mjs", TINT.as_bytes())?;
        let modules = folder.join("modules");
        fs::create_dir_all(&modules).map_err(|error| error.to_string())?;
        for (position, shader) in shaders.iter().enumerate() {
            fs::write(modules.join(format!("{position:06}.wgsl")), shader).map_err(|error| error.to_string())?;
        }
        let mut command = Command::new("node");
        command.arg(script).arg(&self.command).arg(&modules).stdin(Stdio::null());
        let output = command.output().map_err(|error| error.to_string())?;
        verdicts(output.status.code(), &text(&output), shaders.len())
    }
}

/// The verdicts of the script of Tint on a number of modules. Node.js also exits with 1 if the script crashes, so its last line must agree.
fn verdicts(code: Option<i32>, text: &str, count: usize) -> Result<Vec<Option<String>>, String> {
    let verdicts: Vec<Option<String>> = match code {
        Some(0) => vec![None; count],
        Some(1) => (0..count).map(|position| refused(text, position)).collect(),
        _ => return Err(text.to_owned()),
    };
    let accepted = verdicts.iter().filter(|verdict| verdict.is_none()).count();
    let summary = format!("): {accepted} of {count} modules accepted, ");
    let is_complete = text.lines().any(|line| line.starts_with("Tint of Dawn (") && line.contains(&summary));
    let agrees = is_complete && (accepted == count) == (code == Some(0));
    if agrees { Ok(verdicts) } else { Err(format!("its results are not complete: {text}")) }
}

fn file(folder: &Path, name: &str, contents: &[u8]) -> Result<PathBuf, String> {
    let file = folder.join(name);
    fs::write(&file, contents).map_err(|error| error.to_string())?;
    Ok(file)
}

/// The message about a module in the output of the script.
fn refused(text: &str, position: usize) -> Option<String> {
    let start = format!("{position:06}.wgsl: ");
    text.lines().find_map(|line| line.strip_prefix(&start)).map(str::to_owned)
}

fn with_input(mut command: Command, input: &[u8]) -> io::Result<Output> {
    let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    if let Some(mut pipe) = process.stdin.take() {
        // A tool that refuses the beginning may not read the rest.
        let _ = pipe.write_all(input);
    }
    process.wait_with_output()
}

fn said(output: io::Result<Output>) -> Result<Option<String>, String> {
    let output = output.map_err(|error| error.to_string())?;
    match output.status.code() {
        Some(0) => Ok(None),
        Some(_) => Ok(Some(text(&output))),
        None => Err(format!("it was ended by a signal: {}", output.status)),
    }
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_of_tint_need_its_summary() {
        let accepted = "Tint of Dawn (webgpu 1): 2 of 2 modules accepted, 0 of them";
        let refused = "000001.wgsl: line 1: expected ';'\nTint of Dawn (webgpu 1): 1 of 2 modules accepted, 0 of them";
        assert_eq!(verdicts(Some(0), accepted, 2), Ok(vec![None, None]));
        assert_eq!(verdicts(Some(1), refused, 2), Ok(vec![None, Some("line 1: expected ';'".to_owned())]));
        for (code, text) in [
            (Some(0), ""),
            (Some(0), refused),
            (Some(0), "Tint of Dawn (webgpu 1): 3 of 3 modules accepted, 0 of them"),
            (Some(1), accepted),
            (Some(1), "Error: Dawn has crashed"),
            (Some(1), "000001.wgsl: line 1: expected ';'\nError: Dawn has crashed"),
            (Some(2), accepted),
            (None, accepted),
        ] {
            assert!(verdicts(code, text, 2).is_err(), "{code:?}: {text}");
        }
    }

    /// A folder that cannot be created does not make an installed tool a missing one.
    #[test]
    fn a_tool_without_a_folder_is_not_missing() {
        for tool in Tool::ALL {
            let is_installed = tool.find(tempfile::tempdir).expect("a folder").is_some();
            let found = tool.find(|| Err(io::ErrorKind::PermissionDenied.into()));
            assert_eq!(found.is_err(), is_installed, "{}", tool.name());
        }
    }

    /// A package whose functions throw accepts no module.
    #[test]
    fn a_crash_of_tint_is_a_failure_of_the_tool() {
        if !Command::new("node").arg("--version").output().is_ok_and(|output| output.status.success()) {
            println!("SKIPPED: node is not installed");
            return;
        }
        let package = tempfile::tempdir().expect("a folder");
        let webgpu = package.path().join("node_modules/webgpu");
        fs::create_dir_all(&webgpu).expect("a folder");
        fs::write(webgpu.join("package.json"), r#"{"type": "module", "version": "1"}"#).expect("a file");
        let folder = || tempfile::tempdir().expect("a folder");
        for script in [
            "throw new Error('broken');",
            "export const globals = {}; export function create() { throw new Error('broken'); }",
            "export const globals = {}; export function create() { process.exit(0); }",
            "export const globals = {}; export function create() { process.exit(1); }",
        ] {
            fs::write(webgpu.join("index.js"), script).expect("a file");
            let tint = Installed { tool: Tool::Tint, command: package.path().into(), folder: folder() };
            let verdicts = tint.check(&[b"fn main() {}".to_vec()], 0);
            assert!(verdicts.is_err(), "{script}: {verdicts:?}");
        }
    }
}
