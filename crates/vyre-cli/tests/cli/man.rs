//! `vyre man`: manual pages.

use crate::harness::Sandbox;

#[test]
fn every_command_has_a_page() {
    let sandbox = Sandbox::new(&[("pages/other.txt", "kept")]);
    let run = sandbox.run(&["man", "pages/man1"]);
    assert_eq!((run.code, run.text()), (Some(0), ""), "{}", run.stderr);
    assert!(run.stderr.starts_with("wrote ") && run.stderr.ends_with(" pages to pages/man1\n"), "{}", run.stderr);
    for page in
        ["vyre", "vyre-check", "vyre-scan", "vyre-graph", "vyre-graph-bfs", "vyre-graph-generate-rmat", "vyre-man"]
    {
        let text = sandbox.read_text(&format!("pages/man1/{page}.1"));
        assert!(text.contains(".TH ") && text.contains(".SH NAME") && text.contains(".SH SYNOPSIS"), "{page}: {text}");
    }
    let text = sandbox.read_text("pages/man1/vyre-scan.1");
    for part in [".SH \"EXIT CODES\"", ".SH EXAMPLES", "vyre scan package.tgz", "\\-\\-format"] {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
    assert_eq!(sandbox.read_text("pages/other.txt"), "kept");
}

#[test]
fn a_folder_that_cannot_be_made_is_a_failure() {
    let sandbox = Sandbox::new(&[("file", "")]);
    let run = sandbox.run(&["man", "file/pages"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.starts_with("error: cannot make the folder file/pages"), "{}", run.stderr);
}
