//! Arguments of `vyre unpack`.

use std::path::PathBuf;

use clap::Args;

use super::DeviceArgs;
use crate::argument::parse_bytes;

/// Open archives, and the archives inside them
///
/// Opens zip, tar, gzip, zstd, LZ4, xz, bzip2, lzip, LZMA, brotli, 7z, ASAR, ar (deb), cpio, RPM, cab, CFB (msi), squashfs and
/// ISO files and the archives inside them, and writes their entries below a directory. The format is detected from the bytes of
/// a file, not from its name, except for brotli. The entries of `inner.jar` go below `inner.jar!`, which replaces the file.
///
/// Archives are not trusted. Limits are checked before memory is allocated, nothing is written outside the directory or through
/// a link, and no file is replaced without --overwrite. Damaged and refused entries are reported with reason and offset, and
/// the others are unpacked. The name of a damaged file ends in `.damaged`. Where readers such as npm, pip, tar and unzip disagree
/// on an archive, all their readings are unpacked, and the disagreement is reported.
///
/// Reports, lists and JSON go to standard output, notes to standard error.
#[derive(Args, Debug)]
#[command(override_usage = "\
vyre unpack [OPTIONS] <ARCHIVE> --output <DIR>
       vyre unpack [OPTIONS] <ARCHIVE> --list")]
#[command(after_long_help = "\
A list has a line for each entry: size, size in the archive, ratio of both, method, permissions, time
(UTC) and path. The path begins with the names of the enclosing archives, with `!/` behind each. `!` at
the beginning of a line marks an entry with problems, or one that would be refused; the reasons follow
the list. Terminals of less than 100 columns show fewer columns; pipes and files have all.

The JSON format is one object:
  {\"archive\": {\"file\", \"bytes\"}, \"backend\": {\"name\", \"device\"}, \"entries\": [...],
   \"problems\": [...], \"extracted\", \"stats\", \"error\"}
An entry has these fields:
  path                   its names, from the outside in; the last is its own
  path_bytes             the path in hexadecimal digits, if a name is not UTF-8
  kind                   file, directory, symlink, hardlink or special
  target                 target of a link; kind of a special file
  size                   size according to the archive, or null
  bytes                  decoded bytes; 0 if not decoded, as with --no-nested --list
  compressed_size, method, offset, mode, modified
                         as in the archive; `modified` is in seconds since 1970
  opened                 true if its own entries follow
  problems               {\"offset\", \"kind\", \"message\"} of each
  placement              without --list: file, damaged, directory, symlink, hardlink, opened, nothing
                         (no byte could be decoded) or refused
  written_to             without --list: path below the directory, or null
  refusal                {\"kind\", \"message\"}, or null; with --list only if it would be refused
The outer `problems` are those of archives, with their `path` (empty for the outermost) and `format`.
`extracted` has the numbers of entries by placement and their bytes, and is null with --list. `stats`
is null if the command stopped early; then `error` is {\"kind\", \"message\"}, otherwise null.

Backends:
  `cpu` and `auto` decode on the host, on all cores. Any other backend decodes Deflate streams of
  zip and gzip, zstd frames and LZ4 blocks on its device, and the host decodes the rest. --stats
  prints how many blocks were decoded where, and why.

Exit codes:
  0    everything was unpacked
  1    an entry is damaged or refused, readers disagree, or a limit was reached;
       the rest was unpacked
  2    failure: arguments, no archive, an unknown format, a file that cannot be written, the deadline
  130  interrupted by Ctrl-C, SIGTERM or SIGHUP; the files that exist are complete, but a second
       Ctrl-C can leave one file incomplete

Examples:
  vyre unpack package.tgz -o package        unpack, with the archives inside it
  vyre unpack app.jar --list                list its entries
  vyre unpack app.jar --list --no-nested    list them without decoding
  vyre unpack package.tgz -o source --include '*.js' --exclude test
                                            unpack some of the entries
  vyre unpack data.tar.lz4 -o data --backend cuda --stats
                                            decode on an NVIDIA GPU, and print the speed
  vyre unpack upload.zip -o sandbox --limit 64MiB --entries 1000 --depth 3
                                            strict limits for untrusted archives
  vyre unpack wheel.whl -o wheel --json | jq -r '.entries[] | select(.problems != []) | .path[-1]'
  fetch package.tgz | vyre unpack - -o package")]
pub(crate) struct UnpackArgs {
    /// The archive; `-` is standard input
    pub(crate) archive: PathBuf,

    /// Directory to unpack to, created if missing
    #[arg(long, short, value_name = "DIR", required_unless_present = "list", conflicts_with = "list")]
    pub(crate) output: Option<PathBuf>,

    /// List the entries and write nothing
    ///
    /// Entries are decoded to list inner archives and to find damage. With --no-nested they are not decoded, unless the archive
    /// is compressed as a whole.
    #[arg(long)]
    pub(crate) list: bool,

    /// Replace existing files; directories are kept
    #[arg(long, conflicts_with = "list")]
    pub(crate) overwrite: bool,

    /// Do not open archives inside the archive
    #[arg(long)]
    pub(crate) no_nested: bool,

    /// Only entries that match this glob; can be repeated
    ///
    /// `*` and `?` match within a name, `**` any number of directories. A glob matches the last names of a path, or a directory
    /// or nested archive around it; one that starts with `/` matches from the top of the archive. Other entries are neither
    /// unpacked nor listed, and their problems are not reported.
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,

    /// No entries that match this glob; can be repeated
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,

    /// Refuse an archive on which readers disagree
    ///
    /// Some archives show different files to different tools. All their readings are unpacked and reported. With this option
    /// nothing more is unpacked after the first of them, and the exit code is 2.
    #[arg(long)]
    pub(crate) strict: bool,

    /// Print one JSON object instead of reports
    #[arg(long)]
    pub(crate) json: bool,

    /// Print on standard error how many blocks were decoded where, why, and the speed
    #[arg(long)]
    pub(crate) stats: bool,

    /// Print no notes and no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    #[command(flatten)]
    pub(crate) device: DeviceArgs,
}

/// Limits on archives.
#[derive(Args, Debug)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// Maximum bytes of all files and inner archives together, such as 64MiB
    #[arg(long, value_name = "SIZE", default_value = "16GiB", value_parser = parse_bytes)]
    pub(crate) limit: u64,

    /// Maximum bytes of one file
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = parse_bytes)]
    pub(crate) entry_limit: u64,

    /// Maximum bytes of output per byte of input, of one file and of all together; 16 MiB are exempt
    #[arg(long, value_name = "N", default_value_t = 250)]
    pub(crate) ratio: u64,

    /// Maximum number of entries of all archives together
    #[arg(long, value_name = "N", default_value_t = 500_000)]
    pub(crate) entries: u64,

    /// Maximum nesting depth of archives and compressed streams; a .tar.gz has two layers
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub(crate) depth: u32,

    /// Maximum bytes of the window (dictionary) that a compressed stream asks for
    #[arg(long, value_name = "SIZE", default_value = "128MiB", value_parser = parse_bytes)]
    pub(crate) window: u64,
}
