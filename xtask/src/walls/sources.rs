//! What source files may be called and how long they may get.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::Violation;
use super::tables::{DRAWERS, LONG_FILES, LONGEST_FILE, LongFile};
use crate::metadata::Workspace;

/// Folders of a crate that hold its Rust sources; everything else (the page, data, build output) is not Rust.
const SOURCE_FOLDERS: &[&str] = &["src", "tests", "benches", "examples"];

/// How many files were read, and all violations in their names and sizes.
pub(super) fn judge(workspace: &Workspace) -> Result<(usize, Vec<Violation>)> {
    let mut files = Vec::new();
    for package in &workspace.packages {
        for folder in SOURCE_FOLDERS {
            collect(&package.folder().join(folder), &mut files)?;
        }
        let build_script = package.folder().join("build.rs");
        files.extend(build_script.exists().then_some(build_script));
    }
    let mut sources = Vec::new();
    for file in &files {
        let text =
            std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        sources.push((workspace.relative(file).to_string_lossy().replace('\\', "/"), text));
    }
    let mut violations: Vec<Violation> = Vec::new();
    for (path, text) in &sources {
        violations.extend(judge_name(path));
        violations.extend(judge_inline_modules(path, text));
    }
    violations.extend(judge_lengths(&sources, LONG_FILES));
    Ok((sources.len(), violations))
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for entry in entries {
        let path = entry.with_context(|| format!("cannot list {}", folder.display()))?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(())
}

fn judge_name(path: &str) -> Option<Violation> {
    let parts = path.trim_end_matches(".rs").split('/');
    let bad = parts.into_iter().find(|part| DRAWERS.contains(part));
    if let Some(part) = bad {
        return Some(drawer(path, &format!("a module named `{part}`")));
    }
    path.ends_with("/mod.rs").then(|| Violation {
        place: path.to_owned(),
        found: "a file named mod.rs".to_owned(),
        expected: "foo.rs beside the folder foo/".to_owned(),
        why: "twenty open files named mod.rs cannot be told apart".to_owned(),
    })
}

/// `mod helpers { ... }` inside a file: the same drawer without a file of its own.
fn judge_inline_modules(path: &str, text: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(name) = inline_module(line) else { continue };
        if DRAWERS.contains(&name) {
            violations.push(drawer(&format!("{path}:{}", index + 1), &format!("a module named `{name}`")));
        }
    }
    violations
}

/// The name in `mod name {`, whatever its visibility; `mod name;` has a file, whose name is judged already.
fn inline_module(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().skip_while(|word| word.starts_with("pub") || word.ends_with(')'));
    (words.next()? == "mod").then(|| words.next())?.filter(|name| !name.ends_with(';'))
}

fn drawer(place: &str, found: &str) -> Violation {
    Violation {
        place: place.to_owned(),
        found: found.to_owned(),
        expected: "a name that says what it holds".to_owned(),
        why: "a drawer fills up with whatever found no place".to_owned(),
    }
}

fn judge_lengths(sources: &[(String, String)], exceptions: &[LongFile]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (path, text) in sources {
        let lines = text.lines().count();
        let excepted = exceptions.iter().any(|exception| exception.path == path);
        if lines > LONGEST_FILE && !excepted {
            violations.push(Violation {
                place: path.clone(),
                found: format!("{lines} lines"),
                expected: format!("at most {LONGEST_FILE}, or a row with its reason in LONG_FILES"),
                why: "past that a file holds more than one thing; only tables have a reason".to_owned(),
            });
        }
    }
    // An exception that outlived its file would cover the next file of that name.
    for LongFile { path, why } in exceptions {
        let needed =
            sources.iter().any(|(source, text)| source == path && text.lines().count() > LONGEST_FILE);
        if !needed {
            violations.push(Violation {
                place: "xtask/src/walls/tables.rs".to_owned(),
                found: format!("LONG_FILES lists {path}, which is no longer that long or gone (\"{why}\")"),
                expected: "no row".to_owned(),
                why: "an exception nobody needs hides the next long file".to_owned(),
            });
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, lines: usize) -> (String, String) {
        (path.to_owned(), "line\n".repeat(lines))
    }

    #[test]
    fn drawers_are_found_as_files_folders_and_inline_modules() {
        for path in ["crates/chess/src/util.rs", "crates/chess/src/common/board.rs", "src/helpers.rs"] {
            assert!(judge_name(path).is_some(), "{path}");
        }
        assert!(judge_name("crates/chess/src/game/mod.rs").is_some());
        for path in ["crates/chess/src/game.rs", "crates/chess/src/commons.rs", "src/model.rs"] {
            assert_eq!(judge_name(path), None);
        }
        let text = "mod board;\npub(crate) mod utils {\n}\n// mod helpers { in a comment\nmod tests {\n}\n";
        let violations = judge_inline_modules("src/x.rs", text);
        assert_eq!(violations.len(), 1, "{violations:?}");
        assert_eq!(violations[0].place, "src/x.rs:2");
        assert_eq!(judge_inline_modules("src/x.rs", "    pub(in crate::x) mod common {").len(), 1);
    }

    #[test]
    fn a_long_file_needs_a_row_and_a_row_needs_a_long_file() {
        let sources = [source("a.rs", LONGEST_FILE), source("b.rs", LONGEST_FILE + 1)];
        let found = judge_lengths(&sources, &[]);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].place.as_str(), found[0].found.as_str()), ("b.rs", "501 lines"));

        let row = |path| LongFile { path, why: "a table" };
        assert!(judge_lengths(&sources, &[row("b.rs")]).is_empty());
        assert_eq!(judge_lengths(&sources, &[row("b.rs"), row("a.rs")]).len(), 1, "a.rs is short enough");
        assert_eq!(judge_lengths(&sources, &[row("b.rs"), row("gone.rs")]).len(), 1);
    }

    #[test]
    fn sources_on_disk_are_walked() {
        let folder = tempfile::tempdir().unwrap();
        let nested = folder.path().join("src/deep/common");
        std::fs::create_dir_all(&nested).unwrap();
        std::fs::write(nested.join("board.rs"), "\n".repeat(LONGEST_FILE + 1)).unwrap();
        std::fs::write(folder.path().join("src/notes.txt"), "\n".repeat(LONGEST_FILE + 1)).unwrap();
        let workspace = Workspace {
            packages: vec![crate::metadata::Package {
                name: "chess".into(),
                manifest_path: folder.path().join("Cargo.toml"),
                dependencies: vec![],
            }],
            root: folder.path().to_owned(),
            target_directory: folder.path().join("target"),
        };
        let (files, violations) = judge(&workspace).unwrap();
        assert_eq!(files, 1);
        let places: Vec<&str> = violations.iter().map(|violation| violation.place.as_str()).collect();
        assert_eq!(places, ["src/deep/common/board.rs", "src/deep/common/board.rs"]);
    }
}
