//! Shape of regular expressions: which texts match, as far as guards need to know.

/// Set of ASCII characters, and whether other characters belong to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CharSet {
    ascii: u128,
    others: bool,
}

impl CharSet {
    const ALL: CharSet = CharSet { ascii: u128::MAX, others: true };

    /// Set of the characters of a text.
    pub(crate) fn of(text: &str) -> CharSet {
        let mut set = CharSet::default();
        text.chars().for_each(|character| set.insert(character));
        set
    }

    fn insert(&mut self, character: char) {
        match u32::from(character) {
            code @ 0..128 => self.ascii |= 1 << code,
            _ => self.others = true,
        }
    }

    fn insert_range(&mut self, first: char, last: char) {
        let (first, last) = (u32::from(first), u32::from(last));
        (first..=last.min(127)).for_each(|code| self.ascii |= 1 << code);
        self.others |= last > 127;
    }

    fn union(&mut self, other: CharSet) {
        self.ascii |= other.ascii;
        self.others |= other.others;
    }

    /// Complement. Other characters belong to it in any case, because a set may hold only some of them.
    fn complement(self) -> CharSet {
        CharSet { ascii: !self.ascii, others: true }
    }

    /// Reports whether the sets have no common character.
    pub(crate) fn is_disjoint(self, other: CharSet) -> bool {
        self.ascii & other.ascii == 0 && !(self.others && other.others)
    }

    /// Reports whether every character of the other set belongs to this one.
    pub(crate) fn contains(self, other: CharSet) -> bool {
        other.ascii & !self.ascii == 0 && (self.others || !other.others)
    }

    /// Removes the ASCII letters.
    fn remove_letters(&mut self) {
        for letter in b'a'..=b'z' {
            self.ascii &= !((1 << letter) | (1 << letter.to_ascii_uppercase()));
        }
    }

    /// Adds the other case of every ASCII letter.
    fn fold_case(&mut self) {
        for letter in b'a'..=b'z' {
            let (lower, upper) = (1_u128 << letter, 1_u128 << letter.to_ascii_uppercase());
            if self.ascii & (lower | upper) != 0 {
                self.ascii |= lower | upper;
            }
        }
    }
}

/// What is known about a regular expression.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RegexShape {
    /// Characters that a whole match can have, if every alternative is anchored at both ends.
    pub(crate) whole: Option<CharSet>,
    /// Characters of which one is enough for a match: a text that does not match has none of them.
    pub(crate) absent: CharSet,
    /// Texts of alternatives without operators. A text that does not match contains none of them, or, if `are_whole`, equals none.
    pub(crate) texts: Vec<String>,
    /// Texts that the expression finds as whole segments of a path.
    pub(crate) segments: Vec<String>,
    /// The texts are anchored at both ends.
    pub(crate) are_whole: bool,
    /// Text with which every match begins, if the expression is anchored at the start.
    pub(crate) prefix: Option<String>,
    /// Characters that can follow that text.
    pub(crate) next: Option<CharSet>,
}

/// Maximum length of an expression in bytes; longer ones are not understood.
const MAX_BYTES: usize = 4096;

/// An element of an alternative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Atom {
    /// One character.
    Character(char),
    /// A set of characters.
    Set(CharSet),
    /// `^`.
    Start,
    /// `$`.
    End,
    /// A quantifier that allows absence of the element before it.
    Optional,
    /// A quantifier that repeats the element before it.
    Repeated,
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// `|`.
    Or,
    /// Begin of an assertion that something does not follow, behind its `(`.
    NotFollowed,
    /// Other assertions, and references.
    Other,
}

