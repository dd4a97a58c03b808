//! Advice on device errors: drivers to install and next steps.

use vyre::runtime::Error;

/// Text of an error, with its advice if there is any.
pub(crate) fn explained(error: &Error) -> String {
    match advice(error) {
        Some(advice) => format!("{error}; {advice}"),
        None => error.to_string(),
    }
}

/// Advice on an error.
pub(crate) fn advice(error: &Error) -> Option<&'static str> {
    match error {
        // The error does not identify the backend, so the advice covers all of them.
        Error::NoGpuAdapter => Some(
            "for `wgpu` install a Vulkan driver (the vendor's, or Mesa 25 or newer, which also has one for the CPU: \
             `mesa-vulkan-drivers` and `libvulkan1` on Debian and Ubuntu), for `cuda` NVIDIA's driver, 525 or newer, or \
             choose another backend",
        ),
        Error::DeviceLost { can_reopen: false, .. } => Some("start the command again"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use vyre::runtime::LossReason;

    use super::*;

    #[test]
    fn errors_carry_advice() {
        assert!(explained(&Error::NoGpuAdapter).starts_with("no GPU was found; for `wgpu` install a Vulkan driver"));
        let lost = |can_reopen| Error::DeviceLost { reason: LossReason::Closed, can_reopen };
        assert!(explained(&lost(false)).ends_with("; start the command again"));
        assert_eq!(explained(&lost(true)), lost(true).to_string());
    }
}
