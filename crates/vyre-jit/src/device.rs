//! The CPU as a device.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use vyre_ir::ValidProgram;
use vyre_kernel::{Pipeline as Passes, lower_specialized};
use vyre_runtime::host::{self, HostDevice};
use vyre_runtime::{
    Backend, Bindings, Buffer, CommandList, Device, DeviceId, Error, Limits, Pipeline, PipelineOptions, Resource,
    RunOptions, RunReport,
};

use crate::buffer::Storage;
use crate::code::{Code, SharedCode};
use crate::context::{BoundBuffer, Context};
use crate::scratch::ScratchPool;
use crate::vector::VectorUse;

/// The CPU of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct JitBackend;

impl Backend for JitBackend {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn devices(&self) -> Result<Vec<Arc<dyn Device>>, Error> {
        Ok(vec![Arc::new(JitDevice::new(&JitOptions::default())?)])
    }
}

/// How the CPU is used.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JitOptions {
    /// How many threads run workgroups; 0 for one for each core.
    pub threads: usize,
    /// Whether kernels are optimized.
    pub optimize: bool,
    /// Where four lanes run at a time.
    pub vectors: VectorUse,
}

impl Default for JitOptions {
    fn default() -> JitOptions {
        JitOptions { threads: 0, optimize: true, vectors: VectorUse::default() }
    }
}

impl JitOptions {
    /// The same with so many threads; 0 for one for each core.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> JitOptions {
        JitOptions { threads, ..self }
    }

    /// The same with kernels optimized or compiled as they were lowered.
    #[must_use]
    pub fn with_optimizer(self, optimize: bool) -> JitOptions {
        JitOptions { optimize, ..self }
    }

    /// The same with another use of vectors.
    #[must_use]
    pub fn with_vectors(self, vectors: VectorUse) -> JitOptions {
        JitOptions { vectors, ..self }
    }
}

/// The CPU as a device: programs become machine code, and workgroups run on all cores.
pub struct JitDevice {
    id: DeviceId,
    limits: Limits,
    optimize: bool,
    vectors: VectorUse,
    pool: rayon::ThreadPool,
    scratch: ScratchPool,
}

/// What a pipeline is here.
struct Compiled {
    device: DeviceId,
    code: SharedCode,
}

/// The most bytes of arrays that lanes of a workgroup may need on a thread.
const MOST_ARRAY_BYTES: u64 = 1 << 28;

/// The stack of a thread of the device, and how much of it a kernel may use.
const STACK_BYTES: u64 = 1 << 24;
const MOST_STACK_BYTES: u64 = 1 << 23;

/// Kernels that need more stack do not run on the thread of the host, of which nobody knows how much it has left.
const SMALL_STACK_BYTES: u64 = 1 << 15;

/// How many workgroups a thread takes at a time, at least so often that all threads end at about the same time.
const CHUNKS_PER_THREAD: u64 = 16;

impl JitDevice {
    /// A device with its own threads.
    ///
    /// # Errors
    ///
    /// Threads that cannot be started.
    pub fn new(options: &JitOptions) -> Result<JitDevice, Error> {
        let mut limits = Limits::new(1 << 32, 1 << 24, 1 << 16);
        limits.can_cancel = true;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(options.threads)
            .stack_size(STACK_BYTES as usize)
            .thread_name(|number| format!("vyre-cpu-{number}"))
            .build()
            .map_err(|error| Error::Backend { message: error.to_string() })?;
        Ok(JitDevice {
            id: DeviceId::fresh(),
            limits,
            optimize: options.optimize,
            vectors: options.vectors,
            pool,
            scratch: ScratchPool::default(),
        })
    }

