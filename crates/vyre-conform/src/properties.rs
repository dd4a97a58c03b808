//! Properties of programs and graphs: the bodies of fuzz targets, which tests replay on saved inputs.
//!
//! Each function panics if its property is violated.

use std::sync::Arc;
use std::time::Duration;

use vyre_graph::file::{NamedNodes, Tuning, write_binary_with_index};
use vyre_graph::{
    Format, Graph, GraphView, Input, Loaded, NodeIds, ReadOptions, Weights, WriteError, read_graph, write_graph,
};
use vyre_ir::convert::{text_to_wire, wire_to_text};
use vyre_ir::text::{ErrorKind, ParseErrors, ParseOptions, format, parse, parse_with, print};
use vyre_ir::wire::{WireErrorKind, from_wire, from_wire_within, to_wire};
use vyre_ir::{Diagnostic, Event, Expr, OpTable, Program, ProgramLocation, Rule, SizeLimits, Traversal, validate};
use vyre_kernel::{Kernel, PassPipeline, lower};
use vyre_runtime::parse_contents;

use crate::differential::{Subject, check_race_free};
use crate::kernel_device::KernelBackend;
use crate::uniformity_oracle::{Divergence, divergence};
use crate::{Case, corpus, program_from_bytes};

/// Every valid program lowers to a valid kernel, before and after every pass. Without atomics and races, the kernel evaluator
/// yields the bytes of the interpreter and reports no fault.
pub fn check_kernel(bytes: &[u8]) {
    let program = program_from_bytes(bytes);
    let ops = OpTable::default();
    let Ok(valid) = validate(&program, &ops) else { return };
    let kernel = lower(&valid).unwrap_or_else(|error| panic!("{error}\n{program}"));
    for pipeline in [PassPipeline::standard(), PassPipeline::standard_with_unrolling()] {
        pipeline.verify(true).run(&mut kernel.clone()).unwrap_or_else(|error| panic!("{error}\n{program}"));
    }

    let is_atomic = |event| matches!(event, Event::Expr(Expr::Atomic { .. } | Expr::WorkgroupAtomic { .. }));
    if program.workgroup_invocations() > MAX_INVOCATIONS || Traversal::new(&program).any(is_atomic) {
        return;
    }
    let contents = program.buffers.iter().map(|decl| {
        // Sizes with partial elements, and contents with small and large numbers.
        let form = if decl.binding % 2 == 0 { "random: 7: 41" } else { "iota: 37" };
        (decl.name.clone(), parse_contents(form, decl.element).unwrap_or_default())
    });
    let contents = contents.collect();
    let case = Case { program, ops, grid: [2, 1, 1], contents };
    let after = |name: &'static str, pipeline: PassPipeline| {
        let optimize = move |kernel: &mut Kernel| {
            pipeline.run(kernel).unwrap_or_else(|error| panic!("{error}\n{kernel}"));
        };
        KernelBackend::with_transform(name, Arc::new(optimize))
    };
    let optimized = after("optimized", PassPipeline::standard());
    let unrolled = after("unrolled", PassPipeline::standard_with_unrolling());
    let subject =
        |name: &str, backend: &KernelBackend| Subject { name: name.to_owned(), device: Arc::new(backend.device()) };
    let subjects =
        [subject("kernel", &KernelBackend::new()), subject("optimized", &optimized), subject("unrolled", &unrolled)];
    if let Some(Err(difference)) = check_race_free(&case, &subjects, MAX_RUN_TIME) {
        panic!("{difference}\n{}", case.program);
    }
}

/// Maximum workgroup size of [`check_kernel`], and maximum duration of a run.
const MAX_INVOCATIONS: u64 = 256;
const MAX_RUN_TIME: Duration = Duration::from_secs(1);

/// Every text parses or yields an error. Formatting and printing preserve a parsed program.
pub fn check_text(text: &str) {
    let parsed = match parse(text) {
        Ok(parsed) => parsed,
        Err(errors) => {
            assert!(!errors.is_empty());
            for error in &errors {
                let (start, end) = (error.span.start as usize, error.span.end as usize);
                assert!(text.get(start..end).is_some(), "no text at {:?}", error.span);
                assert!(!error.to_string().is_empty());
            }
            assert!(errors.is_sorted_by_key(|error| error.span.start), "errors are out of order: {errors}");
            assert_eq!(format(text).err(), Some(errors));
            return;
        }
    };
    let program = parsed.program;
    check_limits(text, &program);
    assert_eq!(text_to_wire(text).as_deref(), Ok(&*to_wire(&program)), "encoding without a tree");

    let formatted = format(text).unwrap_or_else(|error| panic!("{error}"));
    let again = parse(&formatted).unwrap_or_else(|error| panic!("{error}\n{formatted}"));
    assert_eq!(again.program, program, "formatting changed the program");
    assert_eq!(format(&formatted).as_deref(), Ok(formatted.as_str()), "formatting is not idempotent");
    assert_eq!(comments(&formatted), comments(text), "formatting lost or made comments");

    let printed = print(&program);
    let again = parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(again.program, program, "printing changed the program");
    assert_eq!(format(&printed).as_deref(), Ok(printed.as_str()), "printing is not canonical");
}

