//! Attribute files.

use std::io::Write as _;

use vyre_graph::generate::SplitMix64;
use vyre_graph::{Attributes, NodeNames, ReadError, read_attributes};

fn read(text: &str, names: Option<&NodeNames>) -> Result<Attributes, ReadError> {
    read_attributes(text.as_bytes(), names.map(NodeNames::view), 5, &())
}

fn names() -> NodeNames {
    ["a", "read line", "c", "d", "#e"].into_iter().collect()
}

#[test]
fn attributes_by_number() {
    for text in [
        "id,kind,file\n1,call,x.c\n0,field,\n",
        "\u{feff}# nodes\n\n% of a program\nkind,ID,file\r\ncall,1,x.c\r\n\r\nfield,0,\r\n",
        "id\tkind\tfile\n1\t call \t\"x.c\"\n0\tfield\t\"\"",
        "file;node;kind\nx.c;1;call\n;0;\"field\"\n",
    ] {
        let attributes = read(text, None).expect(text);
        assert_eq!(attributes.node_count(), 5);
        assert_eq!(attributes.columns().len(), 2);
        assert_eq!(attributes.get(1, "kind"), Some("call"), "{text:?}");
        assert_eq!(attributes.get(1, "file"), Some("x.c"));
        assert_eq!(attributes.get(0, "kind"), Some("field"));
        assert_eq!(attributes.get(0, "file"), None);
        assert_eq!(attributes.get(2, "kind"), None);
        assert_eq!(attributes.get(9, "kind"), None);
        assert_eq!(attributes.get(0, "Kind"), None);
    }
    let one = read("id\n3\n", None).expect("a file may say nothing");
    assert_eq!(one.columns().len(), 0);
}

