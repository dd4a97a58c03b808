//! WGSL of the corpus, of all ops and engines, of examples and of generated programs, checked by Tint.
//!
//! Tint is the WGSL compiler of Dawn and Chromium. It has the uniformity analysis of WGSL, which naga lacks. `VYRE_TINT` names
//! the folder that `.ci/install-tint` prints; without it, the modules are written but not checked.

mod barriers;
mod programs;
mod recording;
mod tint;

use vyre_conform::generated::Seeds;
use vyre_ir::{OpTable, Program, validate};
use vyre_kernel::{Kernel, lower};
use vyre_wgpu::{Shader, ShaderLanguage, passes, translate};

use programs::NamedProgram;
use tint::Modules;

/// Lowers a program.
fn kernel(program: &Program, ops: &OpTable, optimize: bool) -> Kernel {
    let valid = validate(program, ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let mut kernel = lower(&valid).unwrap_or_else(|error| panic!("{error}"));
    if optimize {
        passes().run(&mut kernel).unwrap_or_else(|error| panic!("{error}"));
    }
    kernel
}

/// Translates a kernel to WGSL.
fn wgsl(kernel: &Kernel) -> String {
    match translate(kernel, ShaderLanguage::Wgsl) {
        Ok(Shader::Text(text)) => text,
        Ok(Shader::Binary(_)) => panic!("WGSL is a text"),
        Err(error) => panic!("{error}"),
    }
}

/// Checks the modules of programs, as lowered and optimized.
fn expect_accepted(folder: &str, programs: impl IntoIterator<Item = NamedProgram>) {
    let mut modules = Modules::new(folder);
    for NamedProgram { name, program, ops } in programs {
        for (form, optimize) in [("lowered", false), ("optimized", true)] {
            modules.add(&format!("{name}.{form}"), &kernel(&program, &ops, optimize));
        }
    }
    modules.expect_accepted();
}

#[test]
fn tint_accepts_the_run_corpus() {
    expect_accepted("run", programs::run_corpus());
}

#[test]
fn tint_accepts_the_valid_programs_of_the_validation_corpus() {
    expect_accepted("validate", programs::validation_corpus());
}

#[test]
fn tint_accepts_all_ops_and_examples() {
    expect_accepted("ops", programs::ops().chain(programs::examples()).chain(programs::golden()));
}

#[test]
fn tint_accepts_the_programs_of_the_engines() {
    let mut modules = Modules::new("engines");
    for (number, mut kernel) in recording::engine_kernels().into_iter().enumerate() {
        modules.add(&format!("{number}.lowered"), &kernel);
        passes().run(&mut kernel).unwrap_or_else(|error| panic!("{error}"));
        modules.add(&format!("{number}.optimized"), &kernel);
    }
    modules.expect_accepted();
}

/// `VYRE_CASES` and `VYRE_FIRST_SEED` select other programs.
#[test]
fn tint_accepts_generated_programs() {
    let seeds = Seeds::from_environment(400);
    expect_accepted(
        "generated",
        seeds.iter().map(programs::race_free).chain(seeds.iter().filter_map(programs::of_bytes)),
    );
}

/// A barrier under a condition that is not a uniform load. Without the refusal, the other tests prove nothing.
#[test]
fn tint_refuses_a_plain_load_as_a_condition() {
    let mut modules = Modules::new("refused");
    let source = "workgroup_size 64; buffer b: read_write u32 @0;
        entry { if reduce_add(b[local_id.x]) == 3 { barrier; } b[0] = 1; }";
    let program = vyre_ir::text::parse(source).unwrap_or_else(|error| panic!("{error}")).program;
    let text = wgsl(&kernel(&program, &OpTable::default(), true));
    let plain = text.replace("workgroupUniformLoad((&exchange_tiles))", "exchange_tiles");
    assert_ne!(text, plain, "{text}");
    modules.add_text("plain", &plain);
    modules.expect_refused("must only be called from uniform control flow");
}
