//! `vyre explain`: explains validation rules.

use std::io::{self, Write};

use anyhow::{Context as _, bail};
use vyre::ir::{Rule, RuleInfo};

use crate::args::ExplainArgs;
use crate::exit::Outcome;
use crate::output::{STDOUT, STRONG, columns, styled_stdout, visible};
use crate::prose::{indent, prose_width, section, wrap};
use crate::table::{Cell, ProseTable};

/// Prefix of the permanent messages.
const MESSAGE_PREFIX: &str = "vyre IR validation: ";

pub(crate) fn run(args: ExplainArgs) -> anyhow::Result<Outcome> {
    let mut out = styled_stdout();
    let written = match args.code.as_deref() {
        None => list(&mut out),
        Some(code) => match code.parse::<Rule>() {
            Ok(rule) => explain(&mut out, rule, prose_width()),
            Err(_) => bail!("no rule has the code `{}`; {}", visible(code), suggestion(code)),
        },
    };
    written.and_then(|()| out.flush()).context(STDOUT)?;
    Ok(Outcome::Clean)
}

fn list(out: &mut impl Write) -> io::Result<()> {
    let mut table = ProseTable::new();
    for rule in Rule::ALL {
        table.push(vec![Cell::styled(rule.to_string(), STRONG), Cell::plain(rule.info().title)]);
    }
    table.write(out, columns())
}

fn explain(out: &mut impl Write, rule: Rule, width: usize) -> io::Result<()> {
    let RuleInfo { title, checks, why, messages, breaks, passes, .. } = rule.info();
    writeln!(out, "{STRONG}{rule}: {title}{STRONG:#}")?;
    section(out, "What it checks", &wrap(checks, width, ""))?;
    section(out, "Why", &wrap(why, width, ""))?;
    let texts: Vec<String> =
        messages.iter().map(|text| wrap(&format!("{MESSAGE_PREFIX}{text}"), width, "  ")).collect();
    section(out, if texts.len() == 1 { "Message" } else { "Messages" }, &texts.join("\n"))?;
    section(out, "A program that breaks it", &indent(breaks))?;
    section(out, "A program that does not", &indent(passes))
}

/// Suggestion for an unknown rule.
fn suggestion(code: &str) -> String {
    match code {
        "syntax" => return "it marks text that is no program, which the message itself explains".to_owned(),
        "wire" => return "it marks bytes that are no program, which the message itself explains".to_owned(),
        _ => {}
    }
    let digits = code.trim_start_matches(['v', 'V']);
    let number = digits.parse::<u32>().ok();
    if let Some(rule) = number.and_then(|number| format!("V{number:03}").parse::<Rule>().ok()) {
        return format!("did you mean {rule}?");
    }
    let word = code.to_lowercase();
    let about = |rule: &&Rule| word.len() > 2 && rule.info().title.to_lowercase().contains(&word);
    let codes: Vec<&str> = Rule::ALL.iter().filter(about).map(|rule| rule.code()).collect();
    if !codes.is_empty() {
        return format!("rules about that: {}", codes.join(", "));
    }
    match (Rule::ALL.first(), Rule::ALL.last()) {
        (Some(first), Some(last)) => format!("the codes are {first} to {last}, and `vyre explain` lists them"),
        _ => "`vyre explain` lists them".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_fit_the_question() {
        assert_eq!(suggestion("10"), "did you mean V010?");
        assert_eq!(suggestion("v10"), "did you mean V010?");
        assert!(suggestion("barrier").contains("V010"));
        assert!(suggestion("V999").contains("V001"));
    }
}
