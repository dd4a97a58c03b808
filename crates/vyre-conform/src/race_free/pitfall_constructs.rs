//! Detection of optimizer pitfalls in programs.

use vyre_ir::{BinOp, BufferAccess, Event, Expr, Node, Program, Traversal};

/// Pitfalls of a program, with repetitions.
pub(super) fn pitfalls(program: &Program) -> Vec<&'static str> {
    let mut found = Vec::new();
    sequence(&program.entry, &mut found);
    if let Some(Node::Loop { body, .. }) = program.entry.last() {
        let leaves = |exit: &Node| statements(body).any(|node| node == exit);
        let returns = statements(&program.entry).any(|node| *node == Node::Return);
        let stores = statements(body).any(|node| matches!(node, Node::Store { .. }));
        note(leaves(&Node::Break) && returns, "pitfall: break in the last loop", &mut found);
        note(leaves(&Node::Return) && stores, "pitfall: store and return in the last loop", &mut found);
    }
    for event in Traversal::new(program) {
        match event {
            Event::Statement(node) => {
                (0..).map_while(|position| node.body(position)).for_each(|(_, body)| sequence(body, &mut found));
                statement(program, node, &mut found);
            }
            Event::Expr(expr) => expression(expr, &mut found),
            Event::EnterBody(_) | Event::LeaveBody(_) => {}
        }
    }
    found
}

fn note(holds: bool, pitfall: &'static str, found: &mut Vec<&'static str>) {
    if holds {
        found.push(pitfall);
    }
}

/// All statements of a body, nested ones included.
fn statements(nodes: &[Node]) -> impl Iterator<Item = &Node> {
    Traversal::of_body(nodes).filter_map(|event| match event {
        Event::Statement(node) => Some(node),
        _ => None,
    })
}

/// Reports whether a body has an expression that fits.
fn contains(nodes: &[Node], fits: impl Fn(&Expr) -> bool) -> bool {
    Traversal::of_body(nodes).any(|event| matches!(event, Event::Expr(expr) if fits(expr)))
}

fn binary(expr: &Expr) -> Option<(BinOp, &Expr, &Expr)> {
    match expr {
        Expr::BinOp { op, left, right } => Some((*op, left, right)),
        _ => None,
    }
}

fn is_comparison(expr: &Expr) -> bool {
    let compares = |op| matches!(op, BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge | BinOp::Eq | BinOp::Ne);
    binary(expr).is_some_and(|(op, ..)| compares(op))
}

fn is_literal(expr: &Expr) -> bool {
    matches!(expr, Expr::LitU32(_))
}

/// Splits a variable plus a constant.
fn base(expr: &Expr) -> Option<(&Expr, u32)> {
    match (expr, binary(expr)) {
        (Expr::Var(_), _) => Some((expr, 0)),
        (_, Some((BinOp::Add, base @ Expr::Var(_), Expr::LitU32(constant)))) => Some((base, *constant)),
        _ => None,
    }
}

/// Finds pitfalls of consecutive statements.
fn sequence(nodes: &[Node], found: &mut Vec<&'static str>) {
    let returns = |node: &Node| matches!(node, Node::If { then, .. } if then.last() == Some(&Node::Return));
    for pair in nodes.windows(2) {
        note(pair.iter().all(returns), "pitfall: returns one after the other", found);
        if let [Node::Let { name, .. } | Node::Assign { name, .. }, next] = pair {
            match next {
                Node::Assign { name: again, value } => {
                    let reads = matches!(value, Expr::Var(read) if read == name) || value.operand_count() > 0;
                    note(name == again && !reads, "pitfall: overwritten before it is read", found);
                }
                Node::If { then, otherwise, .. } => {
                    let sets = |body: &[Node]| matches!(body, [Node::Assign { name: set, value }] if set == name && is_literal(value));
                    note(sets(then) && otherwise.is_empty(), "pitfall: constant in a branch", found);
                }
                _ => {}
            }
        }
    }
}

