//! Lock files and SBOMs as graphs of packages.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use vyre::graph::file::uncompressed_name;
use vyre::graph::{Graph, GraphView, NodeNames, Role, try_to_csr};
use vyre::packages::{
    Advisory, Dependency, DependencyGraph, DependencyKind, Format, Package, Selector, advisories, read,
};

use super::compressed::fully_decompressed;
use super::progress::Bar;
use crate::args::graph::{ReadArgs, WeightsArg};
use crate::input::Input;
use crate::output::{size, visible};

/// Maximum bytes of a lock file, an SBOM or a file of advisories.
const MAX_BYTES: u64 = 256 << 20;

/// Name of the packages of the project itself, in `--sources` and `--sinks`.
const ROOT: &str = "root";

/// A graph of packages. Nodes are packages, and an edge leads from a package to one that it needs. Packages of the project itself have the role source.
pub(super) struct PackageGraph {
    graph: Graph,
    packages: Vec<Package>,
    /// Dependencies, sorted by both ends.
    dependencies: Vec<Dependency>,
    format: Format,
}

impl PackageGraph {
    /// Reads a lock file or an SBOM.
    pub(super) fn read(
        format: Format,
        reader: Box<dyn Read + Send>,
        input: &Input,
        args: &ReadArgs,
        bar: &Bar,
    ) -> anyhow::Result<PackageGraph> {
        let name = input.name();
        let text = text_within(&name, reader)?;
        let manifest = manifest(input, format, args, bar)?;
        let mut found =
            read(format, &text, manifest.as_deref()).map_err(|error| anyhow!("{}: {error}", visible(&name)))?;
        if args.weights == WeightsArg::Required {
            bail!("{}: a file of packages has no weights (--weights required)", visible(&name));
        }
        for note in &found.notes {
            bar.note(&format!("{}: {note}", visible(&name)));
        }
        let nodes = u32::try_from(found.packages.len()).context("there are too many packages")?;
        if let Some(limit) = args.max_nodes.filter(|&limit| nodes > limit) {
            bail!("{}: it has {nodes} packages where at most {limit} may be (--max-nodes)", visible(&name));
        }
        if !args.dependencies.is_empty() {
            found.dependencies.retain(|dependency| args.dependencies.contains(&dependency.kind));
        }
        let graph = graph(&found, nodes, args.undirected)?;
        let DependencyGraph { packages, mut dependencies, .. } = found;
        dependencies.sort_unstable_by_key(|dependency| (dependency.from, dependency.to));
        Ok(PackageGraph { graph, packages, dependencies, format })
    }

    pub(super) fn view(&self) -> GraphView<'_> {
        self.graph.view()
    }

    pub(super) fn format(&self) -> &'static str {
        self.format.name()
    }

    /// What a package needs another one for. None: it does not need it.
    pub(super) fn kind(&self, from: u32, to: u32) -> Option<DependencyKind> {
        let key = |dependency: &Dependency| (dependency.from, dependency.to);
        let at = self.dependencies.binary_search_by_key(&(from, to), key).ok()?;
        Some(self.dependencies[at].kind)
    }

    /// Packages that an argument selects: `root`, a node, or `name@range`. `option` is the name of the argument in messages.
    pub(super) fn select(&self, option: &str, text: &str) -> anyhow::Result<Vec<u32>> {
        let nodes = |is_selected: &dyn Fn(&Package) -> bool| -> Vec<u32> {
            (0..).zip(&self.packages).filter(|(_, package)| is_selected(package)).map(|(node, _)| node).collect()
        };
        if text == ROOT {
            return Ok(nodes(&|package| package.is_root));
        }
        if let Some(node) = self.graph.names.as_ref().and_then(|names| names.view().find(text)) {
            // Other copies of the same version are as good.
            let plain = &self.packages[node as usize];
            let same = |package: &Package| package.name == plain.name && package.version == plain.version;
            return Ok(if text == plain.id && !text.ends_with(']') { nodes(&same) } else { vec![node] });
        }
        let selector = Selector::parse(text).map_err(|error| anyhow!("{option}: {error}"))?;
        let selected = nodes(&|package| selector.matches(package));
        if selected.is_empty() {
            let name = Selector::parse(selector.name()).map_err(|error| anyhow!("{option}: {error}"))?;
            let others: Vec<&str> = self
                .packages
                .iter()
                .filter(|package| name.matches(package))
                .map(|package| package.version.as_str())
                .collect();
            match others[..] {
                [] => bail!("{option}: there is no package `{}` in the file", visible(selector.name())),
                _ => bail!(
                    "{option}: no package matches `{}`; the file has `{}` in version {}",
                    visible(text),
                    visible(selector.name()),
                    visible(&others.join(", "))
                ),
            }
        }
        Ok(selected)
    }

    /// Packages that advisories affect, each with the identifiers of its advisories.
    pub(super) fn affected(&self, advisories: &[Advisory]) -> Vec<(u32, Vec<String>)> {
        let ids = |package: &Package| -> Vec<String> {
            advisories.iter().filter(|advisory| advisory.affects(package)).map(|advisory| advisory.id.clone()).collect()
        };
        (0..)
            .zip(&self.packages)
            .map(|(node, package)| (node, ids(package)))
            .filter(|(_, ids)| !ids.is_empty())
            .collect()
    }
}

