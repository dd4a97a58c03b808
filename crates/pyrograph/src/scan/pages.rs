//! Pages with scripts in files of their own: the functions of all scripts of a page are global.

use crate::finding::FileIndex;
use crate::input::{Input, Resolution, Resolver, script_files};
use crate::program::Program;

/// Marks the scripts of pages that name files with scripts.
pub(super) fn mark(input: &Input, program: &mut Program, files: &[(FileIndex, u32)], resolver: &Resolver<'_>) {
    let module_of = |file: FileIndex| {
        let position = files.binary_search_by_key(&file, |(file, _)| *file).ok()?;
        Some(files[position].1 as usize)
    };
    for source in input.sources.iter().filter(|source| !source.scripts.is_empty()) {
        let Some(text) = &input.coverage.files[source.file as usize].text else { continue };
        for name in script_files(text) {
            let name = name.split(['?', '#']).next().unwrap_or_default();
            if name.is_empty() || name.contains("://") || name.starts_with("//") {
                continue;
            }
            let name =
                if name.starts_with('.') { name.to_owned() } else { format!("./{}", name.trim_start_matches('/')) };
            let Resolution::File(file) = resolver.resolve(&source.path, &name) else { continue };
            for module in [module_of(source.file), module_of(file)].into_iter().flatten() {
                program.modules[module].is_page_script = true;
            }
        }
    }
}
