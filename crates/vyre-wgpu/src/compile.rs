//! Compilation of programs to compute pipelines.

use std::borrow::Cow;

use vyre_ir::{BufferAccess, DataType, ValidProgram};
use vyre_kernel::{Kernel, lower_specialized};
use vyre_runtime::shell::on_large_stack;
use vyre_runtime::{Error, PipelineOptions, Resource, check_limit};
use wgpu::{BindGroupLayout, ComputePipeline, ShaderModule, ShaderRuntimeChecks};

use crate::bind_groups::BindGroupCache;
use crate::emit::{BUFFER_GROUP, BoundBuffer, DISPATCH_GROUP, DispatchBlock, ENTRY_POINT, Emitted, emit};
use crate::handles::GpuHandles;
use crate::shader::passes;

/// Representation of a pipeline.
pub(crate) struct CompiledProgram {
    pub(crate) pipeline: ComputePipeline,
    pub(crate) layout: BindGroupLayout,
    /// The accessed buffers, by binding.
    pub(crate) bound: Vec<BoundBuffer>,
    /// Element type of each declared buffer, in the order of the program.
    pub(crate) elements: Vec<DataType>,
    pub(crate) workgroup_size: [u32; 3],
    /// Identity in the cache of bind groups.
    pub(crate) id: u64,
    groups: BindGroupCache,
}

impl Drop for CompiledProgram {
    fn drop(&mut self) {
        self.groups.remove(self.id);
    }
}

/// Compiles a program.
pub(crate) fn compile(
    gpu: &GpuHandles,
    program: &ValidProgram<'_>,
    options: &PipelineOptions,
    optimize: bool,
) -> Result<CompiledProgram, Error> {
    let mut kernel = lower_specialized(program, &options.specialization).map_err(Error::lower)?;
    if optimize {
        passes().run(&mut kernel).map_err(Error::lower)?;
    }
    on_large_stack("wgpu-compiler", || compile_kernel(gpu, &kernel))
}

fn compile_kernel(gpu: &GpuHandles, kernel: &Kernel) -> Result<CompiledProgram, Error> {
    let Emitted { module, bound, workgroup_bytes, .. } = emit(kernel, gpu.shader_features)?;
    let limits = &gpu.limits;
    let host_buffers = || kernel.buffers.iter().filter(|(_, decl)| decl.access != BufferAccess::Workgroup);
    let declared = host_buffers().count();
    // The dispatch block holds the lengths of all declared buffers.
    let max_lengths = limits.max_uniform_buffer_binding_size.saturating_sub(DispatchBlock::size(0)) / 4;
    for (resource, wanted, limit) in [
        (Resource::AccessedBuffers, bound.len() as u64, u64::from(limits.max_storage_buffers_per_shader_stage)),
        (Resource::AccessedBuffers, declared as u64, max_lengths / 4 * 4),
        (Resource::WorkgroupBytes, workgroup_bytes, u64::from(limits.max_compute_workgroup_storage_size)),
    ] {
        check_limit(resource, wanted, limit)?;
    }
    let layout = gpu.caught("creating a bind group layout", || buffer_layout(gpu, &bound))?;
    let shader = gpu.caught("compiling a shader", || shader_module(gpu, module)).map_err(rejected)?;
    let pipeline = gpu.caught("compiling a pipeline", || {
        let mut groups = [None, None];
        groups[BUFFER_GROUP as usize] = Some(&layout);
        groups[DISPATCH_GROUP as usize] = Some(&gpu.dispatch_layout);
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &groups,
            immediate_size: 0,
        });
        gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&layout),
            module: &shader,
            entry_point: Some(ENTRY_POINT),
            compilation_options: wgpu::PipelineCompilationOptions {
                // Shaders clear it themselves where a program can observe it.
                zero_initialize_workgroup_memory: false,
                ..wgpu::PipelineCompilationOptions::default()
            },
            cache: gpu.store.as_ref().map(|store| store.cache()),
        })
    });
    let pipeline = pipeline.map_err(rejected)?;
    if let Some(store) = &gpu.store {
        store.save();
    }
    Ok(CompiledProgram {
        pipeline,
        layout,
        bound,
        elements: host_buffers().map(|(_, decl)| decl.element).collect(),
        workgroup_size: kernel.workgroup_size,
        id: gpu.groups.fresh_id(),
        groups: gpu.groups.clone(),
    })
}

/// Error of the driver's compiler.
fn rejected(error: Error) -> Error {
    match error {
        Error::Driver { call: _, code: _, cause } => Error::Compile { compiler: "the driver", program: None, cause },
        error => error,
    }
}

fn buffer_layout(gpu: &GpuHandles, bound: &[BoundBuffer]) -> BindGroupLayout {
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
    gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
}

#[expect(unsafe_code, reason = "modules contain their own guards, so those of wgpu are off")]
fn shader_module(gpu: &GpuHandles, module: naga::Module) -> ShaderModule {
    let source = wgpu::ShaderSource::Naga(Cow::Owned(module));
    let descriptor = wgpu::ShaderModuleDescriptor { label: None, source };
    // SAFETY: every access of a kernel is in range or has a guard, which is emitted with the lengths of the bindings;
    // divisors are not zero; every loop counts to its bound.
    unsafe { gpu.device.create_shader_module_trusted(descriptor, ShaderRuntimeChecks::unchecked()) }
}
