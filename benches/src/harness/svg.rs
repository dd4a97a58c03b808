//! Horizontal bar charts as SVG text.
//!
//! The text is written by hand: rectangles, lines and labels are all that a bar chart needs, and a plotting crate would bring
//! fonts and backends that no report uses. Colours are mid-tones on a transparent background, readable on light and dark pages.

use std::fmt::Write as _;

/// Bar with its label and the text at its end.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bar {
    pub(super) label: String,
    /// Must be positive and finite.
    pub(super) value: f64,
    pub(super) text: String,
}

/// Bars on one axis. The value 1 is the peer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Panel {
    pub(super) title: String,
    pub(super) axis: String,
    pub(super) lower_is_better: bool,
    pub(super) bars: Vec<Bar>,
}

const WIDTH_PX: f64 = 820.0;
const MARGIN_PX: f64 = 12.0;
const TITLE_PX: f64 = 30.0;
const ROW_PX: f64 = 19.0;
const BAR_PX: f64 = 13.0;
const AXIS_PX: f64 = 46.0;
const PANEL_GAP_PX: f64 = 14.0;
/// Width of a character of the labels, on average.
const CHARACTER_PX: f64 = 6.4;
/// Room for the text at the end of the longest bar.
const VALUE_PX: f64 = 58.0;
const MAX_LABEL_CHARACTERS: usize = 56;

const TEXT: &str = "#737b85";
const GRID: &str = "#8b949e";
const BETTER: &str = "#3b8ea5";
const WORSE: &str = "#d08c45";

/// Largest ratio of two values of a panel with a linear axis.
const MAX_LINEAR_RATIO: f64 = 12.0;

/// Mapping from values to the part of the width, from 0 to 1.
enum Scale {
    /// From 0 to `end`.
    Linear { end: f64, step: f64 },
    /// From `start` to `end`, powers of ten and their multiples by 2 and 5.
    Logarithmic { start: f64, end: f64 },
}

impl Scale {
    fn of(panel: &Panel) -> Scale {
        let values = || panel.bars.iter().map(|bar| bar.value).chain([1.0]);
        let (min, max) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
        if max / min <= MAX_LINEAR_RATIO {
            let step =
                [0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0].into_iter().find(|step| max / step <= 7.0).unwrap_or(20.0);
            return Scale::Linear { end: (max / step).ceil() * step, step };
        }
        let steps = || (-6..9).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)));
        let start = steps().filter(|&step| step <= min).fold(1e-6, f64::max);
        let end = steps().filter(|&step| step >= max).fold(1e9, f64::min);
        Scale::Logarithmic { start, end }
    }

    fn part(&self, value: f64) -> f64 {
        match *self {
            Scale::Linear { end, .. } => value / end,
            Scale::Logarithmic { start, end } => (value / start).ln() / (end / start).ln(),
        }
    }

    /// Beginning of bars: 0, or the peer on a logarithmic axis.
    fn origin(&self) -> f64 {
        match self {
            Scale::Linear { .. } => 0.0,
            Scale::Logarithmic { .. } => 1.0,
        }
    }

    fn ticks(&self) -> Vec<f64> {
        match *self {
            Scale::Linear { end, step } => {
                (0..).map(|tick| f64::from(tick) * step).take_while(|&tick| tick < end * 1.001).collect()
            }
            Scale::Logarithmic { start, end } => {
                let digits: &[f64] = if end / start > 2e3 { &[1.0] } else { &[1.0, 2.0, 5.0] };
                let all = (-6..9).flat_map(|power| digits.iter().map(move |digit| digit * 10_f64.powi(power)));
                all.filter(|&tick| tick >= start * 0.999 && tick <= end * 1.001).collect()
            }
        }
    }
}

/// Draws panels below each other.
pub(super) fn draw(panels: &[Panel]) -> String {
    let longest = panels.iter().flat_map(|panel| &panel.bars).map(|bar| shortened(&bar.label).chars().count()).max();
    let left = MARGIN_PX + longest.unwrap_or(0) as f64 * CHARACTER_PX + 8.0;
    let mut body = String::new();
    let mut top = MARGIN_PX;
    for panel in panels {
        top = draw_panel(&mut body, panel, left, top) + PANEL_GAP_PX;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH_PX}\" height=\"{top:.0}\" viewBox=\"0 0 {WIDTH_PX} {top:.0}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"{TEXT}\">\n{body}</svg>\n"
    )
}

