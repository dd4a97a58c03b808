//! Advice on device errors: drivers to install and next steps.

use vyre::runtime::Error;

/// Text of an error of a backend, with its advice if there is any.
pub(crate) fn explained(backend: &str, error: &Error) -> String {
    match advice(Some(backend), error) {
        Some(advice) => format!("{error}; {advice}"),
        None => error.to_string(),
    }
}

/// Advice on an error, for users of a backend if it is known.
pub(crate) fn advice(backend: Option<&str>, error: &Error) -> Option<&'static str> {
    match (error, backend) {
        (Error::NoGpuAdapter, Some("cuda")) => Some(
            "CUDA needs an NVIDIA GPU and NVIDIA's driver, 525 or newer, which `nvidia-smi` lists; for other GPUs use \
             `--backend wgpu`, without a GPU `--backend cpu`",
        ),
        (Error::NoGpuAdapter, Some("wgpu")) => Some(
            "install a Vulkan driver (the vendor's, or Mesa 25 or newer, which also has one for the CPU: \
             `mesa-vulkan-drivers` and `libvulkan1` on Debian and Ubuntu), or use `--backend cpu`, which needs none",
        ),
        (Error::NoGpuAdapter, _) => Some("use `--backend cpu`, which needs no GPU"),
        (Error::DeviceLost { can_reopen: false, .. }, _) => Some("start the command again"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use vyre::runtime::LossReason;

    use super::*;

    #[test]
    fn errors_carry_advice() {
        let lost = |can_reopen| Error::DeviceLost { reason: LossReason::Closed, can_reopen };
        assert!(explained("wgpu", &lost(false)).ends_with("; start the command again"));
        assert_eq!(explained("wgpu", &lost(true)), lost(true).to_string());
    }

    #[test]
    fn advice_is_about_the_backend_that_failed() {
        let cuda = explained("cuda", &Error::NoGpuAdapter);
        assert!(cuda.contains("NVIDIA's driver") && !cuda.contains("Vulkan"), "{cuda}");
        let wgpu = explained("wgpu", &Error::NoGpuAdapter);
        assert!(wgpu.contains("Vulkan driver") && !wgpu.contains("NVIDIA") && !wgpu.contains("CUDA"), "{wgpu}");
        for text in [cuda, wgpu, explained("other", &Error::NoGpuAdapter)] {
            assert!(text.starts_with("no GPU was found; ") && text.contains("`--backend cpu`"), "{text}");
        }
    }
}
