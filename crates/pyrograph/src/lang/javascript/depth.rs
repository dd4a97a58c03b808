//! Estimate of the nesting of a file before it is parsed.
//!
//! The parser recurses, and a stack overflow cannot be caught. A scan of the bytes finds an upper bound of the nesting:
//! open brackets, and tokens that can nest without brackets (prefix operators, conditional operators, arrows,
//! assignments, chains of members and calls, `else`, heads of loops, JSX tags) since the last token that ends them.

/// Upper bound of the nesting of a text.
pub(super) fn nesting(text: &str) -> u32 {
    let mut scan = Scan::new(text.as_bytes(), true);
    scan.run();
    let mut most = scan.most;
    if scan.is_ambiguous {
        // The text may hide code in what looks like a string. Then quotes count for nothing.
        let mut plain = Scan::new(text.as_bytes(), false);
        plain.run();
        most = most.max(plain.most);
    }
    most
}

/// Kind of the token before the next one.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    /// Operator, opening bracket, keyword: an expression or statement starts.
    Operator,
    /// End of an expression.
    Value,
    /// Closing brace: of a block or an object.
    Brace,
}

/// Counters of the tokens inside one bracket.
#[derive(Clone, Copy, Default)]
struct Level {
    open: u8,
    /// The parenthesis is the head of `if`, `while`, `for` or `with`.
    is_head: bool,
    expression: u32,
    chain: u32,
    statement: u32,
    ended_statement: u32,
    tags: u32,
}

struct Scan<'t> {
    text: &'t [u8],
    at: usize,
    with_quotes: bool,
    levels: Vec<Level>,
    level: Level,
    /// Sum of the counters of the levels around this one.
    outer: u32,
    before: Before,
    /// The last word heads a parenthesis.
    head_word: bool,
    most: u32,
    is_ambiguous: bool,
}

