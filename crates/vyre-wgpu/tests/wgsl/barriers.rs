//! Number of barriers of shaders.

use vyre_ir::OpTable;
use vyre_kernel::Kernel;
use vyre_wgpu::{Shader, ShaderLanguage, translate};

use crate::programs::{NamedProgram, ops};
use crate::{kernel, wgsl};

/// Barriers of a WGSL module. A uniform load contains two. A `storageBarrier` always stands beside a `workgroupBarrier`, with
/// which it is one barrier of other languages.
fn barriers_of_wgsl(text: &str) -> usize {
    let count = |call: &str| text.matches(call).count();
    count("workgroupBarrier();") + 2 * count("workgroupUniformLoad(")
}

/// `OpControlBarrier` instructions of a SPIR-V module.
fn barriers_of_spirv(kernel: &Kernel) -> usize {
    let Ok(Shader::Binary(module)) = translate(kernel, ShaderLanguage::SpirV) else {
        panic!("every kernel is a shader")
    };
    let words: Vec<u32> = vyre_runtime::words(&module);
    let mut rest = words.get(5..).unwrap_or_default();
    let mut barriers = 0;
    while let Some(&first) = rest.first() {
        barriers += usize::from(first & 0xffff == 224);
        rest = rest.get((first >> 16) as usize..).unwrap_or_default();
    }
    barriers
}

fn of_text(source: &str) -> Kernel {
    let program = vyre_ir::text::parse(source).unwrap_or_else(|error| panic!("{error}")).program;
    kernel(&program, &OpTable::default(), true)
}

/// A barrier follows each uniform load, so the next collective needs none before it.
#[test]
fn a_loop_of_reductions_has_as_many_barriers_with_uniform_loads() {
    for invocations in [32, 64] {
        let kernel = of_text(&format!(
            "workgroup_size {invocations}; buffer b: read_write u32 @0;
            entry {{ let x = b[invocation_id.x]; for i in 0..9 {{ x = x ^ reduce_add(x); }} b[invocation_id.x] = x; }}"
        ));
        let text = wgsl(&kernel);
        assert!(text.contains("workgroupUniformLoad("), "{text}");
        assert_eq!(barriers_of_wgsl(&text), barriers_of_spirv(&kernel), "{text}");
    }
}

/// Only WGSL has uniform loads. Native shaders have the barriers that the collectives need: one in a workgroup of one tile,
/// two otherwise, and one between collectives.
#[test]
fn native_shaders_have_the_fewest_barriers() {
    let two = |invocations: u32| {
        of_text(&format!(
            "workgroup_size {invocations}; buffer b: read_write u32 @0;
            entry {{ b[invocation_id.x] = reduce_add(b[invocation_id.x]) + reduce_add(b[invocation_id.x] * 3); }}"
        ))
    };
    // The reductions share a function.
    assert_eq!([two(32), two(64)].map(|kernel| barriers_of_spirv(&kernel)), [2, 3]);
    assert_eq!([two(32), two(64)].map(|kernel| barriers_of_wgsl(&wgsl(&kernel))), [2, 3]);
}

/// The ops of the library: uniform loads cost at most two barriers for each collective function.
#[test]
fn uniform_loads_add_few_barriers_to_the_ops() {
    let (mut native, mut of_wgsl, mut with_collectives) = (0, 0, 0);
    for NamedProgram { name, program, ops } in ops() {
        let kernel = kernel(&program, &ops, true);
        let text = wgsl(&kernel);
        let loads = text.matches("workgroupUniformLoad(").count();
        let (here, there) = (barriers_of_spirv(&kernel), barriers_of_wgsl(&text));
        if loads > 0 {
            println!("{name}: {here} barriers in SPIR-V, {there} in WGSL, {loads} uniform loads");
            with_collectives += 1;
        } else {
            assert_eq!(here, there, "{name}");
        }
        assert!(there <= here + 2 * loads, "{name}: {here} barriers in SPIR-V, {there} in WGSL");
        native += here;
        of_wgsl += there;
    }
    println!("{with_collectives} ops with uniform loads: {native} barriers of all ops in SPIR-V, {of_wgsl} in WGSL");
    assert!(with_collectives > 0);
}
