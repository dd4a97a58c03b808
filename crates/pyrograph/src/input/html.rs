//! Inline scripts of HTML and SVG files and of Vue and Svelte components.
//!
//! The scripts of a file become one text of the same length: all other bytes are blanks, so that offsets stay valid. Handlers in
//! attributes (`onclick`) and links with `javascript:` are scripts too; see [`handlers`]. Scripts of other types than JavaScript and
//! TypeScript (data, templates, import maps), scripts with `src` and expressions in templates of components are not analysed.

mod handlers;

use std::ops::Range;

use handlers::{handler_code, write_handler};

use super::language::{Language, ModuleKind};

/// Scripts of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Scripts {
    /// Text of the same length as the file. Each end tag becomes a line end and a semicolon, so that scripts stay apart.
    pub(crate) text: String,
    /// Language: TypeScript if any script is.
    pub(crate) language: Language,
    /// ES module, if all scripts are.
    pub(crate) module: ModuleKind,
    /// Ranges of the scripts with what keeps them apart, in order.
    pub(crate) parts: Vec<Range<usize>>,
    /// Number of lines of the scripts.
    pub(crate) lines: u64,
}

/// Elements whose content is text up to their end tag.
const RAW_TEXT: &[&str] = &["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "noscript"];

/// Extracts the scripts of a file. None: there are none.
pub(crate) fn scripts(text: &str, is_component: bool) -> Option<Scripts> {
    let bytes = text.as_bytes();
    let mut output: Vec<u8> =
        bytes.iter().map(|&byte| if matches!(byte, b'\n' | b'\r') { byte } else { b' ' }).collect();
    let mut language = Language::JavaScript;
    let mut modules = 0;
    let mut count = 0;
    let mut lines = 0;
    let mut parts: Vec<Range<usize>> = Vec::new();
    // Every element of XML may be closed by its start tag.
    let is_xml = ["<?xml", "<svg"].iter().any(|start| text.trim_start().starts_with(start));
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'<', &bytes[at..]).map(|offset| at + offset) {
        let rest = &bytes[start..];
        at = match rest.get(1) {
            Some(b'!') if rest.starts_with(b"<!-->") || rest.starts_with(b"<!--->") => start + 5,
            Some(b'!') if rest.starts_with(b"<!--") => end_of(bytes, start + 4, b"-->"),
            Some(b'!') if rest.starts_with(b"<![CDATA[") => end_of(bytes, start + 9, b"]]>"),
            Some(b'!' | b'?' | b'/') => end_of(bytes, start + 2, b">"),
            Some(byte) if byte.is_ascii_alphabetic() => {
                let tag = Tag::parse(bytes, start + 1);
                for code in tag.handlers.iter().filter(|_| !is_component) {
                    let first = parts.last().map_or(0, |part| part.end).max(start);
                    if let Some(part) = write_handler(bytes, code.clone(), first, &mut output) {
                        lines += memchr::memchr_iter(b'\n', &bytes[code.clone()]).count() as u64 + 1;
                        parts.push(part);
                    }
                }
                let is_raw = RAW_TEXT.iter().any(|name| tag.name.eq_ignore_ascii_case(name.as_bytes()));
                if !is_raw || tag.is_self_closing && (is_component || is_xml) {
                    tag.end
                } else {
                    let end = end_tag(bytes, tag.end, tag.name);
                    if tag.name.eq_ignore_ascii_case(b"script")
                        && let Some((script, is_module)) = tag.script()
                    {
                        let range = content(bytes, tag.end, end);
                        if bytes[range.clone()].iter().any(|byte| !byte.is_ascii_whitespace()) {
                            lines += memchr::memchr_iter(b'\n', &bytes[range.clone()]).count() as u64 + 1;
                            output[range.clone()].copy_from_slice(&bytes[range.clone()]);
                            if end + 2 <= bytes.len() {
                                output[end..end + 2].copy_from_slice(b"\n;");
                            }
                            parts.push(range.start..(end + 2).min(bytes.len()));
                            language = language.max(script);
                            modules += u32::from(is_module || is_component);
                            count += 1;
                        }
                    }
                    end
                }
            }
            _ => start + 1,
        };
        if at >= bytes.len() {
            break;
        }
    }
    if parts.is_empty() {
        return None;
    }
    let module = if modules == count && count > 0 { ModuleKind::Module } else { ModuleKind::Unknown };
    // Ranges of scripts begin and end next to ASCII characters, so the text is valid UTF-8.
    Some(Scripts { text: String::from_utf8(output).ok()?, language, module, parts, lines })
}

