//! The section `shader-text`: shaders and PTX of programs, checked by independent tools where they are installed.

use vyre::conform::suite::{Context, Item, Section, Settings};
use vyre::conform::{Case, race_free_case};
use vyre::ir::{OpTable, Program, validate};
use vyre::kernel::{Kernel, lower};

use super::tools::{Installed, Tool};

/// Target of PTX.
pub(super) const SM: u32 = 90;

/// Shaders that a tool gets at a time.
const BATCH: usize = 100;

/// Deepest nesting of statements that Tint accepts, with the code of accesses.
#[cfg(feature = "wgpu")]
const MAX_TINT_NESTING: usize = 59;

/// Shaders of programs. Each tool is an item.
pub(super) struct ShaderText {
    programs: fn(&Settings) -> Vec<Named>,
    emit: Emit,
    folder: Folder,
}

/// Creates the folder of the files of a tool.
type Folder = fn() -> std::io::Result<tempfile::TempDir>;

/// The shader of a kernel for a tool, optimized or as lowered. `None` if the tool accepts no such kernels.
type Emit = fn(Tool, Kernel, bool) -> Result<Option<Vec<u8>>, String>;

impl ShaderText {
    /// The emitters of this build, on the run corpus, on all ops and on generated programs.
    pub(super) const OF_BUILD: ShaderText = ShaderText { programs, emit: shader, folder: tempfile::tempdir };
}

impl Section for ShaderText {
    fn name(&self) -> &'static str {
        "shader-text"
    }

    fn about(&self) -> &'static str {
        "Shaders and PTX of the corpus, of all ops and of generated programs are valid, by spirv-val, glslang, Tint and ptxas."
    }

    fn cost(&self, settings: &Settings) -> u64 {
        6_000 + settings.amounts.shaders * 20
    }

    fn run(&self, context: &Context) {
        let programs = (self.programs)(context.settings());
        let mut done = 0;
        for tool in Tool::ALL {
            let item = Item::new(tool.name());
            if !is_of_backend(tool, &context.subject().name) {
                context.skipped(&item, 1, "the backend has no such shaders");
            } else {
                match tool.find(self.folder) {
                    Ok(Some(installed)) => check(context, &item, (tool, &installed), self.emit, &programs),
                    Ok(None) => context.skipped(&item, 1, tool.advice()),
                    Err(error) => {
                        let message = format!("{} cannot have a temporary folder: {error}", tool.name());
                        context.failed(&item, message, None);
                    }
                }
            }
            done += 1;
            context.advanced(done, Tool::ALL.len() as u64);
        }
    }
}

/// Reports whether a backend gives programs in the language of a tool to a driver.
fn is_of_backend(tool: Tool, backend: &str) -> bool {
    match tool {
        Tool::SpirvVal | Tool::Glslang | Tool::Tint => backend == "wgpu",
        Tool::Ptxas => backend == "cuda",
    }
}

/// A program with its ops, and a name for messages.
struct Named {
    name: String,
    program: Program,
    ops: OpTable,
}

fn programs(settings: &Settings) -> Vec<Named> {
    let mut programs = Vec::new();
    let ops = settings.corpus.ops().unwrap_or_default();
    for file in settings.corpus.programs() {
        if let Ok(program) = file.program() {
            programs.push(Named { name: file.path.clone(), program, ops: ops.clone() });
        }
    }
    for op in vyre::ops::ops() {
        for variant in op.programs() {
            let name = format!("{}, {}", op.id, variant.name);
            programs.push(Named { name, program: variant.program(), ops: OpTable::default() });
        }
    }
    programs.extend(generated(settings));
    programs
}

fn generated(settings: &Settings) -> Vec<Named> {
    let of_seed = |number| {
        let seed = settings.seed.wrapping_add(number);
        let Case { program, ops, .. } = race_free_case(seed);
        Named { name: format!("generated program of seed {seed}"), program, ops }
    };
    (0..settings.amounts.shaders).map(of_seed).collect()
}

fn check(context: &Context, item: &Item, (tool, installed): (Tool, &Installed), emit: Emit, programs: &[Named]) {
    let batches: Vec<&[Named]> = programs.chunks(BATCH).collect();
    context.in_parallel(batches.len() as u64, |number| {
        let (mut names, mut shaders) = (Vec::new(), Vec::new());
        for Named { name, program, ops } in batches[number as usize] {
            let kernel = validate(program, ops).ok().and_then(|valid| lower(&valid).ok());
            let Some(kernel) = kernel else {
                context.failed(item, format!("{name} cannot be lowered"), None);
                continue;
            };
            for is_optimized in [false, true] {
                match emit(tool, kernel.clone(), is_optimized) {
                    Ok(Some(shader)) => {
                        names.push(format!("{name}, {}", if is_optimized { "optimized" } else { "as lowered" }));
                        shaders.push(shader);
                    }
                    Ok(None) => context.skipped(item, 1, "the tool does not accept such deep nesting"),
                    Err(error) => context.failed(item, format!("{name}: {error}"), None),
                }
            }
        }
        let verdicts = installed.check(&shaders, number);
        // Ctrl-C ends the tool too, which says nothing of the shaders.
        if context.must_end() {
            return;
        }
        match verdicts {
            Ok(verdicts) => {
                for (name, verdict) in names.iter().zip(verdicts) {
                    match verdict {
                        None => context.passed(item, 1),
                        Some(message) => context.failed(item, format!("{name}: {message}"), None),
                    }
                }
            }
            Err(error) => context.failed(item, format!("{} fails: {error}", tool.name()), None),
        }
    });
}

