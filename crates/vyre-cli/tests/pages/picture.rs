//! Picture of a terminal for the README: the real output of a scan, as SVG.

use std::fmt::Write as _;
use std::process::Command;

use crate::{check_page, root};

/// Command of the picture. It runs in the root of the repository.
const COMMAND: &str = "vyre scan examples/archiver";

/// Width and height of a character cell in pixels.
const CELL: (f64, f64) = (8.4, 19.0);

/// Space around the text.
const MARGIN: f64 = 18.0;

/// Height of the title bar.
const BAR: f64 = 30.0;

/// Text with the parameters of its style, as `ESC [ 1 ; 31 m` sets them.
#[derive(Debug, Default, Clone, PartialEq)]
struct Part {
    codes: Vec<u8>,
    text: String,
}

/// Parts of a line with ANSI styles.
fn parts(line: &str, codes: &mut Vec<u8>) -> Vec<Part> {
    let mut parts = Vec::new();
    for (position, piece) in line.split("\u{1b}[").enumerate() {
        let text = match piece.split_once('m').filter(|_| position > 0) {
            Some((parameters, text)) => {
                for code in parameters.split(';').map(|code| code.parse().unwrap_or(0)) {
                    if code == 0 { codes.clear() } else { codes.push(code) }
                }
                text
            }
            None => piece,
        };
        if !text.is_empty() {
            parts.push(Part { codes: codes.clone(), text: text.to_owned() });
        }
    }
    parts
}

/// Class of a style: the last colour, and bold.
fn classes(codes: &[u8]) -> String {
    let color = codes.iter().rev().find(|code| (30..=37).contains(*code)).map(|code| format!("c{code}"));
    let bold = codes.contains(&1).then(|| "b".to_owned());
    [color, bold].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The picture of lines with ANSI styles.
fn draw(lines: &[String]) -> String {
    let columns =
        lines.iter().map(|line| parts(line, &mut Vec::new()).iter().map(|part| part.text.chars().count()).sum());
    let columns: usize = columns.max().unwrap_or(0);
    let (width, height) = (columns as f64 * CELL.0 + 2.0 * MARGIN, lines.len() as f64 * CELL.1 + BAR + 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" role=\"img\" \
         aria-label=\"Terminal with the output of {COMMAND}\">\n<style>\ntext {{ font: 14px ui-monospace, SFMono-Regular, \
         Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #d6dde6; white-space: pre }}\n.b {{ font-weight: 700 }}\n\
         .c31 {{ fill: #ff8a84 }} .c32 {{ fill: #57c76b }} .c33 {{ fill: #e8b64c }} .c34 {{ fill: #6cabff }} .c35 {{ fill: \
         #f08ae4 }} .c36 {{ fill: #5cc8d2 }}\n</style>\n<rect width=\"100%\" height=\"100%\" rx=\"9\" fill=\"#12161c\"/>\n"
    );
    for (position, color) in ["#ff5f57", "#febc2e", "#28c840"].into_iter().enumerate() {
        let x = MARGIN + 4.0 + position as f64 * 20.0;
        writeln!(svg, "<circle cx=\"{x:.0}\" cy=\"17\" r=\"6\" fill=\"{color}\"/>").expect("a string");
    }
    let mut codes = Vec::new();
    for (position, line) in lines.iter().enumerate() {
        let y = BAR + MARGIN + (position as f64 + 0.75) * CELL.1;
        let mut column = 0;
        for part in parts(line, &mut codes) {
            let length = part.text.chars().count();
            if !part.text.trim().is_empty() {
                // The length keeps columns in line, whatever the font is.
                let (x, width) = (MARGIN + column as f64 * CELL.0, length as f64 * CELL.0);
                let class = classes(&part.codes);
                let class = if class.is_empty() { class } else { format!(" class=\"{class}\"") };
                let text = escaped(&part.text);
                writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{width:.1}\" xml:space=\"preserve\"{class}>{text}</text>")
                    .expect("a string");
            }
            column += length;
        }
    }
    svg + "</svg>\n"
}

#[test]
fn the_picture_of_the_terminal_is_current() {
    let args = COMMAND.split(' ').skip(1).chain(["--color", "always"]);
    let output = Command::new(env!("CARGO_BIN_EXE_vyre")).args(args).current_dir(root()).output().expect("it runs");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("output is UTF-8");
    let prompt = format!("\u{1b}[32m$\u{1b}[0m {COMMAND}");
    let lines: Vec<String> = [prompt].into_iter().chain(text.trim_end().lines().map(str::to_owned)).collect();
    check_page("docs/pictures/scan.svg", &draw(&lines));
}

#[test]
fn styles_become_classes() {
    let mut codes = Vec::new();
    let line = parts("a\u{1b}[1m\u{1b}[31mb<\u{1b}[0mc", &mut codes);
    let texts: Vec<(String, &str)> = line.iter().map(|part| (classes(&part.codes), part.text.as_str())).collect();
    assert_eq!(texts, [(String::new(), "a"), ("c31 b".to_owned(), "b<"), (String::new(), "c")]);
}
