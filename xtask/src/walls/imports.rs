//! Who imports whom, judged on what the manifests declare.
//!
//! Dependencies of tests and build scripts obey the same walls as the library's own: a test that needs both sides of a
//! wall belongs in `tests/` of the root package, which sees both, and a test that only needs *an* evaluator or *a*
//! search uses a test double. Otherwise testing the smallest crate would compile the largest.

use super::Violation;
use super::tables::{DRAWERS, HOMES, Home, LAYERS, Layer};
use crate::metadata::{Dependency, Package, Workspace};

/// All violations in the dependency tables of all members.
pub(super) fn judge(workspace: &Workspace) -> Vec<Violation> {
    workspace.packages.iter().flat_map(|package| judge_package(workspace, package)).collect()
}

fn judge_package(workspace: &Workspace, package: &Package) -> Vec<Violation> {
    let place = workspace.relative(&package.manifest_path).display().to_string();
    let mut violations = Vec::new();
    if DRAWERS.contains(&package.name.as_str()) {
        violations.push(Violation {
            place: place.clone(),
            found: format!("a crate named `{}`", package.name),
            expected: "a name that says what the crate holds".to_owned(),
            why: "a drawer fills up with whatever found no place".to_owned(),
        });
    }
    let Some(rank) = rank(&package.name) else {
        violations.push(Violation {
            place,
            found: format!("crate `{}` has no place in the import order", package.name),
            expected: "a row in LAYERS of xtask/src/walls/tables.rs".to_owned(),
            why: "a crate whose imports nobody judges is a hole in the wall".to_owned(),
        });
        return violations;
    };
    let members: Vec<&str> = workspace.packages.iter().map(|member| member.name.as_str()).collect();
    for dependency in &package.dependencies {
        let inside = members.contains(&dependency.name.as_str());
        let broken =
            if inside { judge_member(rank, dependency) } else { judge_external(package, dependency) };
        violations.extend(broken.map(|(expected, why)| Violation {
            place: place.clone(),
            found: format!("{} imports `{}` in [{}]", package.name, dependency.name, dependency.table()),
            expected,
            why,
        }));
    }
    violations
}

/// Another workspace crate: what was expected and why, if the import breaks a wall.
fn judge_member(rank: usize, dependency: &Dependency) -> Option<(String, String)> {
    let Layer { name, imports, why } = &LAYERS[rank];
    if imports.contains(&dependency.name.as_str()) {
        return None;
    }
    let allowed = if imports.is_empty() {
        "no workspace crate".to_owned()
    } else {
        format!("only {}", imports.join(", "))
    };
    let order: Vec<&str> = LAYERS.iter().map(|layer| layer.name).collect();
    let against_the_order = self::rank(&dependency.name).is_none_or(|other| other >= rank);
    let why = if against_the_order {
        format!("a crate sees only crates above it in {}", order.join(" < "))
    } else {
        (*why).to_owned()
    };
    Some((format!("{name} imports {allowed}"), why))
}

/// A package from outside: what was expected and why, if it is away from home.
fn judge_external(package: &Package, dependency: &Dependency) -> Option<(String, String)> {
    let home = HOMES.iter().find(|home| is_of_family(&dependency.name, home))?;
    if home.homes.contains(&package.name.as_str()) {
        return None;
    }
    Some((format!("`{}` only in {}", home.family, home.homes.join(" and ")), home.why.to_owned()))
}

