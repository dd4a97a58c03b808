//! The wgpu backend, on machines with and without a GPU.

use std::process::Command;

use crate::harness::{Run, Sandbox, finish, vyre};
use crate::json::entries;

/// Error of the backend without devices.
const NO_GPU: &str = include_str!("../fixtures/no_gpu.txt");

/// A program that any device runs.
const PROGRAM: &str = "workgroup_size 1; buffer data: read_write u32 @0; entry { data[0] = 7; }";

/// Runs the binary without Vulkan drivers.
fn without_vulkan(sandbox: &Sandbox, args: &[&str]) -> Run {
    let mut command: Command = vyre(sandbox.root());
    for variable in ["VK_ICD_FILENAMES", "VK_DRIVER_FILES"] {
        command.env(variable, "/nonexistent");
    }
    // These variables add drivers.
    for variable in ["VK_ADD_DRIVER_FILES", "VK_LOADER_DRIVERS_SELECT"] {
        command.env_remove(variable);
    }
    finish(command.args(args))
}

/// Only on systems where Vulkan is the only GPU API.
#[cfg(not(any(windows, target_vendor = "apple")))]
#[test]
fn the_error_without_a_driver_has_advice() {
    let sandbox = Sandbox::new(&[("a.vyre", PROGRAM)]);
    let base_args = ["run", "a.vyre", "--grid", "1", "--in", "data=zeros:1"];
    for more in [&["--backend", "wgpu"][..], &["--backend", "wgpu", "--device", "0"]] {
        let run = without_vulkan(&sandbox, &[&base_args[..], more].concat());
        assert_eq!((run.code, run.text()), (Some(2), ""), "{}", run.stderr);
        assert!(run.stderr.contains("cannot use backend `wgpu`; there are "), "{}", run.stderr);
        let reason = NO_GPU.trim().to_owned();
        assert!(
            run.stderr.contains(&reason) && reason.contains("install a Vulkan driver") && !reason.contains("NVIDIA"),
            "{}",
            run.stderr
        );
    }
    let run = without_vulkan(&sandbox, &base_args);
    assert_eq!(run.code, Some(0), "what needs no GPU goes on: {}", run.stderr);
}

/// Only on systems where Vulkan is the only GPU API.
#[cfg(not(any(windows, target_vendor = "apple")))]
#[test]
fn a_backend_without_devices_is_listed_and_fails_only_if_named() {
    let sandbox = Sandbox::new(&[]);
    let reason = NO_GPU.trim().to_owned();
    let run = without_vulkan(&sandbox, &["devices"]);
    assert_eq!(run.code, Some(0));
    assert!(run.text().contains(&format!("wgpu\n  error: {reason}\n")), "{}", run.text());
    let run = without_vulkan(&sandbox, &["devices", "--probe", "--backend", "wgpu"]);
    assert_eq!((run.code, run.text()), (Some(2), &*format!("wgpu\n  error: {reason}\n")));
    let run = without_vulkan(&sandbox, &["devices", "--backend", "wgpu", "--device", "0", "--format", "json"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(entries(&run)[0]["error"], reason);
}

/// The bytes equal those of the CPU, or of the reference in a build without the CPU, on a device selected by
/// index or by name.
#[test]
fn on_gpu_results_equal_those_of_the_cpu() {
    let text = "workgroup_size 64; buffer data: read_write u32 @0; entry { data[invocation_id.x] = reduce_add(local_id.x) / \
                invocation_id.x; }";
    let sandbox = Sandbox::new(&[("a.vyre", text)]);
    let run = |more: &[&str]| {
        let run =
            sandbox.run(&[&["run", "a.vyre", "--grid", "2", "--in", "data=zeros:128", "--out", "data"], more].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run
    };
    let expected = run(&["--backend", if cfg!(feature = "jit") { "cpu" } else { "reference" }]);
    let listed = entries(&sandbox.run(&["devices", "--backend", "wgpu", "--format", "json"]));
    let device = &listed[0]["devices"][0];
    assert!(device["driver"].is_string() && device["index"] == 0 && device["probe"].is_null(), "{device}");
    let name = device["name"].as_str().expect("a name");
    for more in [&[][..], &["--device", "0"], &["--device", name]] {
        let actual = run(&[&["--backend", "wgpu"], more].concat());
        assert_eq!(actual.text(), expected.text());
        assert!(actual.stderr.contains("running on backend `wgpu`"), "{}", actual.stderr);
    }
    let wrong = sandbox.run(&["devices", "--backend", "wgpu", "--device", "no such device"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains(name), "{}", wrong.stderr);
}
