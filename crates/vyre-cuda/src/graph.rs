//! Commands that are run again and again, as graphs: the driver is told once what they are, and then only to run them.

use std::collections::VecDeque;
use std::hash::BuildHasher;
use std::sync::{Arc, Weak};

use cudarc::driver::sys::CUstreamCaptureMode;
use vyre_runtime::Error;

use crate::context::{Context, Current};
use crate::driver::{Failure, GraphExecHandle, Handle};
use crate::module::Loaded;

/// The graphs of a context that are kept.
const MOST: usize = 16;

/// Commands as a graph.
pub(crate) struct Graph {
    home: Weak<Context>,
    exec: GraphExecHandle,
    /// The programs that it runs, which must not be unloaded.
    _programs: Vec<Arc<Loaded>>,
}

impl Drop for Graph {
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn drop(&mut self) {
        // Whoever clears a context away destroys the graphs that it kept.
        let Some(context) = self.home.upgrade() else { return };
        if let Ok(current) = context.enter() {
            // SAFETY: nobody else has the graph, and runs keep theirs until they are done.
            let status = unsafe { (current.driver().cuGraphExecDestroy)(self.exec.0) };
            // Nobody can be told, but a fault of a kernel may show here first.
            let _ = current.check("destroying a graph", status);
        }
    }
}

/// What is known of commands.
pub(crate) enum Known {
    /// They have not come for a while.
    New,
    /// They have come before.
    Seen,
    /// They are a graph.
    Graph(Arc<Graph>),
}

/// Graphs by what they do, and what may become one when it comes again. Buffers are known by numbers that are never used
/// again, and are not kept.
#[derive(Default)]
pub(crate) struct Graphs {
    hasher: foldhash::fast::RandomState,
    /// The one that was used last comes last.
    kept: VecDeque<Kept>,
    /// Hashes of what has come, the last one last. There are no more than graphs that are kept, so that a round of more
    /// does not make and drop all of them each time.
    seen: VecDeque<u64>,
}

struct Kept {
    hash: u64,
    key: Box<[u64]>,
    graph: Arc<Graph>,
}

impl Graphs {
    /// What is known of commands, which have now come.
    pub(crate) fn look(&mut self, key: &[u64]) -> Known {
        let hash = self.hasher.hash_one(key);
        if let Some(at) = self.kept.iter().position(|kept| kept.hash == hash && *kept.key == *key)
            && let Some(kept) = self.kept.remove(at)
        {
            let graph = Arc::clone(&kept.graph);
            self.kept.push_back(kept);
            return Known::Graph(graph);
        }
        match self.seen.iter().position(|&seen| seen == hash) {
            Some(at) => {
                self.seen.remove(at);
                Known::Seen
            }
            None => {
                self.seen.push_back(hash);
                if self.seen.len() > MOST {
                    self.seen.pop_front();
                }
                Known::New
            }
        }
    }

    /// Keeps a graph. What is returned is no longer kept, and to be dropped when nothing is locked.
    pub(crate) fn keep(&mut self, key: Vec<u64>, graph: &Arc<Graph>) -> Option<Arc<Graph>> {
        let hash = self.hasher.hash_one(key.as_slice());
        self.kept.push_back(Kept { hash, key: key.into(), graph: Arc::clone(graph) });
        if self.kept.len() > MOST { self.kept.pop_front().map(|kept| kept.graph) } else { None }
    }

    /// The graphs, for whoever clears the context away.
    pub(crate) fn take(&mut self) -> Vec<GraphExecHandle> {
        self.kept.iter().map(|kept| kept.graph.exec).collect()
    }
}