#[test]
fn attributes_by_name() {
    let names = names();
    let text = "name,kind\nread line,call\n#e,call\nc,\"say \"\"hi\"\"\"\n";
    let attributes = read(text, Some(&names)).expect("this is right");
    let kind = attributes.column("kind").expect("the header has it");
    assert!(kind.values().iter().eq(["call", "say \"hi\""]));
    assert_eq!(
        (0..6).map(|node| kind.value_index(node)).collect::<Vec<_>>(),
        [None, Some(0), Some(1), None, Some(0), None]
    );
    assert_eq!(format!("{attributes:?}"), r#"{"kind": {1: "call", 2: "say \"hi\"", 4: "call"}}"#);
}

#[test]
fn the_column_of_the_node_is_chosen_by_precedence() {
    // All other columns are attributes.
    let attributes = read("name,id\nmain,3\n", None).expect("`id` is a number");
    assert_eq!(attributes.get(3, "name"), Some("main"));
    let attributes = read("name,id,node\nmain,7,2\n", None).expect("`node` is a number");
    assert_eq!(attributes.get(2, "id"), Some("7"));
    let attributes = read("id,name\nread line,main\n", Some(&names())).expect("`id` is a name");
    assert_eq!(attributes.get(1, "name"), Some("main"));
}

#[test]
fn quoted_fields_span_lines() {
    let text = "id,code,\"odd\nname\"\n0,\"f(\n\n  \"\"x\"\", \"\"\"\"\r\n)\",1\n\n1,5\" pipe,\"\n\"\n2, \"a\" ,b\"\n";
    let attributes = read(text, None).expect("this is right");
    assert_eq!(attributes.get(0, "code"), Some("f(\n\n  \"x\", \"\"\n)"));
    assert_eq!(attributes.get(0, "odd\nname"), Some("1"));
    assert_eq!(attributes.get(1, "code"), Some("5\" pipe"));
    assert_eq!(attributes.get(1, "odd\nname"), Some("\n"));
    assert_eq!(attributes.get(2, "code"), Some("a"));
    assert_eq!(attributes.get(2, "odd\nname"), Some("b\""));
}

#[test]
fn compressed_files() {
    let mut compressed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    compressed.write_all(b"id,kind\n4,call\n").expect("memory takes everything");
    let compressed = compressed.finish().expect("memory takes everything");
    let attributes = read_attributes(&compressed[..], None, 5, &()).expect("this is right");
    assert_eq!(attributes.get(4, "kind"), Some("call"));
}

#[test]
fn malformed_files_are_rejected() {
    let names = names();
    for (text, names, expected) in [
        (
            "",
            None,
            "line 1, column 1: the first line must be a header with a column `node`, `id` or `name`, which tells the node",
        ),
        (
            "# none\n0,call\n",
            None,
            "line 2, column 1: the first line must be a header with a column `node`, `id` or `name`, which tells the node",
        ),
        ("id,,kind\n", None, "line 1, column 4: column 2 of the header has no name"),
        ("id,kind,\n", None, "line 1, column 9: column 3 of the header has no name"),
        ("kind,id,kind,id\n", None, "line 1, column 9: the header has two columns `kind`"),
        ("id,kind\n0,a\n7,b\n", None, "line 3, column 1: there is no node `7` in the graph of 5 nodes"),
        (
            "name,kind\nmain,b\n",
            None,
            "line 2, column 1: the node `main` is not a number: nodes are whole numbers from 0 to 4294967294",
        ),
        ("kind,name\nb, main\n", Some(&names), "line 2, column 4: there is no node `main` in the graph of 5 nodes"),
        ("kind,name\nb,\n", Some(&names), "line 2, column 3: the name of the node is empty"),
        ("id,kind\n0,a\n\n1,b\n0,c\n", None, "line 5, column 1: the node `0` already has line 2"),
        ("id,kind,file\n0,a\n", None, "line 2, column 4: the line has 2 fields, but the header has 3"),
        ("kind,id\na\n", None, "line 2, column 2: the line has 1 field, but the header has 2"),
        (
            "id,kind\n0,a,more,most\n",
            None,
            "line 2, column 5: `more` is one field more than the 2 fields of the header",
        ),
        ("id\n0,a\n", None, "line 2, column 3: `a` is one field more than the 1 field of the header"),
        ("id,kind\n0,\"a\n1,b\n", None, "line 2, column 3: the quoted field does not end"),
        (
            "id,kind\n0,\"a\nb\"c\n",
            None,
            "line 3, column 3: `c` follows a quoted field, but a separator must; a quote within one is written twice",
        ),
        ("id,kind\n0,\"a\n\0\"\n", None, "line 3, column 1: there is a byte 0, which no text has"),
    ] {
        let error = read(text, names).expect_err(text).to_string();
        assert_eq!(error, expected, "{text:?}");
    }
    let error = read_attributes(&b"id,kind\n0,a\xff\n"[..], None, 5, &()).expect_err("this is no text").to_string();
    assert_eq!(error, "line 2, column 4: the byte 0xff is not UTF-8");
    let many = format!("id{}\n", ",x".repeat(4096));
    let error = read(&many, None).expect_err("there are too many").to_string();
    assert_eq!(error, "line 1, column 8194: the header has more than 4096 columns, the most that are allowed");
    let endless = format!("id,kind\n0,\"{}", "line\n".repeat(1 << 18));
    let error = read(&endless, None).expect_err("the record does not end").to_string();
    assert_eq!(error, "line 2, column 1: quoted fields go on over lines that are longer than 1048576 bytes together");
}

/// Values agree with those of the `csv` crate.
#[test]
fn values_agree_with_another_reader() {
    let mut random = SplitMix64::new(0x0a77);
    for _ in 0..500 {
        let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
        writer.write_record(["id", "one", "two"]).expect("memory takes everything");
        for node in 0..5 {
            let mut field = || -> String {
                let pieces = ["a", "\"", ",", "\n", ";", "b c", "é", "#", "\t", "''"];
                (0..random.below(6)).map(|_| pieces[random.below(10) as usize]).collect::<String>()
            };
            let quoted = [node.to_string(), field(), field()];
            writer.write_record(&quoted).expect("memory takes everything");
        }
        let text = writer.into_inner().expect("memory takes everything");
        let attributes = read_attributes(&text[..], None, 5, &()).expect("this is right");
        for record in csv::Reader::from_reader(&text[..]).records() {
            let record = record.expect("this is right");
            let node = record[0].parse().expect("this is a number");
            for (column, name) in [(1, "one"), (2, "two")] {
                let found = attributes.get(node, name).unwrap_or_default();
                let is_quoted = record[column].contains(['"', ',', '\n', '\r']);
                // Blanks around unquoted fields are ignored.
                let expected = if is_quoted { &record[column] } else { record[column].trim_matches([' ', '\t']) };
                assert_eq!(found, expected, "{}", String::from_utf8_lossy(&text));
            }
        }
    }
}

/// Random bytes, most of which have a meaning.
#[test]
fn random_input_never_panics() {
    let mut random = SplitMix64::new(0x5eed);
    let bytes = b"id,name;\tkind\"\"\"\n\n\n\r0123 #%/\xff\0\xc3\xa9";
    for _ in 0..20_000 {
        let mut text = if random.below(4) > 0 { b"id,kind\n".to_vec() } else { Vec::new() };
        let length = random.below(40);
        text.extend((0..length).map(|_| bytes[random.below(bytes.len() as u64) as usize]));
        if let Err(error) = read_attributes(&text[..], None, 5, &()) {
            assert!(matches!(error, ReadError::Text { line: 1.., column: 1.., .. }), "{error}");
        }
    }
}
