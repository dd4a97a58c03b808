//! Values and their words.

use vyre_ir::DataType;
use vyre_ops::{Value, ValueError};

#[test]
fn words_and_bytes_hold_values() {
    let cases: [(Value, &[u32]); 8] = [
        (Value::U32(0xfedc_ba98), &[0xfedc_ba98]),
        (Value::I32(-2), &[0xffff_fffe]),
        (Value::I32(i32::MIN), &[0x8000_0000]),
        (Value::Bool(false), &[0]),
        (Value::Bool(true), &[1]),
        (Value::U64(0x0123_4567_89ab_cdef), &[0x89ab_cdef, 0x0123_4567]),
        (Value::Vec2U32([1, 2]), &[1, 2]),
        (Value::Vec4U32([1, 2, 3, 4]), &[1, 2, 3, 4]),
    ];
    for (value, words) in cases {
        let ty = value.data_type();
        assert_eq!(value.to_words(), words);
        assert_eq!(Value::from_words(ty, words), Ok(value));
        assert_eq!(value.to_bytes().len(), ty.min_bytes());
        assert_eq!(Value::from_bytes(ty, &value.to_bytes()), Ok(value));
    }
    assert_eq!(Value::U32(0x0403_0201).to_bytes(), [1, 2, 3, 4]);
}

#[test]
fn a_word_other_than_0_is_true() {
    assert_eq!(Value::from_words(DataType::Bool, &[0x8000_0000]), Ok(Value::Bool(true)));
}

#[test]
fn wrong_sizes() {
    for ty in DataType::ALL.into_iter().filter(|&ty| ty != DataType::Bytes) {
        for bytes in (0..=32).filter(|&bytes| bytes != ty.min_bytes()) {
            let error = Err(ValueError::Size { ty, found: bytes });
            assert_eq!(Value::from_bytes(ty, &vec![0; bytes]), error);
            if bytes % 4 == 0 {
                assert_eq!(Value::from_words(ty, &vec![0; bytes / 4]), error);
            }
        }
    }
}

#[test]
fn bytes_are_no_value() {
    let error = Err(ValueError::NotAValueType { ty: DataType::Bytes });
    assert_eq!(Value::from_words(DataType::Bytes, &[]), error);
    assert_eq!(Value::from_words(DataType::Bytes, &[1]), error);
    assert_eq!(Value::from_bytes(DataType::Bytes, &[1, 2, 3]), error);
}
