//! Malformed bytes: the kind of the error and its offset.

use vyre_ir::wire::{WireErrorKind, from_wire};

fn error(body: &[u8]) -> (WireErrorKind, usize) {
    let bytes = [b"VIR0\x01\x00", body].concat();
    let error = from_wire(&bytes).map(|program| program.to_string()).expect_err("malformed");
    (error.kind, error.offset)
}

#[test]
fn errors_have_the_offset_of_the_malformed_item() {
    assert!(from_wire(b"VIR0\x01\x00\x00\x01\x01\x01\x00").is_ok());
    let statements = WireErrorKind::UnknownCode { what: "statements", code: 0x1f };
    let expressions = WireErrorKind::UnknownCode { what: "expressions", code: 0xff };
    let cases: [(&[u8], WireErrorKind, usize); 12] = [
        (b"", WireErrorKind::UnexpectedEnd, 6),
        (b"\x00\x01\x01\x01", WireErrorKind::UnexpectedEnd, 10),
        (b"\x00\x01\x80\x00\x01\x00", WireErrorKind::BadNumber, 8),
        (b"\x00\x01\x01\x01\xff", expressions, 10),
        (b"\x00\x01\x01\x01\x08\x1f", statements, 11),
        (b"\x00\x01\x01\x01\x00\x00\x00", WireErrorKind::TrailingBytes(2), 11),
        // `Let` without a value, whose name has been read by then.
        (b"\x00\x01\x01\x01\x01\x00\x01x", WireErrorKind::MissingOperand, 10),
        // A value before a barrier.
        (b"\x00\x01\x01\x01\x23\x08", WireErrorKind::SuperfluousOperand, 11),
        (b"\x00\x01\x01\x01\x24\x01", WireErrorKind::UnknownName(1), 11),
        (b"\x00\x01\x01\x01\x24\x00\x02\xff\xff", WireErrorKind::BadName, 13),
        // `x` again, spelled out instead of numbered.
        (b"\x00\x01\x01\x01\x24\x00\x01x\x24\x01\x01x", WireErrorKind::RepeatedName, 17),
        (b"\x05\x00\x01", WireErrorKind::TooLong { count: 5, left: 2 }, 6),
    ];
    for (body, kind, offset) in cases {
        assert_eq!(error(body), (kind, offset), "{body:02x?}");
    }
    let version = from_wire(b"VIR0\x02\x00").map(|_| ()).expect_err("a version to come");
    assert_eq!((version.kind, version.offset), (WireErrorKind::UnsupportedVersion(2), 4));
    let magic = from_wire(b"VIR1\x01\x00").map(|_| ()).expect_err("another format");
    assert_eq!((magic.kind, magic.offset), (WireErrorKind::BadMagic, 0));
}