fn is_of_family(package: &str, home: &Home) -> bool {
    package.strip_prefix(home.family).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

fn rank(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A workspace in which `crate_name` declares one dependency, as `cargo metadata` would report it.
    fn workspace(crate_name: &str, dependency: &str, kind: Option<&str>) -> Workspace {
        let mut packages: Vec<serde_json::Value> = LAYERS
            .iter()
            .filter(|layer| layer.name != crate_name)
            .map(|layer| {
                serde_json::json!({
                    "name": layer.name, "manifest_path": format!("/house/crates/{}/Cargo.toml", layer.name),
                    "dependencies": [],
                })
            })
            .collect();
        packages.push(serde_json::json!({
            "name": crate_name, "manifest_path": format!("/house/crates/{crate_name}/Cargo.toml"),
            "dependencies": [{"name": dependency, "kind": kind, "rename": "innocent", "optional": true}],
        }));
        let metadata = serde_json::json!({"packages": packages, "workspace_root": "/house", "target_directory": "/house/target"});
        serde_json::from_value(metadata).expect("the synthetic metadata has the fields that are read")
    }

    fn only_violation(crate_name: &str, dependency: &str, kind: Option<&str>) -> Violation {
        let mut violations = judge(&workspace(crate_name, dependency, kind));
        assert_eq!(violations.len(), 1, "{crate_name} -> {dependency}: {violations:?}");
        violations.remove(0)
    }

    fn is_clean(crate_name: &str, dependency: &str, kind: Option<&str>) -> bool {
        judge(&workspace(crate_name, dependency, kind)).is_empty()
    }

    #[test]
    fn imports_the_design_names_are_clean() {
        assert!(is_clean("dataset", "chess", None));
        assert!(is_clean("network", "dataset", None));
        assert!(is_clean("network", "burn", None));
        assert!(is_clean("web", "strength", None));
        assert!(is_clean("web", "tokio", None));
        assert!(is_clean("tabiya", "search", None));
        assert!(is_clean("search", "rand", None), "an unconfined dependency is free for all");
        assert!(is_clean("dataset", "tempfile", Some("dev")));
    }

    #[test]
    fn each_crate_may_import_exactly_what_its_row_says() {
        for layer in LAYERS {
            for other in LAYERS.iter().filter(|other| other.name != layer.name) {
                let expected = layer.imports.contains(&other.name);
                assert_eq!(
                    is_clean(layer.name, other.name, None),
                    expected,
                    "{} -> {}",
                    layer.name,
                    other.name
                );
            }
        }
    }

    #[test]
    fn an_import_from_below_breaks_the_order() {
        let violation = only_violation("dataset", "network", None);
        assert_eq!(violation.place, "crates/dataset/Cargo.toml");
        assert_eq!(violation.found, "dataset imports `network` in [dependencies]");
        assert_eq!(violation.expected, "dataset imports only chess");
        assert!(violation.why.contains("chess < dataset < kernels"), "{}", violation.why);
    }

    #[test]
    fn a_neighbour_above_is_not_enough_for_the_narrow_crates() {
        for (crate_name, import) in
            [("search", "network"), ("kernels", "dataset"), ("strength", "search"), ("web", "network")]
        {
            let violation = only_violation(crate_name, import, None);
            let row = LAYERS.iter().find(|layer| layer.name == crate_name).unwrap();
            assert_eq!(violation.why, row.why);
        }
    }

    #[test]
    fn tests_and_build_scripts_obey_the_walls_too() {
        assert_eq!(
            only_violation("search", "network", Some("dev")).found,
            "search imports `network` in [dev-dependencies]"
        );
        assert_eq!(
            only_violation("chess", "parquet", Some("build")).found,
            "chess imports `parquet` in [build-dependencies]"
        );
    }

    #[test]
    fn a_confined_dependency_away_from_home_is_found_by_its_real_name() {
        for (crate_name, import, family) in [
            ("search", "burn", "burn"),
            ("search", "burn-flex", "burn"),
            ("strength", "tokio", "tokio"),
            ("strength", "axum", "axum"),
            ("network", "arrow-array", "arrow"),
            ("strength", "parquet", "parquet"),
            ("chess", "pgn-reader", "pgn-reader"),
            ("dataset", "shakmaty", "shakmaty"),
            ("strength", "shakmaty-syzygy", "shakmaty"),
            ("network", "anyhow", "anyhow"),
        ] {
            let violation = only_violation(crate_name, import, None);
            assert!(violation.expected.starts_with(&format!("`{family}` only in ")), "{violation}");
        }
    }

    #[test]
    fn a_longer_word_is_not_of_the_family() {
        assert!(is_clean("search", "burnish", None));
        assert!(is_clean("search", "arrowhead", None));
    }

    #[test]
    fn an_unlisted_crate_and_a_drawer_are_found() {
        let violations = judge(&workspace("helpers", "rand", None));
        assert_eq!(violations.len(), 2, "{violations:?}");
        assert_eq!(violations[0].found, "a crate named `helpers`");
        assert_eq!(violations[1].found, "crate `helpers` has no place in the import order");
    }

    #[test]
    fn an_import_of_an_unlisted_member_is_found() {
        let mut workspace = workspace("search", "openings", None);
        workspace.packages.push(Package {
            name: "openings".to_owned(),
            manifest_path: "/house/crates/openings/Cargo.toml".into(),
            dependencies: Vec::new(),
        });
        let found: Vec<String> = judge(&workspace).into_iter().map(|violation| violation.found).collect();
        assert_eq!(
            found,
            [
                "search imports `openings` in [dependencies]",
                "crate `openings` has no place in the import order"
            ]
        );
    }
}
