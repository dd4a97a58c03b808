//! Tests of the built-in knowledge and of files with mistakes.

use std::sync::Arc;

use super::*;

fn mask(knowledge: &Knowledge, ids: &[&str]) -> RuleMask {
    ids.iter().map(|id| 1 << knowledge.rule(id).expect(id).0).sum()
}

fn load(text: &str) -> Result<Knowledge, String> {
    Knowledge::load(&[("test.toml", text)], true)
        .map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

#[test]
fn built_in_files_have_no_problems() {
    let files: &[(&str, &str)] = &[];
    if let Err(problems) = Knowledge::load(files, true) {
        let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
        panic!("{}", texts.join("\n"));
    }
    let knowledge = Knowledge::builtin();
    assert_eq!(knowledge.rules.len(), 21);
    assert!(knowledge.notes().is_empty());
}

#[test]
fn every_rule_has_examples_and_help() {
    let knowledge = Knowledge::builtin();
    for rule in &knowledge.rules {
        let bad = rule.examples.iter().filter(|example| example.is_bad).count();
        assert!(bad >= 3, "{}: {bad} examples with a finding", rule.id);
        assert!(rule.examples.len() - bad >= 3, "{}: examples without a finding", rule.id);
        assert!(rule.help.len() > 100, "{}", rule.id);
        assert!(!rule.cwe.is_empty(), "{}", rule.id);
        assert!(rule.message.contains("{source}") && rule.message.contains("{sink}"), "{}", rule.id);
    }
}

#[test]
fn entries_of_a_language_concern_its_files_only() {
    let javascript = Knowledge::builtin();
    let python = javascript.of_language("python");
    assert!(javascript.api("child_process.exec").is_some() && javascript.api("pickle.loads").is_none());
    assert!(python.api("child_process.exec").is_none() && python.api("pickle.loads").is_some());
    assert!(javascript.method("push").is_some() && python.method("forEach").is_none());
    assert_eq!(javascript.rules, python.rules);
    assert_eq!(javascript.sources, python.sources);
    let only = Arc::new(javascript.only(&["xss"]).expect("the rule exists"));
    assert_eq!(only.of_language("python").rules.len(), 1);
}

#[test]
fn explanations_list_what_rules_match() {
    let knowledge = Knowledge::builtin();
    let text = describe::explain(&knowledge, "command-injection").expect("the rule exists");
    for part in ["CWE-78", "## Sources", "## Sinks", "child_process", "```js", "Examples without a finding"] {
        assert!(text.contains(part), "{part}");
    }
    assert_eq!(describe::explain(&knowledge, "no-such-rule"), None);
    // Entries of other languages do not concern a rule.
    let (_, rule) = knowledge.rule("xxe").expect("the rule exists");
    assert_eq!(rule.languages, ["python"]);
    let text = describe::explain(&knowledge, "xxe").expect("the rule exists");
    assert!(text.contains("flask.Request") && !text.contains("fastify.Request") && !text.contains("koa."), "{text}");
}

/// Path of a program, as the solver derives it step by step.
fn path(knowledge: &Knowledge, steps: &[&str]) -> String {
    let mut path = String::new();
    for step in steps {
        path.push_str(step);
        if let Some(name) = knowledge.canonical(&path) {
            path = name.to_owned();
        }
    }
    path
}

fn sinks(knowledge: &Knowledge, steps: &[&str], endpoint: &str) -> RuleMask {
    let endpoint = Endpoint::parse(endpoint).expect("an endpoint");
    let model = knowledge.api(&path(knowledge, steps));
    let sinks = model.iter().flat_map(|model| model.sinks.iter());
    sinks.filter(|(at, _)| *at == endpoint).map(|(_, rules)| rules).fold(0, |all, rules| all | rules)
}

#[test]
fn paths_have_the_names_of_types() {
    let knowledge = Knowledge::builtin();
    for (steps, expected) in [
        (&["node:fs"][..], "fs"),
        (&["node:fs/promises"], "fs"),
        (&["node:fs", ".default"], "fs"),
        (&["fs", ".promises"], "fs"),
        (&["express", ".default", "()", ".route", "()"], "express.Application"),
        (&["global", ".window", ".location", ".href"], "global.location.href"),
        (&["mysql2/promise", ".createPool", "()"], "mysql.Connection"),
        (&["pg", ".default", ".Pool", ".new()"], "pg.Client"),
        (&["lodash/merge"], "lodash.merge"),
        (&["underscore", ".template"], "lodash.template"),
        (&["mongodb", ".MongoClient", ".connect", "()", ".db", "()", ".collection", "()"], "mongodb.Collection"),
        (&["unknown", ".default"], "unknown.default"),
    ] {
        assert_eq!(path(&knowledge, steps), expected, "{steps:?}");
    }
}

#[test]
fn sinks_are_found_by_path() {
    let knowledge = Knowledge::builtin();
    let is = |ids: &[&str]| mask(&knowledge, ids);
    for (steps, endpoint, rules) in [
        (&["child_process", ".exec"][..], "argument0", &["command-injection"][..]),
        (&["node:child_process", ".default", ".spawn"], "argument0", &["command-injection"]),
        (&["global.eval"], "argument0", &["code-injection"]),
        (&["global.Function"], "arguments", &["code-injection"]),
        (&["vm", ".Script"], "argument0", &["code-injection"]),
        (&["fs/promises", ".readFile"], "argument0", &["path-traversal"]),
        (&["fs-extra", ".remove"], "argument0", &["path-traversal"]),
        (&["fs", ".createWriteStream"], "argument0", &["path-traversal", "zip-slip"]),
        (&["fs", ".rename"], "argument1", &["path-traversal"]),
        (&["mysql2", ".createConnection", "()", ".query"], "argument0", &["sql-injection"]),
        (&["sqlite3", ".verbose", "()", ".Database", ".new()", ".run"], "argument0", &["sql-injection"]),
        (&["mongoose", ".model", "()", ".findOne"], "argument0.content", &["nosql-injection"]),
        (&["axios", ".get"], "argument0", &["ssrf"]),
        (&["https", ".request"], "argument0.hostname", &["ssrf"]),
        (&["node-serialize", ".unserialize"], "argument0", &["unsafe-deserialization"]),
        (&["global.RegExp"], "argument0", &["regex-injection"]),
        (&["http.Response", ".redirect"], "argument0", &["open-redirect"]),
        (&["winston", ".createLogger", "()", ".info"], "arguments", &["log-injection"]),
        (&["xpath", ".select"], "argument0", &["xpath-injection"]),
        (&["jquery", "()", ".find", "()", ".html"], "argument0", &["xss"]),
        (&["fs", ".fstat"], "argument0", &[]),
    ] {
        assert_eq!(sinks(&knowledge, steps, endpoint), is(rules), "{steps:?} {endpoint}");
    }
}

#[test]
fn models_have_flows_and_types() {
    let knowledge = Knowledge::builtin();
    let flow =
        |from: &str, to: &str| (Endpoint::parse(from).expect("an endpoint"), Endpoint::parse(to).expect("an endpoint"));
    let map = knowledge.method("map").expect("a method of arrays");
    assert!(map.is_modelled);
    assert!(map.flows.contains(&flow("receiver.element", "argument0.parameter0")));
    let read = knowledge.api("fs.readFile").expect("a model");
    assert!(read.is_modelled && read.flows.is_empty());
    assert_eq!(read.conditional_sources.len(), 3);
    let math = knowledge.api("global.Math.max").expect("a pattern");
    assert!(math.sanitizes.iter().any(|(_, rules)| rules.count_ones() == 21));
    let get = knowledge.api("express.Application.get").expect("a model");
    let request = |endpoint: &str| (Endpoint::parse(endpoint).expect("valid"), "http.Request".to_owned());
    assert!(get.types.contains(&request("arguments0.except4.parameter0")), "handlers of requests");
    assert!(get.types.contains(&request("arguments0.takes4.parameter1")), "handlers of errors");
    let spawn = knowledge.api("child_process.spawn").expect("a model");
    assert_eq!(spawn.conditional_sinks.len(), 6);
    let send = knowledge.api("http.Response.send").expect("a rule");
    assert_eq!(send.conditional_sinks.len(), 1, "unless the content type is another one");
    assert!(knowledge.event("http.Request.on", "data").is_some_and(|model| model.sources.len() == 1));
    assert!(knowledge.event("http.Request.on", "end").is_none());
    assert!(knowledge.method_event("on", "data").is_some_and(|model| model.is_modelled));
    assert!(knowledge.api("no.such.path").is_none() && knowledge.method("noSuchMethod").is_none());
}

#[test]
fn members_are_sources_and_sinks() {
    let knowledge = Knowledge::builtin();
    let query = knowledge.member("http.Request.query").expect("a source");
    assert_eq!(query.sources.len(), 1);
    let source = &knowledge.sources[usize::from(query.sources[0])];
    assert_eq!((source.label.as_str(), source.model), ("http-request", ThreatModel::Application));
    assert_eq!(source.rules.count_ones(), 20);
    assert!(knowledge.member("http.Request.method").is_none());
    let html = knowledge.member_by_name("innerHTML").expect("a sink");
    assert_eq!(html.store_sinks, mask(&knowledge, &["xss"]));
    let exports: Vec<_> = knowledge.export_sources().collect();
    assert_eq!(exports.len(), 1);
    assert_eq!(knowledge.sources[usize::from(exports[0])].model, ThreatModel::Library);
    assert_eq!(knowledge.decorator_sources("@nestjs/common.Query").len(), 1);
    assert_eq!(knowledge.decorator_type("@nestjs/common.Req"), Some("http.Request"));
}

#[test]
fn parameters_have_types_by_convention() {
    let knowledge = Knowledge::builtin();
    let typed = |names: &[&str], at: usize| {
        let parameters: Vec<Option<&str>> = names.iter().map(|name| Some(*name)).collect();
        knowledge.parameter_type(names[at], at, &parameters).map(str::to_owned)
    };
    assert_eq!(typed(&["req", "res"], 0).as_deref(), Some("http.Request"));
    assert_eq!(typed(&["req", "res", "next"], 1).as_deref(), Some("http.Response"));
    assert_eq!(typed(&["err", "req", "res", "next"], 1).as_deref(), Some("http.Request"));
    assert_eq!(typed(&["request"], 0), None);
    assert_eq!(typed(&["request", "options"], 0), None);
    assert_eq!(typed(&["ctx", "next"], 0).as_deref(), Some("koa.Context"));
    assert_eq!(typed(&["ctx"], 0), None);
    assert_eq!(knowledge.parameter_type("req", 7, &[None]), None);
}

#[test]
fn guards_depend_on_test_and_result() {
    let knowledge = Knowledge::builtin();
    let all: RuleMask = (1 << knowledge.rules.len()) - 1;
    let covers = |test: TestFacts<'_>, holds: bool, ids: &[&str]| {
        let rules = mask(&knowledge, ids);
        knowledge.guard(&test, holds) & rules == rules
    };
    let none =
        |test: TestFacts<'_>, holds: bool, ids: &[&str]| knowledge.guard(&test, holds) & mask(&knowledge, ids) == 0;
    assert_eq!(knowledge.guard(&TestFacts::EqualsConstant { text: Some("a") }, true), all);
    assert_eq!(knowledge.guard(&TestFacts::EqualsConstant { text: None }, false), 0);
    assert_eq!(knowledge.guard(&TestFacts::MemberOfConstants, true), all);
    assert_eq!(knowledge.guard(&TestFacts::TypeIs("number"), true), all);
    assert_eq!(knowledge.guard(&TestFacts::TypeIs("string"), true), mask(&knowledge, &["nosql-injection"]));
    let equal = knowledge.guard(&TestFacts::EqualsValue, true);
    assert_eq!(equal, mask(&knowledge, &["path-traversal", "zip-slip"]), "the root of a folder");
    for unhelpful in [TestFacts::Ordered, TestFacts::InstanceOf, TestFacts::Truthy] {
        assert_eq!(knowledge.guard(&unhelpful, true), 0, "{unhelpful:?}");
    }
    let proto = TestFacts::EqualsConstant { text: Some("__proto__") };
    assert_eq!(knowledge.guard(&proto, false), 0, "`constructor` is left");
    let mut shown = Shown::default();
    knowledge.show(&proto, false, &mut shown);
    knowledge.show(&TestFacts::EqualsConstant { text: Some("constructor") }, false, &mut shown);
    let pollution = mask(&knowledge, &["prototype-pollution"]);
    let is_met = |&(needs, guard, rules): &(u32, usize, RuleMask)| {
        needs != 0 && needs & !shown.properties == 0 && rules == pollution && knowledge.guard_origins(guard).is_empty()
    };
    assert!(shown.conditional.iter().any(is_met));
    let dots = [Some("..")];
    let includes = TestFacts::Method { name: "includes", constants: &dots };
    assert!(covers(includes, false, &["path-traversal", "zip-slip"]));
    assert!(none(includes, true, &["path-traversal"]));
    let root = TestFacts::Method { name: "startsWith", constants: &[None] };
    assert!(covers(root, true, &["ssrf", "open-redirect"]));
    assert!(none(root, true, &["path-traversal"]), "only normalised paths");
    assert_eq!(knowledge.guard(&root, false), 0);
    assert!(none(TestFacts::Method { name: "startsWith", constants: &[Some("http")] }, true, &["ssrf"]));
    assert!(none(
        TestFacts::Method { name: "startsWith", constants: &[Some("/")] },
        true,
        &["path-traversal", "open-redirect"]
    ));
    assert!(covers(
        TestFacts::Method { name: "startsWith", constants: &[Some("https://a.example/")] },
        true,
        &["ssrf"]
    ));
}

