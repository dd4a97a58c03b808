//! The CPU device: a thread pool that runs generated code.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use vyre_ir::ValidProgram;
use vyre_kernel::{PassPipeline, lower_specialized};
use vyre_memory::{Team, try_zeroed_bytes};
use vyre_runtime::host::{self, HostDevice};
use vyre_runtime::shell::DeviceShell;
use vyre_runtime::{
    Backend, Bindings, Buffer, CommandList, Device, DeviceId, Error, Limits, Pipeline, PipelineOptions, Resource,
    RunOptions, RunReport, check_limit, element_count,
};

use crate::buffer::Storage;
use crate::code::{Code, MAX_WORKGROUP_INVOCATIONS, SharedCode};
use crate::code_store::CodeStore;
use crate::context::BoundBuffer;
use crate::job::Job;
use crate::options::JitOptions;
use crate::plan::PlanOptions;
use crate::scratch::ScratchPool;

/// Backend for the CPU of this machine.
#[derive(Clone, Debug, Default)]
pub struct JitBackend {
    options: JitOptions,
}

impl JitBackend {
    /// Creates the backend. Its device has these options.
    #[must_use]
    pub fn new(options: JitOptions) -> JitBackend {
        JitBackend { options }
    }
}

impl Backend for JitBackend {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn devices(&self) -> Result<Vec<Arc<dyn Device>>, Error> {
        Ok(vec![Arc::new(JitDevice::new(&self.options)?)])
    }
}

/// The CPU as a device. It compiles programs to machine code and runs workgroups on all cores.
pub struct JitDevice {
    shell: DeviceShell,
    optimize: bool,
    plan_options: PlanOptions,
    pool: rayon::ThreadPool,
    /// Threads of large copies and fills. Unlike those of the pool, they never execute other work for a caller that holds a buffer.
    team: Team,
    scratch: Arc<ScratchPool>,
    store: CodeStore,
}

/// Representation of a pipeline.
struct Compiled {
    code: SharedCode,
}

/// Maximum bytes of scratch memory of a thread.
const MAX_SCRATCH_BYTES: u64 = 1 << 28;

/// Stack size of a thread of the device, and maximum stack use of a kernel.
const STACK_BYTES: u64 = 1 << 24;
const MAX_STACK_BYTES: u64 = 1 << 23;

/// Maximum stack use of a kernel on the calling thread, whose remaining stack is unknown.
const MAX_CALLER_STACK_BYTES: u64 = 1 << 15;

impl JitDevice {
    /// Creates a device with its own thread pool.
    ///
    /// # Errors
    ///
    /// Fails if threads cannot be started.
    pub fn new(options: &JitOptions) -> Result<JitDevice, Error> {
        let mut limits = Limits::new(1 << 32, 1 << 28, MAX_WORKGROUP_INVOCATIONS);
        limits.can_cancel = true;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(options.threads)
            .stack_size(STACK_BYTES as usize)
            .thread_name(|number| format!("vyre-cpu-{number}"))
            .build()
            .map_err(|error| Error::driver("creating a thread pool", error))?;
        Ok(JitDevice {
            shell: DeviceShell::new(limits),
            optimize: options.optimize,
            plan_options: PlanOptions { mode: options.vectorization, ..PlanOptions::default() },
            team: Team::new("vyre-cpu-copy", pool.current_num_threads()),
            pool,
            scratch: Arc::default(),
            store: CodeStore::new(options.cache_folder.as_deref()),
        })
    }

    /// Number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Number of kernels that this device has compiled. Kernels from the cache folder do not count.
    #[must_use]
    pub fn compiled_kernels(&self) -> u64 {
        self.store.compilations()
    }

