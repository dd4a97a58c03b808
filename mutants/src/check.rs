//! Mutants that do not compile, by the errors of `cargo check`.

use std::collections::BTreeSet;
use std::error::Error;
use std::process::Command;

use serde_json::Value;

use crate::workspace::{File, Workspace};

/// Checks packages and leaves out the mutants at their errors. Returns the number of these mutants.
///
/// # Errors
///
/// Fails on an error at no mutant.
pub fn drop_errors(workspace: &mut Workspace, packages: &[&str]) -> Result<usize, Box<dyn Error>> {
    let mut command = Command::new("cargo");
    command.args(["check", "--keep-going", "--message-format=json"]).current_dir(&workspace.root);
    for package in packages {
        command.args(["-p", package]);
    }
    let output = command.output()?;
    let mut wrong = BTreeSet::new();
    let mut strange = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(line) = serde_json::from_str::<Value>(line) else { continue };
        let message = &line["message"];
        if message["level"] != "error" {
            continue;
        }
        let found = at_spans(workspace, message);
        if found.is_empty() && message["spans"].as_array().is_some_and(|spans| !spans.is_empty()) {
            strange.push(message["rendered"].as_str().unwrap_or_default().to_owned());
        }
        wrong.extend(found);
    }
    if wrong.is_empty() && !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("an error at no mutant:\n{}\n{errors}", strange.join("\n")).into());
    }
    for number in &wrong {
        workspace.drop_mutant(*number);
    }
    Ok(wrong.len())
}

/// Mutants at the spans of an error: at its primary ones, or else at the others and at those of its notes.
fn at_spans(workspace: &Workspace, message: &Value) -> BTreeSet<u32> {
    let spans = |message: &Value, is_primary: bool| -> Vec<Value> {
        let all = message["spans"].as_array().cloned().unwrap_or_default();
        all.into_iter().filter(|span| span["is_primary"] == is_primary).collect()
    };
    let children = message["children"].as_array().cloned().unwrap_or_default();
    let of_children = children.iter().flat_map(|child| spans(child, true)).collect();
    for list in [spans(message, true), spans(message, false), of_children] {
        let found: BTreeSet<u32> = list.iter().flat_map(|span| at_span(workspace, span)).collect();
        if !found.is_empty() {
            return found;
        }
    }
    // Something between the spans changes the flow from one to the other, such as an exit that is deleted.
    let all: Vec<Value> = [spans(message, true), spans(message, false)].concat();
    let number = |span: &Value, key: &str| span[key].as_u64().unwrap_or(0);
    let (Some(first), Some(last)) = (
        all.iter().min_by_key(|span| number(span, "byte_start")),
        all.iter().max_by_key(|span| number(span, "byte_end")),
    ) else {
        return BTreeSet::new();
    };
    let path = first["file_name"].as_str().unwrap_or_default();
    let Some(file) = workspace.files.iter().find(|file| file.path == path) else { return BTreeSet::new() };
    let (start, end) = (number(first, "byte_start") as usize, number(last, "byte_end") as usize);
    mutants_at(file, start, end).into_iter().collect()
}

fn at_span(workspace: &Workspace, span: &Value) -> Vec<u32> {
    let path = span["file_name"].as_str().unwrap_or_default();
    let Some(file) = workspace.files.iter().find(|file| file.path == path) else { return Vec::new() };
    let start = span["byte_start"].as_u64().unwrap_or(0) as usize;
    let end = span["byte_end"].as_u64().unwrap_or(0) as usize;
    mutants_at(file, start, end)
}

/// The mutants whose text has the span; else those of the smallest place around it; else those inside it.
fn mutants_at(file: &File, start: usize, end: usize) -> Vec<u32> {
    let rendered = &file.rendered;
    let within: Vec<u32> = rendered
        .mutants
        .iter()
        .filter(|(range, _)| range.start <= start && end <= range.end)
        .map(|(_, number)| *number)
        .collect();
    if !within.is_empty() {
        return within;
    }
    let around = rendered.places.iter().filter(|(range, _)| range.start <= start && end <= range.end);
    if let Some((_, numbers)) = around.min_by_key(|(range, _)| range.len()) {
        return numbers.clone();
    }
    let inside = rendered.places.iter().filter(|(range, _)| start <= range.start && range.end <= end);
    inside.flat_map(|(_, numbers)| numbers.clone()).collect()
}