#[test]
fn regular_expressions_guard_by_their_characters() {
    let knowledge = Knowledge::builtin();
    let matches = |pattern: &str, holds: bool| knowledge.guard(&TestFacts::Matches { pattern, flags: "" }, holds);
    let is = |ids: &[&str]| mask(&knowledge, ids);
    let words = matches("^[a-z0-9]+$", true);
    assert_eq!(words.count_ones(), 14, "every rule");
    assert_eq!(matches("[a-z0-9]+", true), 0);
    assert_eq!(matches("^[a-z0-9]+$", false), 0);
    assert_eq!(matches("[^a-z0-9]", false).count_ones(), 14);
    assert_eq!(matches(r"\.\.", false), is(&["path-traversal", "zip-slip"]));
    assert_eq!(matches(r"^[\w./-]+$", true) & is(&["path-traversal", "command-injection"]), is(&["command-injection"]));
    assert_eq!(matches("^(__proto__|constructor)$", false), is(&["prototype-pollution"]));
    assert_eq!(matches(r"^https:\/\/example\.com\/", true), is(&["ssrf", "open-redirect"]));
    assert_eq!(knowledge.replace_sanitises("[^a-z]", "g").count_ones(), 14);
    assert_eq!(knowledge.replace_sanitises("[^a-z]", ""), 0);
    assert_eq!(knowledge.replace_sanitises("<", "g"), is(&["xss"]));
    assert_eq!(knowledge.replace_sanitises(r"\.\.", "g"), is(&["path-traversal", "zip-slip"]));
    assert_eq!(knowledge.replace_sanitises(r"\.\.\/", "g"), 0);
    assert_eq!(knowledge.replace_sanitises(r"[\r\n]", "g"), is(&["log-injection"]));
}

