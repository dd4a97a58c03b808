//! SVG files of drawings. Shapes, lines and words distinguish roles; colours, which follow the scheme of the viewer, only repeat that.

use std::fmt::Write as _;

use super::label::{LINE_HEIGHT, visible};
use super::{Drawing, EdgeLine, NodeBox};
use crate::role::Role;

const STYLE: &str = "\
.paper{fill:#ffffff}\
.node rect{fill:#f6f8fa;stroke:#57606a;stroke-width:1.25}\
.node .inner{fill:none}\
.source rect{fill:#ddf4ff;stroke:#0550ae;stroke-width:2}\
.sink rect{fill:#ffebe9;stroke:#a40e26}\
.sanitizer rect{fill:#dafbe1;stroke:#116329;stroke-dasharray:5 3}\
text{font:12px ui-monospace,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;fill:#1f2328;text-anchor:middle;white-space:pre}\
.mark{font-style:italic}\
.edge{fill:none;stroke:#57606a;stroke-width:1.25}\
.head{fill:#57606a}\
@media (prefers-color-scheme:dark){\
.paper{fill:#0d1117}\
.node rect{fill:#161b22;stroke:#9198a1}\
.node .inner{fill:none}\
.source rect{fill:#0c2d6b;stroke:#79c0ff}\
.sink rect{fill:#5d0f12;stroke:#ffa198}\
.sanitizer rect{fill:#033a16;stroke:#56d364}\
text{fill:#f0f6fc}\
.edge{stroke:#9198a1}\
.head{fill:#9198a1}\
}";

/// Maximum number of names that the description lists.
const LISTED_NAMES: usize = 20;

/// The drawing as an SVG file.
pub(super) fn svg(drawing: &Drawing, title: &str) -> String {
    let (width, height) = drawing.size();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-labelledby=\"title desc\">\n\
         <title id=\"title\">{}</title>\n<desc id=\"desc\">{}</desc>\n<style>{STYLE}</style>\n\
         <defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
         markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"head\" d=\"M0 0.5L8 4L0 7.5Z\"/></marker></defs>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n",
        escaped(&visible(title)),
        escaped(&description(drawing)),
    );
    drawing.edges.iter().for_each(|edge| add_edge(&mut out, edge));
    drawing.nodes.iter().filter(|node| node.has_loop).for_each(|node| add_loop(&mut out, node));
    drawing.nodes.iter().for_each(|node| add_node(&mut out, node));
    out.push_str("</svg>\n");
    out
}

/// Description for readers who do not see the drawing.
fn description(drawing: &Drawing) -> String {
    let count = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let loops = drawing.nodes.iter().filter(|node| node.has_loop).count();
    let mut text = format!(
        "A directed graph of {} and {} in {}. Edges point down",
        count(drawing.nodes.len(), "node"),
        count(drawing.edges.len() + loops, "edge"),
        count(drawing.layers, "layer"),
    );
    match drawing.edges.iter().filter(|edge| edge.is_reversed).count() {
        0 => text.push('.'),
        1 => text.push_str(", except 1 edge that closes a cycle."),
        reversed => text.push_str(&format!(", except {reversed} edges that close cycles.")),
    }
    for noun in ["Sources", "Sinks", "Sanitizers"] {
        let has_role = |role: Role| match noun {
            "Sources" => role.is_source(),
            "Sinks" => role.is_sink(),
            _ => role == Role::Sanitizer,
        };
        let names: Vec<String> =
            drawing.nodes.iter().filter(|node| has_role(node.role)).map(|node| visible(&node.name)).collect();
        if !names.is_empty() {
            let listed = names.len().min(LISTED_NAMES);
            let more = match names.len() - listed {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            text.push_str(&format!(" {noun}: {}{more}.", names[..listed].join(", ")));
        }
    }
    text
}

/// Adds an edge: vertical lines and curves in turn.
fn add_edge(out: &mut String, edge: &EdgeLine) {
    let mut points = edge.points.clone();
    if edge.is_reversed {
        points.reverse();
    }
    let mut path = String::new();
    let mut last = (0, 0);
    for (index, &(x, y)) in points.iter().enumerate() {
        // Writing to a string does not fail.
        let _ = match index {
            0 => write!(path, "M{x} {y}"),
            // A box as high as its layer has no line of its own.
            _ if (x, y) == last => Ok(()),
            _ if x == last.0 => write!(path, "V{y}"),
            _ => {
                let middle = (y + last.1) / 2;
                write!(path, "C{} {middle} {x} {middle} {x} {y}", last.0)
            }
        };
        last = (x, y);
    }
    add_path(out, &path);
}

/// Adds an edge from a node to itself, at the right side of its box.
fn add_loop(out: &mut String, node: &NodeBox) {
    let (right, middle) = (node.left + node.width, node.top + node.height / 2);
    let (upper, lower, far) = (middle - 8, middle + 8, right + 30);
    add_path(out, &format!("M{right} {upper}C{far} {} {far} {} {right} {lower}", upper - 6, lower + 6));
}

fn add_path(out: &mut String, path: &str) {
    let _ = writeln!(out, "<path class=\"edge\" d=\"{path}\" marker-end=\"url(#head)\"/>");
}

/// Adds a box: sources have round ends, sinks two lines, sanitizers dashed lines.
fn add_node(out: &mut String, node: &NodeBox) {
    let NodeBox { left, top, width, height, role, label, .. } = node;
    let classes = match role {
        Role::Normal => "node",
        Role::Source => "node source",
        Role::Sink => "node sink",
        Role::SourceAndSink => "node source sink",
        Role::Sanitizer => "node sanitizer",
    };
    let radius = if role.is_source() { 16 } else { 3 };
    let _ = writeln!(out, "<g class=\"{classes}\"><title>{}</title>", escaped(&visible(&node.name)));
    let _ = writeln!(out, "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" rx=\"{radius}\"/>");
    if role.is_sink() {
        let _ = writeln!(
            out,
            "<rect class=\"inner\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
            left + 3,
            top + 3,
            width - 6,
            height - 6,
            (radius - 3).max(1)
        );
    }
    let (x, mut y) = (left + width / 2, top + LINE_HEIGHT + 3);
    if let Some(mark) = label.mark {
        let _ = writeln!(out, "<text class=\"mark\" x=\"{x}\" y=\"{y}\">{mark}</text>");
        y += LINE_HEIGHT;
    }
    for line in &label.lines {
        let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\">{}</text>", escaped(line));
        y += LINE_HEIGHT;
    }
    out.push_str("</g>\n");
}

/// Text of an element.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