impl RegexShape {
    /// Shape of an expression.
    pub(crate) fn of(pattern: &str, flags: &str) -> RegexShape {
        let Some(atoms) = atoms(pattern).filter(|_| pattern.len() <= MAX_BYTES && !flags.contains('m')) else {
            return RegexShape::default();
        };
        let fold = flags.contains('i');
        let mut shape = RegexShape::default();
        let alternatives = alternatives(&atoms);
        if alternatives.iter().all(|atoms| is_anchored(atoms)) {
            let mut whole = CharSet::default();
            atoms.iter().for_each(|&atom| match atom {
                Atom::Character(character) => whole.insert(character),
                Atom::Set(set) => whole.union(set),
                _ => {}
            });
            if fold {
                whole.fold_case();
            }
            shape.whole = Some(whole);
        }
        for atoms in &alternatives {
            if let Some(mut set) = single(atoms) {
                if fold {
                    set.remove_letters();
                }
                shape.absent.union(set);
            }
        }
        shape.texts(&alternatives);
        if let [atoms] = alternatives.as_slice() {
            shape.prefix = prefix(atoms);
            shape.next = shape.prefix.as_ref().and_then(|prefix| next(atoms, prefix));
        }
        shape
    }

    /// Collects the texts of alternatives. An alternative `^(a|b)$` is two texts.
    fn texts(&mut self, alternatives: &[&[Atom]]) {
        let mut all = Vec::new();
        for &atoms in alternatives {
            let (inner, is_whole) = match atoms {
                [Atom::Start, inner @ .., Atom::End] => (inner, true),
                _ => (atoms, false),
            };
            let inner = match inner {
                [Atom::Open, group @ .., Atom::Close] if is_flat(group) => group,
                _ => inner,
            };
            if let Some(text) = segment(atoms) {
                self.segments.push(text);
                continue;
            }
            all.extend(self::alternatives(inner).into_iter().filter_map(literal).map(|text| (text, is_whole)));
        }
        self.are_whole = all.iter().any(|(_, is_whole)| *is_whole);
        self.texts = all.into_iter().map(|(text, _)| text).collect();
    }
}

/// Text that an alternative finds as a whole segment of a path: `(?:^|[\\/])\.\.(?:[\\/]|$)`.
fn segment(atoms: &[Atom]) -> Option<String> {
    let (before, rest) = boundary(atoms, Atom::Start)?;
    let end = rest.iter().position(|atom| !matches!(atom, Atom::Character(_))).unwrap_or(rest.len());
    let (text, after) = rest.split_at(end);
    let (behind, rest) = boundary(after, Atom::End)?;
    (rest.is_empty() && (before || behind)).then(|| literal(text)).flatten()
}

/// Takes a group of an anchor and separators of paths away: whether there is one, and what follows.
fn boundary(atoms: &[Atom], anchor: Atom) -> Option<(bool, &[Atom])> {
    let Some((Atom::Open, group)) = atoms.split_first() else { return Some((false, atoms)) };
    let end = group.iter().position(|atom| *atom == Atom::Close)?;
    let (group, rest) = (&group[..end], &group[end + 1..]);
    let is_separator = |atoms: &[Atom]| match atoms {
        [Atom::Set(set)] => set.contains(CharSet::of("/")),
        [Atom::Character(character)] => *character == '/',
        _ => false,
    };
    let (mut has_anchor, mut has_separator) = (false, false);
    for alternative in alternatives(group) {
        has_anchor |= alternative == [anchor];
        has_separator |= is_separator(alternative);
    }
    // Without one of them a segment at the start, or inside, is not found.
    (is_flat(group) && has_anchor && has_separator).then_some((true, rest))
}

/// Reports whether there are no groups.
fn is_flat(atoms: &[Atom]) -> bool {
    !atoms.iter().any(|atom| matches!(atom, Atom::Open | Atom::Close))
}

/// Reports whether an alternative is anchored at both ends.
fn is_anchored(atoms: &[Atom]) -> bool {
    atoms.first() == Some(&Atom::Start) && atoms.len() > 1 && atoms.last() == Some(&Atom::End)
}

