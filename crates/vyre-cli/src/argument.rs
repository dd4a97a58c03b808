//! Parsers of structured arguments.

use std::path::PathBuf;
use std::time::Duration;

use vyre::conform::suite::Part;
use vyre::graph::file::WeightScale;

/// Value of `--in`: a buffer with its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InputArg {
    /// The name of the buffer.
    pub(crate) name: String,
    /// Contents before the run.
    pub(crate) contents: Contents,
}

/// Source of the contents of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// The bytes of a file; `-` is standard input.
    File(PathBuf),
    /// A text for [`vyre::runtime::parse_contents`].
    Literal(String),
}

/// Value of `--out`: a buffer to print or to write to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutputArg {
    /// The name of the buffer.
    pub(crate) name: String,
    /// File for its bytes; `None` prints it.
    pub(crate) file: Option<PathBuf>,
}

/// Value of `--fix`: a constant element of a uniform buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fixed {
    /// The name of the buffer.
    pub(crate) name: String,
    /// Index of the element.
    pub(crate) element: u32,
    /// Text of its words, parsed when the type of the buffer is known.
    pub(crate) value: String,
}

/// Parses `X`, `X,Y` or `X,Y,Z`; an omitted axis is 1.
pub(crate) fn parse_grid(text: &str) -> Result<[u32; 3], String> {
    let mut grid = [1; 3];
    let numbers: Vec<&str> = text.split(',').map(str::trim).collect();
    if numbers.len() > grid.len() {
        return Err("a grid has at most 3 axes".to_owned());
    }
    for (axis, number) in grid.iter_mut().zip(numbers) {
        *axis = match number.parse() {
            Ok(0) => return Err("a grid of 0 workgroups runs nothing; an omitted axis has 1".to_owned()),
            Ok(count) => count,
            Err(_) => return Err(format!("`{number}` is no number from 1 to {}", u32::MAX)),
        };
    }
    Ok(grid)
}

/// Maximum number of threads. More threads than cores only compete with each other.
const MAX_THREADS: usize = 1024;

/// Parses a number of threads.
pub(crate) fn parse_threads(text: &str) -> Result<usize, String> {
    let threads = text.parse().ok().filter(|&threads| threads <= MAX_THREADS);
    threads.ok_or_else(|| format!("write a number from 1 to {MAX_THREADS}, or 0 for one thread for each core"))
}

/// Compute capabilities that PTX can target. The help lists them also in builds without the backend.
const KNOWN_SMS: [u32; 8] = [70, 72, 75, 80, 86, 87, 89, 90];

/// Parses a compute capability such as 90.
pub(crate) fn parse_sm(text: &str) -> Result<u32, String> {
    let known = text.parse().ok().filter(|sm| KNOWN_SMS.contains(sm));
    known.ok_or_else(|| {
        let all: Vec<String> = KNOWN_SMS.iter().map(u32::to_string).collect();
        format!("write a compute capability without its point, one of {}", all.join(", "))
    })
}

/// Parses a number of seconds.
pub(crate) fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "write a number of seconds, such as 10 or 0.5".to_owned())
}

/// Parses a seed: a 64-bit number, decimal or hexadecimal with `0x`, with optional underscores.
pub(crate) fn parse_seed(text: &str) -> Result<u64, String> {
    let digits = |text: &str| text.replace('_', "");
    let number = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) if hex.starts_with(|c: char| c.is_ascii_hexdigit()) => u64::from_str_radix(&digits(hex), 16),
        _ if text.starts_with(|c: char| c.is_ascii_digit()) => digits(text).parse(),
        _ => "".parse(),
    };
    number.map_err(|_| "write a number of 64 bits, such as 42 or 0x5EED_0001".to_owned())
}

/// Parses a part of the checks of the conformance suite: its number and the number of parts.
pub(crate) fn parse_part(text: &str) -> Result<Part, String> {
    let part = text.split_once('/').and_then(|(number, parts)| {
        let (number, parts) = (number.parse().ok()?, parts.parse().ok()?);
        (number < parts).then_some(Part { number, parts })
    });
    part.ok_or_else(|| "write the number of the part, from 0 on, and the number of parts, such as 0/4".to_owned())
}

