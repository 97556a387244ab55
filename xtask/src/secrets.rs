//! Looks for tokens, private keys and paths of one machine in every file of the repository: strings that a project must not
//! publish.

use std::borrow::Cow;

use anyhow::{Context as _, Result};

use crate::repository;

/// Prefixes of tokens that services issue, with the smallest number of letters and digits after them. The prefixes are those
/// that the services document for scanners such as this one.
const TOKENS: &[(&str, usize, &str)] = &[
    ("lip_", 16, "a token of Lichess"),
    ("ghp_", 30, "a token of GitHub"),
    ("github_pat_", 30, "a token of GitHub"),
    ("glpat-", 16, "a token of GitLab"),
    ("AKIA", 16, "a key of Amazon Web Services"),
    ("hf_", 30, "a token of Hugging Face"),
    ("npm_", 30, "a token of npm"),
    ("xoxb-", 20, "a token of Slack"),
];

/// First words of a private key in its usual file, and the first folders of paths on one machine. They are written in two parts, so that
/// this file does not contain what it looks for.
const PHRASES: &[(&str, &str)] = &[
    (concat!("-----BEGIN ", "PRIVATE KEY"), "a private key"),
    (concat!("-----BEGIN ", "RSA PRIVATE KEY"), "a private key"),
    (concat!("-----BEGIN ", "OPENSSH PRIVATE KEY"), "a private key"),
    (concat!("/ho", "me/"), "a path of one machine"),
    (concat!("/Us", "ers/"), "a path of one machine"),
    (concat!("C:\\", "Users"), "a path of one machine"),
];

/// Harmless strings of the same form: a token that a test invents, and the folder of a container.
const INVENTED: &[&str] = &["lip_TheSecretOfTheTest", concat!("/ho", "me/tabiya")];

/// Every violation in the files that are tracked, or would be if they were added. Returns the number of files too.
pub(crate) fn check() -> Result<(usize, Vec<String>)> {
    let list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
    let places = repository::output(repository::program("git").args(list))?;
    let mut violations = Vec::new();
    let mut files = 0;
    for place in places.split('\0').filter(|place| !place.is_empty()) {
        let bytes = match std::fs::read(repository::root().join(place)) {
            Ok(bytes) => bytes,
            // Deleted, but still in the index.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error).with_context(|| format!("cannot read {place}")),
        };
        files += 1;
        violations.extend(check_text(place, &String::from_utf8_lossy(&bytes)));
    }
    Ok((files, violations))
}

fn check_text(place: &str, text: &str) -> Vec<String> {
    let mut violations = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let mut line = Cow::Borrowed(line);
        for word in INVENTED {
            if line.contains(word) {
                line = Cow::Owned(line.replace(word, ""));
            }
        }
        if let Some(what) = secret_in(&line) {
            violations.push(format!("{place}:{}: {what}; expected none in the repository", index + 1));
        }
    }
    violations
}

/// What a line gives away, if anything.
fn secret_in(line: &str) -> Option<&'static str> {
    for (prefix, length, what) in TOKENS {
        if holds_token(line, prefix, *length) {
            return Some(*what);
        }
    }
    PHRASES.iter().find(|(phrase, _)| line.contains(phrase)).map(|(_, what)| *what)
}

/// True if a word starts with `prefix` and continues with at least `length` letters and digits.
fn holds_token(line: &str, prefix: &str, length: usize) -> bool {
    line.match_indices(prefix).any(|(start, _)| {
        let begins = line[..start]
            .chars()
            .next_back()
            .is_none_or(|before| !before.is_ascii_alphanumeric() && before != '_');
        let rest = line[start + prefix.len()..].chars();
        begins && rest.take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '_').count() >= length
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_keys_and_paths_are_found_with_their_line() {
        for (prefix, length, what) in TOKENS {
            let text = format!("url: x\ntoken = \"{prefix}{}\"\n", "7aB".repeat(*length));
            let found = check_text("config.yml", &text);
            assert_eq!(found, [format!("config.yml:2: {what}; expected none in the repository")], "{prefix}");
        }
        for (phrase, what) in PHRASES {
            let found = check_text("a.toml", &format!("data = '{phrase}x/games.pgn'"));
            assert_eq!(found, [format!("a.toml:1: {what}; expected none in the repository")], "{phrase}");
        }
    }

    #[test]
    fn words_that_only_begin_like_a_token_are_none() {
        for text in [
            "slip_nodes = 3",
            "lip_ by itself",
            "lip_reading",
            "a.hf_model",
            "clip_norm_of_the_gradients = 1",
            INVENTED[0],
        ] {
            assert!(check_text("x", text).is_empty(), "{text}");
        }
    }

    #[test]
    fn the_repository_holds_none() {
        let (files, violations) = check().unwrap();
        assert!(files > 500, "{files}");
        assert!(violations.is_empty(), "{}", violations.join("\n"));
    }
}
