//! Endpoints of flows: values that a call receives and yields.

use std::fmt;

use super::version::VersionRange;

/// A value of a call: a root, and steps from it.
///
/// Text form: `argument0`, `arguments`, `arguments2` (from position 2 on), `keywords.name` (named argument), `receiver`, `return`;
/// then steps `.name` (field),
/// `.element`, `.key`, `.value` (of maps), `.content` (any field or element, at any depth), `.parameter0` and `.return`
/// (of a function), `.receiver` (of a function), `.throw` (exception of a function), `.takes4` (a function, if it has four
/// parameters), `.except4` (anything else). A field with the name of a step is quoted: `argument0.'value'`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Endpoint {
    /// Root.
    pub root: Root,
    /// Steps from the root.
    pub steps: Vec<Step>,
}

/// Roots of endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Root {
    /// Argument by position.
    Argument(u32),
    /// Every argument from a position on.
    ArgumentsFrom(u32),
    /// Named arguments. The first step is the name.
    Keywords,
    /// Receiver.
    Receiver,
    /// Result of the call; for `new` the new object.
    Return,
}

/// Steps of endpoints.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// Field by name.
    Field(String),
    /// Elements of an array, set or iterator.
    Element,
    /// Keys of a map.
    Key,
    /// Values of a map.
    Value,
    /// Everything in the value: fields and elements at any depth.
    Content,
    /// Parameter of a function.
    Parameter(u32),
    /// Result of a function.
    Return,
    /// Receiver of a function.
    Receiver,
    /// Exception of a function.
    Throw,
    /// The value itself, if it is a function with this number of parameters.
    Takes(u32),
    /// The value itself, unless it is a function with this number of parameters.
    Except(u32),
}

/// Problem of the text of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndpointProblem {
    /// The root is none of the known ones.
    Root(String),
    /// A step is empty.
    EmptyStep,
    /// A quoted field name has no end.
    OpenQuote,
    /// A number is too large.
    Number(String),
    /// There are too many steps.
    TooDeep,
}

/// Maximum number of steps.
const MAX_STEPS: usize = 8;

impl fmt::Display for EndpointProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EndpointProblem::Root(root) => write!(
                f,
                "`{root}` begins no endpoint; known are `argument0`, `arguments`, `arguments1`, `keywords`, `receiver` and `return`"
            ),
            EndpointProblem::EmptyStep => write!(f, "a step of the endpoint is empty"),
            EndpointProblem::OpenQuote => write!(f, "a quoted field of the endpoint does not end"),
            EndpointProblem::Number(number) => write!(f, "`{number}` is no position of a parameter, 0 to 255"),
            EndpointProblem::TooDeep => write!(f, "the endpoint has more than {MAX_STEPS} steps"),
        }
    }
}

impl Endpoint {
    /// Endpoint without steps.
    #[must_use]
    pub fn root(root: Root) -> Endpoint {
        Endpoint { root, steps: Vec::new() }
    }

    /// Endpoint of the first steps.
    #[must_use]
    pub fn prefix(&self, steps: usize) -> Endpoint {
        Endpoint { root: self.root, steps: self.steps[..steps.min(self.steps.len())].to_vec() }
    }