    /// Runs `work`. If the run can be cancelled or has a deadline, a watcher thread checks both and sets `stop`.
    fn watch<T: Send>(
        &self,
        options: &RunOptions,
        stop: &AtomicBool,
        work: impl FnOnce() -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        if !options.can_stop() {
            return work();
        }
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let watcher = std::thread::Builder::new().name("vyre-cpu-watcher".to_owned());
            let watcher = watcher.spawn_scoped(scope, || {
                while !done.load(Ordering::Acquire) {
                    if options.check().is_err() {
                        stop.store(true, Ordering::Relaxed);
                        return;
                    }
                    std::thread::park_timeout(Duration::from_millis(1));
                }
            });
            let watcher = watcher.map_err(|error| Error::driver("creating a thread", error))?;
            let result = work();
            done.store(true, Ordering::Release);
            watcher.thread().unpark();
            result
        })
    }

    /// Resolves the bound buffers of a program, in program order.
    fn resolve<'b>(&self, pipeline: &Pipeline, bindings: &'b Bindings) -> Result<ResolvedBindings<'b>, Error> {
        let mut buffers = Vec::new();
        let mut storages = Vec::new();
        for decl in &pipeline.interface().buffers {
            let Some(buffer) = bindings.get(decl.binding) else { return Err(Error::ForeignObject) };
            let storage: &Storage = self.shell.contents(buffer)?;
            let length = element_count(storage.len() as u64, decl.element);
            buffers.push(BoundBuffer { address: storage.address(), length, padding: 0 });
            storages.push(storage);
        }
        Ok(ResolvedBindings { buffers, storages })
    }
}

/// Bound buffers of a dispatch, in program order.
struct ResolvedBindings<'b> {
    buffers: Vec<BoundBuffer>,
    storages: Vec<&'b Storage>,
}

impl Device for JitDevice {
    fn name(&self) -> String {
        let threads = self.threads();
        format!("CPU, {threads} {}", if threads == 1 { "thread" } else { "threads" })
    }

    fn id(&self) -> DeviceId {
        self.shell.id()
    }

    fn limits(&self) -> &Limits {
        self.shell.limits()
    }

    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        self.shell.create_buffer(bytes, || Storage::new(bytes))
    }

    fn buffer_of(&self, mut words: Vec<u32>) -> Result<Buffer, Error> {
        words.iter_mut().for_each(|word| *word = word.to_le());
        self.shell.create_buffer(size_of_val(&*words) as u64, || Storage::of_words(words))
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        host::write(self, buffer, offset, bytes)
    }

    fn read_at(&self, buffer: &Buffer, offset: u64, target: &mut [u8]) -> Result<(), Error> {
        host::read_at(self, buffer, offset, target)
    }

    fn read(&self, buffer: &Buffer) -> Result<Vec<u8>, Error> {
        let no_memory = || Error::out_of_host_memory(buffer.size());
        self.shell.contents::<Storage>(buffer)?;
        let length = usize::try_from(buffer.size()).map_err(|_| no_memory())?;
        let mut bytes = try_zeroed_bytes(length).ok_or_else(no_memory)?;
        self.read_at(buffer, 0, &mut bytes)?;
        Ok(bytes)
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        self.shell.create_pipeline(program, options, || {
            let mut kernel = lower_specialized(program, &options.specialization).map_err(Error::lower)?;
            if self.optimize {
                let may_continue = || options.check().is_ok();
                PassPipeline::standard().run_while(&mut kernel, may_continue).map_err(Error::lower)?;
            }
            let code = Code::new(&kernel, self.plan_options, &self.store, &|| options.check())?;
            for (wanted, limit) in [(code.scratch_bytes, MAX_SCRATCH_BYTES), (code.stack_bytes, MAX_STACK_BYTES)] {
                check_limit(Resource::PendingValues, wanted, limit)?;
            }
            Ok(Compiled { code: Arc::new(code) })
        })
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        host::run(self, commands, options)
    }
}

impl HostDevice for JitDevice {
    fn shell(&self) -> &DeviceShell {
        &self.shell
    }

    fn with_bytes(&self, buffer: &Buffer, access: &mut dyn FnMut(&mut [u8])) -> Result<(), Error> {
        self.shell.contents::<Storage>(buffer)?.with_bytes(access);
        Ok(())
    }

