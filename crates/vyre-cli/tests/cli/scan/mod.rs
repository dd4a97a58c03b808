//! `vyre scan`, `vyre rules` and `vyre scan-score`: forms, exit codes, arguments.

mod arguments;
mod baseline;
mod cache;
mod compare;
mod configuration;
mod fetch;
mod findings;
mod formats;
mod html;
mod lockfile;
mod outputs;
mod releases;
pub(crate) mod schema;
mod score;
mod unmatched;
mod workflow;

use crate::harness::{Run, Sandbox};

/// A flow from an argument to a shell across two files, and a call without one.
const FILES: [(&str, &str); 3] = [
    (
        "app/index.js",
        "const { run } = require('./run');\n\nrun(process.argv[2]); // source: argv\nrun2('ls');\nfunction run2(x) { require('child_process').exec('ls'); } // ok: command-injection\n",
    ),
    (
        "app/run.js",
        "const { exec } = require('child_process');\nexports.run = function run(command) {\n  exec(command); // sink: command-injection argv\n};\n",
    ),
    ("clean/index.js", "console.log('hello');\n"),
];

fn sandbox() -> Sandbox {
    Sandbox::new(&FILES)
}

/// Runs `vyre scan` with these arguments, application model.
fn scan(sandbox: &Sandbox, args: &[&str]) -> Run {
    sandbox.run(&[&["scan", "--sources", "application"][..], args].concat())
}
