//! Progress on standard error, and the exit status of reports.

use std::fmt::Display;
use std::io::IsTerminal as _;
use std::process::ExitCode;

/// Shows the current step on a line that the next step replaces. Shows nothing if standard error is not a terminal.
pub fn step(line: &str) {
    if std::io::stderr().is_terminal() {
        eprint!("\r\x1b[K{line}");
    }
}

/// Clears the current step and reports that a part is finished.
pub fn finished(part: &str) {
    step("");
    eprintln!("{part}: done");
}

/// Prints the error of a report and converts the outcome to an exit status: 0 on success, 2 on failure.
pub fn exit_code<E: Display>(report: &str, outcome: Result<(), E>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            step("");
            eprintln!("{report}: {error}");
            ExitCode::from(2)
        }
    }
}