#[test]
fn prefixes_fix_the_host() {
    let knowledge = Knowledge::builtin();
    let is = |ids: &[&str]| mask(&knowledge, ids);
    assert_eq!(knowledge.concat_sanitises("https://example.com/"), is(&["ssrf", "open-redirect"]));
    assert_eq!(knowledge.concat_sanitises("https://example.com"), 0);
    assert_eq!(knowledge.concat_sanitises("/users/"), is(&["ssrf", "open-redirect"]));
    assert_eq!(knowledge.concat_sanitises("/"), 0);
    assert_eq!(knowledge.concat_sanitises("./locales/"), is(&["code-injection"]));
    assert_eq!(knowledge.concat_sanitises(""), 0);
}

#[test]
fn libraries_have_versions() {
    let knowledge = Knowledge::builtin();
    let library = |path: &str| knowledge.library_of(path).map(|library| library.package.clone());
    assert_eq!(library("express.Application.get").as_deref(), Some("express"));
    assert_eq!(library("socket.io.Server").as_deref(), Some("socket.io"));
    assert_eq!(library("@koa/router()").as_deref(), Some("@koa/router"));
    assert_eq!(library("unknown.x"), None);
    assert!(knowledge.warn_unmatched("express", Some("^4.17.1")).is_some_and(|text| !text.contains("versions")));
    assert!(knowledge.warn_unmatched("express", Some("2.5.0")).is_some_and(|text| text.contains(">=3 <6")));
    assert_eq!(knowledge.warn_unmatched("fs", None), None);
    assert_eq!(knowledge.warn_unmatched("unknown", None), None);
    assert_eq!(knowledge.warn_unmatched("semver", None), None, "no entry is about this package");
    assert!(knowledge.warn_version("js-yaml", "^5.1.0").is_some());
    assert_eq!(knowledge.warn_version("js-yaml", "^3.1.0"), None);
}

