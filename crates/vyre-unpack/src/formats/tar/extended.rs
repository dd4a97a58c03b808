//! Extended headers of tar (POSIX.1-2001 pax): records of the form `length keyword=value\n`.

/// Attributes of a member in extended headers.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Extended<'a> {
    pub(super) path: Option<&'a [u8]>,
    pub(super) target: Option<&'a [u8]>,
    pub(super) size: Option<u64>,
    pub(super) modified: Option<i64>,
    /// True for a sparse file.
    pub(super) is_sparse: bool,
}

impl<'a> Extended<'a> {
    /// Reads all records. Returns false at the first record that cannot be read; the records before it are kept.
    pub(super) fn read(&mut self, records: &'a [u8]) -> bool {
        let mut rest = records;
        while !rest.is_empty() {
            // Some tools include the padding in the size.
            if rest.iter().all(|&byte| byte == 0) {
                return true;
            }
            let Some((keyword, value, after)) = record(rest) else { return false };
            if !self.set(keyword, value) {
                return false;
            }
            rest = after;
        }
        true
    }

    fn set(&mut self, keyword: &'a [u8], value: &'a [u8]) -> bool {
        match keyword {
            b"path" => self.path = (!value.is_empty()).then_some(value),
            b"linkpath" => self.target = (!value.is_empty()).then_some(value),
            b"size" => match decimal(value) {
                Some(size) if size >= 0 => self.size = Some(size as u64),
                Some(_) | None => return false,
            },
            b"mtime" => self.modified = decimal(value),
            b"GNU.sparse.name" => {
                self.is_sparse = true;
                self.path = Some(value);
            }
            _ if keyword.starts_with(b"GNU.sparse.") => self.is_sparse = true,
            _ => {}
        }
        true
    }

    /// Fills missing attributes from `others`.
    pub(super) fn or(self, others: &Extended<'a>) -> Extended<'a> {
        Extended {
            path: self.path.or(others.path),
            target: self.target.or(others.target),
            size: self.size.or(others.size),
            modified: self.modified.or(others.modified),
            is_sparse: self.is_sparse || others.is_sparse,
        }
    }
}

/// Keyword and value of the first record, and the rest.
fn record(records: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let space = records.iter().take(20).position(|&byte| byte == b' ')?;
    let length = usize::try_from(decimal(&records[..space])?).ok()?;
    let (record, rest) = records.split_at_checked(length)?;
    let pair = record.get(space + 1..)?.strip_suffix(b"\n")?;
    let equals = memchr::memchr(b'=', pair)?;
    Some((&pair[..equals], &pair[equals + 1..], rest))
}

/// Parses a decimal number and rounds it down.
fn decimal(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let value: i64 = whole.parse().ok()?;
    let has_fraction = fraction.bytes().any(|digit| digit != b'0');
    if whole.starts_with('-') && has_fraction { value.checked_sub(1) } else { Some(value) }
}

/// A GNU long name or target: the bytes before the first zero.
pub(super) fn long_name(data: &[u8]) -> &[u8] {
    &data[..memchr::memchr(0, data).unwrap_or(data.len())]
}

#[cfg(test)]
mod tests {
    use super::Extended;

    #[test]
    fn values_may_contain_newlines_and_equals_signs() {
        let mut extended = Extended::default();
        assert!(extended.read(b"19 SCHILY.x=\n5 a=b\n18 path=a=b\nc/d\ne\n12 size=345\n20 mtime=-1.5000000\n"));
        assert_eq!(extended.path, Some(&b"a=b\nc/d\ne"[..]));
        assert_eq!(extended.size, Some(345));
        assert_eq!(extended.modified, Some(-2));
    }

    #[test]
    fn damaged_records_are_rejected() {
        for records in [&b"9 path=a"[..], b"path=a\n", b"8 path=ab\n", b"99 path=a\n", b"12 size=-45\n", b"0 "] {
            assert!(!Extended::default().read(records), "{records:?}");
        }
    }
}