/// Splits atoms at `|` outside groups.
fn alternatives(atoms: &[Atom]) -> Vec<&[Atom]> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, atom) in atoms.iter().enumerate() {
        match atom {
            Atom::Open => depth += 1,
            Atom::Close => depth = depth.saturating_sub(1),
            Atom::Or if depth == 0 => {
                parts.push(&atoms[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&atoms[start..]);
    parts
}

/// Characters of which one alone matches an alternative.
fn single(atoms: &[Atom]) -> Option<CharSet> {
    let atoms = match atoms {
        [Atom::Open, atoms @ .., Atom::Close] => atoms,
        _ => atoms,
    };
    match atoms {
        [Atom::Set(set)] | [Atom::Set(set), Atom::Repeated] => Some(*set),
        [Atom::Character(character)] | [Atom::Character(character), Atom::Repeated] => {
            Some(CharSet::of(character.encode_utf8(&mut [0; 4])))
        }
        _ => None,
    }
}

/// Text of an alternative that is nothing else.
fn literal(atoms: &[Atom]) -> Option<String> {
    let character = |atom: &Atom| if let Atom::Character(character) = atom { Some(*character) } else { None };
    atoms.iter().map(character).collect::<Option<String>>().filter(|text| !text.is_empty())
}

/// Text after `^` up to the first operator.
fn prefix(atoms: &[Atom]) -> Option<String> {
    let rest = atoms.strip_prefix(&[Atom::Start])?;
    let mut text = String::new();
    for (at, atom) in rest.iter().enumerate() {
        // A character that a quantifier makes optional ends the text, but `https?` is a text as well.
        let is_optional = matches!(rest.get(at + 1), Some(Atom::Optional));
        match atom {
            Atom::Character(character) if !is_optional => text.push(*character),
            Atom::Character('s') if text == "http" => {}
            Atom::Optional if text == "http" => {}
            _ => break,
        }
    }
    Some(text).filter(|text| !text.is_empty())
}

/// Characters that can follow the text at the beginning of an alternative: `^\/[a-z]`, `^\/(?!\/)`. None: they are not known.
fn next(atoms: &[Atom], prefix: &str) -> Option<CharSet> {
    let rest = atoms.strip_prefix(&[Atom::Start])?;
    let length = prefix.chars().count();
    // An optional `s` of `https?` is no part of the text.
    if rest.len() < length || literal(&rest[..length]).as_deref() != Some(prefix) {
        return None;
    }
    match &rest[length..] {
        [Atom::Set(_), Atom::Optional, ..] => None,
        [Atom::Set(set), ..] => Some(*set),
        [Atom::Open, Atom::NotFollowed, group @ ..] => {
            let end = group.iter().position(|atom| *atom == Atom::Close)?;
            let refused = alternatives(&group[..end]).into_iter().filter_map(single);
            let refused = refused.reduce(|mut all, set| {
                all.union(set);
                all
            })?;
            is_flat(&group[..end]).then(|| refused.complement())
        }
        _ => None,
    }
}

/// Elements of an expression. None: the syntax is not understood.
fn atoms(pattern: &str) -> Option<Vec<Atom>> {
    let mut atoms = Vec::new();
    let mut rest = pattern.chars();
    while let Some(character) = rest.next() {
        let atom = match character {
            '^' => Atom::Start,
            '$' => Atom::End,
            '|' => Atom::Or,
            ')' => Atom::Close,
            '(' => {
                let text = rest.as_str();
                if text.starts_with("?:") {
                    rest.nth(1);
                    Atom::Open
                } else if text.starts_with("?<") && !text.starts_with("?<=") && !text.starts_with("?<!") {
                    rest.find(|&c| c == '>')?;
                    Atom::Open
                } else if text.starts_with('?') {
                    // The elements of an assertion count as elements: a larger set of characters.
                    let is_negated = text.starts_with("?!");
                    rest.nth(if text.starts_with("?<") { 2 } else { 1 });
                    atoms.push(Atom::Open);
                    if is_negated { Atom::NotFollowed } else { Atom::Other }
                } else {
                    Atom::Open
                }
            }
            '*' | '?' => quantifier(Atom::Optional, &mut rest),
            '+' => quantifier(Atom::Repeated, &mut rest),
            '{' if rest.as_str().starts_with(|c: char| c.is_ascii_digit()) => {
                let kind = if rest.as_str().starts_with('0') { Atom::Optional } else { Atom::Repeated };
                rest.find(|&c| c == '}')?;
                quantifier(kind, &mut rest)
            }
            '.' => {
                let mut set = CharSet::ALL;
                set.ascii &= !((1 << u32::from('\n')) | (1 << u32::from('\r')));
                Atom::Set(set)
            }
            '[' => Atom::Set(set(&mut rest)?),
            '\\' => escape(&mut rest)?,
            character => Atom::Character(character),
        };
        atoms.push(atom);
    }
    Some(atoms)
}

/// Skips the `?` of a lazy quantifier.
fn quantifier(kind: Atom, rest: &mut std::str::Chars<'_>) -> Atom {
    if rest.as_str().starts_with('?') {
        rest.next();
    }
    kind
}

/// Reads an escape after its `\`.
fn escape(rest: &mut std::str::Chars<'_>) -> Option<Atom> {
    let character = rest.next()?;
    Some(match character {
        'b' | 'B' => Atom::Other,
        '1'..='9' => Atom::Other,
        'k' => {
            rest.find(|&c| c == '>')?;
            Atom::Other
        }
        'p' | 'P' => {
            if rest.as_str().starts_with('{') {
                rest.find(|&c| c == '}')?;
            }
            Atom::Set(CharSet::ALL)
        }
        'd' | 'D' | 'w' | 'W' | 's' | 'S' => Atom::Set(class(character)),
        'n' => Atom::Character('\n'),
        'r' => Atom::Character('\r'),
        't' => Atom::Character('\t'),
        'f' => Atom::Character('\u{c}'),
        'v' => Atom::Character('\u{b}'),
        '0' => Atom::Character('\0'),
        'c' => {
            rest.next();
            Atom::Set(CharSet::ALL)
        }
        'x' => Atom::Character(hexadecimal(rest, 2)?),
        'u' if rest.as_str().starts_with('{') => {
            rest.find(|&c| c == '}')?;
            Atom::Set(CharSet::ALL)
        }
        'u' => Atom::Character(hexadecimal(rest, 4)?),
        character => Atom::Character(character),
    })
}

fn hexadecimal(rest: &mut std::str::Chars<'_>, digits: usize) -> Option<char> {
    let mut code = 0;
    for _ in 0..digits {
        code = code * 16 + rest.next()?.to_digit(16)?;
    }
    // Half of a surrogate pair is some character outside ASCII.
    Some(char::from_u32(code).unwrap_or('\u{fffd}'))
}

/// Set of a class such as `\w`.
fn class(name: char) -> CharSet {
    let mut set = CharSet::default();
    match name.to_ascii_lowercase() {
        'd' => set.insert_range('0', '9'),
        'w' => {
            set.insert_range('0', '9');
            set.insert_range('a', 'z');
            set.insert_range('A', 'Z');
            set.insert('_');
        }
        _ => {
            " \t\n\r\u{b}\u{c}".chars().for_each(|character| set.insert(character));
            set.others = true;
        }
    }
    if name.is_ascii_uppercase() { set.complement() } else { set }
}

/// Reads a set after its `[`.
fn set(rest: &mut std::str::Chars<'_>) -> Option<CharSet> {
    let is_negated = rest.as_str().starts_with('^');
    if is_negated {
        rest.next();
    }
    let mut set = CharSet::default();
    loop {
        let first = match rest.next()? {
            ']' => break,
            '\\' if rest.as_str().starts_with('b') => {
                rest.next();
                Atom::Character('\u{8}')
            }
            '\\' => escape(rest)?,
            character => Atom::Character(character),
        };
        match first {
            Atom::Character(first) => {
                let mut ahead = rest.clone();
                let is_range = ahead.next() == Some('-') && !matches!(ahead.next(), None | Some(']'));
                if !is_range {
                    set.insert(first);
                    continue;
                }
                rest.next();
                let last = match rest.next()? {
                    '\\' => escape(rest)?,
                    character => Atom::Character(character),
                };
                match last {
                    Atom::Character(last) if first <= last => set.insert_range(first, last),
                    Atom::Set(last) => {
                        set.insert(first);
                        set.insert('-');
                        set.union(last);
                    }
                    _ => return None,
                }
            }
            Atom::Set(inner) => set.union(inner),
            _ => {}
        }
    }
    Some(if is_negated { set.complement() } else { set })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excludes(pattern: &str, characters: &str) -> bool {
        RegexShape::of(pattern, "").whole.is_some_and(|whole| whole.is_disjoint(CharSet::of(characters)))
    }

    #[test]
    fn anchored_expressions_restrict_characters() {
        assert!(excludes("^[a-z0-9_-]+$", "/\\;& $'\""));
        assert!(excludes(r"^\w+(?:\.\w+)*$", "/"));
        assert!(!excludes(r"^\w+(?:\.\w+)*$", "."));
        assert!(excludes(r"^(?:abc|d\d{2,3})$", "/ ."));
        assert!(!excludes("^[a-z]+", "/"));
        assert!(!excludes("[a-z]+$", "/"));
        assert!(!excludes("^a|b$", "/"));
        assert!(excludes("^a$|^b$", "/"));
        assert!(!excludes("^.*$", "/"));
        assert!(!excludes("^[^;]+$", "/"));
        assert!(excludes("^[^/;]+$", "/;"));
        assert!(!excludes(r"^\S+$", "/"));
        assert!(excludes(r"^[\w-]+$", "/"));
        assert!(excludes(r"^\x41\u0042$", "/"));
        assert_eq!(RegexShape::of("^[a-z]+$", "m").whole, None);
        assert!(RegexShape::of("^[a-z]+$", "i").whole.is_some_and(|whole| whole.contains(CharSet::of("AZ"))));
    }

    #[test]
    fn searches_for_forbidden_characters() {
        let absent = RegexShape::of("[^a-z0-9]", "").absent;
        assert!(absent.contains(CharSet::of("/.;")));
        assert!(RegexShape::of("[;&|]+", "").absent.contains(CharSet::of(";&")));
        assert!(RegexShape::of(";|&", "").absent.contains(CharSet::of(";&")));
        assert_eq!(RegexShape::of("[;&]x", "").absent, CharSet::default());
    }

    #[test]
    fn texts_of_alternatives() {
        assert_eq!(RegexShape::of(r"\.\.", "").texts, [".."]);
        let shape = RegexShape::of("^(?:__proto__|constructor|prototype)$", "");
        assert_eq!(shape.texts, ["__proto__", "constructor", "prototype"]);
        assert!(shape.are_whole);
        assert_eq!(RegexShape::of("__proto__|a+", "").texts, ["__proto__"]);
        for pattern in [r"(?:^|[\\/])\.\.(?:[\\/]|$)", r"(^|\/)\.\.(\/|$)", r"\.\.(?:[\\/]|$)", r"(^|\/)\.\."] {
            assert_eq!(RegexShape::of(pattern, "").segments, [".."], "{pattern}");
        }
        for pattern in [r"(?:[\\/])\.\.(?:[\\/]|$)", r"(^|a)\.\.(\/|$)", r"(^|\/)\.\.(\/)", r"(^|\/)\.\.(\/|$)x"] {
            assert!(RegexShape::of(pattern, "").segments.is_empty(), "{pattern}");
        }
        assert_eq!(RegexShape::of(r"^https?:\/\/example\.com\/", "").prefix.as_deref(), Some("http://example.com/"));
        assert_eq!(RegexShape::of("^ab*", "").prefix.as_deref(), Some("a"));
    }

    #[test]
    fn broken_expressions_are_not_understood() {
        for pattern in ["^[a-z$", "^\\", "^(?<a$", "^[z-a]$", "^\\x4$"] {
            assert_eq!(RegexShape::of(pattern, ""), RegexShape::default(), "{pattern}");
        }
        let deep = "(".repeat(3000);
        assert_eq!(RegexShape::of(&deep, "").whole, None);
    }
}