/// Readers with limits accept a program exactly if it is within them, and report what validation reports.
fn check_limits(text: &str, program: &Program) {
    let (nodes, nesting) = size(program);
    let parse_within =
        |limits| parse_with(text, &ParseOptions::default().with_limits(limits)).map(|parsed| parsed.program);
    let bytes = to_wire(program);
    for limits in
        [SizeLimits::of_validation(), SizeLimits::default().with_max_nodes(Some(nodes)).with_max_nesting(Some(nesting))]
    {
        let fits =
            limits.max_nodes.is_some_and(|max| nodes <= max) && limits.max_nesting.is_some_and(|max| nesting <= max);
        assert_eq!(parse_within(limits).is_ok(), fits, "{limits:?}");
        assert_eq!(from_wire_within(&bytes, &limits).is_ok(), fits, "{limits:?}");
    }
    if let Some(max) = nodes.checked_sub(1) {
        let limits = SizeLimits::default().with_max_nodes(Some(max));
        let excess = excess(parse_within(limits).expect_err("too many nodes"));
        assert_eq!(excess.rule, Rule::V019);
        assert_eq!(excess.problem, format!("V019: program has more than {max} statement nodes"));
        assert_eq!(excess.location, ProgramLocation::Node(max as u32));
        let wire = from_wire_within(&bytes, &limits).expect_err("too many nodes");
        assert_eq!(wire.kind, WireErrorKind::LimitExceeded(Box::new(without_span(excess))));
    }
    if let Some(max) = nesting.checked_sub(1) {
        let limits = SizeLimits::default().with_max_nesting(Some(max));
        let excess = excess(parse_within(limits).expect_err("too deep"));
        assert_eq!(excess.rule, Rule::V018);
        assert_eq!(excess.problem, format!("V018: program nesting depth {nesting} exceeds max {max}"));
        let wire = from_wire_within(&bytes, &limits).expect_err("too deep");
        assert_eq!(wire.kind, WireErrorKind::LimitExceeded(Box::new(without_span(excess))));
    }
    let limited = parse_within(SizeLimits::of_validation());
    let by_size = diagnose(program).into_iter().find(|diagnostic| matches!(diagnostic.rule, Rule::V018 | Rule::V019));
    match (limited, by_size) {
        (Ok(_), None) => {}
        (Err(errors), Some(expected)) => assert_eq!(without_span(excess(errors)), expected),
        (limited, expected) => panic!("{limited:?} but {expected:?}"),
    }
}

/// The diagnostic of an exceeded limit.
fn excess(errors: ParseErrors) -> Diagnostic {
    assert_eq!(errors.len(), 1, "{errors}");
    match errors.into_iter().next().map(|error| error.kind) {
        Some(ErrorKind::LimitExceeded(diagnostic)) => *diagnostic,
        other => panic!("{other:?}"),
    }
}

fn without_span(mut diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.span = None;
    diagnostic
}

/// Number of statements and expressions, and nesting depth.
fn size(program: &Program) -> (u64, u64) {
    let (mut nodes, mut depth, mut deepest) = (0, 0_u64, 0);
    for event in Traversal::new(program) {
        match event {
            Event::Expr(_) | Event::Statement(_) => nodes += 1,
            Event::EnterBody(_) => {
                deepest = deepest.max(depth);
                depth += 1;
            }
            Event::LeaveBody(_) => depth -= 1,
        }
    }
    (nodes, deepest)
}

/// Texts of all comments, sorted.
fn comments(text: &str) -> Vec<&str> {
    let mut comments: Vec<&str> = corpus::comments(text).into_iter().map(|comment| comment.text).collect();
    comments.sort_unstable();
    comments
}

/// Every byte string decodes or yields an error. The encoding of a program is unique, and its text parses back to it.
pub fn check_wire(bytes: &[u8]) {
    match from_wire(bytes) {
        Ok(program) => {
            assert_eq!(to_wire(&program), bytes, "two encodings of one program");
            let text = print(&program);
            let parsed = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(parsed.program, program);
            assert_eq!(wire_to_text(bytes, u64::MAX).as_deref(), Ok(&*text), "printing without a tree");
            check_limits(&text, &program);
        }
        Err(error) => {
            assert!(error.offset <= bytes.len(), "{error}");
            assert!(!error.to_string().is_empty());
        }
    }
}