    /// Reads the text form.
    ///
    /// # Errors
    ///
    /// The problem of the text.
    ///
    /// ```
    /// use pyrograph::knowledge::Endpoint;
    ///
    /// let endpoint = Endpoint::parse("argument1.parameter0.'value'").expect("this is an endpoint");
    /// assert_eq!(endpoint.to_string(), "argument1.parameter0.'value'");
    /// assert!(Endpoint::parse("arg1").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Endpoint, EndpointProblem> {
        let text = text.trim();
        let (root, mut rest) = text.find('.').map_or((text, ""), |dot| text.split_at(dot));
        let root = match root {
            "receiver" => Root::Receiver,
            "return" => Root::Return,
            "keywords" => Root::Keywords,
            "arguments" => Root::ArgumentsFrom(0),
            _ => match (root.strip_prefix("arguments"), root.strip_prefix("argument")) {
                (Some(from), _) if is_number(from) => Root::ArgumentsFrom(position(from)?),
                (_, Some(at)) if is_number(at) => Root::Argument(position(at)?),
                _ => return Err(EndpointProblem::Root(root.to_owned())),
            },
        };
        let mut steps = Vec::new();
        while let Some(after) = rest.strip_prefix('.') {
            if steps.len() == MAX_STEPS {
                return Err(EndpointProblem::TooDeep);
            }
            if let Some(quoted) = after.strip_prefix('\'') {
                let end = quoted.find('\'').ok_or(EndpointProblem::OpenQuote)?;
                steps.push(Step::Field(quoted[..end].to_owned()));
                rest = &quoted[end + 1..];
                if !rest.is_empty() && !rest.starts_with('.') {
                    return Err(EndpointProblem::EmptyStep);
                }
                continue;
            }
            let end = after.find('.').unwrap_or(after.len());
            steps.push(step(&after[..end])?);
            rest = &after[end..];
        }
        Ok(Endpoint { root, steps })
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn position(text: &str) -> Result<u32, EndpointProblem> {
    text.parse::<u8>().map(u32::from).map_err(|_| EndpointProblem::Number(text.to_owned()))
}

fn step(text: &str) -> Result<Step, EndpointProblem> {
    Ok(match text {
        "" => return Err(EndpointProblem::EmptyStep),
        "element" => Step::Element,
        "key" => Step::Key,
        "value" => Step::Value,
        "content" => Step::Content,
        "return" => Step::Return,
        "receiver" => Step::Receiver,
        "throw" => Step::Throw,
        _ => {
            let number = |word: &str| text.strip_prefix(word).filter(|rest| is_number(rest));
            match (number("parameter"), number("takes"), number("except")) {
                (Some(at), ..) => Step::Parameter(position(at)?),
                (_, Some(count), _) => Step::Takes(position(count)?),
                (.., Some(count)) => Step::Except(position(count)?),
                _ => Step::Field(text.to_owned()),
            }
        }
    })
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.root {
            Root::Argument(at) => write!(f, "argument{at}")?,
            Root::ArgumentsFrom(0) => f.write_str("arguments")?,
            Root::ArgumentsFrom(from) => write!(f, "arguments{from}")?,
            Root::Keywords => f.write_str("keywords")?,
            Root::Receiver => f.write_str("receiver")?,
            Root::Return => f.write_str("return")?,
        }
        for each in &self.steps {
            match each {
                Step::Field(name) if step(name) == Ok(each.clone()) && !name.contains(['.', '\'']) => {
                    write!(f, ".{name}")?;
                }
                Step::Field(name) => write!(f, ".'{name}'")?,
                Step::Element => f.write_str(".element")?,
                Step::Key => f.write_str(".key")?,
                Step::Value => f.write_str(".value")?,
                Step::Content => f.write_str(".content")?,
                Step::Parameter(at) => write!(f, ".parameter{at}")?,
                Step::Return => f.write_str(".return")?,
                Step::Receiver => f.write_str(".receiver")?,
                Step::Throw => f.write_str(".throw")?,
                Step::Takes(count) => write!(f, ".takes{count}")?,
                Step::Except(count) => write!(f, ".except{count}")?,
            }
        }
        Ok(())
    }
}

/// A condition on a call.
///
/// Text form: `argument2.shell`, `argument0 = sh | bash`, `argument1.schema from js-yaml.FullSchema`, `receiver is text`,
/// `argument0 starts /`, or `markup`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What is asked.
    pub kind: ConditionKind,
    /// The condition holds if the described one does not.
    pub is_negated: bool,
}

/// Kinds of conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConditionKind {
    /// The value at an endpoint is one of several constants as texts (`true`, `5`, `sh`). No constants: the value is present and
    /// no constant that is false.
    Value(Endpoint, Vec<String>),
    /// The value at an endpoint has one of these API paths, or is the result of a call with such a value.
    From(Endpoint, Vec<String>),
    /// The value at an endpoint is a text whose first constant part is this one.
    Starts(Endpoint, String),
    /// The value at an endpoint is certainly no markup: it begins with another character than `<`.
    Selector(Endpoint),
    /// The value at an endpoint is certainly a text.
    Text(Endpoint),
    /// The value at an endpoint is the result of a call with a named argument that is one of these constants. No constants: the
    /// argument is present and no constant that is false.
    Made(Endpoint, String, Vec<String>),
    /// A method of the value at an endpoint was called before, in the same function, with an argument that is one of these constants:
    /// name of the method, position of the argument, constants.
    Called(Endpoint, String, u32, Vec<String>),
    /// A field of the value at an endpoint was stored before, in the same file: name of the field, API paths of values that do not
    /// count.
    Stored(Endpoint, String, Vec<String>),
    /// The value at an endpoint is a text that begins with a constant.
    Prefixed(Endpoint),
    /// The value at an endpoint is a constant.
    Constant(Endpoint),
    /// The value at an endpoint is a text that begins with a constant relative path.
    Relative(Endpoint),
    /// The value at an endpoint is the path of a file of the package itself: the folder of the code, and constants.
    Packaged(Endpoint),
    /// The value at an endpoint is a constant format whose placeholders print all further arguments as numbers.
    Numbers(Endpoint),
    /// A template escapes its values. The template is the value at an endpoint, or the first argument of the call that made the
    /// function. An unknown template does so too.
    Escapes(Endpoint),
    /// The content type of the response that is the receiver may be one of markup.
    Markup,
    /// The version of the package that the program asks for is in a range, or unknown.
    Version(VersionRange),
}

