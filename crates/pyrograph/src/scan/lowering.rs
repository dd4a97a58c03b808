//! Parsing and lowering of all files.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use vyre_ir::spelling::counted;

use super::watch::Watch;
use super::{ScanControl, ScanOptions, ScanStage, scripts};
use crate::coverage::{FileOutcome, InputProblem, SkipReason};
use crate::flow::FlowModule;
use crate::input::{Input, Language};
use crate::lang::{self, LARGE_STACK, LowerError, LowerOptions, MAX_STACK};

/// Memory of an instruction in all stages, in bytes; an estimate from measurements.
const BYTES_PER_INSTRUCTION: u64 = 400;

/// Flow modules of all files of the input, by source file. None: the file was not analysed, and its record says why.
pub(super) fn lower(
    input: &mut Input,
    options: &ScanOptions,
    control: &ScanControl,
    watch: &Watch<'_>,
) -> Vec<Option<FlowModule>> {
    let mut modules = lower_all(input, options, control, watch);
    lower_with_constants(input, &mut modules, options, watch);
    modules
}

/// Lowers files again that use constants of other files.
fn lower_with_constants(input: &Input, modules: &mut [Option<FlowModule>], options: &ScanOptions, watch: &Watch<'_>) {
    if input.sources.first().is_some_and(|source| source.language == Language::Python) {
        return;
    }
    let is_cancelled = || watch.is_over();
    super::constants::lower_again(input, modules, &|source, constants| {
        let original = input.coverage.files[source.file as usize].text.as_deref().unwrap_or(&source.text);
        let options = LowerOptions { constants: Some(constants), ..lower_options(options, &is_cancelled) };
        match scripts::lower(source, original, &options) {
            (Ok(module), errors) if errors.is_empty() => Some(module),
            _ => None,
        }
    });
}

/// Limits of the lowering of a file.
fn lower_options<'o>(options: &ScanOptions, is_cancelled: &'o (dyn Fn() -> bool + Sync)) -> LowerOptions<'o> {
    LowerOptions {
        max_bytes: usize::try_from(options.max_file_bytes).unwrap_or(usize::MAX),
        cancelled: Some(is_cancelled),
        has_large_stack: true,
        max_stack: options.memory.max(LARGE_STACK as u64).min(MAX_STACK),
        time_limit: Some(options.file_time_limit),
        ..LowerOptions::default()
    }
}

/// Parses and lowers all files in parallel. Failures become outcomes of the files.
fn lower_all(
    input: &mut Input,
    options: &ScanOptions,
    control: &ScanControl,
    watch: &Watch<'_>,
) -> Vec<Option<FlowModule>> {
    let total: u64 = input.sources.iter().map(|source| source.text.len() as u64).sum();
    let (done, done_files) = (AtomicU64::new(0), AtomicU64::new(0));
    let total_files = input.sources.len() as u64;
    let files = &input.coverage.files;
    let results: Vec<(Result<FlowModule, LowerError>, Vec<LowerError>)> = input
        .sources
        .par_iter()
        .map(|source| {
            if watch.is_over() {
                return (Err(LowerError::TimedOut), Vec::new());
            }
            let is_cancelled = || watch.is_over();
            let lower_options = lower_options(options, &is_cancelled);
            let original = files[source.file as usize].text.as_deref().unwrap_or(&source.text);
            let result = match source.language {
                Language::Python => {
                    let stub = input.stub_of(&source.path);
                    (lang::python::lower_with_stub(&source.text, stub, &lower_options), Vec::new())
                }
                Language::JavaScript | Language::TypeScript | Language::TypeScriptJsx => {
                    scripts::lower(source, original, &lower_options)
                }
            };
            let bytes = source.text.len() as u64;
            let bytes = done.fetch_add(bytes, Ordering::Relaxed) + bytes;
            let files = done_files.fetch_add(1, Ordering::Relaxed) + 1;
            control.report_files(ScanStage::Parse, (bytes, Some(total)), (files, Some(total_files)));
            result
        })
        .collect();
    let mut modules = Vec::with_capacity(results.len());
    let mut memory = 0_u64;
    for (source, (result, errors)) in input.sources.iter().zip(results) {
        input.coverage.problems.extend(errors.into_iter().map(|error| InputProblem {
            path: source.path.clone(),
            message: format!("a script of the file is not scanned: {error}"),
            is_incomplete: true,
            files: Vec::new(),
        }));
        let is_dependency = input.is_dependency(source.file);
        let record = &mut input.coverage.files[source.file as usize];
        let module = match result {
            Ok(module) => {
                memory += module.instructions.len() as u64 * BYTES_PER_INSTRUCTION;
                if memory > options.memory {
                    let message =
                        format!("the memory limit of {} is reached; see --memory", counted(options.memory, "byte"));
                    record.outcome = FileOutcome::Failed(message);
                    None
                } else {
                    Some(module)
                }
            }
            Err(LowerError::TimedOut) => {
                record.outcome = FileOutcome::TimedOut;
                None
            }
            // Code of others that cannot be analysed is as if it were not there.
            Err(_) if is_dependency => {
                record.outcome = FileOutcome::Skipped(SkipReason::Dependency);
                None
            }
            Err(error) => {
                record.outcome = FileOutcome::Failed(error.to_string());
                None
            }
        };
        modules.push(module);
    }
    modules
}
