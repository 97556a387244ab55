//! Rules for sources and manifests that no standard tool checks: file names and lengths; the places where `unsafe` and
//! code for one system may be; that the root of a library holds no items; that each crate, each dependency and each
//! file of test data is listed where a reader looks for it, crates in the order of their imports; and that no file
//! holds a secret. The permitted dependencies between crates are in `deny.toml`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use toml::{Table, Value};

use crate::repository::{self, read};
use crate::secrets;

/// A file longer than this holds more than one thing.
const LONGEST_FILE: usize = 500;

/// Names that do not say what a file or crate holds, so anything ends up there.
const VAGUE_NAMES: &[&str] = &["util", "utils", "common", "helper", "helpers", "misc", "base"];

/// The lint that keeps `unsafe` out, and the one crate, with its tests, that may switch it off.
const UNSAFE_LINT: &str = concat!("unsafe", "_code");
const UNSAFE_CRATE: &str = "crates/kernels/";

/// The condition by which a release would compile other code than the lints see.
const DEBUG_CONDITION: &str = concat!("debug_", "assertions");

/// Code for one kind of system, and the places where it may be besides tests: one crate, and this tool, whose faults are those
/// of Unix.
const SYSTEMS: [&str; 6] =
    ["cfg(unix)", "cfg(not(unix))", "cfg(windows)", "cfg(target_os", "std::os::", "\"/proc/"];
const SYSTEM_CRATES: [&str; 2] = ["crates/files/src/system", "xtask/"];
/// Files with requests that exist only on Linux and have no safe form: the registers of AMX, and large pages.
const OF_LINUX: [&str; 2] = ["crates/kernels/src/tiles/hardware.rs", "crates/kernels/src/large_pages.rs"];

/// The crate with code in `lib.rs`: the declaration of the module that Python imports.
const CODE_IN_ROOT: &str = "crates/python/";
/// Items that a `lib.rs` may not define, and the modifiers that may precede them.
const ITEMS: [&str; 7] = ["fn", "struct", "enum", "union", "trait", "impl", "macro_rules!"];
const MODIFIERS: [&str; 8] = ["", "pub", "crate", "super", "const", "async", "unsafe", "extern"];

/// The table of crates in the order of their imports.
const CRATES: &str = "README.md";

/// The table of reasons for dependencies, and the file that says which crate may depend on which.
const REASONS: &str = "docs/dependencies.md";
const IMPORTS: &str = "deny.toml";

/// Files that tests read, and the table of their sources, which is kept beside them.
const TEST_DATA: &str = "testdata";
const TEST_DATA_SOURCES: &str = "testdata/SOURCES.md";

/// Checks all rules; the error lists every violation, not only the first.
pub(crate) fn run() -> Result<()> {
    let mut violations = Vec::new();
    let mut files = 0;
    let crates = read(CRATES)?;
    for folder in repository::members()? {
        let manifest = place(&folder.join("Cargo.toml"));
        let table = read(&manifest)?.parse()?;
        violations.extend(check_lints(&manifest, &table));
        violations.extend(check_order(&crates, &table));
        violations.extend(check_tests(&folder.join("tests"))?);
        for part in ["src", "tests", "benches", "examples", "build.rs"] {
            for file in files_below(&folder.join(part))? {
                if file.extension().is_some_and(|extension| extension == "rs") {
                    let place = place(&file);
                    violations.extend(check_file(&place, &read(&place)?));
                    files += 1;
                }
            }
        }
    }
    let workspace: Table = read("Cargo.toml")?.parse()?;
    violations.extend(check_reasons(&workspace, &read(REASONS)?));
    violations.extend(check_imports(&workspace, &read(IMPORTS)?.parse()?));
    let test_data =
        files_below(&repository::root().join(TEST_DATA))?.iter().map(|file| place(file)).collect();
    violations.extend(check_test_data(&test_data, &read(TEST_DATA_SOURCES)?));
    let (scanned, secrets) = secrets::check()?;
    violations.extend(secrets);
    if !violations.is_empty() {
        bail!("{} violation(s):\n{}", violations.len(), violations.join("\n"));
    }
    println!("sources: {files} files follow the rules, none of {scanned} holds a secret");
    Ok(())
}

