//! Tests of the front end.

use crate::flow::FlowModule;
use crate::lang::{LowerError, LowerOptions};

use super::lower;

mod golden;
mod hostile;

/// Flow module of a program that is correct.
fn module(text: &str) -> FlowModule {
    match lower(text, &LowerOptions::default()) {
        Ok(module) => {
            if let Err(problem) = module.check(text) {
                panic!("{problem}\n{module}");
            }
            module
        }
        Err(error) => panic!("{error}"),
    }
}

/// Text form of a program.
fn text(program: &str) -> String {
    module(program).to_string()
}

#[test]
fn names_follow_the_scopes_of_the_language() {
    let flow = text("x = 1\nclass C:\n    x = 2\n    def f(self):\n        return x\n");
    // The method reads the variable of the module, not that of the class.
    assert!(flow.contains("function 1 `C` Constructor"), "{flow}");
    assert!(!flow.contains("return 2"), "{flow}");
    let flow = text("def f():\n    global y\n    y = 1\ndef g():\n    return y\n");
    assert!(flow.contains("store cell y"), "{flow}");
    let flow = text("def f():\n    return [x for x in x]\nx = 1\n");
    assert!(flow.contains("element of"), "{flow}");
}

#[test]
fn other_versions_of_the_language_are_errors() {
    for program in ["print 'a'", "exec 'a'", "raise A, 'b'", "x = `a`", "0777"] {
        let result = lower(program, &LowerOptions::default());
        assert!(matches!(result, Err(LowerError::Syntax { .. })), "{program}");
    }
}

#[test]
fn constants_prune_branches() {
    let flow = module("def f(x):\n    n = 86\n    if 7 * 42 - n > 200:\n        return 'a'\n    return x\n");
    assert_eq!(flow.pruned.len(), 0);
    assert!(!flow.to_string().contains("return %1\n"), "{flow}");
    let flow = module("if 1 > 2:\n    a()\nelse:\n    b()\n");
    assert_eq!(flow.pruned.len(), 1);
    assert!(!flow.to_string().contains("global a"), "{flow}");
}

#[test]
fn lists_of_one_function_keep_their_positions() {
    let flow = text("def f(x):\n    l = ['a', x]\n    l.append('b')\n    l.pop(0)\n    return l[1]\n");
    assert!(flow.contains("\"b\""), "{flow}");
    assert!(!flow.contains("load"), "{flow}");
}
