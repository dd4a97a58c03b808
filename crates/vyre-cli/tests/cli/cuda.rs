//! The CUDA backend, on machines with and without an NVIDIA GPU.

use std::process::Command;

use crate::harness::{Run, Sandbox, finish, vyre};
use crate::json::entries;

/// Error of the backend without devices.
const NO_GPU: &str = include_str!("../fixtures/no_cuda.txt");

/// A program that any device runs.
const PROGRAM: &str = "workgroup_size 1; buffer data: read_write u32 @0; entry { data[0] = 7; }";

/// Runs the binary without CUDA devices, also on machines that have some.
fn without_cuda(sandbox: &Sandbox, args: &[&str]) -> Run {
    let mut command: Command = vyre(sandbox.root());
    finish(command.env("CUDA_VISIBLE_DEVICES", "-1").args(args))
}

#[test]
fn the_error_without_cuda_has_advice() {
    let sandbox = Sandbox::new(&[("a.vyre", PROGRAM)]);
    let base_args = ["run", "a.vyre", "--grid", "1", "--in", "data=zeros:1"];
    let reason = NO_GPU.trim().to_owned();
    assert!(reason.starts_with("no GPU was found; CUDA needs ") && !reason.contains("Vulkan"), "{reason}");
    for more in [&["--backend", "cuda"][..], &["--backend", "cuda", "--device", "0"], &["--backend", "cuda", "--time"]]
    {
        let run = without_cuda(&sandbox, &[&base_args[..], more].concat());
        assert_eq!((run.code, run.text()), (Some(2), ""), "{}", run.stderr);
        assert!(run.stderr.contains("cannot use backend `cuda`; there are "), "{}", run.stderr);
        assert!(run.stderr.contains(&reason), "{}", run.stderr);
    }
    let run = without_cuda(&sandbox, &base_args);
    assert_eq!(run.code, Some(0), "what needs no GPU goes on: {}", run.stderr);
}

#[test]
fn unsupported_requests_are_rejected_before_the_driver_is_loaded() {
    let sandbox = Sandbox::new(&[("a.vyre", PROGRAM)]);
    let base_args = ["run", "a.vyre", "--grid", "1", "--in", "data=zeros:1", "--backend", "cuda"];
    let run = without_cuda(&sandbox, &[&base_args[..], &["--threads", "2"]].concat());
    assert_eq!((run.code, run.text()), (Some(2), ""));
    assert!(run.stderr.contains("backend `cuda` takes no `--threads`; leave it out"), "{}", run.stderr);
}

#[test]
fn cuda_without_devices_is_listed_and_fails_only_if_named() {
    let sandbox = Sandbox::new(&[]);
    let reason = NO_GPU.trim().to_owned();
    let run = without_cuda(&sandbox, &["devices"]);
    assert_eq!(run.code, Some(0));
    assert!(run.text().contains(&format!("cuda\n  error: {reason}\n")), "{}", run.text());
    for more in [&[][..], &["--probe"]] {
        let run = without_cuda(&sandbox, &[&["devices", "--backend", "cuda"], more].concat());
        assert_eq!((run.code, run.text()), (Some(2), &*format!("cuda\n  error: {reason}\n")));
    }
    let run = without_cuda(&sandbox, &["devices", "--backend", "cuda", "--device", "0", "--format", "json"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(entries(&run)[0]["error"], reason);
}

/// The bytes equal those of the reference, on a device selected by index or by name, with a deadline and without.
#[test]
fn on_cuda_results_equal_those_of_the_reference() {
    let text = "workgroup_size 64; buffer data: read_write u32 @0; entry { data[invocation_id.x] = reduce_add(local_id.x) / \
                invocation_id.x; }";
    let sandbox = Sandbox::new(&[("a.vyre", text)]);
    let run = |more: &[&str]| {
        let run =
            sandbox.run(&[&["run", "a.vyre", "--grid", "2", "--in", "data=zeros:128", "--out", "data"], more].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run
    };
    let expected = run(&["--backend", "reference"]);
    let listed = entries(&sandbox.run(&["devices", "--backend", "cuda", "--format", "json"]));
    let device = &listed[0]["devices"][0];
    assert!(device["driver"].is_string() && device["index"] == 0 && device["probe"].is_null(), "{device}");
    let name = device["name"].as_str().expect("a name");
    for more in [&[][..], &["--device", "0"], &["--device", name], &["--timeout", "60"]] {
        let actual = run(&[&["--backend", "cuda"], more].concat());
        assert_eq!(actual.text(), expected.text());
        assert!(actual.stderr.contains("running on backend `cuda`"), "{}", actual.stderr);
    }
    let wrong = sandbox.run(&["devices", "--backend", "cuda", "--device", "no such device"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains(name), "{}", wrong.stderr);
}
