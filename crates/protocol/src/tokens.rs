//! A line as tokens, with access to the rest of the line: option values and strings keep their white space.

/// Reads a line token by token.
#[derive(Clone, Debug)]
pub(super) struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    /// Starts at the beginning of `line`.
    pub(super) fn new(line: &'a str) -> Self {
        Self { rest: line.trim() }
    }

    /// The next token, without consuming it.
    pub(super) fn peek(&self) -> Option<&'a str> {
        self.rest.split_whitespace().next()
    }

    /// The rest of the line, trimmed.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// The next token as `T`; it is consumed only if it parses.
    pub(super) fn parse<T: std::str::FromStr>(&mut self) -> Option<T> {
        let value = self.peek()?.parse().ok()?;
        self.next();
        Some(value)
    }

    /// The text up to the first token for which `is_end` holds, which is not consumed, or the end of the line.
    pub(super) fn text_until(&mut self, is_end: impl Fn(&str) -> bool) -> &'a str {
        let start = self.rest;
        while self.peek().is_some_and(|token| !is_end(token)) {
            self.next();
        }
        start[..start.len() - self.rest.len()].trim_end()
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let token = self.peek()?;
        self.rest = self.rest[token.len()..].trim_start();
        Some(token)
    }
}

/// The text without line breaks, which would start a second message.
pub(super) fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// Words joined by single spaces.
pub(super) fn single_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rest_keeps_inner_white_space() {
        let mut tokens = Tokens::new("  a \t b  c  ");
        assert_eq!(tokens.next(), Some("a"));
        assert_eq!(tokens.rest(), "b  c");
    }

    #[test]
    fn text_until_stops_before_the_end_word() {
        let mut tokens = Tokens::new("Clear  Hash value 3");
        assert_eq!(tokens.text_until(|token| token == "value"), "Clear  Hash");
        assert_eq!(tokens.next(), Some("value"));
        assert_eq!(tokens.text_until(|_| false), "3");
        assert_eq!(tokens.next(), None);
    }

    #[test]
    fn text_until_may_be_empty() {
        assert_eq!(Tokens::new("value 3").text_until(|token| token == "value"), "");
    }
}
