//! Source text with all mutants in it.
//!
//! A place becomes `(if mutant_switch::on(7) { mutant } else { original })`. The original text of a mutant is not rewritten, since
//! only one mutant is on at a time, so the text grows by no more than its depth.

use std::ops::Range;

use crate::sites::{Form, Site};

/// A place with the numbers of its mutants that compile.
#[derive(Clone, Debug)]
pub struct Numbered {
    pub site: Site,
    /// Number of each mutant; `None` for one that does not compile.
    pub numbers: Vec<Option<u32>>,
}

/// Rewritten text, and the places in it.
#[derive(Debug, Default)]
pub struct Rendered {
    pub text: String,
    /// Range of the text of each mutant.
    pub mutants: Vec<(Range<usize>, u32)>,
    /// Range of each place, with its mutants. An outer place comes after those inside it.
    pub places: Vec<(Range<usize>, Vec<u32>)>,
}

/// Rewrites a file. Places are sorted, outer ones first.
pub fn render(source: &str, places: &[Numbered]) -> Rendered {
    let mut rendered = Rendered::default();
    span(source, 0..source.len(), places, &mut rendered);
    rendered
}

/// Writes a range of the source with the places in it.
fn span(source: &str, range: Range<usize>, mut places: &[Numbered], out: &mut Rendered) {
    let mut at = range.start;
    while let Some((place, rest)) = places.split_first() {
        let inside = rest.iter().take_while(|inner| inner.site.range.end <= place.site.range.end).count();
        // A place that begins before the end of the last one nests in it; anything else is no tree.
        let (inner, after) = rest.split_at(if place.site.range.is_empty() { 0 } else { inside });
        out.text.push_str(&source[at..place.site.range.start]);
        place_text(source, place, inner, out);
        at = place.site.range.end;
        places = after;
    }
    out.text.push_str(&source[at..range.end]);
}

fn place_text(source: &str, place: &Numbered, inner: &[Numbered], out: &mut Rendered) {
    let Site { range, form, mutants, function: _ } = &place.site;
    let live: Vec<(u32, &str)> =
        place.numbers.iter().zip(mutants).filter_map(|(number, (_, text))| Some(((*number)?, text.as_str()))).collect();
    if live.is_empty() {
        return span(source, range.clone(), inner, out);
    }
    let start = out.text.len();
    match form {
        Form::Replace => {
            out.text.push('(');
            for (number, text) in &live {
                out.text.push_str(&format!("if ::mutant_switch::on({number}) {{ "));
                let from = out.text.len();
                out.text.push_str(text);
                out.mutants.push((from..out.text.len(), *number));
                out.text.push_str(" } else ");
            }
            out.text.push_str("{ ");
            span(source, range.clone(), inner, out);
            out.text.push_str(" })");
        }
        Form::Delete => {
            out.text.push_str(&format!("if !::mutant_switch::on({}) {{ ", live[0].0));
            span(source, range.clone(), inner, out);
            out.text.push_str(" }");
        }
        Form::Return => {
            for (number, text) in &live {
                out.text.push_str(&format!(" if ::mutant_switch::on({number}) {{ return "));
                let from = out.text.len();
                out.text.push_str(text);
                out.mutants.push((from..out.text.len() + 1, *number));
                out.text.push_str("; }");
            }
        }
    }
    out.places.push((start..out.text.len(), live.iter().map(|(number, _)| *number).collect()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sites::sites;

    fn numbered(source: &str) -> Vec<Numbered> {
        let (sites, _) = sites(source).expect("is Rust");
        let mut next = 0;
        let number = |site: Site| {
            let numbers = site.mutants.iter().map(|_| {
                next += 1;
                Some(next)
            });
            Numbered { numbers: numbers.collect(), site }
        };
        sites.into_iter().map(number).collect()
    }

    #[test]
    fn places_nest() {
        let source = "fn f() { g(a & 2); }";
        let text = render(source, &numbered(source)).text;
        assert!(syn::parse_file(&text).is_ok(), "{text}");
        let inner =
            "(if ::mutant_switch::on(3) { (a) | (2) } else if ::mutant_switch::on(4) { (a) ^ (2) } else { a & (if";
        assert!(text.contains(inner), "{text}");
        assert!(text.contains("if !::mutant_switch::on(2) { g("), "{text}");
        assert!(text.starts_with("fn f() { if ::mutant_switch::on(1) { return ; }"), "{text}");
    }

    #[test]
    fn a_file_without_mutants_stays() {
        let source = "fn f() { g(a & 2); }";
        let mut places = numbered(source);
        for place in &mut places {
            place.numbers.fill(None);
        }
        assert_eq!(render(source, &places).text, source);
    }
}