/// Addresses of the files that a page names as scripts, other than modules.
pub(crate) fn script_files(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut files = Vec::new();
    for start in memchr::memchr_iter(b'<', bytes) {
        let name = bytes.get(start + 1..start + 7).unwrap_or_default();
        let is_longer =
            bytes.get(start + 7).is_some_and(|byte| !matches!(byte, b'>' | b'/') && !byte.is_ascii_whitespace());
        if !name.eq_ignore_ascii_case(b"script") || is_longer {
            continue;
        }
        let tag = Tag::parse(bytes, start + 1);
        if let (Some(file), Some((_, false))) = (tag.src, tag.script_kind())
            && let Ok(file) = std::str::from_utf8(file)
        {
            files.push(file.trim());
        }
    }
    files
}

/// Position after the first `needle` from `start` on, or the end.
fn end_of(bytes: &[u8], start: usize, needle: &[u8]) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    memchr::memmem::find(rest, needle).map_or(bytes.len(), |offset| start + offset + needle.len())
}

/// Position of the end tag of an element, or the end of the text.
fn end_tag(bytes: &[u8], start: usize, name: &[u8]) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    let is_end = |offset: &usize| {
        let after = &rest[offset + 2..];
        after.len() >= name.len()
            && after[..name.len()].eq_ignore_ascii_case(name)
            && after.get(name.len()).is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'))
    };
    memchr::memmem::find_iter(rest, b"</").find(is_end).map_or(bytes.len(), |offset| start + offset)
}

/// Range of the code of a script without the marks around it that hide it from old browsers and from XML.
fn content(bytes: &[u8], start: usize, end: usize) -> Range<usize> {
    let (mut start, mut end) = (start.min(end), end);
    let text = &bytes[start..end];
    let trimmed = text.trim_ascii_start();
    let skipped = text.len() - trimmed.len();
    if trimmed.starts_with(b"<!--") {
        // The rest of the line is a comment too.
        start += skipped + memchr::memchr(b'\n', trimmed).unwrap_or(trimmed.len());
    } else if trimmed.starts_with(b"<![CDATA[") {
        start += skipped + 9;
    }
    let trimmed = bytes[start..end].trim_ascii_end();
    for mark in [b"-->", b"]]>"] {
        // A mark after `//` is in a comment.
        if let Some(before) = trimmed.strip_suffix(mark)
            && !before
                .rsplit(|&byte| byte == b'\n')
                .next()
                .is_some_and(|line| line.trim_ascii_start().starts_with(b"//"))
        {
            end = start + before.len();
        }
    }
    start..end
}

/// A start tag.
struct Tag<'t> {
    name: &'t [u8],
    /// Values of `type`, `lang` and `src`.
    kind: Option<&'t [u8]>,
    lang: Option<&'t [u8]>,
    src: Option<&'t [u8]>,
    /// Ranges of code in attributes.
    handlers: Vec<Range<usize>>,
    is_self_closing: bool,
    /// Position after `>`.
    end: usize,
}

impl<'t> Tag<'t> {
    /// Parses a tag from its name on.
    fn parse(bytes: &'t [u8], start: usize) -> Tag<'t> {
        let is_name_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>' | b'=');
        let word = |at: usize| {
            let rest = &bytes[at..];
            &rest[..rest.iter().position(is_name_end).unwrap_or(rest.len())]
        };
        let name = word(start);
        let mut tag = Tag {
            name,
            kind: None,
            lang: None,
            src: None,
            handlers: Vec::new(),
            is_self_closing: false,
            end: bytes.len(),
        };
        let mut at = start + name.len();
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'>' => {
                    tag.end = at + 1;
                    break;
                }
                b'/' => {
                    tag.is_self_closing = bytes.get(at + 1) == Some(&b'>');
                    at += 1;
                }
                b'=' => at += 1,
                byte if byte.is_ascii_whitespace() => at += 1,
                _ => {
                    let attribute = word(at);
                    at += attribute.len();
                    let range;
                    (range, at) = attribute_value(bytes, at);
                    tag.handlers.extend(handler_code(bytes, attribute, &range));
                    let value = &bytes[range];
                    if attribute.eq_ignore_ascii_case(b"type") {
                        tag.kind = tag.kind.or(Some(value));
                    } else if attribute.eq_ignore_ascii_case(b"lang") {
                        tag.lang = tag.lang.or(Some(value));
                    } else if attribute.eq_ignore_ascii_case(b"src") {
                        tag.src = tag.src.or(Some(value));
                    }
                }
            }
        }
        tag
    }

    /// Language of a script element, and whether it is a module. None: it holds no code.
    fn script(&self) -> Option<(Language, bool)> {
        if self.src.is_some() {
            return None;
        }
        self.script_kind()
    }

    /// Language of a script element or of the file that it names, and whether it is a module.
    fn script_kind(&self) -> Option<(Language, bool)> {
        let text = |value: Option<&[u8]>| {
            let value = String::from_utf8_lossy(value.unwrap_or_default()).trim().to_ascii_lowercase();
            value.split(';').next().unwrap_or_default().trim().to_owned()
        };
        let (language, is_module) = match text(self.kind).as_str() {
            ""
            | "text/javascript"
            | "application/javascript"
            | "text/ecmascript"
            | "application/ecmascript"
            | "application/x-javascript"
            | "text/x-javascript"
            | "text/jscript"
            | "text/babel"
            | "text/jsx" => (Language::JavaScript, false),
            "module" => (Language::JavaScript, true),
            "text/typescript" | "application/typescript" => (Language::TypeScript, true),
            "text/tsx" => (Language::TypeScriptJsx, true),
            _ => return None,
        };
        match text(self.lang).as_str() {
            "" | "js" | "javascript" | "jsx" => Some((language, is_module)),
            "ts" | "typescript" => Some((Language::TypeScript, is_module)),
            "tsx" => Some((Language::TypeScriptJsx, is_module)),
            _ => None,
        }
    }
}

