//! Parser of DOT texts, with an explicit stack of subgraphs.

use std::io::Read;

use super::dot_tokens::{DotToken, DotTokens};
use super::error::ReadError;
use super::listed::{ListedEdge, ListedGraph, Place};
use super::options::ReadOptions;

/// Maximum depth of subgraphs.
const MAX_DEPTH: usize = 64;

/// A subgraph that has not ended.
#[derive(Default)]
struct Subgraph {
    /// Nodes that occur in it.
    nodes: Vec<u32>,
    /// Operands of the statement so far, each a set of nodes.
    operands: Vec<Vec<u32>>,
    /// True after an arrow.
    is_open: bool,
}

/// Parser of a text.
pub(crate) struct DotParser<'o, R> {
    tokens: DotTokens<R>,
    graph: ListedGraph<'o>,
    is_directed: bool,
    stack: Vec<Subgraph>,
    /// Number of edges so far.
    edges: u64,
}

impl<'o, R: Read> DotParser<'o, R> {
    pub(crate) fn new(input: R, options: &'o ReadOptions) -> DotParser<'o, R> {
        let tokens = DotTokens::new(input);
        DotParser { tokens, graph: ListedGraph::new(options), is_directed: false, stack: Vec::new(), edges: 0 }
    }

    /// Parses the graph of the text.
    pub(crate) fn parse(mut self) -> Result<ListedGraph<'o>, ReadError> {
        loop {
            match self.tokens.next()? {
                Some((DotToken::Id(word, _), _)) => self.is_directed |= word.eq_ignore_ascii_case("digraph"),
                Some((DotToken::Mark(b'{'), _)) => break,
                Some((_, place)) => return Err(place.syntax("a text of DOT begins with `graph {` or `digraph {`")),
                None => return Err(self.tokens.place().syntax("a text of DOT begins with `graph {` or `digraph {`")),
            }
        }
        self.stack.push(Subgraph::default());
        while !self.stack.is_empty() {
            let Some((token, place)) = self.tokens.next()? else {
                return Err(self.tokens.place().syntax("the text ends before `}`"));
            };
            self.token(token, place)?;
        }
        // The whole input is read, so that an error at its end is reported.
        match self.tokens.next()? {
            Some((_, place)) => Err(place.syntax("a text of DOT has one graph, and nothing follows it")),
            None => Ok(self.graph),
        }
    }

    fn token(&mut self, token: DotToken, place: Place) -> Result<(), ReadError> {
        match token {
            DotToken::Mark(b';' | b',') => self.end_statement(None, place),
            DotToken::Mark(b'{') => self.begin(place),
            DotToken::Mark(b'}') => {
                self.end_statement(None, place)?;
                let mut nodes = self.stack.pop().unwrap_or_default().nodes;
                nodes.sort_unstable();
                nodes.dedup();
                if self.stack.is_empty() { Ok(()) } else { self.operand(nodes, place) }
            }
            DotToken::Mark(b'[') => {
                let attributes = self.attributes()?;
                self.end_statement(Some(&attributes), place)
            }
            DotToken::Arrow { is_directed } if is_directed != self.is_directed => {
                Err(place.syntax(match is_directed {
                    true => "edges of a `graph` are `--`; those of a `digraph` are `->`",
                    false => "edges of a `digraph` are `->`; those of a `graph` are `--`",
                }))
            }
            DotToken::Arrow { .. } => match self.stack.last_mut() {
                Some(top) if !top.operands.is_empty() && !top.is_open => {
                    top.is_open = true;
                    Ok(())
                }
                _ => Err(place.syntax("there is no node before the arrow")),
            },
            DotToken::Mark(mark) => Err(place.syntax(format!("`{}` is not expected here", char::from(mark)))),
            DotToken::Id(word, is_quoted) => self.word(&word, is_quoted, place),
        }
    }