    /// How many threads run workgroups.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    fn storage<'b>(&self, buffer: &'b Buffer) -> Result<&'b Storage, Error> {
        buffer.contents::<Storage>().filter(|storage| storage.device == self.id).ok_or(Error::ForeignObject)
    }

    fn compiled<'p>(&self, pipeline: &'p Pipeline) -> Result<&'p Compiled, Error> {
        pipeline.code::<Compiled>().filter(|code| code.device == self.id).ok_or(Error::ForeignObject)
    }

    /// Runs `work` while another thread looks at the clock and at the token, if there is anything to look at.
    fn watch<T: Send>(&self, options: &RunOptions, stop: &AtomicBool, work: impl FnOnce() -> T + Send) -> T {
        if options.cancel.is_none() && options.deadline.is_none() {
            return work();
        }
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                while !done.load(Ordering::Acquire) {
                    if options.check().is_err() {
                        stop.store(true, Ordering::Relaxed);
                        return;
                    }
                    std::thread::park_timeout(Duration::from_millis(1));
                }
            });
            let result = work();
            done.store(true, Ordering::Release);
            watcher.thread().unpark();
            result
        })
    }

    /// The buffers of a program as machine code sees them, by their position in it.
    fn bound<'b>(
        &self,
        pipeline: &Pipeline,
        bindings: &'b Bindings,
    ) -> Result<(Vec<BoundBuffer>, Vec<&'b Storage>), Error> {
        let mut buffers = Vec::new();
        let mut storages = Vec::new();
        for decl in &pipeline.interface().buffers {
            let Some(buffer) = bindings.get(decl.binding) else { return Err(Error::ForeignObject) };
            let storage = self.storage(buffer)?;
            let length = storage.len() / decl.element.element_bytes();
            let length = u32::try_from(length).unwrap_or(u32::MAX);
            buffers.push(BoundBuffer { address: storage.address(), length, padding: 0 });
            storages.push(storage);
        }
        Ok((buffers, storages))
    }
}

/// Has work done by this thread and by so many others.
fn share<'s>(scope: &rayon::Scope<'s>, others: u64, take_part: &'s (dyn Fn() + Sync)) {
    for _ in 0..others {
        scope.spawn(move |_| take_part());
    }
    take_part();
}

/// The table of buffers, which threads share.
struct Table(Vec<BoundBuffer>);

// SAFETY: the table is only read while threads share it; see `JitDevice::dispatch` for what it points to.
#[expect(unsafe_code, reason = "the table holds addresses")]
unsafe impl Sync for Table {}

impl Table {
    fn address(&self) -> *const BoundBuffer {
        self.0.as_ptr()
    }
}

impl Device for JitDevice {
    fn name(&self) -> String {
        let threads = self.threads();
        format!("CPU, {threads} {}", if threads == 1 { "thread" } else { "threads" })
    }

    fn id(&self) -> DeviceId {
        self.id
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        let limit = self.limits.buffer_bytes;
        if bytes > limit {
            return Err(Error::ResourceExceeded { resource: Resource::BufferBytes, wanted: bytes, limit });
        }
        Ok(Buffer::new(bytes, Arc::new(Storage::new(self.id, bytes)?)))
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        host::write(self, buffer, offset, bytes)
    }

    fn read(&self, buffer: &Buffer) -> Result<Vec<u8>, Error> {
        host::read(self, buffer)
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        options.check_program(program)?;
        self.limits.check_program(program)?;
        let mut kernel = lower_specialized(program, &options.specialization)
            .map_err(|error| Error::Backend { message: error.to_string() })?;
        if self.optimize {
            Passes::standard().run(&mut kernel).map_err(|error| Error::Backend { message: error.to_string() })?;
        }
        let code = Code::new(&kernel, self.vectors)?;
        for (wanted, limit) in [(code.array_bytes, MOST_ARRAY_BYTES), (code.stack_bytes, MOST_STACK_BYTES)] {
            if wanted > limit {
                return Err(Error::ResourceExceeded { resource: Resource::PendingValues, wanted, limit });
            }
        }
        Ok(Pipeline::new(program, options, Arc::new(Compiled { device: self.id, code: Arc::new(code) })))
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        host::run(self, commands, options)
    }
}

impl HostDevice for JitDevice {
    fn check_buffer(&self, buffer: &Buffer) -> Result<(), Error> {
        self.storage(buffer).map(|_| ())
    }

