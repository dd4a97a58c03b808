//! Cost model: estimated times of the ways to answer a request, from its size, a sample of its searches and the speed of the
//! machine.
//!
//! A [`Workload`] describes a request. A [`Machine`] has the speed of the host and of its devices, from defaults or from a
//! calibration. [`estimates`] gives the time of each candidate, stage by stage; the smallest is the choice. Estimates decide where
//! an analysis runs, never what it finds. [`algorithm_estimates`] does the same for the other graph algorithms.

mod algorithm;
mod algorithm_cost;
mod candidate;
mod file;
mod identity;
mod machine;
mod model;
mod workload;

pub use self::algorithm::{Algorithm, AlgorithmSpeed};
pub use self::algorithm_cost::{AlgorithmEstimate, AlgorithmWorkload, algorithm_estimates};
pub use self::candidate::{CostEstimate, estimates};
pub use self::file::CalibrationError;
pub use self::identity::machine_identity;
pub use self::machine::{DeviceSpeed, HostSpeed, Machine};
pub(crate) use self::model::{PRUNED_STEPS, pruning_pays};
pub use self::workload::Workload;
