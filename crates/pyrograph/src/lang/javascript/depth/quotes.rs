//! Tokens that hide text: strings, templates, comments, regular expressions, tags.

use super::{Before, Scan, is_word};

impl Scan<'_> {
    pub(super) fn string(&mut self, quote: u8) {
        self.at += 1;
        self.before = Before::Value;
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'\\' => self.at += 1,
                b'\n' => break,
                _ if byte == quote => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Skips the text of a template up to its end or to `${`.
    pub(super) fn template(&mut self) {
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'\\' => self.at += 1,
                b'`' => {
                    self.at += 1;
                    self.before = Before::Value;
                    return;
                }
                b'$' if self.peek(1) == b'{' => {
                    self.at += 2;
                    self.push(b'`');
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    pub(super) fn comment(&mut self) {
        let rest = &self.text[self.at..];
        self.has_newline = true;
        let length = if rest[1] == b'/' {
            memchr::memchr(b'\n', rest)
        } else {
            memchr::memmem::find(&rest[2..], b"*/").map(|end| end + 4)
        };
        self.at += length.unwrap_or(rest.len()).max(2);
    }

    pub(super) fn slash(&mut self) {
        if self.peek(1) == b'>' {
            self.close_tag();
            self.before = Before::Value;
        }
        if self.before == Before::Value {
            self.before = Before::Operator;
            self.end_chain();
            self.at += 1;
            return;
        }
        self.at += 1;
        self.before = Before::Value;
        let mut in_class = false;
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'\\' => self.at += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'\n' => break,
                b'/' if !in_class => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    pub(super) fn close_tag(&mut self) {
        self.level.tags = self.level.tags.saturating_sub(1);
        self.level.expression = self.level.expression.saturating_sub(1);
    }

    pub(super) fn number(&mut self) {
        while is_word(self.peek(0)) || self.peek(0) == b'.' && self.peek(1) != b'.' {
            self.at += 1;
        }
        self.before = Before::Value;
    }
}
