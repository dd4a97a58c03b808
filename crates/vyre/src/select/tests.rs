use super::*;
use crate::ir::ValidProgram;
use crate::runtime::{
    Buffer, CommandList, DeviceId, Limits, Pipeline, PipelineOptions, ReferenceBackend, ReferenceDevice, RunOptions,
    RunReport,
};

/// A backend without a device, or with one that cannot check for races.
struct Mock {
    name: &'static str,
    has_device: bool,
}

impl Backend for Mock {
    fn name(&self) -> &'static str {
        self.name
    }

    fn devices(&self) -> Result<Vec<Arc<dyn Device>>, Error> {
        let device = ReferenceDevice::with_limits(Limits::new(1 << 20, 1 << 15, 256));
        if self.has_device { Ok(vec![Arc::new(device)]) } else { Err(Error::NoGpuAdapter) }
    }
}

/// A backend whose devices must not be listed, because listing loads drivers.
struct Untouched(&'static str);

impl Backend for Untouched {
    fn name(&self) -> &'static str {
        self.0
    }

    fn devices(&self) -> Result<Vec<Arc<dyn Device>>, Error> {
        panic!("`{}` listed its devices", self.0)
    }
}

/// A backend with devices of these names.
struct Named(&'static [&'static str]);

impl Backend for Named {
    fn name(&self) -> &'static str {
        "named"
    }

    fn devices(&self) -> Result<Vec<Arc<dyn Device>>, Error> {
        let device = |name: &&'static str| Arc::new(Renamed(name, ReferenceDevice::new())) as Arc<dyn Device>;
        Ok(self.0.iter().map(device).collect())
    }
}

/// The reference interpreter under another name.
struct Renamed(&'static str, ReferenceDevice);

impl Device for Renamed {
    fn name(&self) -> String {
        self.0.to_owned()
    }

    fn id(&self) -> DeviceId {
        self.1.id()
    }

    fn limits(&self) -> &Limits {
        self.1.limits()
    }

    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        self.1.create_buffer(bytes)
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.1.write(buffer, offset, bytes)
    }

    fn read_at(&self, buffer: &Buffer, offset: u64, target: &mut [u8]) -> Result<(), Error> {
        self.1.read_at(buffer, offset, target)
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        self.1.create_pipeline(program, options)
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        self.1.run(commands, options)
    }
}

const NAMES: [&str; 3] = ["Fast 4090", "Slow 4090 Ti", "llvmpipe (LLVM 19)"];

fn three_devices() -> Vec<Box<dyn Backend>> {
    vec![Box::new(Named(&NAMES))]
}

fn with(name: &'static str, has_device: bool) -> Vec<Box<dyn Backend>> {
    vec![Box::new(Mock { name, has_device }), Box::new(ReferenceBackend)]
}

fn auto() -> DeviceRequest<'static> {
    DeviceRequest::default()
}

fn rejected(backend: &'static str, reason: RejectReason) -> Rejected {
    Rejected { backend, reason }
}

fn no_adapter(backend: &'static str) -> Rejected {
    rejected(backend, RejectReason::Backend(Error::NoGpuAdapter))
}

#[track_caller]
fn failure(backends: &[Box<dyn Backend>], request: DeviceRequest<'_>) -> SelectError {
    select_from(backends, &request).expect_err("a request that no device meets")
}

