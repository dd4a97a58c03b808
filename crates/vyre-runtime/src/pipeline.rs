//! Pipelines: compiled programs, as handles for the host.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use vyre_ir::{BufferAccess, BufferDecl, Convention, Specialization, ValidProgram};

use crate::buffer::DeviceId;
use crate::error::Error;
use crate::run::{CancelToken, RunOptions};

/// Program that is compiled for a device. Clones share the compiled code.
#[derive(Clone)]
pub struct Pipeline {
    device: DeviceId,
    interface: Arc<Interface>,
    code: Arc<dyn Any + Send + Sync>,
}

/// Interface between a program and the host that dispatches it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The bound buffers, in the order of the program.
    pub buffers: Vec<BufferDecl>,
    /// The size of a workgroup.
    pub workgroup_size: [u32; 3],
    /// Minimum size in bytes of each uniform buffer with fixed values, by slot.
    pub fixed_bytes: BTreeMap<u32, u64>,
}

impl Pipeline {
    /// Creates a handle for the representation that the backend of a device uses.
    #[must_use]
    pub fn new(
        device: DeviceId,
        program: &ValidProgram<'_>,
        options: &PipelineOptions,
        code: Arc<dyn Any + Send + Sync>,
    ) -> Pipeline {
        let program = program.program();
        let bound = program.buffers.iter().filter(|buffer| buffer.access != BufferAccess::Workgroup);
        let mut fixed_bytes = BTreeMap::new();
        for (binding, element, words) in options.specialization.iter() {
            // Elements ascend within a slot, so the last one determines the size.
            fixed_bytes.insert(binding, (u64::from(element) + 1) * words.len() as u64 * 4);
        }
        let interface =
            Interface { buffers: bound.cloned().collect(), workgroup_size: program.workgroup_size, fixed_bytes };
        Pipeline { device, interface: Arc::new(interface), code }
    }

    /// The device that owns the pipeline.
    #[must_use]
    pub fn device(&self) -> DeviceId {
        self.device
    }

    /// Reports whether both handles share their code.
    #[must_use]
    pub fn is_same(&self, other: &Pipeline) -> bool {
        Arc::ptr_eq(&self.code, &other.code)
    }

    /// The interface of the program.
    #[must_use]
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// Representation of the pipeline in the backend of a device.
    ///
    /// # Errors
    ///
    /// [`Error::ForeignObject`] if another device owns the pipeline, or if its representation has another type.
    pub fn code<T: Any>(&self, device: DeviceId) -> Result<&T, Error> {
        let code = self.code.downcast_ref().filter(|_| self.device == device);
        code.ok_or(Error::ForeignObject)
    }
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.interface, f)
    }
}

/// Options of [`Device::create_pipeline`](crate::Device::create_pipeline).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PipelineOptions {
    /// Calling convention whose buffer roles the program must have; `None` for raw bindings.
    pub convention: Option<Convention>,
    /// Values of uniform buffers that are constants of the compiled code.
    pub specialization: Specialization,
    /// Token that stops the compilation. Backends check it between the stages of their compilers.
    pub cancel: Option<CancelToken>,
    /// Time at which the compilation stops, to the same extent.
    pub deadline: Option<Instant>,
}

impl PipelineOptions {
    /// Sets the calling convention.
    #[must_use]
    pub fn with_convention(mut self, convention: Convention) -> PipelineOptions {
        self.convention = Some(convention);
        self
    }

    /// Sets the fixed values.
    #[must_use]
    pub fn with_specialization(mut self, specialization: Specialization) -> PipelineOptions {
        self.specialization = specialization;
        self
    }

    /// Sets the token that stops the compilation.
    #[must_use]
    pub fn with_cancel(mut self, token: CancelToken) -> PipelineOptions {
        self.cancel = Some(token);
        self
    }

    /// Sets the time at which the compilation stops.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Instant) -> PipelineOptions {
        self.deadline = Some(deadline);
        self
    }

    /// Checks that the compilation may continue.
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`] or [`Error::DeadlineExceeded`].
    pub fn check(&self) -> Result<(), Error> {
        RunOptions { cancel: self.cancel.clone(), deadline: self.deadline, ..RunOptions::default() }.check()
    }

    /// Checks that the buffers of a program have the roles of the convention and the elements with fixed values.
    ///
    /// # Errors
    ///
    /// [`Error::UnsupportedConvention`] if the roles differ or the convention is unknown; [`Error::Specialization`] if the
    /// fixed values do not match.
    pub fn check_program(&self, program: &ValidProgram<'_>) -> Result<(), Error> {
        self.specialization.check(program.program())?;
        let Some(convention) = self.convention else { return Ok(()) };
        let of = |access: BufferAccess| {
            let buffers = program.program().buffers.iter();
            buffers.filter(move |buffer| buffer.access == access).map(|buffer| buffer.binding)
        };
        let one_each = of(BufferAccess::ReadWrite).count() == 1 && of(BufferAccess::Uniform).count() == 1;
        let inputs = of(BufferAccess::ReadOnly).count();
        let fits = match convention {
            Convention::V1 => one_each && inputs == 1,
            Convention::V2 { lookup_binding } => {
                one_each && inputs == 2 && of(BufferAccess::ReadOnly).any(|binding| binding == lookup_binding)
            }
            _ => false,
        };
        if fits { Ok(()) } else { Err(Error::UnsupportedConvention(convention)) }
    }
}
