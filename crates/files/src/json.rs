//! JSON that people read and compare line by line.

use serde::Serialize;

/// JSON indented down to a depth, with everything deeper on the line of what contains it.
///
/// # Errors
/// As [`serde_json::to_string_pretty`].
pub fn json_to_depth(value: &impl Serialize, depth: usize) -> serde_json::Result<String> {
    let indented = serde_json::to_string_pretty(value)?;
    let mut text = String::with_capacity(indented.len());
    for line in indented.lines() {
        let content = line.trim_start();
        let found = (line.len() - content.len()) / 2;
        if found > depth || found == depth && content.starts_with(['}', ']']) {
            text.push_str(if text.ends_with(',') { " " } else { "" });
            text.push_str(content);
        } else {
            text.push_str(if text.is_empty() { "" } else { "\n" });
            text.push_str(line);
        }
    }
    Ok(text)
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
        let text = json_to_depth(&result, 2).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(lines[5], r#""games": ["#, "{text}");
        assert_eq!(lines[6], r#"{"index": 0, "timings": [{"moves": 1}, {"moves": 2}]},"#, "{text}");
        assert_eq!(lines.len(), 11, "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), result);
    }
}
