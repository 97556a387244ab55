//! `unsafe` stays in its crates, by the compiler's own word: the workspace forbids `unsafe_code`, which no attribute in
//! a source file can undo, and this check makes sure that every other crate inherits that table. A search through the
//! text would have to know Rust's comments, strings and macros; the compiler does.

use std::path::Path;

use anyhow::{Context as _, Result};
use toml::{Table, Value};

use super::Violation;
use super::tables::UNSAFE_CRATES;
use crate::metadata::Workspace;

const LINT: &str = "unsafe_code";

/// All violations in the `[lints]` tables of the workspace and its members.
pub(super) fn judge(workspace: &Workspace) -> Result<Vec<Violation>> {
    let root = read(&workspace.root.join("Cargo.toml"))?;
    let shared = shared_lints(&root);
    let mut violations = Vec::new();
    violations.extend(judge_shared("Cargo.toml", &shared));
    for package in &workspace.packages {
        let place = workspace.relative(&package.manifest_path).display().to_string();
        let manifest = read(&package.manifest_path)?;
        let own = manifest.get("lints").and_then(Value::as_table).cloned().unwrap_or_default();
        violations.extend(if UNSAFE_CRATES.contains(&package.name.as_str()) {
            judge_unsafe_crate(&place, &own, &shared)
        } else {
            judge_safe_crate(&place, &own)
        });
    }
    Ok(violations)
}

fn shared_lints(root: &Table) -> Table {
    let lints = root.get("workspace").and_then(|workspace| workspace.get("lints"));
    lints.and_then(Value::as_table).cloned().unwrap_or_default()
}

fn judge_shared(place: &str, shared: &Table) -> Option<Violation> {
    let level = shared.get("rust").and_then(|rust| rust.get(LINT));
    (level.and_then(Value::as_str) != Some("forbid")).then(|| Violation {
        place: place.to_owned(),
        found: level.map_or_else(
            || format!("no {LINT} in [workspace.lints.rust]"),
            |level| format!("{LINT} = {level}"),
        ),
        expected: format!("{LINT} = \"forbid\" in [workspace.lints.rust]"),
        why: "a weaker level can be switched off by an attribute in any file".to_owned(),
    })
}

fn judge_safe_crate(place: &str, own: &Table) -> Option<Violation> {
    (own.get("workspace").and_then(Value::as_bool) != Some(true)).then(|| Violation {
        place: place.to_owned(),
        found: "the crate does not inherit the workspace's lints".to_owned(),
        expected: "[lints] workspace = true".to_owned(),
        why: format!("unsafe code lives only in {}; every other crate forbids it", UNSAFE_CRATES.join(", ")),
    })
}

/// A crate that may hold `unsafe` cannot inherit a table that forbids it, so it repeats all the other lints.
fn judge_unsafe_crate(place: &str, own: &Table, shared: &Table) -> Option<Violation> {
    (without_the_lint(own) != without_the_lint(shared)).then(|| Violation {
        place: place.to_owned(),
        found: "the [lints] table differs from the workspace's".to_owned(),
        expected: format!("the tables of [workspace.lints] repeated, all but {LINT}"),
        why: "code that needs unsafe needs the other lints most".to_owned(),
    })
}

fn without_the_lint(lints: &Table) -> Table {
    let mut rest = lints.clone();
    if let Some(rust) = rest.get_mut("rust").and_then(Value::as_table_mut) {
        rust.remove(LINT);
    }
    rest
}

/// A manifest as a table.
pub(super) fn read(path: &Path) -> Result<Table> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    text.parse().with_context(|| format!("{} is not TOML", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Table {
        text.parse().unwrap()
    }

    #[test]
    fn the_workspace_must_forbid_unsafe_code() {
        assert_eq!(judge_shared("Cargo.toml", &table("[rust]\nunsafe_code = 'forbid'")), None);
        for weaker in ["", "[rust]\nmissing_docs = 'warn'", "[rust]\nunsafe_code = 'deny'"] {
            assert!(judge_shared("Cargo.toml", &table(weaker)).is_some(), "{weaker}");
        }
    }

    #[test]
    fn a_safe_crate_must_inherit_the_table() {
        assert_eq!(judge_safe_crate("x", &table("workspace = true")), None);
        for other in ["", "workspace = false", "[rust]\nunsafe_code = 'forbid'"] {
            assert!(judge_safe_crate("x", &table(other)).is_some(), "{other}");
        }
    }

    #[test]
    fn an_unsafe_crate_must_repeat_every_other_lint() {
        let shared = table("[rust]\nunsafe_code = 'forbid'\nmissing_docs = 'warn'\n[clippy]\ntodo = 'warn'");
        let repeated = table("[rust]\nmissing_docs = 'warn'\n[clippy]\ntodo = 'warn'");
        assert_eq!(judge_unsafe_crate("x", &repeated, &shared), None);
        for other in
            ["", "[rust]\nmissing_docs = 'warn'", "[rust]\nmissing_docs = 'allow'\n[clippy]\ntodo = 'warn'"]
        {
            assert!(judge_unsafe_crate("x", &table(other), &shared).is_some(), "{other}");
        }
    }

    #[test]
    fn manifests_on_disk_are_read_and_judged() {
        let folder = tempfile::tempdir().unwrap();
        let root = "[workspace.lints.rust]\nunsafe_code = 'forbid'\n";
        std::fs::write(folder.path().join("Cargo.toml"), root).unwrap();
        std::fs::create_dir(folder.path().join("search")).unwrap();
        let manifest_path = folder.path().join("search/Cargo.toml");
        std::fs::write(&manifest_path, "[lints.rust]\nunsafe_code = 'allow'\n").unwrap();
        let workspace = Workspace {
            packages: vec![crate::metadata::Package {
                name: "search".into(),
                manifest_path,
                dependencies: vec![],
            }],
            root: folder.path().to_owned(),
            target_directory: folder.path().join("target"),
        };
        let violations = judge(&workspace).unwrap();
        assert_eq!(violations.len(), 1, "{violations:?}");
        assert_eq!(violations[0].place, "search/Cargo.toml");
    }
}