impl<'t> Scan<'t> {
    fn new(text: &'t [u8], with_quotes: bool) -> Scan<'t> {
        Scan {
            text,
            at: 0,
            with_quotes,
            levels: Vec::new(),
            level: Level::default(),
            outer: 0,
            before: Before::Operator,
            head_word: false,
            most: 0,
            is_ambiguous: false,
        }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn sum(level: &Level) -> u32 {
        level.expression + level.chain + level.statement + level.tags
    }

    fn note(&mut self) {
        let total = self.outer + Scan::sum(&self.level);
        self.most = self.most.max(total);
    }

    fn push(&mut self, open: u8) {
        let is_head = open == b'(' && self.head_word;
        self.outer += Scan::sum(&self.level) + 1;
        self.levels.push(self.level);
        self.level = Level { open, is_head, ..Level::default() };
        self.before = Before::Operator;
        self.note();
    }

    fn pop(&mut self) -> Level {
        let closed = self.level;
        if let Some(level) = self.levels.pop() {
            self.outer = self.outer.saturating_sub(Scan::sum(&level) + 1);
            self.level = level;
        }
        closed
    }

    fn run(&mut self) {
        while self.at < self.text.len() {
            let byte = self.text[self.at];
            let head_word = self.head_word;
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => {
                    self.at += 1;
                    continue;
                }
                b'"' | b'\'' if self.with_quotes => self.string(byte),
                b'`' if self.with_quotes => {
                    if self.before == Before::Value {
                        self.level.chain += 1;
                    }
                    self.at += 1;
                    self.template();
                }
                b'/' if self.with_quotes && matches!(self.peek(1), b'/' | b'*') => {
                    self.comment();
                    continue;
                }
                b'/' => self.slash(),
                b'(' | b'[' | b'{' => {
                    if byte != b'{' && self.before == Before::Value && !head_word {
                        self.level.chain += 1;
                    }
                    self.push(byte);
                    self.at += 1;
                }
                b')' | b']' => {
                    let closed = self.pop();
                    self.before = if closed.is_head { Before::Operator } else { Before::Value };
                    self.at += 1;
                }
                b'}' => {
                    let closed = self.pop();
                    self.at += 1;
                    if closed.open == b'`' {
                        self.template();
                    } else {
                        self.before = Before::Brace;
                    }
                }
                b'0'..=b'9' => self.number(),
                _ if is_word(byte) => self.word(),
                _ => self.operator(byte),
            }
            if !is_word(byte) {
                self.head_word = false;
            }
            self.note();
        }
    }

    fn string(&mut self, quote: u8) {
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
        self.is_ambiguous = true;
    }

    /// Skips the text of a template up to its end or to `${`.
    fn template(&mut self) {
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
        self.is_ambiguous = true;
    }

    fn comment(&mut self) {
        let rest = &self.text[self.at..];
        let length = if rest[1] == b'/' {
            memchr::memchr(b'\n', rest)
        } else {
            memchr::memmem::find(&rest[2..], b"*/").map(|end| end + 4)
        };
        self.at += length.unwrap_or(rest.len()).max(2);
    }

    fn slash(&mut self) {
        if self.peek(1) == b'>' {
            self.close_tag();
            self.before = Before::Value;
        }
        if !self.with_quotes || self.before == Before::Value {
            self.before = Before::Operator;
            self.level.chain = 0;
            self.at += 1;
            return;
        }
        if self.before == Before::Brace {
            self.is_ambiguous = true;
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
        self.is_ambiguous = true;
    }

    fn close_tag(&mut self) {
        self.level.tags = self.level.tags.saturating_sub(1);
        self.level.expression = self.level.expression.saturating_sub(1);
        self.is_ambiguous = true;
    }

    fn number(&mut self) {
        while is_word(self.peek(0)) || self.peek(0) == b'.' && self.peek(1) != b'.' {
            self.at += 1;
        }
        self.before = Before::Value;
    }

    fn word(&mut self) {
        let start = self.at;
        while is_word(self.peek(0)) {
            self.at += 1;
        }
        let word = &self.text[start..self.at];
        let follows_value = self.before != Before::Operator;
        let is_member = start > 0 && self.text[start - 1] == b'.';
        self.head_word = false;
        if is_member {
            self.before = Before::Value;
            return;
        }
        match word {
            b"else" => {
                self.level.statement = self.level.statement.max(self.level.ended_statement) + 1;
                self.level.expression = 0;
                self.level.chain = 0;
                self.before = Before::Operator;
            }
            b"in" | b"instanceof" | b"of" | b"as" | b"satisfies" | b"extends" | b"is" => {
                self.level.chain = 0;
                self.level.expression += u32::from(word == b"extends");
                self.before = Before::Operator;
            }
            b"if" | b"for" | b"while" | b"with" | b"do" | b"switch" | b"try" | b"catch" | b"finally" => {
                if follows_value && !matches!(word, b"while" | b"catch" | b"finally") {
                    self.end_statement();
                }
                self.level.statement += 1;
                self.head_word = matches!(word, b"if" | b"for" | b"while" | b"with");
                self.before = Before::Operator;
            }
            b"typeof" | b"void" | b"delete" | b"await" | b"yield" | b"new" | b"async" | b"throw" | b"return"
            | b"case" | b"keyof" | b"unique" | b"readonly" | b"infer" | b"asserts" | b"abstract" | b"function"
            | b"class" | b"import" | b"default" | b"export" => {
                if follows_value {
                    self.end_statement();
                }
                self.level.expression += 1;
                self.before = Before::Operator;
            }
            _ => {
                if follows_value {
                    self.end_statement();
                }
                self.before = Before::Value;
            }
        }
    }

    fn end_statement(&mut self) {
        self.level.ended_statement = self.level.statement;
        self.level.statement = 0;
        self.level.expression = 0;
        self.level.chain = 0;
        if self.with_quotes {
            self.level.tags = 0;
        }
    }

    fn operator(&mut self, byte: u8) {
        let next = self.peek(1);
        self.at += 1;
        match byte {
            b';' => self.end_statement(),
            b',' => {
                self.level.expression = 0;
                self.level.chain = 0;
            }
            b'.' => {
                self.level.chain += 1;
                if next == b'.' {
                    self.level.expression += 1;
                    self.at += 1;
                }
            }
            b'?' if next == b'.' => {
                self.level.chain += 1;
                self.at += 1;
            }
            b'?' if next == b'?' => {
                self.level.chain = 0;
                self.at += 1;
            }
            b'=' if next == b'=' => {
                self.level.chain = 0;
                self.at += 1;
            }
            b'?' | b':' | b'=' | b'@' => {
                self.level.expression += 1;
                self.level.chain = 0;
            }
            b'*' if next == b'*' => {
                self.level.expression += 1;
                self.level.chain = 0;
                self.at += 1;
            }
            b'!' if next == b'=' => {
                self.level.chain = 0;
                self.at += 1;
            }
            b'!' | b'~' => {
                self.level.expression += 1;
                if self.before == Before::Value {
                    return;
                }
            }
            b'+' | b'-' => {
                if next == byte {
                    self.at += 1;
                    self.level.expression += 1;
                    if self.before == Before::Value {
                        return;
                    }
                } else if self.before == Before::Operator {
                    self.level.expression += 1;
                } else {
                    self.level.chain = 0;
                }
            }
            b'<' => {
                if next == b'/' {
                    self.close_tag();
                    self.at += 1;
                } else if is_word(next) || next == b'>' {
                    self.level.tags += 1;
                    // A tag, or an assertion of a type.
                    self.level.expression += u32::from(self.before == Before::Operator);
                }
                self.level.chain = 0;
            }
            b'>' => {
                // Without JSX, `<` opens type arguments, and `>` ends them.
                if self.with_quotes {
                    self.level.tags = self.level.tags.saturating_sub(1);
                }
                self.level.chain = 0;
            }
            _ => self.level.chain = 0,
        }
        self.before = Before::Operator;
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#') || byte >= 0x80
}
