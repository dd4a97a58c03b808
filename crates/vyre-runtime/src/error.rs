//! Errors of devices.
//!
//! Out-of-bounds accesses, division by zero and surplus invocations are not errors: programs define their results.
//! Variants carry values. Advice for users (what to install, which option to set) belongs to the application.

use std::fmt;
use std::sync::Arc;

use vyre_ir::spelling::{agreeing, counted};
use vyre_ir::{BufferAccess, Convention, DataType, Name, SpecializationError};

use crate::races::Race;

/// Failure of a device operation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A request exceeds a limit of the device; the caller's fault.
    ResourceExceeded {
        /// The limited resource.
        resource: Resource,
        /// The amount requested.
        wanted: u64,
        /// The amount available.
        limit: u64,
    },
    /// Bindings do not match the program; the caller's fault.
    Binding(BindingError),
    /// A copy, fill, write or read extends beyond the end of a buffer; the caller's fault.
    OutOfBuffer {
        /// The first byte after the range.
        end: u64,
        /// The size of the buffer.
        size: u64,
    },
    /// A size is no whole number of elements; the caller's fault.
    PartialElement {
        /// The size in bytes.
        bytes: u64,
        /// The size of an element in bytes.
        element: u64,
    },
    /// A range of elements ends before it starts; the caller's fault.
    ReversedRange {
        /// The start of the range.
        start: u64,
        /// The end of the range.
        end: u64,
    },
    /// The buffers of the program do not have the roles of the calling convention; the caller's fault.
    UnsupportedConvention(Convention),
    /// Fixed values do not match the program; the caller's fault.
    Specialization(SpecializationError),
    /// A buffer or pipeline belongs to another device; the caller's fault.
    ForeignObject,
    /// The device cannot check for races; the caller's fault.
    CannotCheckRaces,
    /// The device does not implement a command of a newer version of this crate; the caller's fault.
    UnsupportedCommand,
    /// The backend cannot emit code for a target; the caller's fault.
    UnsupportedTarget {
        /// The target, as in `sm_90`.
        target: String,
    },
    /// A race in a program that must have none; the program's fault.
    DataRace {
        /// The program or op.
        program: String,
        /// The first race of the run.
        race: Box<Race>,
    },
    /// The run or the compilation was cancelled. Buffers hold what was written until then.
    Cancelled,
    /// The run or the compilation exceeded its deadline. Buffers hold what was written until then.
    DeadlineExceeded,
    /// The machine has no GPU that the backend can use: no driver, or none that computes. Libraries never fall back to
    /// another backend by themselves.
    NoGpuAdapter,
    /// Lowering failed, or a kernel breaks a rule of the kernel form. A valid program lowers, so this is a defect of
    /// lowering, of a pass, or of the program of an op.
    Lower {
        /// The error of lowering, of the pass or of the verifier.
        cause: Cause,
    },
    /// A compiler rejected the code of a kernel; a defect of the backend or of the compiler.
    Compile {
        /// The compiler.
        compiler: &'static str,
        /// The program, where it has a name.
        program: Option<Arc<str>>,
        /// The error of the compiler, or its log.
        cause: Cause,
    },
    /// The device is lost. No call on the lost context succeeds; the fault of a kernel, of the driver or of the hardware.
    DeviceLost {
        /// The first failure.
        reason: LossReason,
        /// False if only another process can open the device again. Otherwise a new device object can, or a later call on
        /// the same one if its backend reopens devices.
        can_reopen: bool,
    },
    /// A buffer was lost with the context that held it.
    BufferLost {
        /// The first failure of that context.
        reason: LossReason,
    },
    /// Memory is exhausted. Smaller requests may succeed.
    OutOfMemory {
        /// The exhausted memory.
        memory: MemoryKind,
        /// The bytes requested, where the driver's report is about one request.
        bytes: Option<u64>,
        /// The bytes free at that time, where the driver reports them.
        free: Option<u64>,
    },
    /// Results of programs of a library contradict each other, so the device computed or transferred one of them wrongly; a defect of the
    /// device or of its driver.
    InconsistentResult {
        /// The contradiction.
        what: &'static str,
    },
    /// A call of the driver, or of the operating system, failed. The device remains usable.
    Driver {
        /// The call, or the operation that made it.
        call: &'static str,
        /// The status code, where the interface has one.
        code: Option<i64>,
        /// The driver's description.
        cause: Cause,
    },
}

/// Error of another layer, kept as the source of an [`Error`]. Two causes are equal if their texts are.
#[derive(Clone)]
pub struct Cause(Arc<dyn std::error::Error + Send + Sync>);

