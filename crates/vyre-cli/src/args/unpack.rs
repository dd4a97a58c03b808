//! The arguments of `vyre unpack`.

use std::path::PathBuf;

use clap::Args;

use super::DeviceArgs;
use crate::argument::parse_bytes;

/// Open archives, and the archives inside them
///
/// Opens zip, tar, gzip, zstd, LZ4, xz, bzip2 and ASAR files, and whatever archives are inside, and writes what they hold
/// below a directory. The first bytes of a file tell what it is, never its name. What is in `inner.jar` goes below
/// `inner.jar!`, which takes the place of the file.
///
/// Archives are not trusted. Limits are looked at before memory is taken, nothing is written outside the directory or through
/// a link, and no file is replaced without --overwrite. What is damaged or refused is reported with its reason and its
/// place, and the rest is unpacked all the same. A damaged file never has its own name: it ends in `.damaged`.
///
/// Reports, lists and JSON go to standard output, notes to standard error.
#[derive(Args, Debug)]
#[command(override_usage = "\
vyre unpack [OPTIONS] <ARCHIVE> --output <DIR>
       vyre unpack [OPTIONS] <ARCHIVE> --list")]
#[command(after_long_help = "\
A list has a line for each entry: size, size in the archive, method, permissions, time (UTC) and path.
The names of archives that it is in stand before it, with `!/` behind each. `!` at the beginning of
a line marks an entry with problems, which are below it.

The JSON form is one object:
  {\"archive\": {\"file\", \"bytes\"}, \"backend\": {\"name\", \"device\"}, \"entries\": [...],
   \"problems\": [...], \"extracted\", \"stats\", \"error\"}
An entry has these fields:
  path                   its names, from the outside in; the last is its own
  path_bytes             the same in hexadecimal digits, if a name is no UTF-8
  kind                   file, directory, symlink, hardlink or special
  target                 of a link; of a special file, what it is
  size                   what the archive says, or null
  bytes                  how many there are; 0 where it was not decoded, as with --no-nested --list
  compressed_size, method, offset, mode, modified
                         as in the archive; `modified` is in seconds since 1970
  opened                 whether what is in it follows
  problems               {\"offset\", \"kind\", \"message\"} of each
  placement              without --list: file, damaged, directory, symlink, hardlink, opened, nothing
                         (none of its bytes could be had) or refused
  written_to             where it is below the directory, or null
  refusal                {\"kind\", \"message\"}, or null
`problems` are those of archives themselves, with their `path` (empty for the outermost) and `format`.
`extracted` has the numbers of entries by placement and their bytes, and is null with --list. `stats`
is null if the work ended early; `error` is null unless it did, or else {\"kind\", \"message\"}.

What runs where:
  The host decodes on all cores. LZ4 blocks and zstd blocks that are raw or repeat a byte can be
  decoded by a GPU. `auto` takes one only where it can be faster with the way there and back: for an LZ4
  or zstd file of at least 256 MiB on a machine with one core. A backend that is named gets all blocks
  that it can decode. --stats tells how many were decoded where, and why.

Exit codes:
  0    everything was unpacked
  1    something is damaged or was refused, or a limit was reached; the rest was unpacked
  2    something failed: wrong arguments, no archive, an unknown format, a file that cannot be written
  130  ended by Ctrl-C; the files that are there are whole

Examples:
  vyre unpack package.tgz -o package        unpack, with archives inside it
  vyre unpack app.jar --list                list what is in it
  vyre unpack app.jar --list --no-nested    list it at once, without decoding anything
  vyre unpack data.tar.lz4 -o data --backend cuda --stats
                                            decode on an NVIDIA GPU, and tell how fast
  vyre unpack upload.zip -o sandbox --limit 64MiB --entries 1000 --depth 3
                                            be strict with strangers
  vyre unpack wheel.whl -o wheel --json | jq -r '.entries[] | select(.problems != []) | .path[-1]'
  fetch package.tgz | vyre unpack - -o package")]
pub(crate) struct UnpackArgs {
    /// The archive; `-` is standard input
    pub(crate) archive: PathBuf,

    /// The directory to unpack to, which is made if it is not there
    #[arg(long, short, value_name = "DIR", required_unless_present = "list", conflicts_with = "list")]
    pub(crate) output: Option<PathBuf>,

    /// List what is in the archive, and write nothing
    ///
    /// Entries are decoded, so that what is in inner archives is listed and damage is found. With --no-nested they are not,
    /// unless the archive is compressed as a whole, and the list is there at once.
    #[arg(long)]
    pub(crate) list: bool,

    /// Replace files that are there; directories are kept
    #[arg(long, conflicts_with = "list")]
    pub(crate) overwrite: bool,

    /// Leave archives inside the archive as they are
    #[arg(long)]
    pub(crate) no_nested: bool,

    /// Print one JSON object instead of reports
    #[arg(long)]
    pub(crate) json: bool,

    /// Print on standard error what was decoded where, why, and how fast
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

/// How much an archive may ask for.
#[derive(Args, Debug)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// The most bytes of all files and all archives inside the archive together, such as 64MiB
    #[arg(long, value_name = "SIZE", default_value = "16GiB", value_parser = parse_bytes)]
    pub(crate) limit: u64,

    /// The most bytes of one file
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = parse_bytes)]
    pub(crate) entry_limit: u64,

    /// The most bytes of output for a byte of input, of files over 16 MiB
    #[arg(long, value_name = "N", default_value_t = 250)]
    pub(crate) ratio: u64,

    /// The most entries of all archives together
    #[arg(long, value_name = "N", default_value_t = 500_000)]
    pub(crate) entries: u64,

    /// The most layers: archives and compressed streams one inside the other; a .tar.gz is two
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub(crate) depth: u32,
}
