//! Generated programs of a given size: valid, and in canonical text form.

use std::fmt::Write as _;

use vyre_ir::{DEFAULT_MAX_NESTING_DEPTH, Event, Program, Traversal, text};

/// Sizes of programs in statements and expressions. A valid program has at most 100,000.
pub const SIZES: [usize; 3] = [1_000, 10_000, 99_000];

/// Family of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// Short statements: bindings, assignments, loads, stores, arithmetic, branches.
    Flat,
    /// Chain of operators, each the left operand of the next.
    DeepLeft,
    /// Chain of operators, each the right operand of the previous one.
    DeepRight,
    /// Loops of the maximum nesting depth. A long chain of assignments is scattered over all levels, so that the divergence
    /// of its source propagates against the order of the text.
    Loops,
}

impl Workload {
    /// All workloads, in the order of the report.
    pub const ALL: [Workload; 4] = [Workload::Flat, Workload::DeepLeft, Workload::DeepRight, Workload::Loops];

    /// Name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Workload::Flat => "flat",
            Workload::DeepLeft => "deep_left",
            Workload::DeepRight => "deep_right",
            Workload::Loops => "loops",
        }
    }

    /// Text of the largest program with at most `nodes` statements and expressions.
    #[must_use]
    pub fn text(self, nodes: usize) -> String {
        self.text_of(self.units(nodes))
    }

    /// Number of repeated units that fit into `nodes`.
    fn units(self, nodes: usize) -> usize {
        let count = |units| node_count(&parse(&self.text_of(units)));
        let (one, two) = (count(1), count(2));
        1 + nodes.saturating_sub(one) / (two - one)
    }

    fn text_of(self, units: usize) -> String {
        match self {
            Workload::Flat => format!("{FLAT_HEAD}{}}}\n", repeat(FLAT_UNIT, units)),
            Workload::DeepLeft => deep_left(units),
            Workload::DeepRight => deep_right(units),
            Workload::Loops => loops(units),
        }
    }
}

/// Number of statements and expressions of a program.
#[must_use]
pub fn node_count(program: &Program) -> usize {
    Traversal::new(program).filter(|event| matches!(event, Event::Expr(_) | Event::Statement(_))).count()
}

/// Program of [`Workload::Flat`] in WGSL, statement for statement.
#[must_use]
pub fn flat_wgsl(nodes: usize) -> String {
    format!("{WGSL_BUFFERS}{WGSL_MAIN}{}}}\n", repeat(WGSL_UNIT, Workload::Flat.units(nodes)))
}

/// Statements of [`flat_wgsl`] in functions of `units` units each.
///
/// naga 30 parses a function in time quadratic in its length, so short functions are its best case.
#[must_use]
pub fn flat_wgsl_functions(nodes: usize, units: usize) -> String {
    let mut functions = String::new();
    let mut calls = String::new();
    let total = Workload::Flat.units(nodes);
    for (part, start) in (0..total).step_by(units).enumerate() {
        let body: String = (start..total.min(start + units)).map(|number| numbered(WGSL_UNIT, number)).collect();
        let _ = write!(functions, "fn part{part}(i: u32) {{\n{body}}}\n\n");
        let _ = writeln!(calls, "    part{part}(i);");
    }
    format!("{WGSL_BUFFERS}{functions}{WGSL_MAIN}{calls}}}\n")
}

/// Parses a workload.
///
/// # Panics
///
/// The text is not a program.
pub(crate) fn parse(text: &str) -> Program {
    text::parse(text).expect("workloads are written in the text format").program
}

/// Repeats a unit, with its number in place of each `@`.
fn repeat(unit: &str, units: usize) -> String {
    (0..units).map(|number| numbered(unit, number)).collect()
}

fn numbered(unit: &str, number: usize) -> String {
    unit.replace('@', &number.to_string())
}

const FLAT_HEAD: &str = "\
workgroup_size 64, 1, 1;

buffer src: read u32 @0;
buffer params: read u32 @1;
buffer dst: read_write u32 @2;

