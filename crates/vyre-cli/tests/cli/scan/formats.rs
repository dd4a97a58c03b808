//! Formats of reports through the binary: golden files, schemas, escaping.

use super::{FILES, scan, schema};
use crate::golden::compare;
use crate::harness::Sandbox;

/// A package with findings in a file and in an archive, a finding that a comment silences, and files of every outcome.
fn project() -> Sandbox {
    let sandbox = Sandbox::new(&FILES[..2]);
    let silenced = "const { exec } = require('child_process');\n\
                    // vyre-ignore command-injection: the caller is trusted\n\
                    exec(process.argv[3]);\n";
    sandbox.write("app/admin.js", silenced.as_bytes());
    sandbox.write("app/broken.js", b"let = = ;\n");
    sandbox.write("app/logo.png", b"\x89PNG\r\n\x1a\n\0\0");
    sandbox.write("app/node_modules/x/index.js", b"eval(process.argv[2]);\n");
    let inside = "require('child_process').exec('ls ' + process.env.DIR); // vyre-ignore command-injection: no\n";
    sandbox.write("app/vendor.zip", &crate::unpack::zip(&[("lib/a b.js", inside.as_bytes())]));
    sandbox
}

#[test]
fn every_format() {
    let sandbox = project();
    for format in ["text", "json", "sarif", "github", "junit", "markdown"] {
        let run = scan(&sandbox, &["app", "--rule", "command-injection", "--format", format]);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        match format {
            "json" => drop(schema::check_json(run.text())),
            "sarif" => drop(schema::check_sarif(run.text())),
            "junit" => drop(roxmltree::Document::parse(run.text()).expect("it is XML")),
            _ => {}
        }
        compare(&format!("scan_{format}.txt"), &format!("{}--- standard error\n{}", run.text(), run.stderr));
    }
}

#[test]
fn all_rules_are_valid_in_json_and_sarif() {
    let sandbox = project();
    schema::check_json(scan(&sandbox, &["app", "--format", "json", "--stats"]).text());
    let log = schema::check_sarif(scan(&sandbox, &["app", "--format", "sarif", "--stats"]).text());
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    assert!(rules.len() > 20);
    for rule in rules {
        let tags = rule["properties"]["tags"].as_array().expect("tags");
        assert!(tags.len() <= 10 && tags[1].as_str().is_some_and(|tag| tag.starts_with("external/cwe/cwe-")), "{rule}");
        let help = rule["help"]["markdown"].as_str().expect("help");
        assert!(help.contains("## Example with a finding\n\n```"), "{help}");
        assert!(rule["helpUri"].as_str().is_some_and(|uri| uri.starts_with("https://cwe.mitre.org/")), "{rule}");
    }
}

/// Names and texts that would end messages, elements and code.
#[cfg(unix)]
#[test]
fn hostile_names_and_texts_are_escaped() {
    let sandbox = Sandbox::new(&[]);
    let name = "app/a,line=9::b%0A<i>&\"'`@me`.js";
    let code = "require('child_process').exec('\x07<b> ]]> @all ``` |' + process.argv[2]);\n";
    sandbox.write(name, code.as_bytes());
    let run = |format: &str| scan(&sandbox, &["app", "--rule", "command-injection", "--format", format]);
    let github = run("github");
    let commands: Vec<&str> = github.text().lines().filter(|line| line.starts_with("::")).collect();
    assert_eq!(commands.len(), 1, "{}", github.text());
    assert!(
        commands[0].starts_with("::error file=app/a%2Cline=9%3A%3Ab%250A<i>&\"'`@me`.js,line=1,"),
        "{}",
        commands[0]
    );
    let junit = run("junit");
    let document = roxmltree::Document::parse(junit.text()).expect("it is XML");
    let failure = document.descendants().find(|node| node.has_tag_name("failure")).expect("a failure");
    let message = failure.attribute("message").expect("a message");
    assert!(message.contains("\u{fffd}<b> ]]> @all ``` |"), "{message}");
    let file = failure.parent().and_then(|case| case.attribute("file"));
    assert_eq!(file, Some(name));
    let markdown = run("markdown");
    let text = markdown.text();
    for part in [
        "``app/a,line=9::b%0A<i>&\"'`@me`.js:1:1``",
        "&lt;b&gt; \\]\\]&gt; <span>@</span>all \\`\\`\\` \\|",
        "\n   ````js\n",
    ] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
    schema::check_sarif(run("sarif").text());
    schema::check_json(run("json").text());
}