fn statement(program: &Program, node: &Node, found: &mut Vec<&'static str>) {
    match node {
        Node::If { cond, then, otherwise } => branch(cond, then, otherwise, found),
        Node::Loop { to, body, .. } => {
            let divides = |expr: &Expr| match binary(expr) {
                Some((BinOp::Div | BinOp::Mod, _, divisor)) => divisor == to && !is_literal(to),
                _ => false,
            };
            note(contains(body, divides), "pitfall: division by the bound of a loop", found);
            let shifts = |node: &Node| matches!(node, Node::If { cond, then, .. } if bounds_shift(cond, then));
            note(body.iter().any(shifts), "pitfall: shift in a branch in a loop", found);
            note(body.iter().any(divides_by_tested), "pitfall: division in a branch in a loop", found);
            let measured = match to {
                Expr::BufLen { buffer } => Some(buffer),
                _ => match binary(to) {
                    Some((BinOp::Min, Expr::BufLen { buffer }, _) | (BinOp::Min, _, Expr::BufLen { buffer })) => {
                        Some(buffer)
                    }
                    _ => None,
                },
            };
            let same = |expr: &Expr| match expr {
                Expr::Load { buffer, index } => {
                    Some(buffer) == measured && (**index == Expr::LitU32(0) || node.expr(0) == Some(index))
                }
                _ => false,
            };
            note(contains(body, same), "pitfall: one element in a loop over a length", found);
            note(is_flag(program, to), "pitfall: flag as the bound of a loop", found);
            let nested = |inner: &Node| match inner {
                Node::Loop { body, .. } => statements(body).any(|node| *node == Node::Return),
                _ => false,
            };
            note(statements(body).any(nested), "pitfall: return in nested loops", found);
            let calls = |expr: &Expr| matches!(expr, Expr::Call { .. });
            note(contains(body, calls), "pitfall: call in a loop", found);
        }
        _ => {}
    }
    if let Node::If { cond, .. } = node {
        note(is_flag(program, cond), "pitfall: flag in a condition", found);
    }
}

/// Reports whether an expression depends on an element of a uniform buffer.
fn is_flag(program: &Program, expr: &Expr) -> bool {
    let uniform = |expr: &Expr| match expr {
        Expr::Load { buffer, .. } => program.buffer(buffer).is_some_and(|decl| decl.access == BufferAccess::Uniform),
        _ => false,
    };
    uniform(expr) || (0..expr.operand_count()).any(|position| expr.operand(position).is_some_and(uniform))
}

fn bounds_shift(cond: &Expr, then: &[Node]) -> bool {
    let amount = match binary(cond) {
        Some((BinOp::Lt, amount, Expr::LitU32(32)) | (BinOp::Gt, Expr::LitU32(32), amount)) => amount,
        Some((BinOp::Le, amount, Expr::LitU32(31))) => amount,
        _ => return false,
    };
    contains(then, |expr| matches!(binary(expr), Some((BinOp::Shl | BinOp::Shr, _, by)) if by == amount))
}

fn divides_by_tested(node: &Node) -> bool {
    let Node::If { cond, then, .. } = node else { return false };
    let Some((BinOp::Ne | BinOp::Gt, divisor, Expr::LitU32(0))) = binary(cond) else { return false };
    contains(then, |expr| matches!(binary(expr), Some((BinOp::Div | BinOp::Mod, _, by)) if by == divisor))
}

