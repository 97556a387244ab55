//! Text that somebody else wrote, such as names of players, engines and networks, made safe to print.

/// The text with a space for each control character but the `kept` ones: terminals obey some of them.
pub fn printable(text: &str, kept: &[char]) -> String {
    text.chars()
        .map(|letter| if letter.is_control() && !kept.contains(&letter) { ' ' } else { letter })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_spaces() {
        let hostile = "Zo\u{eb}\u{1b}[2J\tx\n\u{9b}";
        assert_eq!(printable(hostile, &[]), "Zo\u{eb} [2J x  ");
        assert_eq!(printable(hostile, &['\n', '\t']), "Zo\u{eb} [2J\tx\n ");
    }
}