    fn word(&mut self, word: &str, is_quoted: bool, place: Place) -> Result<(), ReadError> {
        let is = |keyword: &str| !is_quoted && word.eq_ignore_ascii_case(keyword);
        if is("subgraph") {
            if let Some(DotToken::Id(..)) = self.tokens.peek()? {
                self.tokens.next()?;
            }
            return if self.tokens.skip(b'{')? { self.begin(place) } else { Err(place.syntax("`{` is missing")) };
        }
        if is("graph") || is("node") || is("edge") {
            // Defaults of attributes.
            return if self.tokens.skip(b'[')? { self.attributes().map(drop) } else { Ok(()) };
        }
        if self.tokens.skip(b'=')? {
            // An attribute of the graph.
            return self.id().map(drop);
        }
        let node = self.graph.node(word, place)?;
        // Ports.
        while self.tokens.skip(b':')? {
            self.id()?;
        }
        self.operand(vec![node], place)
    }

    fn id(&mut self) -> Result<String, ReadError> {
        match self.tokens.next()? {
            Some((DotToken::Id(id, _), _)) => Ok(id),
            Some((_, place)) => Err(place.syntax("an identifier is missing")),
            None => Err(self.tokens.place().syntax("an identifier is missing")),
        }
    }

    /// Attributes after `[`, and those of further lists.
    fn attributes(&mut self) -> Result<Vec<(String, String)>, ReadError> {
        let mut attributes = Vec::new();
        loop {
            while self.tokens.skip(b',')? || self.tokens.skip(b';')? {}
            if self.tokens.skip(b']')? {
                if !self.tokens.skip(b'[')? {
                    return Ok(attributes);
                }
                continue;
            }
            let name = self.id()?;
            let value = if self.tokens.skip(b'=')? { self.id()? } else { "true".to_owned() };
            attributes.push((name, value));
        }
    }

    fn begin(&mut self, place: Place) -> Result<(), ReadError> {
        if self.stack.len() == MAX_DEPTH {
            return Err(place.syntax(format!("subgraphs are nested more than {MAX_DEPTH} deep")));
        }
        self.stack.push(Subgraph::default());
        Ok(())
    }

    /// Adds an operand to the statement. Without an arrow before it, it begins a new one.
    fn operand(&mut self, nodes: Vec<u32>, place: Place) -> Result<(), ReadError> {
        if !self.stack.last().is_some_and(|top| top.is_open) {
            self.end_statement(None, place)?;
        }
        if let Some(top) = self.stack.last_mut() {
            top.is_open = false;
            top.nodes.extend_from_slice(&nodes);
            top.operands.push(nodes);
        }
        Ok(())
    }

    /// Ends a statement: adds its edges, or sets the attributes of its node.
    fn end_statement(&mut self, attributes: Option<&[(String, String)]>, place: Place) -> Result<(), ReadError> {
        let Some(top) = self.stack.last_mut() else { return Ok(()) };
        if std::mem::take(&mut top.is_open) {
            return Err(place.syntax("there is no node behind the arrow"));
        }
        let operands = std::mem::take(&mut top.operands);
        let attributes = attributes.unwrap_or_default();
        if let ([nodes], true) = (&*operands, !attributes.is_empty()) {
            let [node] = **nodes else { return Ok(()) };
            return attributes.iter().try_for_each(|(name, value)| self.graph.attribute(node, name, value, place));
        }
        let weight = attributes.iter().find(|(name, _)| name == "weight").map(|(_, value)| &**value);
        for pair in operands.windows(2) {
            self.edges += pair[0].len() as u64 * pair[1].len() as u64;
            // Edges between subgraphs are as many as the product of their nodes.
            if self.edges > (1 << 20).max(64 * self.tokens.count()) {
                return Err(place.syntax("edges between subgraphs are out of proportion to the text"));
            }
            for &source in &pair[0] {
                for &target in &pair[1] {
                    let edge = ListedEdge { source, target, is_directed: self.is_directed, weight };
                    self.graph.edge(&edge, place)?;
                }
            }
        }
        Ok(())
    }
}
