//! Independent tools that check shaders: where they are, and what they say.

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

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
    folder: tempfile::TempDir,
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

    /// Finds the tool: the one that a variable names, or the one in the search path.
    pub(super) fn find(self) -> Option<Installed> {
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
        }?;
        Some(Installed { tool: self, command, folder: tempfile::tempdir().ok()? })
    }
}

impl Installed {
    /// Checks shaders. Returns a message for each that the tool refuses, by position, or the reason why the tool failed.
    pub(super) fn check(&self, shaders: &[Vec<u8>]) -> Result<Vec<Option<String>>, String> {
        match self.tool {
            Tool::Tint => self.tint(shaders),
            _ => shaders.iter().map(|shader| self.check_one(shader)).collect(),
        }
    }

    fn check_one(&self, shader: &[u8]) -> Result<Option<String>, String> {
        let mut command = Command::new(&self.command);
        match self.tool {
            Tool::SpirvVal => {
                command.args(["--target-env", "vulkan1.1", "-"]);
                return said(with_input(command, shader));
            }
            Tool::Glslang => {
                command.args(["-S", "comp"]).arg(self.file("shader.comp", shader)?);
            }
            Tool::Ptxas => {
                command.arg(format!("--gpu-name=sm_{}", super::shader_text::SM));
                command.arg("--output-file").arg(self.folder.path().join("kernel.cubin"));
                command.arg(self.file("kernel.ptx", shader)?);
            }
            Tool::Tint => {}
        }
        said(command.stdin(Stdio::null()).output())
    }

    fn file(&self, name: &str, contents: &[u8]) -> Result<PathBuf, String> {
        let file = self.folder.path().join(name);
        fs::write(&file, contents).map_err(|error| error.to_string())?;
        Ok(file)
    }

    /// A single process for all modules, because it takes a second to start.
    fn tint(&self, shaders: &[Vec<u8>]) -> Result<Vec<Option<String>>, String> {
        let script = self.file("tint.mjs", TINT.as_bytes())?;
        let modules = self.folder.path().join("modules");
        let _ = fs::remove_dir_all(&modules);
        fs::create_dir_all(&modules).map_err(|error| error.to_string())?;
        for (position, shader) in shaders.iter().enumerate() {
            fs::write(modules.join(format!("{position:06}.wgsl")), shader).map_err(|error| error.to_string())?;
        }
        let mut command = Command::new("node");
        command.arg(script).arg(&self.command).arg(&modules).stdin(Stdio::null());
        let output = command.output().map_err(|error| error.to_string())?;
        let text = text(&output);
        match output.status.code() {
            Some(0) => Ok(vec![None; shaders.len()]),
            Some(1) => Ok((0..shaders.len()).map(|position| refused(&text, position)).collect()),
            _ => Err(text),
        }
    }
}

/// The message about a module in the output of the script.
fn refused(text: &str, position: usize) -> Option<String> {
    let start = format!("{position:06}.wgsl: ");
    text.lines().find_map(|line| line.strip_prefix(&start)).map(str::to_owned)
}

fn with_input(mut command: Command, input: &[u8]) -> std::io::Result<Output> {
    let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    if let Some(mut pipe) = process.stdin.take() {
        // A tool that refuses the beginning may not read the rest.
        let _ = pipe.write_all(input);
    }
    process.wait_with_output()
}

fn said(output: std::io::Result<Output>) -> Result<Option<String>, String> {
    let output = output.map_err(|error| error.to_string())?;
    Ok((!output.status.success()).then(|| text(&output)))
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