impl Condition {
    /// Reads the text form.
    ///
    /// # Errors
    ///
    /// The problem of the endpoint.
    pub fn parse(text: &str, is_negated: bool) -> Result<Condition, EndpointProblem> {
        if text.trim() == "markup" {
            return Ok(Condition { kind: ConditionKind::Markup, is_negated });
        }
        if let Some((endpoint, rest)) = text.split_once(" made with ") {
            let (name, values) = name_and_values(rest);
            return Ok(Condition { kind: ConditionKind::Made(Endpoint::parse(endpoint)?, name, values), is_negated });
        }
        if let Some((object, rest)) = text.split_once(" called ")
            && let Some((method, rest)) = rest.split_once(" with ")
        {
            let object = Endpoint::parse(object)?;
            let (endpoint, values) = name_and_values(rest);
            let Root::Argument(position) = Endpoint::parse(&endpoint)?.root else {
                return Err(EndpointProblem::Root(endpoint));
            };
            let kind = ConditionKind::Called(object, method.trim().to_owned(), position, values);
            return Ok(Condition { kind, is_negated });
        }
        if let Some((endpoint, rest)) = text.split_once(" stores ") {
            let (name, paths) = rest.split_once(" except ").unwrap_or((rest, ""));
            let paths = paths.split('|').map(|path| path.trim().to_owned()).filter(|path| !path.is_empty()).collect();
            let kind = ConditionKind::Stored(Endpoint::parse(endpoint)?, name.trim().to_owned(), paths);
            return Ok(Condition { kind, is_negated });
        }
        if let Some((endpoint, paths)) = text.split_once(" from ") {
            let paths = paths.split('|').map(|path| path.trim().to_owned()).collect();
            return Ok(Condition { kind: ConditionKind::From(Endpoint::parse(endpoint)?, paths), is_negated });
        }
        if let Some((endpoint, start)) = text.split_once(" starts ") {
            let kind = ConditionKind::Starts(Endpoint::parse(endpoint)?, start.trim().to_owned());
            return Ok(Condition { kind, is_negated });
        }
        if let Some(endpoint) = text.strip_suffix(" is selector") {
            return Ok(Condition { kind: ConditionKind::Selector(Endpoint::parse(endpoint)?), is_negated });
        }
        if let Some(endpoint) = text.strip_suffix(" is relative") {
            return Ok(Condition { kind: ConditionKind::Relative(Endpoint::parse(endpoint)?), is_negated });
        }
        if let Some(endpoint) = text.strip_suffix(" is packaged") {
            return Ok(Condition { kind: ConditionKind::Packaged(Endpoint::parse(endpoint)?), is_negated });
        }
        if let Some(endpoint) = text.strip_suffix(" prints numbers") {
            return Ok(Condition { kind: ConditionKind::Numbers(Endpoint::parse(endpoint)?), is_negated });
        }
        if let Some(endpoint) = text.strip_suffix(" escapes") {
            return Ok(Condition { kind: ConditionKind::Escapes(Endpoint::parse(endpoint)?), is_negated });
        }
        if let Some(endpoint) = text.strip_suffix(" is constant") {
            return Ok(Condition { kind: ConditionKind::Constant(Endpoint::parse(endpoint)?), is_negated });
        }
        if let Some(endpoint) = text.strip_suffix(" is prefixed") {
            return Ok(Condition { kind: ConditionKind::Prefixed(Endpoint::parse(endpoint)?), is_negated });
        }
        if let Some(endpoint) = text.strip_suffix(" is text") {
            return Ok(Condition { kind: ConditionKind::Text(Endpoint::parse(endpoint)?), is_negated });
        }
        let (endpoint, values) = text.split_once('=').map_or((text, Vec::new()), |(endpoint, values)| {
            (endpoint, values.split('|').map(|value| value.trim().to_owned()).collect())
        });
        Ok(Condition { kind: ConditionKind::Value(Endpoint::parse(endpoint)?, values), is_negated })
    }