fn branch(cond: &Expr, then: &[Node], otherwise: &[Node], found: &mut Vec<&'static str>) {
    let loads = |expr: &Expr| matches!(expr, Expr::Load { .. });
    let both = |left: &Expr, right: &Expr| is_comparison(left) && is_comparison(right) && contains(then, loads);
    match binary(cond) {
        Some((BinOp::Or, left, right)) => note(both(left, right), "pitfall: || around loads", found),
        Some((BinOp::And, left, right)) => note(both(left, right), "pitfall: && around loads", found),
        Some((BinOp::BitAnd, left, right)) => note(both(left, right), "pitfall: & around loads", found),
        Some((BinOp::BitOr, left, right)) => note(both(left, right), "pitfall: | around loads", found),
        Some((BinOp::Lt | BinOp::Le, tested, Expr::BufLen { buffer: measured })) => {
            let other = |expr: &Expr| match expr {
                Expr::Load { buffer, index } => {
                    let same_base = base(tested).zip(base(index)).is_some_and(|(a, b)| a.0 == b.0 && a.1 != b.1);
                    buffer == measured && same_base
                }
                _ => false,
            };
            note(contains(then, other), "pitfall: another sum than the one tested", found);
        }
        _ => {}
    }
    if let Expr::UnOp { operand, .. } = cond {
        let joined = matches!(binary(operand), Some((BinOp::And | BinOp::Or, ..)));
        note(joined && contains(then, loads), "pitfall: !(..) around loads", found);
    }
    let sides = [(then, otherwise), (otherwise, then)];
    for (leaves, assigns) in sides {
        let assigns = matches!(assigns, [Node::Assign { .. }]);
        note(assigns && leaves.last() == Some(&Node::Return), "pitfall: one path returns, one assigns", found);
        note(assigns && leaves.last() == Some(&Node::Break), "pitfall: one path breaks, one assigns", found);
    }
    if let ([.., Node::Assign { .. }], Some(last)) = (then, otherwise.last()) {
        note(then.last() == Some(last), "pitfall: the same on both paths", found);
    }
    note(bounds_shift(cond, then), "pitfall: shift in a branch", found);
    let alike = |expr: &Expr| matches!(binary(expr), Some((BinOp::Div | BinOp::Mod, left, right)) if left == right);
    note(contains(then, alike), "pitfall: x / x in a branch", found);
}

fn expression(expr: &Expr, found: &mut Vec<&'static str>) {
    match expr {
        Expr::Select { cond, true_val, false_val } => {
            if let Some((_, left, right)) = binary(cond).filter(|_| is_comparison(cond)) {
                let exchanged = (left, right) == (&**false_val, &**true_val);
                let straight = (left, right) == (&**true_val, &**false_val);
                note(straight, "pitfall: select(x < y, x, y)", found);
                note(exchanged, "pitfall: select(x < y, y, x)", found);
            }
            for value in [true_val, false_val] {
                if let Expr::Select { cond: inner, .. } = &**value {
                    let same = inner == cond;
                    note(same, "pitfall: select in select, same condition", found);
                    note(!same, "pitfall: select in select, other condition", found);
                }
            }
            let zero = matches!(binary(cond), Some((BinOp::Eq, x, Expr::LitU32(0))) if *x == **false_val);
            note(zero && is_literal(true_val), "pitfall: select(x == 0, 1, x)", found);
        }
        Expr::Pack { lanes, .. } => {
            let source = |component: &Expr| match component {
                Expr::Extract { value, lane } => Some((value.name().cloned()?, *lane)),
                _ => None,
            };
            let sources: Vec<_> = lanes.iter().map_while(source).collect();
            if sources.len() == lanes.len() && sources.iter().all(|(name, _)| *name == sources[0].0) {
                let in_order = sources.iter().enumerate().all(|(at, (_, component))| at as u32 == *component);
                note(
                    true,
                    if in_order { "pitfall: components in order" } else { "pitfall: components out of order" },
                    found,
                );
            }
        }
        Expr::BinOp { op, left, right } => match (*op, binary(left), &**right) {
            (outer @ (BinOp::Add | BinOp::Sub), Some((inner @ (BinOp::Add | BinOp::Sub), _, constant)), right) => {
                let literals = is_literal(constant) && is_literal(right);
                let subtracts = outer == BinOp::Sub || inner == BinOp::Sub;
                note(literals && subtracts, "pitfall: difference with two constants", found);
            }
            (BinOp::Div | BinOp::Mod, _, right) if **left == *right => note(true, "pitfall: x / x", found),
            (BinOp::Mul, _, Expr::LitU32(u32::MAX)) => note(true, "pitfall: product with 2^32 - 1", found),
            _ => {}
        },
        _ => {}
    }
}
