//! Specialization: values of uniform buffers that are constant at compile time.

use anyhow::{Context as _, bail};
use vyre::ir::{BufferAccess, BufferDecl, DataType, Program, Specialization};
use vyre::runtime::{ContentsError, parse_contents, words};

use crate::argument::Fixed;
use crate::nearest::nearest;
use crate::output::{article, counted, visible};

/// Specialization of a program by the values of `--fix`.
pub(crate) fn specialization(program: &Program, fixed: &[Fixed]) -> anyhow::Result<Specialization> {
    let mut all = Specialization::default();
    for Fixed { name, element, value } in fixed {
        let decl = find(program, name)?;
        let target = format!("`{}[{element}]`", visible(name));
        if all.get(decl.binding, *element).is_some() {
            bail!("{target} is fixed twice");
        }
        let words = value_words(decl.element, value)
            .map_err(|error| anyhow::anyhow!("cannot fix {target}: {}", visible(&error.to_string())))?;
        let expected = decl.element.element_bytes() / 4;
        if words.len() != expected {
            let (expected, actual) = (counted(expected, "word"), counted(words.len(), "word"));
            let (element, article) = (decl.element, article(decl.element.name()));
            bail!("cannot fix {target}: {article} {element} has {expected}, and the value has {actual}");
        }
        let single = Specialization::default().with_words(decl.binding, *element, &words);
        single.check(program).with_context(|| format!("cannot fix {target}"))?;
        all = all.with_words(decl.binding, *element, &words);
    }
    Ok(all)
}

/// Parses the words of a value, lowest first.
fn value_words(element: DataType, value: &str) -> Result<Vec<u32>, ContentsError> {
    let contents = match (element, value.trim()) {
        (DataType::Bool, "false") => "u32:0".to_owned(),
        (DataType::Bool, "true") => "u32:1".to_owned(),
        (DataType::I32, value) if value.starts_with('-') => format!("i32:{value}"),
        (_, value) => format!("u32:{value}"),
    };
    parse_contents(&contents, element).map(|bytes| words(&bytes))
}

/// Finds the uniform buffer with this name.
fn find<'p>(program: &'p Program, name: &str) -> anyhow::Result<&'p BufferDecl> {
    let shown = visible(name);
    match program.buffers.iter().find(|decl| *decl.name == *name) {
        Some(decl) if decl.access != BufferAccess::Uniform => {
            bail!("buffer `{shown}` is {}; only values of uniform buffers can be fixed", decl.access)
        }
        Some(decl) if decl.element == DataType::Bytes => {
            bail!("buffer `{shown}` is of bytes, which cannot be fixed; declare it as u32")
        }
        Some(decl) => Ok(decl),
        None => {
            let uniform = program.buffers.iter().filter(|decl| decl.access == BufferAccess::Uniform);
            let near = nearest(name, uniform.map(|decl| decl.name.as_str()));
            let hint =
                if near.is_empty() { "it has no uniform buffer".to_owned() } else { format!("the nearest are {near}") };
            bail!("the program has no uniform buffer `{shown}`; {hint}")
        }
    }
}

#[cfg(test)]
mod tests {
    use vyre::ir::text;

    use super::*;

    fn fixed(name: &str, element: u32, value: &str) -> Fixed {
        Fixed { name: name.to_owned(), element, value: value.to_owned() }
    }

    fn words_of(fixed: Fixed) -> Result<Vec<u32>, String> {
        let program = "workgroup_size 1; buffer u: uniform u32 @0; buffer i: uniform i32 @1; buffer b: uniform bool @2; \
                       buffer n: uniform u64 @3; buffer v: uniform vec4u32 @4; buffer y: uniform bytes @5; \
                       buffer r: read u32 @6; buffer w: workgroup u32[4]; entry { }";
        let program = text::parse(program).expect("a program").program;
        let specialization = specialization(&program, &[fixed]).map_err(|error| format!("{error:#}"))?;
        Ok(specialization.iter().flat_map(|(_, _, words)| words.to_vec()).collect())
    }

    #[test]
    fn values_are_parsed_by_the_type_of_the_buffer() {
        assert_eq!(words_of(fixed("u", 0, "7")), Ok(vec![7]));
        assert_eq!(words_of(fixed("u", 3, " 0xffff_ffff ")), Ok(vec![u32::MAX]));
        assert_eq!(words_of(fixed("i", 0, "-1")), Ok(vec![u32::MAX]));
        assert_eq!(words_of(fixed("i", 0, "0xffffffff")), Ok(vec![u32::MAX]));
        assert_eq!(words_of(fixed("b", 0, "true")), Ok(vec![1]));
        assert_eq!(words_of(fixed("b", 0, "0")), Ok(vec![0]));
        assert_eq!(words_of(fixed("n", 0, "1,2")), Ok(vec![1, 2]));
        assert_eq!(words_of(fixed("v", 0, "1, 2, 3, 4")), Ok(vec![1, 2, 3, 4]));
    }

    #[test]
    fn invalid_values_are_rejected_with_their_target() {
        for (fixed, message) in [
            (fixed("u", 0, "-1"), "cannot fix `u[0]`: `-1` is no number that fits here"),
            (fixed("u", 0, "true"), "cannot fix `u[0]`: `true` is no number that fits here"),
            (fixed("u", 0, "4294967296"), "cannot fix `u[0]`: `4294967296` is no number that fits here"),
            (fixed("u", 0, "1,2"), "cannot fix `u[0]`: a u32 has 1 word, and the value has 2 words"),
            (fixed("u", 0, ""), "cannot fix `u[0]`: a u32 has 1 word, and the value has 0 words"),
            (fixed("v", 2, "1,2"), "cannot fix `v[2]`: a vec4u32 has 4 words, and the value has 2 words"),
            (
                fixed("u", 16384, "1"),
                "cannot fix `u[16384]`: element 16384 of slot 0 lies beyond the 64 KB of a uniform buffer",
            ),
            (fixed("y", 0, "1"), "buffer `y` is of bytes, which cannot be fixed; declare it as u32"),
            (fixed("r", 0, "1"), "buffer `r` is read; only values of uniform buffers can be fixed"),
            (fixed("w", 0, "1"), "buffer `w` is workgroup; only values of uniform buffers can be fixed"),
            (fixed("z", 0, "1"), "the program has no uniform buffer `z`; the nearest are `u`, `i`, `b`"),
        ] {
            assert_eq!(words_of(fixed), Err(message.to_owned()));
        }
    }

    #[test]
    fn a_value_cannot_be_fixed_twice() {
        let program = text::parse("workgroup_size 1; buffer u: uniform u32 @0; entry { }").expect("a program").program;
        let error = specialization(&program, &[fixed("u", 1, "1"), fixed("u", 1, "1")]).expect_err("it is fixed twice");
        assert_eq!(error.to_string(), "`u[1]` is fixed twice");
    }
}