/// A path as a reader of the repository writes it.
fn place(path: &Path) -> String {
    path.strip_prefix(repository::root()).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

/// The file itself, or all files below a folder; none if neither exists.
pub(crate) fn files_below(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(path.is_file().then(|| path.to_owned()).into_iter().collect());
    }
    let mut files = Vec::new();
    for entry in path.read_dir().with_context(|| format!("cannot list {}", path.display()))? {
        files.extend(files_below(&entry?.path())?);
    }
    Ok(files)
}

/// Where the tests of a folder are one program, each of its files is a module of it: one that is not is never compiled.
fn check_tests(folder: &Path) -> Result<Vec<String>> {
    let program = folder.join("main.rs");
    if !program.is_file() {
        return Ok(Vec::new());
    }
    let text = read(&place(&program))?;
    let mut violations = Vec::new();
    for entry in folder.read_dir().with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") && path != program {
            violations.extend(check_listed(&place(&path), &text));
        }
    }
    violations.sort();
    Ok(violations)
}

/// The file must be a module of the program of tests whose text this is.
fn check_listed(place: &str, program: &str) -> Option<String> {
    let name = place.rsplit('/').next().unwrap_or(place);
    let module = format!("mod {};", name.trim_end_matches(".rs"));
    let is_listed = program.lines().any(|line| line == module) || program.contains(&format!("\"{name}\""));
    (!is_listed).then(|| format!("{place}: not in main.rs beside it; expected `{module}` there"))
}

fn check_file(place: &str, text: &str) -> Vec<String> {
    let mut violations = Vec::new();
    if let Some(part) = place.trim_end_matches(".rs").split('/').find(|part| VAGUE_NAMES.contains(part)) {
        violations.push(format!("{place}: `{part}` does not say what it holds; expected a name that does"));
    }
    let lines = text.lines().count();
    if lines > LONGEST_FILE {
        violations.push(format!("{place}: {lines} lines; expected at most {LONGEST_FILE}"));
    }
    if !place.starts_with(UNSAFE_CRATE) && text.contains(UNSAFE_LINT) {
        violations
            .push(format!("{place}: names the lint {UNSAFE_LINT}; expected it in {UNSAFE_CRATE} alone"));
    }
    if text.contains(DEBUG_CONDITION) {
        violations.push(format!(
            "{place}: names {DEBUG_CONDITION}; expected `debug_assert!`, so that a release has the warnings of the lints"
        ));
    }
    violations.extend(check_systems(place, text));
    violations.extend(check_root(place, text));
    violations
}

/// Only `files::system` asks for the operating system; other files may do so in their tests.
fn check_systems(place: &str, text: &str) -> Option<String> {
    let is_allowed =
        OF_LINUX.contains(&place) || SYSTEM_CRATES.iter().any(|allowed| place.starts_with(allowed));
    let is_test = place.split('/').any(|part| part.trim_end_matches(".rs").ends_with("tests"));
    if is_allowed || is_test || place.contains("benches/") {
        return None;
    }
    // The tests of a file follow its code. They may ask for the system: they run where they are developed, and a test of permissions
    // has nothing to test on Windows.
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let found = SYSTEMS.iter().find(|words| code.contains(**words))?;
    Some(format!("{place}: asks for the system with `{found}`; expected that in {} alone", SYSTEM_CRATES[0]))
}

/// The root of a library is documentation, modules and re-exports; everything else has a file with its name. A module of tests may
/// be at its end.
fn check_root(place: &str, text: &str) -> Option<String> {
    if !place.ends_with("src/lib.rs") || place.starts_with(CODE_IN_ROOT) {
        return None;
    }
    let code = text.lines().take_while(|line| !line.starts_with("mod tests {"));
    let (index, line) = code.enumerate().find(|(_, line)| is_item(line))?;
    Some(format!(
        "{place}:{}: `{}`; expected documentation, modules and re-exports alone",
        index + 1,
        line.trim()
    ))
}

