//! Program of a scan with everything that the analysis knows about it.

use vyre_dataflow::Dataflow;

use super::ScanError;
use super::warnings::ModelUse;
use super::watch::Watch;
use crate::finding::Statistics;
use crate::input::Input;
use crate::knowledge::{Knowledge, ThreatModel};
use crate::limits::Effort;
use crate::points_to::PointsTo;
use crate::program::Program;
use crate::search::{Found, Request, search};
use crate::value_flow::{Roles, ValueFlow};

/// Program with everything that the analysis knows about it.
#[derive(Debug)]
pub(super) struct Analysed {
    pub(super) input: Input,
    pub(super) program: Program,
    pub(super) points_to: PointsTo,
    pub(super) graph: ValueFlow,
    pub(super) roles: Roles,
    pub(super) models: Vec<ThreatModel>,
    /// Requests count whatever the threat models are: the user chose none, and a library may serve requests too.
    pub(super) has_requests: bool,
    pub(super) effort: Effort,
    pub(super) statistics: Statistics,
    pub(super) model_uses: Vec<ModelUse>,
}

impl Analysed {
    /// Searches the flows of the program.
    pub(super) fn find(&self, knowledge: &Knowledge, engine: &Dataflow, watch: &Watch<'_>) -> Result<Found, ScanError> {
        let request = Request {
            graph: &self.graph,
            layout: &self.points_to.layout,
            roles: &self.roles,
            knowledge,
            models: &self.models,
            has_requests: self.has_requests,
            effort: self.effort,
            is_cancelled: &|| watch.is_over(),
        };
        Ok(search(request, engine)?)
    }
}