/// The first byte selects a format. The rest is a graph, or yields an error of one line. A graph is valid, and its index is that of
/// its edges. The binary format preserves both, and the others preserve what they can represent.
pub fn check_graph_files(bytes: &[u8]) {
    /// Maximum size of a graph that is written and read back.
    const MAX_NODES: usize = 1 << 12;
    let Some((&choice, file)) = bytes.split_first() else { return };
    let graph = match read_graph(Input::from(file), &read_options(choice), &()) {
        Ok(loaded) => {
            check_index(&loaded);
            loaded.into_graph()
        }
        Err(error) => {
            let text = error.to_string();
            assert!(!text.is_empty() && !text.contains('\n'), "{text:?}");
            return;
        }
    };
    graph.view().validate().unwrap_or_else(|error| panic!("{error}"));
    if graph.csr.node_count() > MAX_NODES {
        return;
    }
    let again = written_and_read(Format::BINARY, graph.view(), NodeIds::Numbers);
    assert_eq!(again.as_ref(), Some(&graph), "after the binary format");
    let mut indexed = Vec::new();
    write_binary_with_index(graph.view(), &mut indexed, &()).unwrap_or_else(|error| panic!("{error}"));
    let again = read_graph(Input::from(&indexed[..]), &ReadOptions::default(), &());
    let again = again.unwrap_or_else(|error| panic!("{error}\n{}", indexed.escape_ascii()));
    assert!(check_index(&again), "the file has an index");
    assert_eq!(again.into_graph(), graph, "after the binary format with an index");
    for format in Format::ALL.into_iter().filter(|format| format.is_text()) {
        let unnamed = GraphView { names: None, ..graph.view() };
        let Some(again) = written_and_read(format, unnamed, NodeIds::Numbers) else { continue };
        assert_eq!((&again.csr.offsets, &again.csr.targets), (&graph.csr.offsets, &graph.csr.targets), "{format}");
        // A text without edges does not show whether edges have weights.
        if graph.csr.edge_count() > 0 && format.contents().weights {
            assert_eq!(again.weights, graph.weights, "{format}");
        }
        if format.contents().names != NamedNodes::None
            && graph.names.is_some()
            && let Some(again) = written_and_read(format, graph.view(), NodeIds::Names)
        {
            assert_eq!(named_edges(&again), named_edges(&graph), "{format}");
        }
    }
}

/// Compares the index of a graph with its edges. Returns false if there is none.
fn check_index(loaded: &Loaded) -> bool {
    let valid = loaded.valid();
    let Some(transposed) = valid.transposed() else { return false };
    let expected = valid.csr().transposed();
    assert_eq!(transposed, expected.view());
    if let Some(order) = valid.order() {
        let mut nodes: Vec<u32> = (0..expected.node_count() as u32).collect();
        nodes.sort_by_key(|&node| std::cmp::Reverse(expected.view().neighbours(node).len()));
        assert_eq!(order, nodes);
    }
    true
}

/// Formats that [`read_options`] selects. The meaning of a byte is permanent, because saved inputs begin with one.
const FORMATS: [Option<Format>; 5] =
    [Some(Format::EDGE_LIST), Some(Format::CSV), Some(Format::MATRIX_MARKET), Some(Format::BINARY), None];

/// First byte that selects a format which [`FORMATS`] does not have. Smaller bytes are the products of all other choices.
const FIRST_LATER_FORMAT: u8 = 5 * 3 * 2 * 2 * 4;

/// Selects a file format from a byte.
fn read_options(choice: u8) -> ReadOptions {
    let later = choice.checked_sub(FIRST_LATER_FORMAT).and_then(|number| {
        Format::ALL.into_iter().filter(|&format| !FORMATS.contains(&Some(format))).nth(number as usize)
    });
    if let Some(format) = later {
        let mut options = ReadOptions::default();
        options.format = Some(format);
        options.max_nodes = Some(1_000);
        return options;
    }
    let mut rest = choice as usize;
    let mut below = |count: usize| {
        let digit = rest % count;
        rest /= count;
        digit
    };
    let mut options = ReadOptions::default();
    options.format = FORMATS[below(FORMATS.len())];
    options.weights = [Weights::Auto, Weights::Required, Weights::Ignore][below(3)];
    options.nodes = [NodeIds::Numbers, NodeIds::Names][below(2)];
    options.undirected = below(2) == 1;
    let block_bytes = match below(4) {
        0 => return options,
        1 => Tuning::default().block_bytes,
        2 => 40,
        _ => 1,
    };
    // A low limit, since graphs with many isolated nodes are valid and slow.
    options.max_nodes = Some(1_000);
    options.tuning = Tuning { block_bytes, ..options.tuning };
    options
}