impl Cause {
    /// Wraps an error, or a text.
    pub fn new(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Cause {
        Cause(Arc::from(error.into()))
    }

    /// The error, if it has this type.
    #[must_use]
    pub fn downcast_ref<E: std::error::Error + 'static>(&self) -> Option<&E> {
        self.0.downcast_ref()
    }
}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl PartialEq for Cause {
    fn eq(&self, other: &Cause) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.to_string() == other.to_string()
    }
}

impl Eq for Cause {}

/// Memory that an allocation comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MemoryKind {
    /// Memory of this process.
    Host,
    /// Memory of the device.
    Device,
}

/// Reason for the loss of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LossReason {
    /// A kernel faulted, or the driver reported a status after which it accepts no further calls.
    Fault {
        /// The programs in flight, one of which is at fault; none if only transfers were.
        programs: Vec<Arc<str>>,
        /// The status code of the driver.
        code: i64,
        /// The driver's description.
        cause: Cause,
    },
    /// Kernels kept running after the request to stop.
    NotStopped {
        /// The programs in flight.
        programs: Vec<Arc<str>>,
    },
    /// The completion of submitted commands could no longer be observed.
    NotObserved {
        /// The programs in flight.
        programs: Vec<Arc<str>>,
    },
    /// The driver reported the loss.
    Reported {
        /// The driver's description; may be empty.
        message: String,
    },
    /// The device was closed while the object still existed.
    Closed,
}

/// Resource that a device limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Resource {
    /// Bytes of a buffer.
    BufferBytes,
    /// Bytes of a uniform buffer.
    UniformBytes,
    /// Bytes of workgroup memory.
    WorkgroupBytes,
    /// Invocations of a workgroup.
    WorkgroupInvocations,
    /// Invocations of a workgroup on one axis.
    WorkgroupSize {
        /// 0 (x), 1 (y) or 2 (z).
        axis: usize,
    },
    /// Invocations of a workgroup, at the number of registers that the program needs.
    RegisterBoundInvocations,
    /// Buffers that a program accesses.
    AccessedBuffers,
    /// Pending operands of a deep expression, over all invocations of a workgroup.
    PendingValues,
    /// Values of variables, over all invocations of a workgroup.
    KeptValues,
    /// Words whose accesses the race checker records.
    RaceCheckedWords,
    /// Steps of a dispatch on the reference device, if the run limits them.
    Steps,
    /// Concurrent runs with a cancel token or a deadline.
    CancellableRuns,
    /// Invocations of a grid on one axis.
    GridInvocations {
        /// 0 (x), 1 (y) or 2 (z).
        axis: usize,
    },
}

/// Mismatch between bindings and a program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BindingError {
    /// A buffer of the program is not bound.
    Missing {
        /// The buffer.
        name: Name,
        /// Its slot.
        binding: u32,
    },
    /// A bound slot does not exist in the program.
    Superfluous {
        /// The slot.
        binding: u32,
    },
    /// A uniform buffer lacks elements whose values are fixed in the pipeline.
    TooSmall {
        /// The buffer.
        name: Name,
        /// Its slot.
        binding: u32,
        /// Its size in bytes.
        bytes: u64,
        /// Number of bytes that hold the fixed elements.
        wanted: u64,
    },
    /// The program has no bound buffer of this name.
    UnknownName {
        /// The name.
        name: String,
        /// A buffer of the program with a similar name.
        similar: Option<Name>,
        /// The bound buffers of the program.
        known: Vec<Name>,
    },
    /// A name occurs twice among the bindings.
    Repeated {
        /// The buffer.
        name: Name,
    },
    /// The size of a buffer is no whole number of the elements that the program declares.
    PartialElement {
        /// The buffer.
        name: Name,
        /// Its size in bytes.
        bytes: u64,
        /// The type of its elements.
        element: DataType,
    },
    /// One device buffer is bound to two slots, at least one of them writable.
    Aliased {
        /// The first slot.
        first: u32,
        /// The second slot.
        second: u32,
        /// Access mode of the writable slot.
        access: BufferAccess,
    },
}

impl Error {
    /// [`Error::Lower`] with a cause.
    pub fn lower(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Lower { cause: Cause::new(cause) }
    }

    /// [`Error::Compile`] of a program without a name.
    pub fn compile(compiler: &'static str, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Compile { compiler, program: None, cause: Cause::new(cause) }
    }

    /// [`Error::Driver`] without a status code.
    pub fn driver(call: &'static str, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Driver { call, code: None, cause: Cause::new(cause) }
    }