/// Draws a panel from `top` on and returns its bottom.
fn draw_panel(out: &mut String, panel: &Panel, left: f64, top: f64) -> f64 {
    let scale = Scale::of(panel);
    let width = WIDTH_PX - left - VALUE_PX - MARGIN_PX;
    let x_of = |value: f64| left + scale.part(value) * width;
    let first = top + TITLE_PX;
    let bottom = first + panel.bars.len() as f64 * ROW_PX;
    let _ = writeln!(
        out,
        "<text x=\"{MARGIN_PX}\" y=\"{:.1}\" font-size=\"14\" font-weight=\"600\">{}</text>",
        top + 15.0,
        escaped(&panel.title)
    );
    for tick in scale.ticks() {
        let x = x_of(tick);
        let _ = writeln!(
            out,
            "<line x1=\"{x:.1}\" y1=\"{:.1}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\" stroke=\"{GRID}\" stroke-opacity=\"0.3\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"11\" text-anchor=\"middle\">{}</text>",
            first - 4.0,
            bottom + 14.0,
            tick_text(tick)
        );
    }
    for (position, bar) in panel.bars.iter().enumerate() {
        draw_bar(out, panel, bar, [x_of(scale.origin()), x_of(bar.value)], left, first + position as f64 * ROW_PX);
    }
    let (peer, better) = (x_of(1.0), if panel.lower_is_better { "lower" } else { "higher" });
    let _ = writeln!(
        out,
        "<line x1=\"{peer:.1}\" y1=\"{:.1}\" x2=\"{peer:.1}\" y2=\"{bottom:.1}\" stroke=\"{TEXT}\" stroke-width=\"1.5\" \
         stroke-dasharray=\"4 3\"/>",
        first - 4.0
    );
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"11\" text-anchor=\"end\">{} (dashed: equal to the peer; {better} is better)</text>",
        WIDTH_PX - MARGIN_PX,
        bottom + 32.0,
        escaped(&panel.axis)
    );
    bottom + AXIS_PX
}

fn draw_bar(out: &mut String, panel: &Panel, bar: &Bar, [from, to]: [f64; 2], left: f64, top: f64) {
    let is_better = if panel.lower_is_better { bar.value <= 1.0 } else { bar.value >= 1.0 };
    let colour = if is_better { BETTER } else { WORSE };
    let baseline = top + BAR_PX - 2.0;
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{baseline:.1}\" text-anchor=\"end\">{}</text>\
         <rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{BAR_PX}\" rx=\"1.5\" fill=\"{colour}\"/>\
         <text x=\"{:.1}\" y=\"{baseline:.1}\" font-size=\"11\">{}</text>",
        left - 8.0,
        escaped(&shortened(&bar.label)),
        from.min(to),
        (to - from).abs().max(1.0),
        from.max(to) + 5.0,
        escaped(&bar.text)
    );
}

fn tick_text(tick: f64) -> String {
    let text = format!("{tick:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn shortened(label: &str) -> String {
    match label.char_indices().nth(MAX_LABEL_CHARACTERS) {
        Some((end, _)) => format!("{}\u{2026}", &label[..end]),
        None => label.to_owned(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(values: &[f64]) -> Panel {
        let bars = values.iter().map(|&value| Bar { label: format!("a<{value}"), value, text: format!("{value:.2}") });
        Panel { title: "T".to_owned(), axis: "ratio".to_owned(), lower_is_better: true, bars: bars.collect() }
    }

    #[test]
    fn close_values_have_a_linear_axis_from_zero() {
        let scale = Scale::of(&panel(&[0.9, 1.3]));
        assert!(matches!(scale, Scale::Linear { .. }));
        assert_eq!((scale.part(0.0), scale.origin()), (0.0, 0.0));
        assert!(scale.part(1.3) <= 1.0 && scale.ticks().contains(&1.0));
    }

    #[test]
    fn distant_values_have_a_logarithmic_axis_around_the_peer() {
        let scale = Scale::of(&panel(&[0.07, 143.5]));
        assert_eq!(scale.origin(), 1.0);
        assert!(scale.part(0.07) >= 0.0 && scale.part(143.5) <= 1.0);
        assert!(scale.ticks().contains(&1.0));
    }

    #[test]
    fn text_is_escaped_and_every_element_is_closed() {
        let svg = draw(&[panel(&[0.5, 2.0]), panel(&[1.0])]);
        assert!(svg.contains("a&lt;0.5") && !svg.contains("a<"));
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    }
}