/// Parses a number of bytes with an optional unit.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let shift = match unit.trim_start() {
        "" => Some(0),
        "KiB" | "K" => Some(10),
        "MiB" | "M" => Some(20),
        "GiB" | "G" => Some(30),
        _ => None,
    };
    let number = number.replace('_', "").parse::<u64>().ok();
    let bytes = number.zip(shift).and_then(|(number, shift)| number.checked_mul(1 << shift));
    bytes.ok_or_else(|| "write a number of bytes, such as 1000000, 512KiB, 256MiB or 4GiB".to_owned())
}

/// Parses a probability.
pub(crate) fn parse_probability(text: &str) -> Result<f64, String> {
    let probability = text.parse().ok().filter(|probability| (0.0..=1.0).contains(probability));
    probability.ok_or_else(|| "write a number from 0 to 1, such as 0.85".to_owned())
}

/// Parses a tolerance.
pub(crate) fn parse_tolerance(text: &str) -> Result<f64, String> {
    let tolerance = text.parse().ok().filter(|tolerance: &f64| *tolerance >= 0.0 && tolerance.is_finite());
    tolerance.ok_or_else(|| "write a number that is not negative, such as 1e-9".to_owned())
}

/// Parses the scale of real weights.
pub(crate) fn parse_weight_scale(text: &str) -> Result<WeightScale, String> {
    let scale = text.parse().ok().and_then(WeightScale::new);
    scale.ok_or_else(|| "write a positive number, such as 1000".to_owned())
}

/// Parses `NAME=CONTENTS`.
pub(crate) fn parse_input_arg(text: &str) -> Result<InputArg, String> {
    let example = "write NAME=CONTENTS, such as `data=zeros:64` or `data=@FILE`";
    let (name, contents) = text.split_once('=').ok_or(example)?;
    if name.is_empty() || contents.is_empty() {
        return Err(example.to_owned());
    }
    let contents = match contents.strip_prefix('@') {
        Some(file) => Contents::File(parse_file(file)?),
        None => Contents::Literal(contents.to_owned()),
    };
    Ok(InputArg { name: name.to_owned(), contents })
}

/// Parses `NAME` or `NAME=@FILE`.
pub(crate) fn parse_output_arg(text: &str) -> Result<OutputArg, String> {
    let (name, file) = match text.split_once('=') {
        None => (text, None),
        Some((name, file)) => {
            let file = file.strip_prefix('@').ok_or("a file is written as NAME=@FILE")?;
            if file == "-" {
                return Err("raw bytes go to files; `-` is none".to_owned());
            }
            (name, Some(parse_file(file)?))
        }
    };
    if name.is_empty() {
        return Err("write NAME or NAME=@FILE".to_owned());
    }
    Ok(OutputArg { name: name.to_owned(), file })
}

/// Parses `NAME[INDEX]=VALUE`. Names can contain `=`, because values cannot.
pub(crate) fn parse_fixed(text: &str) -> Result<Fixed, String> {
    let parse = || {
        let (target, value) = text.rsplit_once('=')?;
        let (name, element) = target.trim_end().strip_suffix(']')?.rsplit_once('[')?;
        let element = element.trim().parse().ok()?;
        let complete = !name.is_empty() && !value.trim().is_empty();
        complete.then(|| Fixed { name: name.to_owned(), element, value: value.to_owned() })
    };
    parse().ok_or_else(|| "write NAME[INDEX]=VALUE, such as `params[0]=64`".to_owned())
}