    /// [`Error::OutOfMemory`] for a request of host memory.
    #[must_use]
    pub fn out_of_host_memory(bytes: u64) -> Error {
        Error::OutOfMemory { memory: MemoryKind::Host, bytes: Some(bytes), free: None }
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Resource::BufferBytes => write!(f, "bytes of a buffer"),
            Resource::UniformBytes => write!(f, "bytes of a uniform buffer"),
            Resource::WorkgroupBytes => write!(f, "bytes of workgroup memory"),
            Resource::WorkgroupInvocations => write!(f, "invocations of a workgroup"),
            Resource::WorkgroupSize { axis } => write!(f, "invocations of a workgroup on axis {axis}"),
            Resource::RegisterBoundInvocations => {
                write!(f, "invocations of a workgroup, at the registers that the program needs,")
            }
            Resource::AccessedBuffers => write!(f, "accessed buffers"),
            Resource::PendingValues => write!(f, "waiting values of an expression"),
            Resource::KeptValues => write!(f, "values of variables"),
            Resource::RaceCheckedWords => write!(f, "words that are checked for races"),
            Resource::Steps => write!(f, "steps of a dispatch"),
            Resource::CancellableRuns => write!(f, "concurrent runs that can be cancelled"),
            Resource::GridInvocations { axis } => write!(f, "invocations of the grid on axis {axis}"),
        }
    }
}

impl fmt::Display for BindingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BindingError::Missing { name, binding } => write!(f, "buffer `{name}` (slot {binding}) is not bound"),
            BindingError::Superfluous { binding } => write!(f, "the program has no slot {binding}"),
            BindingError::TooSmall { name, binding, bytes, wanted } => write!(
                f,
                "buffer `{name}` (slot {binding}) has {}, and values are fixed in its first {wanted}",
                counted(bytes, "byte")
            ),
            BindingError::UnknownName { name, similar, known } => {
                write!(f, "the program has no buffer `{name}` to bind")?;
                if let Some(similar) = similar {
                    write!(f, "; did you mean `{similar}`?")?;
                }
                let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
                match (&known[..], similar.is_some()) {
                    ([], _) => write!(f, "; it has none"),
                    (_, false) => write!(f, "; it has {}", known.join(", ")),
                    (_, true) => write!(f, " It has {}", known.join(", ")),
                }
            }
            BindingError::Repeated { name } => write!(f, "buffer `{name}` is bound twice"),
            BindingError::PartialElement { name, bytes, element } => write!(
                f,
                "buffer `{name}` has {}, which is no whole number of {element} elements of {} bytes",
                counted(bytes, "byte"),
                element.element_bytes()
            ),
            BindingError::Aliased { first, second, access } => {
                write!(f, "slots {first} and {second} have the same buffer, and one of them is {access}")
            }
        }
    }
}

impl fmt::Display for MemoryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MemoryKind::Host => "host memory",
            MemoryKind::Device => "device memory",
        })
    }
}

impl fmt::Display for LossReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LossReason::Fault { programs, code: _, cause } => {
                write!(f, "{} failed: {cause}", in_flight(programs))
            }
            LossReason::NotStopped { programs } => {
                write!(f, "{} did not stop after the request to stop", in_flight(programs))
            }
            LossReason::NotObserved { programs } => {
                write!(f, "the completion of {} could not be observed", in_flight(programs))
            }
            LossReason::Reported { message } if message.is_empty() => {
                write!(f, "the driver reported the loss without a reason")
            }
            LossReason::Reported { message } => write!(f, "{message}"),
            LossReason::Closed => write!(f, "the device was closed"),
        }
    }
}