#[test]
fn some_rules_only() {
    let knowledge = Knowledge::builtin().only(&["xss", "ssrf"]).expect("the rules exist");
    let ids: Vec<&str> = knowledge.rules.iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(ids, ["xss", "ssrf"]);
    assert_eq!(sinks(&knowledge, &["child_process", ".exec"], "argument0"), 0);
    assert_eq!(sinks(&knowledge, &["axios", ".get"], "argument0"), 2);
    assert!(knowledge.rules.iter().all(|rule| rule.examples.len() >= 6));
    let error = Knowledge::builtin().only(&["xs"]).expect_err("there is no such rule");
    assert!(error.to_string().contains("`xs`"));
}

#[test]
fn own_rules_extend_the_built_in_ones() {
    let text = r#"
format = 1
[[rule]]
id = "weak-token"
title = "A token that can be guessed"
severity = "low"
message = "{source} reaches {sink}"
help = "Use a random token."
[[source]]
label = "clock"
rule = ["weak-token"]
call = ["global.Date.now"]
[[sink]]
rule = ["weak-token", "xss"]
call = ["my-auth.{setToken,setKey}"]
at = ["argument0"]
[[propagator]]
call = ["my-auth.encode"]
flows = ["argument0 -> return"]
"#;
    let knowledge = load(text).expect("a valid file");
    assert_eq!(knowledge.rules.len(), 22);
    assert_eq!(sinks(&knowledge, &["my-auth", ".setKey"], "argument0"), mask(&knowledge, &["weak-token", "xss"]));
    assert!(knowledge.api("my-auth.encode").is_some_and(|model| model.is_modelled));
    assert_eq!(knowledge.api("global.Date.now").map_or(0, |model| model.sources.len()), 1);
}

