//! Bound of the stack that the parser needs for a file, and an estimate of the nesting of the file.
//!
//! The parser recurses, and a stack overflow cannot be caught. So the parser gets a stack of the size that [`stack_bound`] computes,
//! which no text can mislead, and the binder counts the nesting exactly. The estimate spares time and memory where the bound is large:
//! it refuses files that are plainly too deep before they are parsed. It counts open brackets, and tokens that can nest without brackets (prefix operators,
//! conditional operators, arrows, assignments, chains of members and calls, `else`, heads of loops, JSX tags) since the last token that
//! ends them. It reads a text in the likely way, and may be wrong about crafted ones.

mod bound;
mod quotes;

pub(super) use bound::stack_bound;

/// Estimate of the nesting of a text.
pub(super) fn nesting(text: &str) -> u32 {
    let mut scan = Scan::new(text.as_bytes());
    scan.run();
    scan.most
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
    /// The parenthesis is the end of `do`.
    is_do_end: bool,
    expression: u32,
    chain: u32,
    statement: u32,
    /// Nesting of the statement that ended just before, which `else` continues.
    ended_statement: u32,
    /// The token before ended a statement.
    just_ended: bool,
    /// Number of `do` whose `while` is still to come.
    open_do: u32,
    tags: u32,
}

struct Scan<'t> {
    text: &'t [u8],
    at: usize,
    levels: Vec<Level>,
    level: Level,
    /// Sum of the counters of the levels around this one.
    outer: u32,
    before: Before,
    /// The last word heads a parenthesis.
    head_word: bool,
    /// The last word is the `while` of a `do`.
    do_end_word: bool,
    /// The last word is `return`, whose value is on the same line.
    return_word: bool,
    /// The last word may be part of a declaration that goes on with another word.
    prefix_word: bool,
    /// A line ended since the last token.
    has_newline: bool,
    most: u32,
}

impl<'t> Scan<'t> {
    fn new(text: &'t [u8]) -> Scan<'t> {
        Scan {
            text,
            at: 0,
            levels: Vec::new(),
            level: Level::default(),
            outer: 0,
            before: Before::Operator,
            head_word: false,
            do_end_word: false,
            return_word: false,
            prefix_word: false,
            has_newline: false,
            most: 0,
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
        let is_do_end = open == b'(' && self.do_end_word;
        self.level = Level { open, is_head, is_do_end, ..Level::default() };
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
                    self.has_newline |= matches!(byte, b'\n' | b'\r');
                    self.at += 1;
                    continue;
                }
                b'/' if matches!(self.peek(1), b'/' | b'*') => {
                    self.comment();
                    continue;
                }
                _ => self.begin_token(),
            }
            match byte {
                b'"' | b'\'' => self.string(byte),
                b'`' => {
                    if self.before == Before::Value {
                        self.level.chain += 1;
                    }
                    self.at += 1;
                    self.template();
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
                    self.before = match closed {
                        Level { is_head: true, .. } => Before::Operator,
                        // The next token begins a statement, as after a block.
                        Level { is_do_end: true, .. } => Before::Brace,
                        _ => Before::Value,
                    };
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
                self.do_end_word = false;
                self.return_word = false;
                self.prefix_word = false;
            }
            self.has_newline = false;
            self.note();
        }
    }

    /// Forgets the statement that has just ended, unless the next token continues it.
    fn begin_token(&mut self) {
        if self.return_word && self.has_newline {
            self.before = Before::Brace;
        }
        if !self.level.just_ended {
            return;
        }
        let rest = &self.text[self.at..];
        let is_next = |word: &[u8]| rest.starts_with(word) && !rest.get(word.len()).is_some_and(|&byte| is_word(byte));
        if is_next(b"else") || is_next(b"while") && self.level.open_do > 0 || rest.starts_with(b";") {
            return;
        }
        self.level.just_ended = false;
        self.level.ended_statement = 0;
    }

