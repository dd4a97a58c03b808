//! Content-Security-Policy of the page.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

/// Policy that allows this style and this script, and nothing else: no other script, no request, no form, no frame, and no
/// markup from texts (Trusted Types).
pub(super) fn policy(style: &str, script: &str) -> String {
    format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
        source(style),
        source(script)
    )
}

/// Hash of an inline block, as policies name it.
fn source(block: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(block)))
}
