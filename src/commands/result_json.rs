//! The JSON of results: `--json`, and files next to games and networks.

use serde::Serialize;

/// Depth from which on an object or array is one line: a match has a line for each game, a validation one for each interval.
const DEPTH: usize = 2;

/// A result as JSON, indented down to [`DEPTH`].
pub(crate) fn json_of(result: &impl Serialize) -> serde_json::Result<String> {
    Ok(with_short_lines(&serde_json::to_string_pretty(result)?))
}

/// Indented JSON with everything deeper than [`DEPTH`] on the line of what contains it.
fn with_short_lines(indented: &str) -> String {
    let mut text = String::with_capacity(indented.len());
    for line in indented.lines() {
        let content = line.trim_start();
        let depth = (line.len() - content.len()) / 2;
        if depth > DEPTH || depth == DEPTH && content.starts_with(['}', ']']) {
            text.push_str(if text.ends_with(',') { " " } else { "" });
            text.push_str(content);
        } else {
            text.push_str(if text.is_empty() { "" } else { "\n" });
            text.push_str(line);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_game_is_a_line() {
        let games =
            json!([{"index": 0, "timings": [{"moves": 1}, {"moves": 2}]}, {"index": 1, "timings": []}]);
        let result = json!({"a": {"pairs": [0, 1], "list": games}, "games": games, "none": []});
        let text = json_of(&result).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(lines[5], r#""games": ["#, "{text}");
        assert_eq!(lines[6], r#"{"index": 0, "timings": [{"moves": 1}, {"moves": 2}]},"#, "{text}");
        assert_eq!(lines.len(), 11, "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), result);
    }
}
