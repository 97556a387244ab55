//! Untrusted text, such as names of players, engines and networks, made safe to print.

/// The text with a space in place of each control character except the `kept` ones, because terminals obey them, and of
/// each character that ends a line or changes the direction of the text around it.
pub fn printable(text: &str, kept: &[char]) -> String {
    text.chars()
        .map(|letter| if acts_on_others(letter) && !kept.contains(&letter) { ' ' } else { letter })
        .collect()
}

/// Control characters (Unicode's category Cc), line and paragraph separators, and the controls of the bidirectional
/// algorithm (UAX 9, section 2), with which a name can change how the rest of its line is displayed.
fn acts_on_others(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Defect 31: U+202E passed.
    #[test]
    fn nothing_turns_the_rest_of_a_line_around() {
        assert_eq!(printable("a\u{202e}b\u{2066}c\u{2028}d\u{200f}", &['\n']), "a b c d ");
        assert_eq!(printable("\u{5d0}\u{5d1} \u{e9}", &[]), "\u{5d0}\u{5d1} \u{e9}");
    }

    #[test]
    fn control_characters_become_spaces() {
        let hostile = "Zo\u{eb}\u{1b}[2J\tx\n\u{9b}";
        assert_eq!(printable(hostile, &[]), "Zo\u{eb} [2J x  ");
        assert_eq!(printable(hostile, &['\n', '\t']), "Zo\u{eb} [2J\tx\n ");
    }
}