/// Text of a file about packages.
fn text(input: &Input) -> anyhow::Result<String> {
    let name = input.name();
    let opened = match input {
        Input::Stdin => fully_decompressed("", io::stdin()),
        Input::File(path) if path.is_dir() => Err(io::Error::other("it is a directory")),
        Input::File(path) => File::open(path).and_then(|file| fully_decompressed(&path.to_string_lossy(), file)),
    };
    text_within(&name, opened.with_context(|| format!("cannot read {}", visible(&name)))?)
}

/// Text of a reader.
fn text_within(name: &str, reader: impl Read) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    reader.take(MAX_BYTES + 1).read_to_end(&mut bytes).with_context(|| format!("cannot read {}", visible(name)))?;
    if bytes.len() as u64 > MAX_BYTES {
        bail!("{}: it has more than {}", visible(name), size(MAX_BYTES));
    }
    utf8(name, bytes)
}

fn utf8(name: &str, bytes: Vec<u8>) -> anyhow::Result<String> {
    String::from_utf8(bytes)
        .map_err(|error| anyhow!("at byte {}", error.utf8_error().valid_up_to()))
        .with_context(|| format!("{} is not UTF-8", visible(name)))
}

/// Text of the manifest: of `--manifest`, otherwise of the file beside the lock file if there is one.
fn manifest(input: &Input, format: Format, args: &ReadArgs, bar: &Bar) -> anyhow::Result<Option<String>> {
    let beside = || {
        let Input::File(path) = input else { return None };
        format.manifest().map(|name| path.with_file_name(name)).filter(|path| path.is_file())
    };
    match (&args.manifest, format.manifest()) {
        (Some(_), None) => {
            bar.note(&format!("--manifest has no effect: the format {} says all itself", format.name()));
            Ok(None)
        }
        (given, _) => given.clone().or_else(beside).map(|path| text(&Input::File(path))).transpose(),
    }
}

fn graph(found: &DependencyGraph, nodes: u32, is_undirected: bool) -> anyhow::Result<Graph> {
    let mut names = NodeNames::new();
    for package in &found.packages {
        names.intern(&package.id).context("the names of the packages are too long")?;
    }
    let mut edges: Vec<(u32, u32)> = found.dependencies.iter().map(|edge| (edge.from, edge.to)).collect();
    if is_undirected {
        edges.extend(found.dependencies.iter().map(|edge| (edge.to, edge.from)));
    }
    let mut csr = try_to_csr(nodes, &edges)?;
    for (word, package) in csr.node_data.iter_mut().zip(&found.packages) {
        *word = if package.is_root { Role::Source.word() } else { Role::Normal.word() };
    }
    Ok(Graph { csr, weights: None, names: Some(names) })
}

/// Reads files of advisories in OSV's format. A folder means all its files whose names end in `.json`, compressed or not.
pub(super) fn read_advisories(paths: &[PathBuf], bar: &Bar) -> anyhow::Result<Vec<Advisory>> {
    let mut all = Vec::new();
    let (mut files_read, mut withdrawn) = (0_usize, 0);
    for path in paths {
        let mut files = vec![path.clone()];
        if path.is_dir() {
            let entries =
                std::fs::read_dir(path).with_context(|| format!("cannot read {}", visible(&path.to_string_lossy())))?;
            files = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
            let is_json = |file: &Path| file.extension().is_some_and(|extension| extension == "json");
            files.retain(|file| is_json(uncompressed_name(file)));
            files.sort();
            if files.is_empty() {
                bail!(
                    "{}: the folder has no file of advisories, whose name ends in .json",
                    visible(&path.to_string_lossy())
                );
            }
        }
        for file in files {
            let input = Input::new(&file);
            let read = advisories(&text(&input)?).map_err(|error| anyhow!("{}: {error}", visible(&input.name())))?;
            files_read += 1;
            withdrawn += usize::from(read.is_empty());
            all.extend(read);
        }
    }
    if withdrawn > 0 {
        bar.note(&format!("files with only withdrawn advisories: {withdrawn} of {files_read}"));
    }
    Ok(all)
}

/// Note for advisories that affect no package.
pub(super) fn unaffected_note(advisories: &[Advisory], affected: &[(u32, Vec<String>)]) -> Option<String> {
    let is_used = |advisory: &&Advisory| affected.iter().any(|(_, ids)| ids.contains(&advisory.id));
    match advisories.iter().filter(|advisory| !is_used(advisory)).count() {
        0 => None,
        1 => Some("1 advisory affects no package of the file".to_owned()),
        unused => Some(format!("{unused} advisories affect no package of the file")),
    }
}
