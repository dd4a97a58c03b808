//! Kinds of capabilities.

use serde::{Deserialize, Serialize};

use crate::knowledge::Severity;

/// Kinds of capabilities, from the most to the least notable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CapabilityKind {
    /// The installation runs a script.
    InstallScript,
    /// Machine code: addons, shared libraries, foreign functions.
    NativeCode,
    /// Other programs are run.
    Process,
    /// Code is made and run at run time.
    DynamicCode,
    /// Connections, requests, servers.
    Network,
    /// Files are written, moved or removed.
    FileWrite,
    /// Files and folders are read.
    FileRead,
    /// Variables of the environment are read.
    Environment,
}

impl CapabilityKind {
    /// Name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            CapabilityKind::InstallScript => "install-script",
            CapabilityKind::NativeCode => "native-code",
            CapabilityKind::Process => "process",
            CapabilityKind::DynamicCode => "dynamic-code",
            CapabilityKind::Network => "network",
            CapabilityKind::FileWrite => "file-write",
            CapabilityKind::FileRead => "file-read",
            CapabilityKind::Environment => "environment",
        }
    }

    /// Severity for the colours of reports.
    pub(crate) fn severity(self) -> Severity {
        match self {
            CapabilityKind::InstallScript => Severity::Critical,
            CapabilityKind::NativeCode | CapabilityKind::Process | CapabilityKind::DynamicCode => Severity::High,
            CapabilityKind::Network | CapabilityKind::FileWrite => Severity::Medium,
            CapabilityKind::FileRead | CapabilityKind::Environment => Severity::Low,
        }
    }
}
