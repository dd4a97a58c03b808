//! Bound of the nesting of a file, from its characters.

/// Bound of the depth of the syntax tree.
///
/// Every bracket, operator, word and call of an expression may be a level. A comma and the end of a statement end the levels
/// before them.
pub(super) fn nesting(text: &str) -> u32 {
    let mut scan = Scan { bytes: text.as_bytes(), at: 0, open: Vec::new(), here: 0, outside: 0, most: 0 };
    scan.code(None);
    // Statements nest by indentation: each level has at least one character on each of its lines.
    scan.most.saturating_add(indentation(text))
}

/// Largest number of characters before a statement.
fn indentation(text: &str) -> u32 {
    let widths = text.lines().map(|line| line.len() - line.trim_start_matches([' ', '\t', '\x0c']).len());
    u32::try_from(widths.max().unwrap_or(0)).unwrap_or(u32::MAX)
}

struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
    /// Levels around each open bracket.
    open: Vec<u32>,
    /// Levels since the last comma inside of the innermost bracket.
    here: u32,
    /// Sum of `open`.
    outside: u32,
    most: u32,
}

impl Scan<'_> {
    fn note(&mut self) {
        self.here = self.here.saturating_add(1);
        self.most = self.most.max(self.outside.saturating_add(self.here));
    }

    /// Reads code up to its end, or up to the bracket that ends a field of a formatted text.
    fn code(&mut self, end: Option<usize>) {
        let length = end.unwrap_or(self.bytes.len());
        let mut is_word = false;
        let mut word = 0;
        while self.at < length {
            let byte = self.bytes[self.at];
            let was_word =
                std::mem::replace(&mut is_word, byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80);
            match byte {
                _ if is_word => {
                    if !was_word {
                        word = self.at;
                        self.note();
                    }
                    self.at += 1;
                }
                b'#' => {
                    let rest = &self.bytes[self.at..length];
                    self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                b'"' | b'\'' => {
                    let prefix = if was_word { &self.bytes[word..self.at] } else { &[] };
                    let has = |letters: &[u8]| prefix.iter().any(|byte| letters.contains(byte));
                    let (is_formatted, is_raw) = (prefix.len() <= 3 && has(b"fFtT"), has(b"rR"));
                    // Neighbouring texts are one literal.
                    self.text(byte, is_formatted, is_raw, length);
                }
                b'(' | b'[' | b'{' => {
                    self.note();
                    self.open.push(self.here);
                    self.outside = self.outside.saturating_add(self.here);
                    self.here = 0;
                    self.at += 1;
                }
                b')' | b']' | b'}' => {
                    if let Some(here) = self.open.pop() {
                        self.outside = self.outside.saturating_sub(here);
                        self.here = here;
                    }
                    self.at += 1;
                }
                b',' => {
                    self.here = 0;
                    self.at += 1;
                }
                b'\n' | b';' => {
                    if self.open.is_empty() {
                        self.here = 0;
                    }
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' => self.at += 2,
                _ => {
                    self.note();
                    self.at += 1;
                }
            }
        }
        self.at = self.at.min(length);
    }

    /// Reads a text literal. The code inside of a formatted one counts.
    fn text(&mut self, quote: u8, is_formatted: bool, is_raw: bool, length: usize) {
        let start = self.at;
        let is_triple = self.bytes[self.at..length].starts_with(&[quote; 3]);
        let width = if is_triple { 3 } else { 1 };
        self.at += width;
        let mut braces = 0_u32;
        while self.at < length {
            let byte = self.bytes[self.at];
            if byte == b'\\' && !(is_raw && is_formatted) {
                self.at += 2;
                continue;
            }
            if is_formatted && byte == b'{' {
                braces += 1;
            } else if is_formatted && byte == b'}' {
                braces = braces.saturating_sub(1);
            } else if byte == quote && (!is_triple || self.bytes[self.at..length].starts_with(&[quote; 3])) {
                // Newer versions allow the same quotes inside of fields.
                if braces == 0 || !is_formatted {
                    self.at += width;
                    break;
                }
            } else if byte == b'\n' && !is_triple && braces == 0 {
                break;
            }
            self.at += 1;
        }
        self.at = self.at.min(length);
        if is_formatted {
            // Everything inside counts as code.
            let brackets = self.bytes[start..self.at].iter().filter(|byte| !byte.is_ascii_alphanumeric()).count();
            let levels = u32::try_from(brackets).unwrap_or(u32::MAX);
            self.most = self.most.max(self.outside.saturating_add(self.here).saturating_add(levels));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::nesting;

    #[test]
    fn brackets_operators_and_calls_nest() {
        let deep = |text: String| assert!(nesting(&text) >= 1000, "{}", &text[..40]);
        deep(format!("x = {}1{}", "(".repeat(1000), ")".repeat(1000)));
        deep(format!("x = a{}", "()".repeat(1000)));
        deep(format!("x = a{}", ".b".repeat(1000)));
        deep(format!("x = 1{}", " + 1".repeat(1000)));
        deep(format!("x = {}1", "-".repeat(1000)));
        deep(format!("x = {}1", "not ".repeat(1000)));
        deep(format!("x = {}1", "lambda: ".repeat(1000)));
        deep(format!("x = f'{{{}1{}}}'", "(".repeat(1000), ")".repeat(1000)));
        deep((0..1000).map(|level| format!("{}if x:\n", " ".repeat(level))).collect());
    }

    #[test]
    fn lists_and_statements_do_not_nest() {
        let flat = |text: String| assert!(nesting(&text) < 50, "{}", &text[..40]);
        flat(format!("x = [{}]", "1, ".repeat(10_000)));
        flat("x = f(1)\n".repeat(10_000));
        flat(format!("x = '{}'", "(".repeat(10_000)));
        flat(format!("# {}\n", "(".repeat(10_000)));
        flat(format!("x = {{{}}}", "'a': [1], ".repeat(10_000)));
    }
}