/// List of the programs in flight, each once, for messages.
fn in_flight(programs: &[Arc<str>]) -> String {
    const MAX_NAMES: usize = 4;
    let mut names: Vec<&str> = Vec::new();
    for name in programs {
        if !names.contains(&&**name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(MAX_NAMES);
    names.truncate(MAX_NAMES);
    match (names.as_slice(), more) {
        ([], _) => "a transfer or the driver itself".to_owned(),
        ([only], _) => (*only).to_owned(),
        (several, 0) => format!("one of {}", several.join(", ")),
        (several, more) => format!("one of {} and {more} more", several.join(", ")),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::ResourceExceeded { resource, wanted, limit } => {
                write!(f, "{wanted} {resource} were wanted, the limit is {limit}")
            }
            Error::Binding(error) => write!(f, "{error}"),
            Error::OutOfBuffer { end, size } => {
                write!(f, "a range that ends at byte {end} does not fit a buffer of {}", counted(size, "byte"))
            }
            Error::PartialElement { bytes, element } => {
                let verb = agreeing(bytes, "is", "are");
                write!(f, "{} {verb} no whole number of elements of {element} bytes", counted(bytes, "byte"))
            }
            Error::ReversedRange { start, end } => write!(f, "the range {start}..{end} ends before it starts"),
            Error::UnsupportedConvention(convention) => {
                write!(f, "the buffers of the program do not have the roles of convention {convention:?}")
            }
            Error::Specialization(error) => write!(f, "{error}"),
            Error::ForeignObject => write!(f, "a buffer or pipeline belongs to another device"),
            Error::CannotCheckRaces => write!(f, "the device cannot look for races"),
            Error::UnsupportedCommand => write!(f, "the device does not implement a command"),
            Error::UnsupportedTarget { target } => write!(f, "no code can be emitted for {target}"),
            Error::DataRace { program, race } => write!(f, "{program} has a race: {race}"),
            Error::Cancelled => write!(f, "the run was cancelled"),
            Error::DeadlineExceeded => write!(f, "the run took longer than its deadline"),
            Error::NoGpuAdapter => write!(f, "no GPU was found"),
            Error::Lower { cause } => write!(f, "lowering failed: {cause}"),
            Error::Compile { compiler, program: Some(program), cause } => {
                write!(f, "{compiler} did not compile {program}: {cause}")
            }
            Error::Compile { compiler, program: None, cause } => write!(f, "{compiler} did not compile: {cause}"),
            Error::DeviceLost { reason, can_reopen: true } => write!(f, "the device is lost: {reason}"),
            Error::DeviceLost { reason, can_reopen: false } => {
                write!(f, "the device is lost to this process: {reason}")
            }
            Error::BufferLost { reason } => write!(f, "the contents of a buffer were lost when {reason}"),
            Error::OutOfMemory { memory, bytes, free } => {
                match bytes {
                    Some(bytes) => {
                        let verb = agreeing(bytes, "was", "were");
                        write!(f, "{} of {memory} {verb} wanted, and cannot be allocated", counted(bytes, "byte"))?;
                    }
                    None => write!(f, "the {memory} is used up")?,
                }
                free.map_or(Ok(()), |free| {
                    write!(f, "; {} {} free", counted(free, "byte"), agreeing(free, "is", "are"))
                })
            }
            Error::InconsistentResult { what } => write!(f, "results of the device contradict each other: {what}"),
            Error::Driver { call, code: Some(code), cause } => write!(f, "{call} failed with status {code}: {cause}"),
            Error::Driver { call, code: None, cause } => write!(f, "{call} failed: {cause}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The texts of causes are part of this error's text, so only what they are caused by is a source.
        match self {
            Error::Lower { cause } | Error::Compile { cause, .. } | Error::Driver { cause, .. } => cause.0.source(),
            _ => None,
        }
    }
}

impl From<BindingError> for Error {
    fn from(error: BindingError) -> Error {
        Error::Binding(error)
    }
}

impl From<SpecializationError> for Error {
    fn from(error: SpecializationError) -> Error {
        Error::Specialization(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_in_flight_are_named_once() {
        let programs = |names: &[&str]| names.iter().map(|name| Arc::from(*name)).collect::<Vec<Arc<str>>>();
        assert!(in_flight(&[]).contains("driver"));
        assert_eq!(in_flight(&programs(&["program a", "program a"])), "program a");
        assert_eq!(in_flight(&programs(&["program a", "program a", "program b"])), "one of program a, program b");
        let many = programs(&["program a", "program b", "program c", "program d", "program e"]);
        assert!(in_flight(&many).ends_with("program d and 1 more"));
    }

    #[test]
    fn texts_carry_the_values() {
        let free = Error::OutOfMemory { memory: MemoryKind::Device, bytes: Some(64), free: Some(16) };
        assert_eq!(
            free.to_string(),
            "64 bytes of device memory were wanted, and cannot be allocated; 16 bytes are free"
        );
        let used_up = Error::OutOfMemory { memory: MemoryKind::Device, bytes: None, free: None };
        assert_eq!(used_up.to_string(), "the device memory is used up");
        let status = Error::Driver { call: "cuStreamQuery", code: Some(1), cause: Cause::new("invalid argument") };
        assert_eq!(status.to_string(), "cuStreamQuery failed with status 1: invalid argument");
        let reason = LossReason::Fault {
            programs: vec![Arc::from("program a")],
            code: 700,
            cause: Cause::new("an illegal memory access"),
        };
        let lost = Error::BufferLost { reason };
        assert_eq!(
            lost.to_string(),
            "the contents of a buffer were lost when program a failed: an illegal memory access"
        );
    }
}