#[expect(unsafe_code, reason = "the driver is a C library")]
impl Current<'_> {
    /// Makes a graph of what `add` adds to the stream that is there for that. Whoever calls this holds the lane.
    ///
    /// Graphs take memory of the device; where there is not enough, there is none, and the commands are added one by one.
    /// Every other failure is an error.
    pub(crate) fn captured(
        &self,
        context: &Arc<Context>,
        programs: Vec<Arc<Loaded>>,
        add: impl FnOnce() -> Result<(), Error>,
    ) -> Result<Option<Graph>, Error> {
        let (driver, stream) = (self.driver(), self.context.capture.0);
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED as u32;
        // SAFETY: the stream belongs to the context, which is that of this thread, and nobody else uses it: who holds the
        // lane does. What other threads do meanwhile, with other streams, is allowed in this mode.
        let status = unsafe { (driver.cuStreamBeginCapture_v2)(stream, mode) };
        self.check("beginning a graph", status)?;
        let added = add();
        let mut graph = std::ptr::null_mut();
        // SAFETY: as above; the graph is written to a handle, which is none where adding has failed.
        let status = unsafe { (driver.cuStreamEndCapture)(stream, &raw mut graph) };
        let mut exec = std::ptr::null_mut();
        let outcome = added.and_then(|()| self.check("ending a graph", status)).map(|()| {
            // SAFETY: the graph was just made; what can run it is written to a handle.
            Failure::check(unsafe { (driver.cuGraphInstantiateWithFlags)(&raw mut exec, graph, 0) })
        });
        if !graph.is_null() {
            // SAFETY: the graph was just made, and what can run it does not need it.
            unsafe { (driver.cuGraphDestroy)(graph) };
        }
        match outcome? {
            Ok(()) => Ok(Some(Graph { home: Arc::downgrade(context), exec: Handle(exec), _programs: programs })),
            Err(failure) if failure.is_out_of_memory() => Ok(None),
            Err(failure) => Err(self.context.failed("making a graph", failure)),
        }
    }

    /// Runs a graph. Whoever calls this holds the lane, so that no graph is begun by two threads at a time.
    pub(crate) fn launch_graph(&self, graph: &Graph) -> Result<(), Error> {
        // SAFETY: graph and stream belong to the context, which is that of this thread; the buffers of the graph are there,
        // as it is only found by commands that have them.
        let status = unsafe { (self.driver().cuGraphLaunch)(graph.exec.0, self.context.main.0) };
        self.check("running a graph", status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph() -> Arc<Graph> {
        Arc::new(Graph { home: Weak::new(), exec: Handle(std::ptr::null_mut()), _programs: Vec::new() })
    }

    #[test]
    fn what_comes_again_becomes_a_graph() {
        let mut graphs = Graphs::default();
        let made = graph();
        assert!(matches!(graphs.look(&[1, 2]), Known::New));
        assert!(matches!(graphs.look(&[2, 1]), Known::New));
        assert!(matches!(graphs.look(&[1, 2]), Known::Seen));
        assert!(graphs.keep(vec![1, 2], &made).is_none());
        assert!(matches!(graphs.look(&[1, 2]), Known::Graph(found) if Arc::ptr_eq(&found, &made)));
        assert!(matches!(graphs.look(&[2, 1]), Known::Seen));
        assert_eq!(graphs.take().len(), 1);
    }

    #[test]
    fn the_graph_that_was_used_longest_ago_goes() {
        let mut graphs = Graphs::default();
        let all: Vec<Arc<Graph>> = (0..=MOST).map(|_| graph()).collect();
        for (number, graph) in (0..).zip(&all[..MOST]) {
            assert!(graphs.keep(vec![number], graph).is_none());
        }
        assert!(matches!(graphs.look(&[0]), Known::Graph(_)));
        let gone = graphs.keep(vec![MOST as u64], &all[MOST]);
        assert!(gone.is_some_and(|gone| Arc::ptr_eq(&gone, &all[1])));
        assert!(matches!(graphs.look(&[1]), Known::New));
        assert!(matches!(graphs.look(&[0]), Known::Graph(_)));
    }

    /// More lists in turn than graphs are kept: making one for each of them each time would be in vain.
    #[test]
    fn many_lists_in_turn_do_not_push_each_other_out() {
        let mut graphs = Graphs::default();
        for round in 0..5 {
            for number in 0..2 * MOST as u64 {
                assert!(matches!(graphs.look(&[number]), Known::New), "{round}, {number}");
            }
        }
    }
}