/// Writes a graph in a format and reads it back. `None` if the format cannot represent a name.
fn written_and_read(format: Format, graph: GraphView<'_>, nodes: NodeIds) -> Option<Graph> {
    let mut bytes = Vec::new();
    match write_graph(format, graph, &mut bytes, &()) {
        Ok(()) => {}
        Err(WriteError::Name { .. } | WriteError::Character { .. }) => return None,
        Err(error) => panic!("{error}"),
    }
    let mut options = ReadOptions::default();
    options.format = Some(format);
    options.nodes = nodes;
    let read = read_graph(Input::from(&bytes[..]), &options, &());
    Some(read.unwrap_or_else(|error| panic!("{error}\n{}", bytes.escape_ascii())).into_graph())
}

/// All edges by the names of their nodes, sorted. The names of a graph without names are the numbers of its nodes.
fn named_edges(graph: &Graph) -> Vec<(String, String, Option<u32>)> {
    let view = graph.view();
    let name = |node: u32| {
        view.names.map_or_else(|| node.to_string(), |names| names.name(node).unwrap_or_default().to_owned())
    };
    let edges_of = |node| view.csr.edges_of(node).map(move |edge| (node, edge));
    let edges = (0..view.csr.node_count() as u32).flat_map(edges_of);
    let weight = |edge: usize| view.weights.map(|weights| weights[edge]);
    let mut edges: Vec<_> =
        edges.map(|(node, edge)| (name(node), name(view.csr.targets[edge]), weight(edge))).collect();
    edges.sort_unstable();
    edges
}

/// Validation does not panic, is invariant under the text and wire formats, and agrees with the uniformity oracle.
pub fn check_validate(bytes: &[u8]) {
    check_program(&program_from_bytes(bytes));
}

/// Checks the property of [`check_validate`] for a program.
pub fn check_program(program: &Program) {
    let findings = findings(program);

    let text = print(program);
    let parsed = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(self::findings(&parsed.program), findings, "after the text format");

    let decoded = from_wire(&to_wire(program)).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(self::findings(&decoded), findings, "after the wire format");

    check_uniformity(program);
}

fn diagnose(program: &Program) -> Vec<Diagnostic> {
    match validate(program, &OpTable::default()) {
        Ok(_) => Vec::new(),
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty(), "refused without a reason");
            diagnostics.into_vec()
        }
    }
}

/// Violations of a program: rules and paths. Empty for a valid one.
fn findings(program: &Program) -> Vec<(Rule, String)> {
    diagnose(program).into_iter().map(|diagnostic| (diagnostic.rule, diagnostic.path)).collect()
}

/// The validator and the oracle find the same divergence in programs whose names resolve and that are small enough.
pub fn check_uniformity(program: &Program) {
    /// Maximum size of a program, because the oracle recurses.
    const MAX_NODES: usize = 2_000;
    let nodes = vyre_ir::Traversal::new(program).take(4 * MAX_NODES).count();
    let diagnostics = diagnose(program);
    let unclear = [Rule::V001, Rule::V008, Rule::V018, Rule::V019, Rule::V051];
    if nodes > MAX_NODES || diagnostics.iter().any(|diagnostic| unclear.contains(&diagnostic.rule)) {
        return;
    }
    let places = |rule: Rule| {
        let mut ordinals: Vec<u32> = diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.rule == rule)
            .filter_map(|diagnostic| match diagnostic.location {
                ProgramLocation::Node(ordinal) => Some(ordinal),
                ProgramLocation::WorkgroupSize(_) | ProgramLocation::Buffer(_) => None,
            })
            .collect();
        ordinals.sort_unstable();
        ordinals
    };
    let found = Divergence {
        barriers: places(Rule::V010),
        collectives: places(Rule::V037),
        broadcast_lanes: places(Rule::V046),
    };
    assert_eq!(found, divergence(program), "{program}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_selected_by_a_byte() {
        for format in Format::ALL {
            assert!((0..=u8::MAX).any(|byte| read_options(byte).format == Some(format)), "{format}");
        }
        assert_eq!(
            [0, 1, 2, 3, 4, 5].map(|byte| read_options(byte).format),
            [
                Some(Format::EDGE_LIST),
                Some(Format::CSV),
                Some(Format::MATRIX_MARKET),
                Some(Format::BINARY),
                None,
                Some(Format::EDGE_LIST),
            ]
        );
    }
}
