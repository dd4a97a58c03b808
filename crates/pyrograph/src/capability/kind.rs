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
    /// The interpreter runs the code at each of its starts.
    StartCode,
    /// Machine code: addons, shared libraries, foreign functions.
    NativeCode,
    /// Other programs are run.
    Process,
    /// Code is made and run at run time.
    DynamicCode,
    /// Modules are loaded by names that the program computes.
    ModuleLoad,
    /// Code that the scan does not analyse: scripts of other languages, bytecode.
    OtherCode,
    /// Connections, requests, servers.
    Network,
    /// Files are written, moved or removed.
    FileWrite,
    /// Files and folders are read.
    FileRead,
    /// Variables of the environment, and facts about the machine and its user, are read.
    Environment,
    /// Packages that are installed with this one.
    Dependency,
    /// Commands and plugins that the installation registers.
    EntryPoint,
}

impl CapabilityKind {
    /// Name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            CapabilityKind::InstallScript => "install-script",
            CapabilityKind::StartCode => "start-code",
            CapabilityKind::NativeCode => "native-code",
            CapabilityKind::Process => "process",
            CapabilityKind::DynamicCode => "dynamic-code",
            CapabilityKind::ModuleLoad => "module-load",
            CapabilityKind::OtherCode => "other-code",
            CapabilityKind::Network => "network",
            CapabilityKind::FileWrite => "file-write",
            CapabilityKind::FileRead => "file-read",
            CapabilityKind::Environment => "environment",
            CapabilityKind::Dependency => "dependency",
            CapabilityKind::EntryPoint => "entry-point",
        }
    }

    /// Severity for the colours of reports.
    pub(crate) fn severity(self) -> Severity {
        match self {
            CapabilityKind::InstallScript | CapabilityKind::StartCode => Severity::Critical,
            CapabilityKind::NativeCode
            | CapabilityKind::Process
            | CapabilityKind::DynamicCode
            | CapabilityKind::ModuleLoad => Severity::High,
            CapabilityKind::OtherCode
            | CapabilityKind::Network
            | CapabilityKind::FileWrite
            | CapabilityKind::Dependency => Severity::Medium,
            CapabilityKind::FileRead | CapabilityKind::Environment | CapabilityKind::EntryPoint => Severity::Low,
        }
    }
}