#[track_caller]
fn backend_for(backends: &[Box<dyn Backend>], request: DeviceRequest<'_>) -> &'static str {
    select_from(backends, &request).expect("a device").backend
}

#[test]
fn auto_selects_the_first_device_and_lists_the_rejected_backends() {
    let selected = select_from(&with("other", true), &auto()).expect("a device");
    assert_eq!((selected.backend, &selected.rejected[..]), ("other", &[][..]));
    let selected = select_from(&with("other", false), &auto()).expect("a device");
    assert_eq!((selected.backend, &selected.rejected[..]), ("reference", &[no_adapter("other")][..]));
    assert_eq!(failure(&[], auto()), SelectError::NoneSuitable { rejected: Vec::new() });
}

#[test]
fn auto_lists_no_gpu_devices_if_the_cpu_backend_exists() {
    let all = |has_cpu_device: bool| -> Vec<Box<dyn Backend>> {
        let mut all: Vec<Box<dyn Backend>> = vec![Box::new(Mock { name: CPU, has_device: has_cpu_device })];
        all.extend(GPUS.map(|name| Box::new(Untouched(name)) as Box<dyn Backend>));
        all.push(Box::new(ReferenceBackend));
        all
    };
    assert_eq!(backend_for(&all(true), auto()), CPU);
    for request in [auto(), auto().with_race_check(true)] {
        let selected = select_from(&all(request.check_races), &request).expect("a device");
        assert_eq!((selected.backend, selected.rejected.len()), ("reference", 1), "{:?}", selected.rejected);
    }
}

#[test]
fn a_gpu_is_selected_if_named_or_without_a_cpu_backend() {
    for gpu in GPUS {
        let all: Vec<Box<dyn Backend>> = vec![
            Box::new(Mock { name: CPU, has_device: true }),
            Box::new(Mock { name: gpu, has_device: true }),
            Box::new(ReferenceBackend),
        ];
        assert_eq!(backend_for(&all, DeviceRequest::on(gpu)), gpu);
        assert_eq!(backend_for(&with(gpu, true), auto()), gpu);
    }
}

#[test]
fn a_named_backend_is_selected_or_fails() {
    let request = DeviceRequest::on("reference").with_race_check(true);
    assert_eq!(backend_for(&with("other", true), request), "reference");
    let backends = vec!["other", "reference"];
    let expected = SelectError::Unusable { rejected: no_adapter("other"), backends: backends.clone() };
    assert_eq!(failure(&with("other", false), DeviceRequest::on("other")), expected);
    assert_eq!(failure(&with("other", false), DeviceRequest::on("other").with_device(Some("0"))), expected);
    let expected = SelectError::UnknownBackend { name: "cudda".to_owned(), backends };
    assert_eq!(failure(&with("other", true), DeviceRequest::on("cudda")), expected);
}

#[test]
fn a_race_check_needs_a_device_that_can_check() {
    let races = rejected("other", RejectReason::Races);
    let expected = SelectError::Unusable { rejected: races.clone(), backends: vec!["other", "reference"] };
    assert_eq!(failure(&with("other", true), DeviceRequest::on("other").with_race_check(true)), expected);
    let selected = select_from(&with("other", true), &auto().with_race_check(true)).expect("a device");
    assert_eq!((selected.backend, &selected.rejected[..]), ("reference", &[races][..]));
}

#[test]
fn only_the_cpu_accepts_a_number_of_threads() {
    let threads = Some(2);
    assert_eq!(backend_for(&with(CPU, true), DeviceRequest::on(CPU).with_threads(threads)), CPU);
    assert_eq!(backend_for(&with(CPU, true), auto().with_threads(threads)), CPU);
    let reference = rejected("reference", RejectReason::Threads);
    let expected = SelectError::Unusable { rejected: reference.clone(), backends: vec![CPU, "reference"] };
    assert_eq!(failure(&with(CPU, true), DeviceRequest::on("reference").with_threads(threads)), expected);
    let expected = SelectError::NoneSuitable { rejected: vec![no_adapter(CPU), reference.clone()] };
    assert_eq!(failure(&with(CPU, false), auto().with_threads(threads)), expected);
    let expected = SelectError::NoneSuitable { rejected: vec![rejected(CPU, RejectReason::Races), reference] };
    assert_eq!(failure(&with(CPU, true), auto().with_threads(threads).with_race_check(true)), expected);
}

#[cfg(feature = "jit")]
#[test]
fn the_cpu_runs_on_the_requested_number_of_threads() {
    let selected = select(&auto().with_threads(Some(1))).expect("the CPU");
    assert_eq!(selected.backend, CPU);
    assert!(selected.device.name().contains('1'), "{}", selected.device.name());
}

#[test]
fn devices_are_found_by_index_or_by_a_part_of_the_name() {
    for (which, expected) in [("0", 0), ("2", 2), ("LLVMPIPE", 2), ("fast", 0), ("ti", 1), ("19", 2)] {
        let request = DeviceRequest::on("named").with_device(Some(which));
        let selected = select_from(&three_devices(), &request).expect("a device");
        assert_eq!((selected.backend, &*selected.device.name()), ("named", NAMES[expected]), "{which}");
    }
    let selected = select_from(&three_devices(), &DeviceRequest::on("named")).expect("a device");
    assert_eq!(selected.device.name(), "Fast 4090");
}

#[test]
fn missing_and_ambiguous_devices_are_errors_that_list_the_devices() {
    let indexed = |indices: &[usize]| indices.iter().map(|&index| (index, NAMES[index].to_owned())).collect();
    for which in ["3", "-1", "radv"] {
        let request = DeviceRequest::on("named").with_device(Some(which));
        let devices = indexed(&[0, 1, 2]);
        let expected = SelectError::NoSuchDevice { backend: "named", device: which.to_owned(), devices };
        assert_eq!(failure(&three_devices(), request), expected);
    }
    let matches = indexed(&[0, 1]);
    let expected = SelectError::AmbiguousDevice { backend: "named", device: "4090".to_owned(), matches };
    assert_eq!(failure(&three_devices(), DeviceRequest::on("named").with_device(Some("4090"))), expected);
    let none: Vec<Box<dyn Backend>> = vec![Box::new(Named(&[]))];
    let reason = rejected("named", RejectReason::NoDevice);
    let expected = SelectError::Unusable { rejected: reason, backends: vec!["named"] };
    assert_eq!(failure(&none, DeviceRequest::on("named").with_device(Some("0"))), expected);
}

#[test]
fn a_device_needs_a_backend() {
    let expected = SelectError::DeviceWithoutBackend { backends: vec!["other", "reference"] };
    assert_eq!(failure(&with("other", true), auto().with_device(Some("0"))), expected);
}