fn parse_file(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() { Err("the name of a file follows `@`".to_owned()) } else { Ok(PathBuf::from(text)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "cuda")]
    #[test]
    fn compute_capabilities_equal_those_of_the_backend() {
        assert_eq!(KNOWN_SMS, vyre::cuda::PtxTarget::KNOWN_SM);
    }

    #[test]
    fn grids_have_one_to_three_axes() {
        assert_eq!(parse_grid("7"), Ok([7, 1, 1]));
        assert_eq!(parse_grid("7,2"), Ok([7, 2, 1]));
        assert_eq!(parse_grid("1, 2, 4294967295"), Ok([1, 2, u32::MAX]));
        for text in ["", "x", "-1", "1,", "1,2,3,4", "4294967296", "1.5", "0", "7,0"] {
            assert!(parse_grid(text).is_err(), "{text}");
        }
    }

    #[test]
    fn threads_have_a_maximum() {
        assert_eq!(parse_threads("0"), Ok(0));
        assert_eq!(parse_threads("1024"), Ok(1024));
        for text in ["", "all", "-1", "1025", "99999999999999999999", "1.5"] {
            assert!(parse_threads(text).is_err(), "{text}");
        }
    }

    #[test]
    fn only_known_compute_capabilities_are_accepted() {
        assert_eq!(parse_sm("70"), Ok(70));
        assert_eq!(parse_sm("90"), Ok(90));
        let message = "write a compute capability without its point, one of 70, 72, 75, 80, 86, 87, 89, 90";
        for text in ["", "9.0", "sm_90", "60", "71", "91", "-70", "4294967366"] {
            assert_eq!(parse_sm(text), Err(message.to_owned()), "{text}");
        }
    }

    #[test]
    fn seconds_are_not_negative() {
        assert_eq!(parse_seconds("10"), Ok(Duration::from_secs(10)));
        assert_eq!(parse_seconds("0.5"), Ok(Duration::from_millis(500)));
        for text in ["", "soon", "-1", "NaN", "inf", "1e300"] {
            assert!(parse_seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn seeds_are_decimal_or_hexadecimal() {
        for (text, seed) in
            [("42", 42), ("0x5EED_0001", 0x5EED_0001), ("1_000", 1000), ("0xffffffffffffffff", u64::MAX)]
        {
            assert_eq!(parse_seed(text), Ok(seed), "{text}");
        }
        for text in ["", "_1", "0x", "0x_1", "-1", "+1", "0x+1", "seed", "18446744073709551616", "1.5"] {
            assert!(parse_seed(text).is_err(), "{text}");
        }
    }

    #[test]
    fn parts_are_below_their_number() {
        assert_eq!(parse_part("3/4"), Ok(Part { number: 3, parts: 4 }));
        for text in ["", "0", "/", "4/4", "0/0", "-1/4", "1/2/3"] {
            assert!(parse_part(text).is_err(), "{text}");
        }
    }

    #[test]
    fn byte_counts_have_optional_units() {
        for (text, bytes) in [("0", 0), ("1_000", 1000), ("64KiB", 64 << 10), ("1 MiB", 1 << 20), ("4G", 4 << 30)] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        for text in ["", "MiB", "-1", "1.5GiB", "1TB", "18446744073709551615K"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn probabilities_and_tolerances_are_in_range() {
        assert_eq!(parse_probability("0.85"), Ok(0.85));
        assert_eq!(parse_tolerance("1e-9"), Ok(1e-9));
        for text in ["", "-0.1", "1.1", "NaN"] {
            assert!(parse_probability(text).is_err(), "{text}");
        }
        for text in ["", "-1", "NaN", "inf"] {
            assert!(parse_tolerance(text).is_err(), "{text}");
        }
    }

    #[test]
    fn contents_are_files_or_literals() {
        let input = |name: &str, contents| Ok(InputArg { name: name.to_owned(), contents });
        assert_eq!(parse_input_arg("a=u32:1,2"), input("a", Contents::Literal("u32:1,2".to_owned())));
        assert_eq!(parse_input_arg("a=@b=c"), input("a", Contents::File("b=c".into())));
        for text in ["a", "a=", "=u32:1", "a=@"] {
            assert!(parse_input_arg(text).is_err(), "{text}");
        }
    }

    #[test]
    fn outputs_have_an_optional_file() {
        let output =
            |name: &str, file: Option<&str>| Ok(OutputArg { name: name.to_owned(), file: file.map(Into::into) });
        assert_eq!(parse_output_arg("a"), output("a", None));
        assert_eq!(parse_output_arg("a=@b"), output("a", Some("b")));
        for text in ["", "a=b", "a=@", "a=@-", "=@b"] {
            assert!(parse_output_arg(text).is_err(), "{text}");
        }
    }

    #[test]
    fn fixed_values_have_a_name_and_an_index() {
        let fixed =
            |name: &str, element, value: &str| Ok(Fixed { name: name.to_owned(), element, value: value.to_owned() });
        assert_eq!(parse_fixed("params[2]=0x10"), fixed("params", 2, "0x10"));
        assert_eq!(parse_fixed("p[0]=1,2"), fixed("p", 0, "1,2"));
        assert_eq!(parse_fixed("p[ 3 ] = 1"), fixed("p", 3, " 1"));
        assert_eq!(parse_fixed("a=[b][0]=1"), fixed("a=[b]", 0, "1"));
        for text in ["", "p", "p=1", "p[0]", "p[0]=", "p[]=1", "p[x]=1", "p[-1]=1", "p[4294967296]=1", "[0]=1"] {
            assert!(parse_fixed(text).is_err(), "{text}");
        }
    }
}
