//! The text of a comment, which ends at its brace or, without one, before the tags of the next game.
//!
//! Behind a blank line, a line that begins like `[Event "` is a tag. Without this rule a comment without an end would swallow the next
//! game up to the first brace in it.

/// Last character of a comment whose text was cut off, or of an empty one in place of a word that was. It occurs nowhere else in the text.
pub(super) const CUT_OFF: u8 = 0x03;

/// The longest beginning of a line that may turn out to be a tag.
const LONGEST_BEGINNING: usize = 64;

/// What ended the part of a comment that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The text; the comment may go on.
    Text,
    Brace,
    /// The beginning of a tag, which was passed on.
    Tag,
}

/// A comment while it is passed on.
#[derive(Debug, Default)]
pub(super) struct Comment {
    /// True at the beginning of a line, until it is known whether that is a tag.
    is_undecided: bool,
    /// The end of a blank line and the undecided beginning of the line behind it, which were not passed on yet.
    held: Vec<u8>,
}

impl Comment {
    /// Passes on the part of a text that belongs to the comment, and returns its length.
    //
    // Text arrives in pieces that may end anywhere, also within `[Event "`. At the beginning of a line the bytes are therefore held back
    // until it is known whether they are a tag; everything else is passed on at once, up to the next brace or line feed.
    pub(super) fn take(&mut self, text: &[u8], output: &mut Vec<u8>) -> (usize, Ending) {
        let mut taken = 0;
        while let Some(&byte) = text.get(taken) {
            if !self.is_undecided {
                let rest = &text[taken..];
                let end = rest.iter().position(|byte| matches!(byte, b'}' | b'\n'));
                let line = &rest[..end.map_or(rest.len(), |end| end + 1)];
                output.extend_from_slice(line);
                taken += line.len();
                if line.ends_with(b"}") {
                    return (taken, Ending::Brace);
                }
                self.is_undecided = line.ends_with(b"\n");
                continue;
            }
            taken += 1;
            if byte == b'\n' && self.held.iter().all(u8::is_ascii_whitespace) {
                output.append(&mut self.held);
                self.held.push(byte);
                continue;
            }
            let is_behind_blank_line = !self.held.is_empty();
            self.held.push(byte);
            match begins_tag(&self.held) {
                Some(true) if is_behind_blank_line => {
                    output.extend_from_slice(&[CUT_OFF, b'}', b'\n']);
                    output.extend_from_slice(self.held.trim_ascii_start());
                    self.held.clear();
                    self.is_undecided = false;
                    return (taken, Ending::Tag);
                }
                None if is_behind_blank_line => {}
                _ => {
                    output.append(&mut self.held);
                    self.is_undecided = byte.is_ascii_whitespace();
                    if byte == b'}' {
                        return (taken, Ending::Brace);
                    }
                }
            }
        }
        (taken, Ending::Text)
    }

    /// Ends the comment with the text.
    pub(super) fn cut_off(&mut self, output: &mut Vec<u8>) {
        output.append(&mut self.held);
        output.extend_from_slice(&[CUT_OFF, b'}']);
        self.is_undecided = false;
    }
}

/// True if a line begins with a tag, such as `[Event "`; `None` if more of it has to be read.
fn begins_tag(line: &[u8]) -> Option<bool> {
    if line.len() > LONGEST_BEGINNING {
        return Some(false);
    }
    let line = line.trim_ascii_start();
    let Some(tag) = line.strip_prefix(b"[") else { return (!line.is_empty()).then_some(false) };
    let name = tag.iter().take_while(|&&byte| byte.is_ascii_alphanumeric() || byte == b'_').count();
    match &tag[name..] {
        [] | [b' '] => None,
        [b' ', b'"'] => Some(name > 0),
        _ => Some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is passed on of a text in pieces, how the comment ended, and the rest.
    fn taken(text: &str, piece: usize) -> (String, Ending, String) {
        let (mut comment, mut output, mut begin) = (Comment::default(), Vec::new(), 0);
        for part in text.as_bytes().chunks(piece) {
            let (taken, ending) = comment.take(part, &mut output);
            begin += taken;
            if ending != Ending::Text {
                return (String::from_utf8(output).unwrap(), ending, text[begin..].into());
            }
        }
        comment.cut_off(&mut output);
        (String::from_utf8(output).unwrap(), Ending::Text, String::new())
    }

    #[test]
    fn a_comment_ends_at_its_brace_or_before_tags_behind_a_blank_line() {
        for (text, expected, ending, rest) in [
            (" good } e5", " good }", Ending::Brace, " e5"),
            ("a\n\n[%eval 1]\n\n[a] }", "a\n\n[%eval 1]\n\n[a] }", Ending::Brace, ""),
            ("a\n[Event \"b\"] }", "a\n[Event \"b\"] }", Ending::Brace, ""),
            ("a\n\n}", "a\n\n}", Ending::Brace, ""),
            ("a\n\n[}", "a\n\n[}", Ending::Brace, ""),
            ("a\n\n[\n\n[Event \"b\"]", "a\n\n[\n\u{3}}\n[Event \"", Ending::Tag, "b\"]"),
            ("a\n \n\n  [Event \"b\"]", "a\n \n\u{3}}\n[Event \"", Ending::Tag, "b\"]"),
            ("a\n\n[Even", "a\n\n[Even\u{3}}", Ending::Text, ""),
        ] {
            for piece in [1, 2, 3, 100] {
                assert_eq!(
                    taken(text, piece),
                    (expected.into(), ending, rest.into()),
                    "{text:?} in pieces of {piece}"
                );
            }
        }
    }
}