    fn word(&mut self) {
        let start = self.at;
        while is_word(self.peek(0)) {
            self.at += 1;
        }
        let word = &self.text[start..self.at];
        let follows_value = self.before != Before::Operator;
        let is_member = start > 0 && self.text[start - 1] == b'.';
        let heads = std::mem::take(&mut self.head_word);
        self.do_end_word = false;
        self.return_word = word == b"return" && !is_member;
        // A word after a value begins a statement, if a line or block ended, and no declaration goes on.
        let begins = follows_value && !self.prefix_word && (self.has_newline || self.before == Before::Brace);
        self.prefix_word = false;
        if is_member {
            self.before = Before::Value;
            return;
        }
        match word {
            b"else" => {
                self.level.statement = self.level.statement.max(self.level.ended_statement) + 1;
                self.level.just_ended = false;
                self.end_expression();
                self.before = Before::Operator;
            }
            b"in" | b"instanceof" | b"of" | b"as" | b"satisfies" | b"extends" | b"is" | b"implements" | b"from" => {
                self.end_chain();
                self.level.expression += u32::from(word == b"extends");
                self.before = Before::Operator;
            }
            b"await" if heads => self.head_word = true,
            b"while" if self.level.open_do > 0 && (follows_value || self.level.just_ended) => {
                // The end of `do`, whose statement goes on.
                self.level.open_do -= 1;
                self.level.statement = self.level.statement.max(self.level.ended_statement);
                self.level.just_ended = false;
                self.do_end_word = true;
                self.before = Before::Operator;
            }
            b"if" | b"for" | b"while" | b"with" | b"do" | b"switch" | b"try" | b"catch" | b"finally" => {
                if follows_value && !matches!(word, b"catch" | b"finally") {
                    self.begin_statement();
                }
                self.level.statement += 1;
                self.level.open_do += u32::from(word == b"do");
                self.head_word = matches!(word, b"if" | b"for" | b"while" | b"with");
                self.before = Before::Operator;
            }
            b"typeof" | b"void" | b"delete" | b"await" | b"yield" | b"new" | b"async" | b"throw" | b"return"
            | b"case" | b"keyof" | b"unique" | b"readonly" | b"infer" | b"asserts" | b"abstract" | b"function"
            | b"class" | b"import" | b"default" | b"export" => {
                if begins {
                    self.begin_statement();
                }
                self.level.expression += 1;
                self.before = Before::Operator;
            }
            _ => {
                if begins {
                    self.begin_statement();
                }
                self.prefix_word = is_prefix(word);
                self.before = Before::Value;
            }
        }
    }

    /// Ends a statement. An `else` may continue it.
    fn end_statement(&mut self) {
        self.level.ended_statement = self.level.ended_statement.max(self.level.statement);
        self.level.just_ended = true;
        self.level.statement = 0;
        self.end_expression();
        self.level.tags = 0;
    }

    /// Ends a statement without a semicolon, because the next one has begun.
    fn begin_statement(&mut self) {
        self.end_statement();
        self.level.just_ended = false;
        self.level.ended_statement = 0;
    }

    fn end_expression(&mut self) {
        self.level.expression = 0;
        self.level.chain = 0;
    }

    fn end_chain(&mut self) {
        self.level.chain = 0;
    }

    fn operator(&mut self, byte: u8) {
        let next = self.peek(1);
        self.at += 1;
        match byte {
            b';' => self.end_statement(),
            b',' => self.end_expression(),
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
                self.end_chain();
                self.at += 1;
            }
            b'=' if next == b'=' => {
                self.end_chain();
                self.at += 1;
            }
            b'?' | b':' | b'=' | b'@' => {
                self.level.expression += 1;
                self.end_chain();
            }
            b'*' if next == b'*' => {
                self.level.expression += 1;
                self.end_chain();
                self.at += 1;
            }
            b'!' if next == b'=' => {
                self.end_chain();
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
                    self.end_chain();
                }
            }
            b'<' => {
                if next == b'/' {
                    self.close_tag();
                    self.at += 1;
                } else if is_word(next) || next == b'>' {
                    self.level.tags += 1;
                    // A tag, or an assertion of a type.
                    if self.before == Before::Operator {
                        self.level.expression += 1;
                    }
                }
                self.end_chain();
            }
            b'>' => {
                // Without JSX, `<` opens type arguments, and `>` ends them.
                self.level.tags = self.level.tags.saturating_sub(1);
                self.end_chain();
            }
            _ => self.end_chain(),
        }
        self.before = Before::Operator;
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#') || byte >= 0x80
}

/// True for words that may be followed by another word on the next line without the end of a statement.
fn is_prefix(word: &[u8]) -> bool {
    matches!(
        word,
        b"var"
            | b"let"
            | b"const"
            | b"using"
            | b"static"
            | b"get"
            | b"set"
            | b"accessor"
            | b"type"
            | b"interface"
            | b"namespace"
            | b"module"
            | b"declare"
            | b"enum"
            | b"global"
            | b"public"
            | b"private"
            | b"protected"
            | b"override"
            | b"out"
    )
}