/// True if a line begins an item that has no place in a `lib.rs`.
fn is_item(line: &str) -> bool {
    let mut words = line.trim().split([' ', '<', '(', ')']).filter(|word| !MODIFIERS.contains(word));
    words.next().is_some_and(|word| ITEMS.contains(&word))
}

/// Every crate inherits the workspace's lints, which deny unsafe code and undocumented items.
fn check_lints(place: &str, manifest: &Table) -> Option<String> {
    let inherited = manifest.get("lints").and_then(|lints| lints.get("workspace")).and_then(Value::as_bool);
    (inherited != Some(true)).then(|| format!("{place}: expected [lints] workspace = true"))
}

/// Every crate has a row in the table of crates, below the rows of the crates it imports. The tools of the repository have
/// none.
fn check_order(readme: &str, manifest: &Table) -> Vec<String> {
    let name = manifest.get("package").and_then(|package| package.get("name")).and_then(Value::as_str);
    let Some(name) = name.filter(|name| *name != env!("CARGO_PKG_NAME")) else { return Vec::new() };
    let Some(own) = row_of(name, readme) else {
        return vec![format!(
            "{CRATES}: no row for the crate `{name}`; expected one, below those it imports"
        )];
    };
    // If every crate stands below those that it imports, the table is a topological order: it shows that no circle exists, and a
    // reader can start at the top and never meet a crate that was not introduced.
    let imports = manifest.get("dependencies").and_then(Value::as_table).into_iter().flatten();
    let late = imports.filter(|(import, _)| row_of(import, readme).is_some_and(|row| row > own));
    late.map(|(import, _)| format!("{CRATES}: `{name}` imports `{import}`, whose row stands below its own"))
        .collect()
}

/// The place of a crate's row in the table of crates, in bytes from the beginning of the text.
fn row_of(name: &str, readme: &str) -> Option<usize> {
    readme.find(&format!("\n| [`{name}`]("))
}

/// Every external package has one row that says why it is here.
fn check_reasons(workspace: &Table, reasons: &str) -> Vec<String> {
    let mut violations = Vec::new();
    for (name, value) in dependencies(workspace) {
        let rows = reasons.matches(&format!("\n| `{name}` |")).count();
        if value.get("path").is_none() && rows != 1 {
            violations.push(format!(
                "{REASONS}: {rows} rows for `{name}`; expected one, why it is used, instead of what"
            ));
        }
    }
    violations
}

/// Every crate of the workspace has an entry that says who may depend on it.
fn check_imports(workspace: &Table, deny: &Table) -> Vec<String> {
    let entries = deny.get("bans").and_then(|bans| bans.get("deny")).and_then(Value::as_array);
    let listed: BTreeSet<&str> =
        entries.into_iter().flatten().filter_map(|entry| entry.get("crate")?.as_str()).collect();
    let mut violations = Vec::new();
    for (name, value) in dependencies(workspace) {
        if value.get("path").is_some() && !listed.contains(name.as_str()) {
            violations.push(format!(
                "{IMPORTS}: no [[bans.deny]] for `{name}`; expected one with the crates that may use it"
            ));
        }
    }
    violations
}

/// Every file of test data has a row that says where it comes from, and every row has its files.
fn check_test_data(files: &BTreeSet<String>, table: &str) -> Vec<String> {
    let listed = listed_files(table);
    let mut violations = Vec::new();
    for file in files.difference(&listed).filter(|file| *file != TEST_DATA_SOURCES) {
        violations
            .push(format!("{TEST_DATA_SOURCES}: no row for {file}; expected how it is made and renewed"));
    }
    for file in listed.difference(files) {
        violations.push(format!("{TEST_DATA_SOURCES}: found no {file}"));
    }
    violations
}

