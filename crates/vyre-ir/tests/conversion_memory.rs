//! Peak memory of conversions and readers for hostile files: bounded by the number of nodes, and with limits by the limit.

use allocation_counter::measure;
use vyre_ir::SizeLimits;
use vyre_ir::convert::{ConvertError, text_to_text, text_to_wire, wire_to_text};
use vyre_ir::text::{ParseOptions, parse, parse_with};
use vyre_ir::wire::{from_wire, from_wire_within};

/// Number of nodes of each program, at least.
const NODES: usize = 1 << 17;

/// Peak bytes of a conversion for each node and each byte of the input. The counter takes a vector that grows for two
/// allocations.
const CONVERSION_BYTES: u64 = 50;

/// Peak bytes of building a tree for each node and each byte of the input.
const TREE_BYTES: u64 = 100;

/// Peak bytes of a reader with limits, whatever the size of the input.
const LIMITED_BYTES: u64 = 40 << 20;

fn peak(action: impl FnOnce()) -> u64 {
    measure(action).bytes_max
}

fn program(entry: &str) -> String {
    format!("workgroup_size 1; buffer b: read_write u32 @0; entry {{ {entry} }}")
}

/// Hostile programs: many nodes for each byte, in all shapes.
fn programs() -> Vec<(&'static str, String)> {
    programs_of(NODES)
}

fn programs_of(nodes: usize) -> Vec<(&'static str, String)> {
    let pair = |open: &str, close: &str| format!("{}{}", open.repeat(nodes), close.repeat(nodes));
    let expr = |before: &str, after: &str| format!("let x = {}1{};", before.repeat(nodes), after.repeat(nodes));
    vec![
        ("blocks", program(&pair("{", "}"))),
        ("ifs", program(&pair("if 1{", "}"))),
        ("chained ifs", program(&format!("if 1{{}} {}", "else if 1{}".repeat(nodes)))),
        ("loops", program(&pair("for i in 0..1{", "}"))),
        ("prefixes", program(&expr("~", ""))),
        ("sums", program(&expr("", "+1"))),
        ("sums to the right", program(&expr("1-(", ")"))),
        ("casts", program(&expr("", " as u32"))),
        ("components", program(&expr("(", ").x"))),
        ("loads", program(&expr("b[", "]"))),
        ("calls", program(&expr("f(", ")"))),
        ("arguments", program(&format!("let x = f({}1);", "1,".repeat(nodes)))),
        ("statements", program(&"break;".repeat(nodes))),
        ("stores", program(&"b[0]=1;".repeat(nodes))),
        ("atomics", program(&expr("atomic_add(b[0],", ")"))),
    ]
}

/// Hostile texts that are no programs.
fn broken() -> Vec<(&'static str, String)> {
    vec![
        ("open blocks", format!("workgroup_size 1; entry {}", "{".repeat(NODES))),
        ("open parentheses", program(&format!("let x = {}", "(".repeat(NODES)))),
        ("open parentheses apart", program(&format!("let x = {}", "( ".repeat(NODES)))),
        ("many errors", program(&"1;".repeat(NODES))),
        ("bad characters", program(&"?".repeat(NODES))),
    ]
}

/// Wire files of one byte repeated.
fn wire_files() -> impl Iterator<Item = Vec<u8>> {
    (0..=0x38_u8).map(|byte| {
        let mut bytes = b"VIR0\x01\x00\x00\x01\x01\x01".to_vec();
        bytes.extend(std::iter::repeat_n(byte, NODES));
        bytes
    })
}

#[test]
fn conversions_take_a_bounded_number_of_bytes_for_each_node() {
    for (shape, source) in programs() {
        let units = (source.len() + 2 * NODES) as u64;
        let mut wire = Vec::new();
        let to_wire = peak(|| wire = text_to_wire(&source).expect("a program"));
        let to_text = peak(|| drop(wire_to_text(&wire, u64::MAX / 2).map(|text| text.len() > 1 << 20)));
        let formatting = peak(|| drop(text_to_text(&source, 1 << 20)));
        let printed = wire_to_text(&wire, u64::MAX / 2).expect("a program").len() as u64;
        println!(
            "{shape}: {units} units, {to_wire} to wire, {to_text} to text, {formatting} formatting, {printed} printed"
        );
        assert!(to_wire <= CONVERSION_BYTES * units, "{shape}: {to_wire} bytes for {units}");
        assert!(to_text <= CONVERSION_BYTES * units + 3 * printed, "{shape}: {to_text} bytes for {units}");
        assert!(formatting <= CONVERSION_BYTES * units, "{shape}: {formatting} bytes for {units}");

        let tree = peak(|| drop(parse(&source).map(|parsed| parsed.program)));
        let decoding = peak(|| drop(from_wire(&wire)));
        println!("{shape}: {tree} parsing, {decoding} decoding");
        assert!(tree <= TREE_BYTES * units, "{shape}: {tree} bytes for {units}");
        assert!(decoding <= TREE_BYTES * units, "{shape}: {decoding} bytes for {units}");
    }
}