entry {
    let i = invocation_id.x;
";

const FLAT_UNIT: &str = "    \
    let a@ = src[i + @] * 3 + params[0];
    let b@ = src[a@ % 97] - a@ / 5;
    b@ = b@ ^ a@;
    if b@ < len(dst) {
        dst[b@] = a@ + 1;
    } else {
        b@ = src[b@ & 255] + 7;
    }
    dst[i + @] = b@ * a@ + src[b@];
    b@ = a@ >> 3;
    dst[a@] = b@;
";

const WGSL_BUFFERS: &str = "\
@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read> params: array<u32>;
@group(0) @binding(2) var<storage, read_write> dst: array<u32>;

";

const WGSL_MAIN: &str = "\
@compute @workgroup_size(64, 1, 1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
";

const WGSL_UNIT: &str = "    \
    let a@ = src[i + @u] * 3u + params[0u];
    var b@ = src[a@ % 97u] - a@ / 5u;
    b@ = b@ ^ a@;
    if b@ < arrayLength(&dst) {
        dst[b@] = a@ + 1u;
    } else {
        b@ = src[b@ & 255u] + 7u;
    }
    dst[i + @u] = b@ * a@ + src[b@];
    b@ = a@ >> 3u;
    dst[a@] = b@;
";

const DEEP_HEAD: &str = "\
workgroup_size 64, 1, 1;

buffer dst: read_write u32 @0;

entry {
    let i = invocation_id.x;
    dst[i] = ";

fn deep_left(units: usize) -> String {
    format!("{DEEP_HEAD}i{};\n}}\n", repeat(" + i - @", units))
}

fn deep_right(units: usize) -> String {
    // The innermost operand is a name, which has no parentheses in canonical form.
    let inner = units - 1;
    let open = repeat("i + (@ - (", inner);
    format!("{DEEP_HEAD}{open}i + ({inner} - i){};\n}}\n", "))".repeat(inner))
}

/// Each unit is a variable: `v0 = v1;`, `v1 = v2;` and so on; the last one reads the invocation id.
fn loops(units: usize) -> String {
    const LEVELS: usize = DEFAULT_MAX_NESTING_DEPTH as usize;
    // Coprime to the number of levels, so that neighbours in the chain are far apart.
    const STRIDE: usize = 27;

    let mut levels = vec![Vec::new(); LEVELS];
    for variable in 0..units {
        levels[variable * STRIDE % LEVELS].push(variable);
    }
    let mut out = "workgroup_size 64, 1, 1;\n\nbuffer dst: read_write u32 @0;\n\nentry {\n".to_owned();
    for variable in 0..units {
        let _ = writeln!(out, "    let v{variable} = 0;");
    }
    let indent = |level: usize| "    ".repeat(level + 1);
    let assign = |out: &mut String, level: usize, variables: &[usize]| {
        for &variable in variables {
            let next = variable + 1;
            let value = if next == units { "invocation_id.x".to_owned() } else { format!("v{next}") };
            let _ = writeln!(out, "{}v{variable} = {value};", indent(level + 1));
        }
    };
    // Half of the assignments of a level precede the inner loop, half follow it.
    for (level, variables) in levels.iter().enumerate() {
        let _ = writeln!(out, "{}for step{level} in 0..4 {{", indent(level));
        assign(&mut out, level, &variables[..variables.len() / 2]);
    }
    for (level, variables) in levels.iter().enumerate().rev() {
        assign(&mut out, level, &variables[variables.len() / 2..]);
        let _ = writeln!(out, "{}}}", indent(level));
    }
    out.push_str("    dst[v0] = 1;\n}\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use vyre_ir::{BinOp, Expr, Node, OpTable, validate};

    #[test]
    fn workloads_are_valid_canonical_and_of_the_requested_size() {
        for workload in Workload::ALL {
            for nodes in SIZES {
                let text = workload.text(nodes);
                let program = parse(&text);
                let count = node_count(&program);
                assert!(count <= nodes && count * 100 >= nodes * 95, "{workload:?} {nodes}: {count}");
                assert!(text::print(&program) == text, "{workload:?} {nodes}");
                assert!(validate(&program, &OpTable::default()).is_ok(), "{workload:?} {nodes}");
            }
        }
    }

    #[test]
    fn divergence_reaches_every_variable_of_the_loops() {
        let program = parse(&Workload::Loops.text(10_000));
        let ops = OpTable::default();
        let valid = validate(&program, &ops).expect("the workload is valid");
        assert_eq!(valid.nesting_depth(), DEFAULT_MAX_NESTING_DEPTH);
        for (position, variable) in valid.variables().iter().enumerate() {
            assert_eq!(valid.is_uniform_variable(position), variable.is_loop_variable, "{}", variable.name);
        }
    }

    /// Numbers of constructs that both languages have.
    #[derive(Debug, Default, PartialEq, Eq)]
    struct Shape {
        operators: usize,
        comparisons: usize,
        branches: usize,
        lengths: usize,
        stores: usize,
    }

    fn shape(program: &Program) -> Shape {
        let mut shape = Shape::default();
        for event in Traversal::new(program) {
            match event {
                Event::Expr(Expr::BinOp { op: BinOp::Lt, .. }) => shape.comparisons += 1,
                Event::Expr(Expr::BinOp { .. }) => shape.operators += 1,
                Event::Expr(Expr::BufLen { .. }) => shape.lengths += 1,
                Event::Statement(Node::If { .. }) => shape.branches += 1,
                // A WGSL variable is memory; its first value is a store unless it is constant.
                Event::Statement(Node::Store { .. } | Node::Assign { .. }) => shape.stores += 1,
                Event::Statement(Node::Let { name, .. }) if name.starts_with('b') => shape.stores += 1,
                _ => {}
            }
        }
        shape
    }

    fn naga_shape(block: &naga::Block, shape: &mut Shape) {
        for statement in block {
            match statement {
                naga::Statement::Store { .. } => shape.stores += 1,
                naga::Statement::If { accept, reject, .. } => {
                    shape.branches += 1;
                    naga_shape(accept, shape);
                    naga_shape(reject, shape);
                }
                naga::Statement::Block(inner) => naga_shape(inner, shape),
                _ => {}
            }
        }
    }

    #[test]
    fn wgsl_has_the_same_constructs() {
        let wanted = shape(&parse(&Workload::Flat.text(1_000)));
        for text in [flat_wgsl(1_000), flat_wgsl_functions(1_000, 4)] {
            let module = naga::front::wgsl::parse_str(&text).expect("the text is WGSL");
            let functions = module.functions.iter().map(|(_, function)| function);
            let mut found = Shape::default();
            for function in functions.chain(module.entry_points.iter().map(|entry| &entry.function)) {
                naga_shape(&function.body, &mut found);
                for (_, expression) in function.expressions.iter() {
                    match expression {
                        naga::Expression::Binary { op: naga::BinaryOperator::Less, .. } => found.comparisons += 1,
                        naga::Expression::Binary { .. } => found.operators += 1,
                        naga::Expression::ArrayLength(_) => found.lengths += 1,
                        _ => {}
                    }
                }
            }
            assert_eq!(found, wanted);
        }
    }
}
