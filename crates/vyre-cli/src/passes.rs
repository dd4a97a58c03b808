//! Parser of `--passes`.

use anyhow::bail;
use vyre::kernel::{Pass, PassPipeline, passes};

use crate::nearest::nearest;
use crate::output::visible;

/// Name of the empty pipeline.
pub(crate) const NONE: &str = "none";

/// Name of the standard pipeline.
pub(crate) const STANDARD: &str = "standard";

/// Width of a column with names of passes.
pub(crate) fn name_width() -> usize {
    passes().iter().map(|pass| pass.name.len()).max().unwrap_or_default()
}

/// Builds the pipeline of these passes, in order.
pub(crate) fn choose(names: &[String]) -> anyhow::Result<PassPipeline> {
    let mut chosen = Vec::new();
    for name in names.iter().map(|name| name.trim()) {
        match name {
            NONE if names.len() == 1 => {}
            NONE => bail!("`{NONE}` runs no passes, so it cannot stand beside others"),
            STANDARD => chosen.extend(PassPipeline::standard().names()),
            _ => chosen.push(find(name)?.name),
        }
    }
    Ok(PassPipeline::of(chosen)?)
}

fn find(name: &str) -> anyhow::Result<&'static Pass> {
    let Some(pass) = passes().iter().find(|pass| pass.name == name) else {
        let near = nearest(name, passes().iter().map(|pass| pass.name));
        bail!("there is no pass `{}`; the nearest are {near}, and `vyre lower --list-passes` lists all", visible(name));
    };
    Ok(pass)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(list: &str) -> Result<Vec<&'static str>, String> {
        let names: Vec<String> = list.split(',').map(str::to_owned).collect();
        choose(&names).map(|pipeline| pipeline.names().collect()).map_err(|error| error.to_string())
    }

    #[test]
    fn passes_keep_their_order() {
        assert_eq!(chosen("cse,fold, cse"), Ok(vec!["cse", "fold", "cse"]));
        assert_eq!(chosen("none"), Ok(vec![]));
        let standard: Vec<&str> = PassPipeline::standard().names().collect();
        assert_eq!(chosen("standard"), Ok(standard.clone()));
        assert_eq!(chosen("standard,fold").map(|names| names.len()), Ok(standard.len() + 1));
    }

    #[test]
    fn unknown_passes_have_suggestions() {
        assert!(chosen("fodl").expect_err("unknown").starts_with("there is no pass `fodl`; the nearest are `fold`, "));
        assert!(chosen("dead").expect_err("unknown").contains("the nearest are `dead-code`, "));
        assert!(chosen("fold,,cse").expect_err("nothing").starts_with("there is no pass ``"));
        assert!(chosen("none,fold").expect_err("both").contains("cannot stand beside others"));
    }
}