#[test]
fn readers_with_limits_take_memory_in_proportion_to_the_limit() {
    let limits = SizeLimits::of_validation();
    let options = ParseOptions::default().with_limits(limits);
    for (shape, source) in programs().into_iter().chain(broken()) {
        let bytes = peak(|| drop(parse_with(&source, &options)));
        println!("{shape}: {bytes} of {}", source.len());
        assert!(bytes <= LIMITED_BYTES, "{shape}: {bytes} bytes");
    }
    let small = ParseOptions::default().with_limits(SizeLimits::default().with_max_nodes(Some(100)));
    for (shape, source) in programs() {
        let bytes = peak(|| drop(parse_with(&source, &small)));
        // Parentheses are no nodes, and the rendering of an error has an index of the lines.
        assert!(bytes <= 100_000 + source.len() as u64 * 2, "{shape}: {bytes} bytes");
    }
    for file in wire_files() {
        let bytes = peak(|| drop(from_wire_within(&file, &limits)));
        assert!(bytes <= LIMITED_BYTES, "{bytes} bytes for byte {:#04x} repeated", file[10]);
        let bytes = peak(|| drop(wire_to_text(&file, 1 << 20)));
        assert!(bytes <= CONVERSION_BYTES * file.len() as u64, "{bytes} bytes for byte {:#04x} repeated", file[10]);
    }
}

/// A wire file stores a name once, so many buffers of one name take many times its bytes.
#[test]
fn printing_declarations_ends_at_the_limit() {
    for letter in ["n", "\u{1}"] {
        let name = letter.repeat(20_000);
        let buffers: String = (0..300).map(|slot| format!("buffer `{name}`: read u32 @{slot};")).collect();
        let wire = text_to_wire(&format!("workgroup_size 1; {buffers} entry {{ }}")).expect("a program");
        let max_bytes = 100_000;
        let bytes = peak(|| assert_eq!(wire_to_text(&wire, max_bytes), Err(ConvertError::TooLarge { max_bytes })));
        assert!(bytes < 1_000_000, "{bytes} bytes");
    }
}

/// Indentation of comments takes many times the bytes of the comments.
#[test]
fn formatting_comments_ends_at_the_limit() {
    let comments = "//\n".repeat(NODES);
    let nested = |inner: &str| program(&format!("{}\n{inner}{}", "{".repeat(100), "}".repeat(100)));
    for source in [nested(&comments), nested(&format!("{comments}break;"))] {
        let max_bytes = 1 << 20;
        let bytes = peak(|| assert_eq!(text_to_text(&source, max_bytes), Err(ConvertError::TooLarge { max_bytes })));
        assert!(bytes <= CONVERSION_BYTES * source.len() as u64, "{bytes} bytes for {}", source.len());
    }
}

#[test]
fn the_limit_of_conversions_is_the_size_of_the_text() {
    let commented =
        "// a\nworkgroup_size 1; // b\n\nbuffer `a b`: read u32 @0;\nentry { // c\n// d\nif 1{}else{\n// e\n} }// f\n";
    let sources = programs_of(300).into_iter().map(|(_, source)| source).chain([commented.to_owned()]);
    for source in sources {
        let formatted = text_to_text(&source, u64::MAX).expect("a program");
        let max_bytes = formatted.len() as u64;
        assert!(text_to_text(&source, max_bytes).is_ok_and(|text| text == formatted));
        let max_bytes = max_bytes - 1;
        assert!(text_to_text(&source, max_bytes).is_err_and(|error| error == ConvertError::TooLarge { max_bytes }));

        let wire = text_to_wire(&source).expect("a program");
        let printed = wire_to_text(&wire, u64::MAX).expect("a program");
        let max_bytes = printed.len() as u64;
        assert!(wire_to_text(&wire, max_bytes).is_ok_and(|text| text == printed));
        let max_bytes = max_bytes - 1;
        assert!(wire_to_text(&wire, max_bytes).is_err_and(|error| error == ConvertError::TooLarge { max_bytes }));
    }
}