#[test]
fn all_mistakes_have_locations_and_suggestions() {
    let text = r#"format = 1
[[sink]]
rule = ["comand-injection"]
call = ["a.b"]
att = ["argument0"]
[[source]]
member = ["a.c"]
[[function]]
call = ["a.{b"]
flows = ["argument0 - return", "arg0 -> return"]
[[guard]]
rule = ["*"]
test = "character"
[[library]]
package = "a"
versions = "about 3"
[[example]]
rule = "xss"
[[sanitizer]]
rule = ["xss"]
[[rule]]
id = "xss"
title = "Again"
severity = "higher"
message = "m"
help = "h"
"#;
    let error = load(text).expect_err("the file has mistakes");
    for part in [
        "test.toml:3:9: `comand-injection` is no rule; did you mean `command-injection`?",
        "test.toml:5:1: `att` is no key of [[sink]]; did you mean `at`?",
        "test.toml:2:1: [[sink]] has no `at`",
        "test.toml:6:1: [[source]] has no `label`",
        "test.toml:9:9: `call`: braces of a path",
        "test.toml:10:10: `argument0 - return` is no flow",
        "test.toml:10:32: `arg0` begins no endpoint",
        "test.toml:13:8: `character` is no value of `test`; did you mean `characters`?",
        "test.toml:16:12: `about 3` is no range of versions",
        "test.toml:17:1: [[example]] has either `bad` or `good`",
        "test.toml:19:1: [[sanitizer]] has none of `call`",
        "test.toml:21:1: there is already a rule `xss`",
        "test.toml:24:12: `higher` is no value of `severity`",
    ] {
        assert!(error.contains(part), "{part}\n---\n{error}");
    }
}

