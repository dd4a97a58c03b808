//! Escaping of texts in the formats of reports. The texts come from scanned packages and are hostile.

pub(super) mod github;
pub(super) mod markdown;
pub(super) mod xml;