    /// Endpoint that is looked at.
    #[must_use]
    pub fn endpoint(&self) -> Option<&Endpoint> {
        match &self.kind {
            ConditionKind::Value(endpoint, _)
            | ConditionKind::From(endpoint, _)
            | ConditionKind::Starts(endpoint, _)
            | ConditionKind::Selector(endpoint)
            | ConditionKind::Constant(endpoint)
            | ConditionKind::Prefixed(endpoint)
            | ConditionKind::Made(endpoint, ..)
            | ConditionKind::Relative(endpoint)
            | ConditionKind::Packaged(endpoint)
            | ConditionKind::Stored(endpoint, ..)
            | ConditionKind::Numbers(endpoint)
            | ConditionKind::Escapes(endpoint)
            | ConditionKind::Text(endpoint) => Some(endpoint),
            ConditionKind::Markup | ConditionKind::Version(_) | ConditionKind::Called(..) => None,
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_negated {
            f.write_str("not: ")?;
        }
        let values = |values: &[String]| match values.is_empty() {
            true => String::new(),
            false => format!(" = {}", values.join(" | ")),
        };
        match &self.kind {
            ConditionKind::Value(endpoint, constants) => write!(f, "{endpoint}{}", values(constants)),
            ConditionKind::From(endpoint, paths) => write!(f, "{endpoint} from {}", paths.join(" | ")),
            ConditionKind::Starts(endpoint, start) => write!(f, "{endpoint} starts {start}"),
            ConditionKind::Selector(endpoint) => write!(f, "{endpoint} is selector"),
            ConditionKind::Text(endpoint) => write!(f, "{endpoint} is text"),
            ConditionKind::Made(endpoint, name, constants) => {
                write!(f, "{endpoint} made with {name}{}", values(constants))
            }
            ConditionKind::Called(endpoint, method, position, constants) => {
                write!(f, "{endpoint} called {method} with argument{position}{}", values(constants))
            }
            ConditionKind::Stored(endpoint, name, paths) if paths.is_empty() => write!(f, "{endpoint} stores {name}"),
            ConditionKind::Stored(endpoint, name, paths) => {
                write!(f, "{endpoint} stores {name} except {}", paths.join(" | "))
            }
            ConditionKind::Prefixed(endpoint) => write!(f, "{endpoint} is prefixed"),
            ConditionKind::Constant(endpoint) => write!(f, "{endpoint} is constant"),
            ConditionKind::Relative(endpoint) => write!(f, "{endpoint} is relative"),
            ConditionKind::Packaged(endpoint) => write!(f, "{endpoint} is packaged"),
            ConditionKind::Numbers(endpoint) => write!(f, "{endpoint} prints numbers"),
            ConditionKind::Escapes(endpoint) => write!(f, "{endpoint} escapes"),
            ConditionKind::Markup => f.write_str("markup"),
            ConditionKind::Version(range) => write!(f, "versions {}", range.text()),
        }
    }
}

/// A name, and the constants behind `=`.
fn name_and_values(text: &str) -> (String, Vec<String>) {
    match text.split_once('=') {
        Some((name, values)) => {
            (name.trim().to_owned(), values.split('|').map(|value| value.trim().to_owned()).collect())
        }
        None => (text.trim().to_owned(), Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_survive_a_round_trip() {
        for text in [
            "argument0",
            "arguments",
            "arguments2.element",
            "receiver.%listeners.parameter1",
            "return.content",
            "argument1.return",
            "argument1.throw",
            "arguments.takes4.parameter0",
            "arguments1.except4.throw",
            "argument0.key",
            "keywords.shell",
            "argument0.'key'.receiver",
        ] {
            assert_eq!(Endpoint::parse(text).expect(text).to_string(), text);
        }
        assert_eq!(Endpoint::parse("return.data").expect("valid").steps, [Step::Field("data".to_owned())]);
    }

    #[test]
    fn mistakes_are_problems() {
        for text in ["", "arg0", "argument", "argument0.", "argument0..x", "argument0.'x", "argument999", "return.'a'b"]
        {
            assert!(Endpoint::parse(text).is_err(), "{text}");
        }
        assert_eq!(Endpoint::parse(&format!("return{}", ".a".repeat(9))), Err(EndpointProblem::TooDeep));
    }

    #[test]
    fn conditions_have_values() {
        let values = |text| match Condition::parse(text, false).expect("valid").kind {
            ConditionKind::Value(_, values) => values,
            kind => panic!("{kind:?}"),
        };
        assert_eq!(values("argument0 = sh | /bin/bash"), ["sh", "/bin/bash"]);
        assert!(values("argument2.shell").is_empty());
        assert_eq!(Condition::parse("markup", true).expect("valid").kind, ConditionKind::Markup);
    }
}