#[test]
fn rules_of_graphs_are_not_silent() {
    let graph = "format = 1\n[[sink]]\nlabel = \"sql\"\nnames = [\"*.execute\"]\n";
    let error = load(graph).expect_err("no table is for scans");
    assert!(error.contains("test.toml:2:1: the tables of this file are for graphs"), "{error}");
    let both = format!("{graph}[[sink]]\nrule = [\"xss\"]\ncall = [\"a\"]\nat = [\"argument0\"]\n");
    let knowledge = load(&both).expect("one table is for scans");
    assert_eq!(knowledge.notes(), ["test.toml:2: 1 table is for `vyre graph taint` only and ignored here"]);
    let rules = vyre_dataflow::rules::Rules::parse(&both).expect("one table is for graphs");
    assert_eq!((rules.len(), rules.scan_lines()), (1, &[5][..]));
    let scan = "format = 1\n[[sink]]\nrule = [\"xss\"]\ncall = [\"a\"]\nat = [\"argument0\"]\n";
    let error = vyre_dataflow::rules::Rules::parse(scan).expect_err("no table is for graphs");
    assert!(error.to_string().contains("vyre scan --rules"), "{error}");
}

#[test]
fn broken_files_are_no_panic() {
    for text in ["", "format = 2", "[[rule]", "format = 1\nrule = 3\n", "format = 1\n[[rule]]\nid = 3\ncwe = [\"x\"]\n"]
    {
        assert!(load(text).is_err(), "{text}");
    }
    assert!(load("format = 1\n").is_ok());
}

#[test]
fn default_exports_are_modules() {
    let knowledge = Knowledge::builtin();
    for package in ["shell-escape", "sanitize-filename", "mysql", "hogan.js", "adm-zip", "axios", "js-yaml"] {
        assert_eq!(path(&knowledge, &[package, ".default"]), package);
    }
    assert_eq!(path(&knowledge, &["commander", ".program", ".option", "()", ".opts"]), "commander.opts");
}

#[test]
fn the_example_of_the_page_is_valid() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scan-rules.md");
    let page = std::fs::read_to_string(file).expect("the page exists");
    let block = |language: &str| {
        let after = page.split_once(&format!("```{language}\n")).expect("the block exists").1;
        after.split_once("\n```").expect("the block ends").0.to_owned()
    };
    let knowledge = load(&block("toml")).expect("the example is right");
    let rules = mask(&knowledge, &["directory-injection"]);
    assert_eq!(sinks(&knowledge, &["ldapjs", ".createClient", "()", ".search"], "argument1.filter"), rules);
    let mistakes = "format = 1\n[[sanitizer]]\nrule = [\"comand-injection\"]\ncall = [\"a\"]\n";
    let problems = Knowledge::load(&[("my.toml", mistakes)], true).expect_err("the file has a mistake");
    let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(texts.join("\n"), block("text"));
}

#[test]
fn wrong_names_of_rules_are_reported_next_to_other_mistakes() {
    let text = "format = 1\n[[sink]]\nrule = [\"comand-injection\"]\ncal = [\"x.run\"]\n\
                [[example]]\nrule = \"comand-injection\"\nfile = \"a.js\"\n";
    let problems = load(text).expect_err("mistakes");
    assert_eq!(problems.matches("`comand-injection` is no rule").count(), 2, "{problems}");
    for part in ["`cal`", "has none of", "has either `bad` or `good`"] {
        assert!(problems.contains(part), "{part}: {problems}");
    }
}