fn shader(tool: Tool, kernel: Kernel, is_optimized: bool) -> Result<Option<Vec<u8>>, String> {
    match tool {
        Tool::SpirvVal => wgpu_shader(kernel, is_optimized, "spirv").map(Some),
        Tool::Glslang => wgpu_shader(kernel, is_optimized, "glsl").map(Some),
        Tool::Tint if is_too_deep(&kernel) => Ok(None),
        Tool::Tint => wgpu_shader(kernel, is_optimized, "wgsl").map(Some),
        Tool::Ptxas => ptx(kernel, is_optimized).map(Some),
    }
}

#[cfg(feature = "wgpu")]
fn wgpu_shader(mut kernel: Kernel, is_optimized: bool, language: &str) -> Result<Vec<u8>, String> {
    use vyre::gpu::{Shader, ShaderLanguage, passes, translate};
    let language = ShaderLanguage::ALL.into_iter().find(|known| known.name() == language);
    let language = language.ok_or("there is no such language")?;
    if is_optimized {
        passes().run(&mut kernel).map_err(|error| error.to_string())?;
    }
    match translate(&kernel, language).map_err(|error| error.to_string())? {
        Shader::Text(text) => Ok(text.into_bytes()),
        Shader::Binary(bytes) => Ok(bytes),
    }
}

#[cfg(feature = "wgpu")]
fn is_too_deep(kernel: &Kernel) -> bool {
    // Validation limits the nesting.
    fn nesting(kernel: &Kernel, block: vyre::kernel::BlockId) -> usize {
        let statements = kernel.blocks[block].statements.iter();
        statements.flat_map(|statement| statement.blocks()).map(|block| 1 + nesting(kernel, block)).max().unwrap_or(0)
    }
    nesting(kernel, kernel.entry) > MAX_TINT_NESTING
}

#[cfg(not(feature = "wgpu"))]
fn wgpu_shader(_: Kernel, _: bool, _: &str) -> Result<Vec<u8>, String> {
    Err("this build has no wgpu backend".to_owned())
}

#[cfg(not(feature = "wgpu"))]
fn is_too_deep(_: &Kernel) -> bool {
    false
}

#[cfg(feature = "cuda")]
fn ptx(mut kernel: Kernel, is_optimized: bool) -> Result<Vec<u8>, String> {
    use vyre::cuda::{PtxTarget, passes, translate};
    if is_optimized {
        passes().run(&mut kernel).map_err(|error| error.to_string())?;
    }
    let ptx = translate(&kernel, PtxTarget::default().with_sm(SM)).map_err(|error| error.to_string())?;
    Ok(ptx.text.into_bytes())
}

#[cfg(not(feature = "cuda"))]
fn ptx(_: Kernel, _: bool) -> Result<Vec<u8>, String> {
    Err("this build has no CUDA backend".to_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vyre::conform::suite::{Amounts, Level, Report, Silent, Suite};
    use vyre::runtime::ReferenceDevice;

    use super::*;

    fn run(backend: &str, emit: Emit, folder: Folder) -> Report {
        let section = ShaderText { programs: generated, emit, folder };
        let suite = Suite::new(Level::Quick).with_amounts(Amounts::tiny()).with_section(Box::new(section));
        let suite = suite.with_only(["shader-text"]).expect("the section");
        suite.run_on(backend, Arc::new(ReferenceDevice::new()), &mut Silent)
    }

    fn is_installed(tool: Tool) -> bool {
        tool.find(tempfile::tempdir).expect("a folder").is_some()
    }

    /// A tool that is installed and has no folder for its files is a failure.
    #[test]
    fn a_tool_without_a_folder_is_a_failure() {
        for backend in ["wgpu", "cuda"] {
            let report = run(backend, shader, || Err(std::io::ErrorKind::PermissionDenied.into()));
            let section = report.section("shader-text").expect("the section");
            for tool in Tool::ALL.into_iter().filter(|tool| is_of_backend(*tool, backend)) {
                let failed = u64::from(is_installed(tool));
                assert_eq!(section.item(tool.name()).map(|item| item.failed), Some(failed), "{report}");
            }
        }
    }

    /// Every tool that is installed refuses shaders whose last bytes an emitter did not write, and accepts whole ones.
    #[test]
    fn truncated_shaders_are_found() {
        let truncated: Emit = |tool, kernel, is_optimized| {
            let mut shader = shader(tool, kernel, is_optimized)?;
            if let Some(bytes) = &mut shader {
                bytes.truncate(bytes.len().saturating_sub(4));
            }
            Ok(shader)
        };
        let backends = [("wgpu", cfg!(feature = "wgpu")), ("cuda", cfg!(feature = "cuda"))];
        for (backend, _) in backends.into_iter().filter(|(_, is_built)| *is_built) {
            let tools = Tool::ALL.into_iter().filter(|tool| is_of_backend(*tool, backend) && is_installed(*tool));
            let tools: Vec<&str> = tools.map(Tool::name).collect();
            if tools.is_empty() {
                println!("SKIPPED: no tool for shaders of {backend} is installed");
                continue;
            }
            let (right, wrong) = (run(backend, shader, tempfile::tempdir), run(backend, truncated, tempfile::tempdir));
            assert!(right.is_conformant(), "{right}");
            for tool in tools {
                let item = wrong.section("shader-text").and_then(|section| section.item(tool));
                assert!(item.is_some_and(|item| item.checked > 0 && item.failed == item.checked), "{tool}: {wrong}");
            }
        }
    }
}