/// Range of the value of an attribute, if `=` follows, and the position after it.
fn attribute_value(bytes: &[u8], at: usize) -> (Range<usize>, usize) {
    let blanks = |at: usize| {
        let rest = bytes.get(at..).unwrap_or_default();
        at + (rest.len() - rest.trim_ascii_start().len())
    };
    let equals = blanks(at);
    if bytes.get(equals) != Some(&b'=') {
        return (at..at, at);
    }
    let start = blanks(equals + 1);
    match bytes.get(start) {
        Some(&quote @ (b'"' | b'\'')) => {
            let rest = &bytes[start + 1..];
            let length = memchr::memchr(quote, rest).unwrap_or(rest.len());
            (start + 1..start + 1 + length, (start + length + 2).min(bytes.len()))
        }
        Some(_) => {
            let rest = &bytes[start..];
            let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'>';
            let length = rest.iter().position(is_end).unwrap_or(rest.len());
            (start..start + length, start + length)
        }
        None => (bytes.len()..bytes.len(), bytes.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Code of the scripts without blanks around them.
    fn code(html: &str) -> Vec<String> {
        let Some(scripts) = scripts(html, false) else { return Vec::new() };
        assert_eq!(scripts.text.len(), html.len());
        let lines = scripts.text.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty());
        lines.map(str::to_owned).collect()
    }

    #[test]
    fn pages_name_files_of_scripts() {
        let html = "<script src=a.js></script><SCRIPT type='text/javascript' SRC='./b/c.js?v=1'></SCRIPT>\
                    <script type=module src=d.mjs></script><scripts src=e.js><script>x()</script><script src=";
        assert_eq!(script_files(html), ["a.js", "./b/c.js?v=1", ""]);
    }

    #[test]
    fn inline_scripts_keep_their_offsets() {
        let html =
            "<p title=\"a > b\">ä</p>\n<script>\nlet x = '<b>';\n</script>\n<SCRIPT type=module async>y()</SCRIPT >";
        let result = scripts(html, false).expect("scripts");
        assert_eq!(result.text.len(), html.len());
        for needle in ["let x = '<b>';", "y()"] {
            assert_eq!(result.text.find(needle), html.find(needle));
        }
        assert!(!result.text.contains("title"));
        assert_eq!(result.module, ModuleKind::Unknown);
        assert_eq!(result.lines, 4);
    }

    #[test]
    fn only_code_is_extracted() {
        assert_eq!(code("<script type='application/json'>{\"a\":1}</script>"), Vec::<String>::new());
        assert_eq!(code("<script type=text/template><b></script><script>a()</script>"), ["a()"]);
        assert_eq!(code("<script src=x.js>a()</script>"), Vec::<String>::new());
        assert_eq!(code("<!-- <script>a()</script> --><script>b()</script>"), ["b()"]);
        assert_eq!(code("<style><script>a()</script></style>"), Vec::<String>::new());
        assert_eq!(code("<textarea><script>a()</script></textarea><script>b()</script>"), ["b()"]);
        assert_eq!(
            code("<script>a()</script><script>b() // c</script><script>d()</script>"),
            ["a()", "b() // c", "d()"]
        );
        assert_eq!(code("<script><!-- hide\na()\n--></script>"), ["a()"]);
        assert_eq!(code("<script><![CDATA[a()]]></script>").len(), 1);
        assert_eq!(code("<script>//<![CDATA[\na()\n//]]></script>"), ["//<![CDATA[", "a()", "//]]>"]);
        assert_eq!(code("<script type='text/javascript; charset=utf-8'>a()</script>"), ["a()"]);
    }

    #[test]
    fn damaged_markup_ends_somewhere() {
        assert_eq!(code("<script>a()"), ["a()"]);
        assert_eq!(code("<script>a()</script"), ["a()"]);
        for html in [
            "<",
            "<!",
            "<!-",
            "<!--",
            "<s",
            "<script",
            "<script a",
            "<script a=",
            "<script a='",
            "</",
            "<script></",
            "<script><",
            "<![CDATA[",
            "<?",
            "<script/>",
            "<!-->",
            "<script>ä</",
            "<a <a <a",
            "<script><!--",
            "<script>-->",
            "<script>]]>",
            "<script>x\n-->",
            "ä<script>ä</script>ä",
        ] {
            let _ = scripts(html, false);
            let _ = scripts(html, true);
        }
        let long = "<script>".repeat(50_000) + &"</".repeat(50_000) + &"<a".repeat(50_000);
        let _ = scripts(&long, false);
    }

    proptest::proptest! {
        /// Whatever the markup, the text has the same length, and every byte of it is blank, of the file, or of a separator.
        #[test]
        fn any_markup_keeps_its_length(parts in proptest::collection::vec(0usize..22, 0..40), is_component: bool) {
            let tokens = ["<a onclick=", " href='javascript:", "<script>", "</script>", "<script type=module>", "<script src='", "'", "\"", "<!--", "-->", "<![CDATA[",
                "]]>", "<", ">", "ä", "\n", "x()", "</", "<style>", "</style>", "=", " /"];
            let html: String = parts.iter().map(|part| tokens[*part]).collect();
            if let Some(scripts) = scripts(&html, is_component) {
                proptest::prop_assert_eq!(scripts.text.len(), html.len());
                for (new, old) in scripts.text.bytes().zip(html.bytes()) {
                    let is_mark = b" \n;()=>{}\"".contains(&new);
                    proptest::prop_assert!(new == old || is_mark);
                }
                for pair in scripts.parts.windows(2) {
                    proptest::prop_assert!(pair[0].end <= pair[1].start);
                }
            }
        }
    }

    #[test]
    fn code_in_attributes_is_a_function() {
        for (html, code) in [
            ("<a onclick=\"go(1)\">x</a>", ";()=>{go(1)\n}"),
            ("<a ONCLICK = 'return go(\"1\") // x' >", ";()=>{return go(\"1\") // x\n}"),
            ("<p onload=go()>", ";()=>{go()}"),
            ("<p oncut=a() oncopy=b()>", ";()=>{a()}\u{20};()=>{b()}"),
            ("<p onfocus='a()'onblur='b()'>", ";()=>{a()\n} ;()=>{b()\n}"),
            ("<a href=\"JavaScript:go(1)\">", ";()=>{go(1)\n}"),
            ("<a href='javascript:a()%3Bb()'>", ";()=>{a();b()  \n}"),
            ("<a onclick='a &amp;&amp; b(&quot;&lt;c d&quot;)'>", ";()=>{a &&         b(\"<c         d\")     \n}"),
            ("<input onchange='{{change}}' onclick='<%= x %>' on='a()' href='http://x' one=a>", ""),
        ] {
            let found = scripts(html, false).map(|scripts| {
                assert_eq!(scripts.text.len(), html.len());
                scripts.text.trim().to_owned()
            });
            assert_eq!(found.unwrap_or_default(), code, "{html}");
        }
        assert_eq!(scripts("<template><a onclick='x()'/></template>", true), None, "a component");
        assert_eq!(scripts("<!-- <a onclick='x()'> --><style>a { b: '<a onclick=x()>' }</style>", false), None);
    }

    #[test]
    fn components_are_modules() {
        let vue = "<template><div v-if='a > b'/></template>\n<script setup lang=\"ts\">const a: number = 1</script>\n<style/>";
        let result = scripts(vue, true).expect("scripts");
        assert_eq!((result.language, result.module), (Language::TypeScript, ModuleKind::Module));
        assert_eq!(scripts("<template/><script lang='coffee'>a</script>", true), None);
    }
}
