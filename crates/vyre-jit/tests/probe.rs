//! The device probe on the CPU: all checks pass, and lost barriers are detected.

use vyre_conform::wrapped_device::{DeviceWrapper, Wrapped};
use vyre_ir::{OpTable, ValidProgram, text};
use vyre_jit::{JitDevice, JitOptions};
use vyre_runtime::{Device, Error, Pipeline, PipelineOptions, ProbeOutcome, probe, probe_checks};

fn device(options: &JitOptions) -> JitDevice {
    JitDevice::new(options).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn all_checks_pass() {
    for options in [JitOptions::default(), JitOptions::default().with_threads(3).with_optimizer(false)] {
        for result in probe(&device(&options)) {
            assert_eq!(result.outcome, ProbeOutcome::Right, "{}: {}", result.check, result.about);
        }
    }
}

/// The CPU with all barriers removed from programs. Invocations run sequentially there, so the loss is visible.
struct WithoutBarriers(JitDevice);

impl DeviceWrapper for WithoutBarriers {
    fn inner(&self) -> &dyn Device {
        &self.0
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        let text = text::print(program.program()).replace("barrier;", "");
        let parsed = text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let ops = OpTable::default();
        let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
        self.0.create_pipeline(&valid, options)
    }
}

#[test]
fn lost_barriers_are_detected() {
    let device = Wrapped(WithoutBarriers(device(&JitOptions::default())));
    for (name, memory) in [("workgroup-barrier", "workgroup memory"), ("storage-barrier", "a buffer")] {
        let check = probe_checks().iter().find(|check| check.name() == name).expect("the check exists");
        let ProbeOutcome::Wrong { explanation } = check.run(&device).outcome else { panic!("{name} finds nothing") };
        let part = format!("gets from others through {memory}, with barriers between stores and loads, is ");
        assert!(explanation.contains(&part), "{explanation}");
    }
}
