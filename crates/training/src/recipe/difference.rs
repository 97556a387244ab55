//! Differences between two recipes or specifications, key by key.

use network::{Difference, NetworkError};
use toml::{Table, Value};

use super::syntax;

/// The differences between two TOML texts, in the order of their keys.
pub(crate) fn differences(before: &str, after: &str) -> Result<Vec<Difference>, NetworkError> {
    let before = before.parse::<Table>().map_err(|error| syntax("recipe", &error))?;
    let after = after.parse::<Table>().map_err(|error| syntax("recipe", &error))?;
    let mut found = Vec::new();
    compare(Some(&Value::Table(before)), Some(&Value::Table(after)), "", &mut found);
    Ok(found)
}

fn compare(before: Option<&Value>, after: Option<&Value>, key: &str, found: &mut Vec<Difference>) {
    if let (Some(Value::Table(first)), Some(Value::Table(second))) = (before, after) {
        let added = second.keys().filter(|name| !first.contains_key(*name));
        for name in first.keys().chain(added) {
            let inner = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
            compare(first.get(name), second.get(name), &inner, found);
        }
    } else if before != after {
        found.push(Difference { key: key.into(), before: text(before), after: text(after) });
    }
}

fn text(value: Option<&Value>) -> String {
    value.map_or("nothing".into(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_named_with_their_tables() {
        let before =
            "title = \"a\"\n[training]\nsteps = 5\nbatch = 8\n[schedule]\nkind = \"steps\"\nat = [1]";
        let after =
            "title = \"a\"\n[training]\nsteps = 6\nbatch = 8\nseed = 1\n[schedule]\nkind = \"cosine\"";
        let found = differences(before, after).unwrap();
        let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "schedule.at = nothing (was [1])",
                "schedule.kind = \"cosine\" (was \"steps\")",
                "training.steps = 6 (was 5)",
                "training.seed = 1 (was nothing)",
            ]
        );
        assert_eq!(differences(before, before).unwrap(), []);
    }
}
