//! Outside dependencies are named once, pinned and explained: an unpinned one changes under a finished measurement, and
//! one without a reason is never removed again.

use anyhow::{Context as _, Result};
use toml::{Table, Value};

use super::{Violation, lints};
use crate::metadata::Workspace;

/// The table of reasons, from the repository's root.
const REASONS: &str = "docs/dependencies.md";

/// The tables of a manifest that name dependencies.
const TABLES: &[&str] = &["dependencies", "dev-dependencies", "build-dependencies"];

/// All violations in the workspace's dependency table and in the members' own.
pub(super) fn judge(workspace: &Workspace) -> Result<Vec<Violation>> {
    let root = lints::read(&workspace.root.join("Cargo.toml"))?;
    let reasons = workspace.root.join(REASONS);
    let reasons =
        std::fs::read_to_string(&reasons).with_context(|| format!("cannot read {}", reasons.display()))?;
    let mut violations = judge_shared(&root, &reasons);
    for package in &workspace.packages {
        let place = workspace.relative(&package.manifest_path).display().to_string();
        violations.extend(judge_member(&place, &lints::read(&package.manifest_path)?));
    }
    Ok(violations)
}

fn judge_shared(root: &Table, reasons: &str) -> Vec<Violation> {
    let shared =
        root.get("workspace").and_then(|workspace| workspace.get("dependencies")).and_then(Value::as_table);
    let mut violations = Vec::new();
    for (name, value) in shared.into_iter().flatten() {
        if value.get("path").is_some() {
            continue;
        }
        let version = value.as_str().or_else(|| value.get("version").and_then(Value::as_str));
        if !version.is_some_and(|version| version.starts_with('=')) {
            violations.push(Violation {
                place: "Cargo.toml".to_owned(),
                found: format!("`{name}` has the version {}", version.unwrap_or("of no registry")),
                expected: "an exact pin, as in \"=1.2.3\"".to_owned(),
                why: "a measurement must be repeatable with the very code it measured".to_owned(),
            });
        }
        if !reasons.contains(&format!("\n| `{name}` |")) {
            violations.push(Violation {
                place: REASONS.to_owned(),
                found: format!("no row for `{name}`"),
                expected: format!("| `{name}` | home | why it | instead of |"),
                why: "a dependency whose reason nobody knows is never removed again".to_owned(),
            });
        }
    }
    violations
}

fn judge_member(place: &str, manifest: &Table) -> Vec<Violation> {
    let mut violations = Vec::new();
    for table in TABLES {
        for (name, value) in manifest.get(*table).and_then(Value::as_table).into_iter().flatten() {
            if value.get("workspace").and_then(Value::as_bool) != Some(true) {
                violations.push(Violation {
                    place: place.to_owned(),
                    found: format!("`{name}` has a version or path of its own in [{table}]"),
                    expected: format!("{name}.workspace = true"),
                    why: "one version for the whole house, named in one place".to_owned(),
                });
            }
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    const REASONED: &str = "| package | home |\n|---|---|\n| `zstd` | `dataset` |\n";

    fn shared(dependency: &str) -> Vec<Violation> {
        let manifest =
            format!("[workspace.dependencies]\nchess = {{ path = 'crates/chess' }}\n{dependency}\n");
        judge_shared(&manifest.parse().unwrap(), REASONED)
    }

    #[test]
    fn a_pinned_dependency_with_a_reason_is_clean() {
        assert_eq!(shared("zstd = '=0.13.3'"), []);
        assert_eq!(shared("zstd = { version = '=0.13.3', features = ['x'] }"), []);
    }

    #[test]
    fn a_loose_version_is_found() {
        for loose in
            ["zstd = '0.13.3'", "zstd = { version = '0.13' }", "zstd = { git = 'https://example.org' }"]
        {
            let violations = shared(loose);
            assert_eq!(violations.len(), 1, "{loose}");
            assert_eq!(violations[0].place, "Cargo.toml");
        }
    }

    #[test]
    fn a_dependency_without_a_reason_is_found() {
        let violations = shared("zst = '=0.13.3'");
        assert_eq!(violations.len(), 1, "the row of a longer name is another's");
        assert_eq!(violations[0].found, "no row for `zst`");
    }

    #[test]
    fn a_member_may_not_choose_its_own_version() {
        let own = "[dependencies]\nserde.workspace = true\n[dev-dependencies]\nrand = '=0.10.3'\n";
        let violations = judge_member("crates/chess/Cargo.toml", &own.parse().unwrap());
        assert_eq!(violations.len(), 1);
        assert_eq!(violations[0].found, "`rand` has a version or path of its own in [dev-dependencies]");
    }
}