/// The files in the first column of a table: paths in backticks, those after a folder relative to it.
fn listed_files(table: &str) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    for row in table.lines().filter_map(|line| line.strip_prefix("| ")) {
        let cell = row.split(" | ").next().unwrap_or_default();
        let mut folder = "";
        for name in cell.split('`').skip(1).step_by(2) {
            if name.ends_with('/') {
                folder = name;
            } else {
                files.insert(format!("{TEST_DATA}/{folder}{name}"));
            }
        }
    }
    files
}

fn dependencies(workspace: &Table) -> impl Iterator<Item = (&String, &Value)> {
    let table = workspace.get("workspace").and_then(|workspace| workspace.get("dependencies"));
    table.and_then(Value::as_table).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKSPACE: &str = "[workspace.dependencies]\nchess = { path = 'crates/chess' }\nzstd = '0.13'";

    #[test]
    fn vague_names_long_files_and_switched_off_lints_are_found() {
        assert!(check_file("src/commons.rs", &"\n".repeat(LONGEST_FILE)).is_empty());
        for place in ["crates/chess/src/util.rs", "crates/chess/src/common/board.rs", "src/helpers.rs"] {
            assert_eq!(check_file(place, "").len(), 1, "{place}");
        }
        let long = check_file("src/x.rs", &"\n".repeat(LONGEST_FILE + 1));
        assert_eq!(long, ["src/x.rs: 501 lines; expected at most 500"]);
        assert_eq!(check_file("src/x.rs", &format!("#[cfg({DEBUG_CONDITION})]")).len(), 1);
        let allow = format!("#![allow({UNSAFE_LINT})]");
        assert_eq!(check_file("crates/search/src/lib.rs", &allow).len(), 1);
        assert!(check_file("crates/kernels/src/lib.rs", &allow).is_empty());
    }

    #[test]
    fn a_file_of_tests_that_the_program_lacks_is_found() {
        let program = "#[cfg(unix)]\nmod book;\n#[path = \"match.rs\"]\nmod matches;\n";
        assert_eq!(check_listed("tests/book.rs", program), None);
        assert_eq!(check_listed("tests/match.rs", program), None);
        assert!(check_listed("tests/boo.rs", program).is_some_and(|found| found.contains("`mod boo;`")));
    }

    #[test]
    fn code_for_one_system_has_one_home() {
        let code = "use std::os::unix::fs::MetadataExt as _;";
        for code in [code, "let load = fs::read_to_string(\"/proc/loadavg\");"] {
            for place in ["crates/files/src/lock.rs", "src/main.rs"] {
                assert_eq!(check_file(place, code).len(), 1, "{place}");
            }
        }
        let allowed = [
            "crates/files/src/system/unix.rs",
            "crates/files/tests/x.rs",
            "crates/bot/src/tests.rs",
            OF_LINUX[0],
        ];
        for place in allowed {
            assert!(check_file(place, code).is_empty(), "{place}");
        }
        assert!(check_file("src/main.rs", &format!("#[cfg(test)]\nmod tests {{ {code} }}")).is_empty());
    }

    #[test]
    fn the_root_of_a_library_has_no_items() {
        let root =
            "//! fn of what it does.\n\nmod bars;\npub mod html;\n\npub use bars::{\n    Bar, bars,\n};\n";
        let place = "crates/census/src/lib.rs";
        assert_eq!(check_root(place, root), None);
        let with_tests = format!("{root}\n#[cfg(test)]\nmod tests {{\n    fn name() {{}}\n}}\n");
        assert_eq!(check_root(place, &with_tests), None);
        for item in [
            "fn of() {}",
            "pub fn of() {}",
            "pub(crate) const fn of() {}",
            "pub struct Bar;",
            "enum Bar {}",
            "impl<T> Bar<T> {}",
            "    pub fn nested() {}",
            "macro_rules! bar { () => {} }",
        ] {
            let text = format!("{root}{item}\n");
            assert!(check_root(place, &text).is_some_and(|found| found.contains("lib.rs:9")), "{item}");
            for allowed in ["crates/python/src/lib.rs", "crates/census/src/openings/table.rs"] {
                assert_eq!(check_root(allowed, &text), None, "{allowed}");
            }
        }
    }

    #[test]
    fn a_crate_must_inherit_the_lints() {
        assert_eq!(check_lints("x", &"[lints]\nworkspace = true".parse().unwrap()), None);
        for other in ["", "[lints]\nworkspace = false", "[lints.rust]\nmissing_docs = 'warn'"] {
            assert!(check_lints("x", &other.parse().unwrap()).is_some(), "{other}");
        }
    }

    #[test]
    fn a_crate_stands_below_what_it_imports() {
        let manifest: Table =
            "[package]\nname = 'search'\n[dependencies]\nchess = 1\nrand = 1".parse().unwrap();
        let [chess, search] =
            ["chess", "search"].map(|name| format!("\n| [`{name}`](crates/{name}) | job |"));
        assert!(check_order(&format!("{chess}{search}"), &manifest).is_empty());
        assert_eq!(check_order(&format!("{search}{chess}"), &manifest).len(), 1);
        assert_eq!(check_order(&chess, &manifest).len(), 1, "a crate without a row");
    }

    #[test]
    fn a_dependency_needs_one_reason() {
        let workspace = WORKSPACE.parse().unwrap();
        assert!(check_reasons(&workspace, "|---|\n| `zstd` | `dataset` |\n").is_empty());
        let violations = check_reasons(&workspace, "|---|\n| `zstd-safe` | `dataset` |\n");
        assert_eq!(violations.len(), 1, "the row of a longer name is another's");
        let twice = check_reasons(&workspace, "|---|\n| `zstd` | `dataset` |\n| `zstd` | any |\n");
        assert_eq!(twice.len(), 1, "two rows may contradict each other");
    }

    #[test]
    fn a_crate_needs_an_entry_for_who_may_use_it() {
        let workspace = WORKSPACE.parse().unwrap();
        let deny = |name: &str| format!("[[bans.deny]]\ncrate = '{name}'\nwrappers = []").parse().unwrap();
        assert!(check_imports(&workspace, &deny("chess")).is_empty());
        assert_eq!(check_imports(&workspace, &deny("zstd")).len(), 1);
    }

    #[test]
    fn a_file_of_test_data_needs_a_row_and_a_row_its_files() {
        let files = |names: &[&str]| names.iter().map(|name| format!("{TEST_DATA}/{name}")).collect();
        let table = "| file | content |\n|---|---|\n| `a/x.txt`, `a/y.txt` | of `z` |\n| `b/` `x.bin`, `y.bin` | by hand |\n";
        let all = ["SOURCES.md", "a/x.txt", "a/y.txt", "b/x.bin", "b/y.bin"];
        assert!(check_test_data(&files(&all), table).is_empty());
        let more = check_test_data(&files(&[&all[..], &["a/y.bin"]].concat()), table);
        assert_eq!(
            more,
            ["testdata/SOURCES.md: no row for testdata/a/y.bin; expected how it is made and renewed"]
        );
        assert_eq!(
            check_test_data(&files(&all[..4]), table),
            ["testdata/SOURCES.md: found no testdata/b/y.bin"]
        );
    }

    #[test]
    fn files_are_found_in_nested_folders() {
        let folder = tempfile::tempdir().unwrap();
        let nested = folder.path().join("src/deep/misc");
        std::fs::create_dir_all(&nested).unwrap();
        let file = nested.join("board.rs");
        std::fs::write(&file, "").unwrap();
        for path in [folder.path(), &file] {
            assert_eq!(files_below(path).unwrap(), std::slice::from_ref(&file));
        }
        assert!(files_below(&nested.join("none")).unwrap().is_empty());
        assert_eq!(check_file("src/deep/misc/board.rs", "").len(), 1);
    }
}
