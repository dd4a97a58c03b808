//! Programs as compute pipelines.

use std::borrow::Cow;

use vyre_ir::{BufferAccess, DataType, ValidProgram};
use vyre_kernel::{Kernel, lower_specialized};
use vyre_runtime::shell::on_large_stack;
use vyre_runtime::{Error, PipelineOptions, Resource, check_limit};
use wgpu::{BindGroupLayout, ComputePipeline, ShaderModule, ShaderRuntimeChecks};

use crate::bind::BindGroups;
use crate::emit::{BUFFER_GROUP, BoundBuffer, DISPATCH_GROUP, DispatchBlock, ENTRY_POINT, Emitted, emit};
use crate::opened::Opened;
use crate::shader::passes;

/// What a pipeline is here.
pub(crate) struct Compiled {
    pub(crate) pipeline: ComputePipeline,
    pub(crate) layout: BindGroupLayout,
    /// The buffers that are bound, by binding.
    pub(crate) bound: Vec<BoundBuffer>,
    /// By the position of a buffer in the program: the type of its elements.
    pub(crate) elements: Vec<DataType>,
    pub(crate) workgroup_size: [u32; 3],
    /// What tells it apart from other pipelines and from buffers.
    pub(crate) id: u64,
    groups: BindGroups,
}

impl Drop for Compiled {
    fn drop(&mut self) {
        self.groups.forget(self.id);
    }
}

/// Compiles a program.
pub(crate) fn compile(
    opened: &Opened,
    program: &ValidProgram<'_>,
    options: &PipelineOptions,
    optimize: bool,
) -> Result<Compiled, Error> {
    let mut kernel = lower_specialized(program, &options.specialization).map_err(Error::lower)?;
    if optimize {
        passes().run(&mut kernel).map_err(Error::lower)?;
    }
    on_large_stack("wgpu-compiler", || compile_kernel(opened, &kernel))
}

fn compile_kernel(opened: &Opened, kernel: &Kernel) -> Result<Compiled, Error> {
    let Emitted { module, bound, workgroup_bytes, .. } = emit(kernel, opened.abilities)?;
    let limits = &opened.limits;
    let host_buffers = || kernel.buffers.iter().filter(|(_, decl)| decl.access != BufferAccess::Workgroup);
    let declared = host_buffers().count();
    // The lengths of all buffers must fit the block of a dispatch.
    let most_lengths = limits.max_uniform_buffer_binding_size.saturating_sub(DispatchBlock::size(0)) / 4;
    for (resource, wanted, limit) in [
        (Resource::AccessedBuffers, bound.len() as u64, u64::from(limits.max_storage_buffers_per_shader_stage)),
        (Resource::AccessedBuffers, declared as u64, most_lengths / 4 * 4),
        (Resource::WorkgroupBytes, workgroup_bytes, u64::from(limits.max_compute_workgroup_storage_size)),
    ] {
        check_limit(resource, wanted, limit)?;
    }
    let layout = opened.caught("creating a bind group layout", || buffer_layout(opened, &bound))?;
    let shader = opened.caught("compiling a shader", || shader_module(opened, module)).map_err(rejected)?;
    let pipeline = opened.caught("compiling a pipeline", || {
        let mut groups = [None, None];
        groups[BUFFER_GROUP as usize] = Some(&layout);
        groups[DISPATCH_GROUP as usize] = Some(&opened.dispatch_layout);
        let layout = opened.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &groups,
            immediate_size: 0,
        });
        opened.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&layout),
            module: &shader,
            entry_point: Some(ENTRY_POINT),
            compilation_options: wgpu::PipelineCompilationOptions {
                // Shaders do this themselves where it can be seen.
                zero_initialize_workgroup_memory: false,
                ..wgpu::PipelineCompilationOptions::default()
            },
            cache: opened.store.as_ref().map(|store| store.cache()),
        })
    });
    let pipeline = pipeline.map_err(rejected)?;
    if let Some(store) = &opened.store {
        store.save();
    }
    Ok(Compiled {
        pipeline,
        layout,
        bound,
        elements: host_buffers().map(|(_, decl)| decl.element).collect(),
        workgroup_size: kernel.workgroup_size,
        id: opened.groups.fresh_id(),
        groups: opened.groups.clone(),
    })
}

/// Error of the driver's compiler.
fn rejected(error: Error) -> Error {
    match error {
        Error::Driver { call: _, code: _, cause } => Error::Compile { compiler: "the driver", program: None, cause },
        error => error,
    }
}

fn buffer_layout(opened: &Opened, bound: &[BoundBuffer]) -> BindGroupLayout {
    let entry = |(binding, bound): (u32, &BoundBuffer)| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: bound.read_only },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let entries: Vec<_> = (0..).zip(bound).map(entry).collect();
    opened.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
}

#[expect(unsafe_code, reason = "modules have their own guards and go without those of wgpu")]
fn shader_module(opened: &Opened, module: naga::Module) -> ShaderModule {
    let source = wgpu::ShaderSource::Naga(Cow::Owned(module));
    let descriptor = wgpu::ShaderModuleDescriptor { label: None, source };
    // SAFETY: every access of a kernel is in range or has a guard that is emitted, with lengths that are those of the
    // bindings; divisors are not zero; loops count to a bound that they reach.
    unsafe { opened.device.create_shader_module_trusted(descriptor, ShaderRuntimeChecks::unchecked()) }
}