    fn check_pipeline(&self, pipeline: &Pipeline) -> Result<(), Error> {
        self.compiled(pipeline).map(|_| ())
    }

    fn with_bytes(&self, buffer: &Buffer, access: &mut dyn FnMut(&mut [u8])) -> Result<(), Error> {
        self.storage(buffer)?.with_bytes(access);
        Ok(())
    }

    #[expect(unsafe_code, reason = "machine code is called")]
    fn dispatch(
        &self,
        pipeline: &Pipeline,
        bindings: &Bindings,
        grid: [u32; 3],
        options: &RunOptions,
        _report: &mut RunReport,
    ) -> Result<(), Error> {
        if grid.contains(&0) {
            return Ok(());
        }
        let code = &self.compiled(pipeline)?.code;
        let (buffers, storages) = self.bound(pipeline, bindings)?;
        // Each buffer is lent once, in a fixed order, though it may be bound in several slots.
        let mut lent: Vec<&Storage> = storages;
        lent.sort_by_key(|storage| std::ptr::from_ref(*storage).addr());
        lent.dedup_by_key(|storage| std::ptr::from_ref(*storage).addr());
        let guards: Vec<_> = lent.iter().map(|storage| storage.lend()).collect();

        let rows = u64::from(grid[1]) * u64::from(grid[2]);
        let total = u64::from(grid[0]).saturating_mul(rows);
        let threads = self.threads() as u64;
        let wanted = (total / (threads * CHUNKS_PER_THREAD)).clamp(1, u64::from(u32::MAX));
        let chunk = wanted.min(u64::from(grid[0]));
        let chunks_per_row = u64::from(grid[0]).div_ceil(chunk);
        let chunks = chunks_per_row.saturating_mul(rows);
        let next = AtomicU64::new(0);
        let stop = AtomicBool::new(false);
        let table = Table(buffers);
        let work = || -> Result<(), Error> {
            let scratch = self.scratch.take(code.array_bytes, code.workgroup_bytes)?;
            let mut context = Context {
                zeros: [0; 4],
                sink: [0; 4],
                buffers: table.address(),
                arrays: scratch.arrays(),
                workgroup: scratch.workgroup(),
                constants: code.constants.as_ptr(),
                cancel: stop.as_ptr().cast(),
                grid,
                padding: 0,
            };
            loop {
                let chunk_number = next.fetch_add(1, Ordering::Relaxed);
                if chunk_number >= chunks || stop.load(Ordering::Relaxed) {
                    return Ok(());
                }
                let row = chunk_number / chunks_per_row;
                let first = (chunk_number % chunks_per_row) * chunk;
                let end = (first + chunk).min(u64::from(grid[0]));
                let (y, z) = (row % u64::from(grid[1]), row / u64::from(grid[1]));
                // SAFETY: the table has the address and length of every buffer, which stay lent until all threads are
                // done; arrays and workgroup memory have the sizes that the code asks for and belong to this thread.
                let finished = unsafe { code.run(&mut context, first as u32, end as u32, y as u32, z as u32) };
                if !finished {
                    return Ok(());
                }
            }
        };
        let outcome = self.watch(options, &stop, || {
            // The thread that asks takes part, so what is one piece wakes nobody.
            let others = chunks.min(threads) - 1;
            let failure = Mutex::new(Ok(()));
            let take_part = || {
                if let Err(error) = work() {
                    *failure.lock().unwrap_or_else(PoisonError::into_inner) = Err(error);
                }
            };
            if code.stack_bytes <= SMALL_STACK_BYTES {
                self.pool.in_place_scope(|scope| share(scope, others, &take_part));
            } else {
                self.pool.scope(|scope| share(scope, others, &take_part));
            }
            failure.into_inner().unwrap_or_else(PoisonError::into_inner)
        });
        drop(guards);
        outcome?;
        if stop.load(Ordering::Relaxed) { options.check() } else { Ok(()) }
    }
}