    fn for_each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        let next = AtomicUsize::new(0);
        self.team.run(count, &|| {
            loop {
                match next.fetch_add(1, Ordering::Relaxed) {
                    number if number < count => work(number),
                    _ => return,
                }
            }
        });
    }

    #[expect(unsafe_code, reason = "calls machine code")]
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
        let code = &self.shell.code::<Compiled>(pipeline)?.code;
        let ResolvedBindings { buffers, mut storages } = self.resolve(pipeline, bindings)?;
        // A buffer may be bound in several slots. Each is locked once, in a fixed order.
        storages.sort_by_key(|storage| std::ptr::from_ref(*storage).addr());
        storages.dedup_by_key(|storage| std::ptr::from_ref(*storage).addr());
        let mut guards = Vec::new();
        for storage in storages {
            guards.push(storage.lock_for_run(options)?);
        }
        let threads = self.threads() as u64;
        let scratch = Arc::clone(&self.scratch);
        // SAFETY: the buffers are in program order, and locked until the job is finished.
        let job = unsafe { Job::new(Arc::clone(code), buffers, grid, threads, scratch) };
        let job = Arc::new(job);
        // The calling thread participates, so a single chunk wakes no other thread.
        let caller_participates = code.stack_bytes <= MAX_CALLER_STACK_BYTES;
        let helpers = job.chunks().min(threads) - u64::from(caller_participates);
        let outcome = self.watch(options, &job.stop, || {
            for _ in 0..helpers {
                let job = Arc::clone(&job);
                self.pool.spawn(move || job.run_as_helper());
            }
            job.run_as_leader(caller_participates)
        });
        drop(guards);
        outcome?;
        if job.is_done() { Ok(()) } else { options.check() }
    }
}

#[cfg(test)]
mod tests {
    use vyre_conform::differential::Subject;
    use vyre_conform::generated::{Seeds, expect_agreement};
    use vyre_conform::run_corpus::expect_all_right;
    use vyre_runtime::Command;

    use super::*;
    use crate::plan::LiveRangeLimit;
    use crate::vectorize::VectorizationMode;

    /// A device that spills every value that is live across control flow.
    fn spilling(options: &JitOptions) -> JitDevice {
        let mut device = JitDevice::new(options).unwrap_or_else(|error| panic!("{error}"));
        device.plan_options.live_ranges = LiveRangeLimit { min_pairs: 0, pairs_per_branch: 0 };
        device
    }

    #[test]
    fn large_copies_and_fills_are_complete() {
        let device = JitDevice::new(&JitOptions::default().with_threads(4)).unwrap_or_else(|error| panic!("{error}"));
        let chunk = 2 << 20;
        for length in [0, 4, chunk, chunk + 4, 3 * chunk + 12_344] {
            let source: Vec<u8> = (0..length).map(|at| (at * 7 + at / 251) as u8).collect();
            let buffer = device.create_buffer(length as u64 + 8).unwrap_or_else(|error| panic!("{error}"));
            let mut list = CommandList::new();
            list.push(Command::Fill { buffer: buffer.clone(), offset: 0, length: length as u64 + 8, byte: 9 });
            device.run(&list, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
            device.write(&buffer, 4, &source).unwrap_or_else(|error| panic!("{error}"));
            let mut part = vec![1; length];
            device.read_at(&buffer, 4, &mut part).unwrap_or_else(|error| panic!("{error}"));
            assert!(part == source, "{length}");
            let whole = device.read(&buffer).unwrap_or_else(|error| panic!("{error}"));
            assert!(whole == [&[9; 4][..], &source, &[9; 4]].concat(), "{length}");
        }
    }

    #[test]
    fn the_corpus_runs_with_spilled_values() {
        expect_all_right(&spilling(&JitOptions::default().with_threads(2)), &RunOptions::default());
    }

    #[test]
    fn generated_programs_run_with_spilled_values() {
        let subject =
            |name: &str, options: &JitOptions| Subject { name: name.to_owned(), device: Arc::new(spilling(options)) };
        let options = JitOptions::default().with_threads(1);
        let subjects = [
            subject("cpu, spilled", &options),
            subject(
                "cpu, spilled, not optimized, always vectorized",
                &options.clone().with_optimizer(false).with_vectorization(VectorizationMode::Always),
            ),
        ];
        expect_agreement(Seeds::from_environment(500), |_| &subjects);
    }
}
