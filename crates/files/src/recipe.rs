//! Recipes as text: a TOML file, the `recipe.toml` of a folder, or the name of a folder in `recipes`. A recipe may extend another one.
//!
//! `extends = "../knights-sl"`, relative to the recipe's folder, gives a recipe everything of that one (the base) which it does not say
//! itself: its own keys replace those of the base, table by table, and a list replaces the whole list. A table that chooses a kind
//! (`kind`, or `from` of a value target) and chooses another than the base has replaces the base's table, whose other keys belong to
//! that kind. A base may extend a further recipe.
//!
//! # Examples
//! ```
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("base.toml"), "title = 'Base'\n[training]\nsteps = 100\nbatch = 8")?;
//! std::fs::write(folder.path().join("long.toml"), "extends = 'base.toml'\n[training]\nsteps = 9000")?;
//! let table: toml::Table = files::recipe::read(&folder.path().join("long.toml"))?.parse()?;
//! assert_eq!(table["training"]["steps"].as_integer(), Some(9000));
//! assert_eq!(table["training"]["batch"].as_integer(), Some(8));
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

use std::{
    fmt::Display,
    io::{Error, ErrorKind, Result},
    path::{Path, PathBuf},
};

use toml::{Table, Value};

use crate::{is_name, read_text, run};

/// The key that names the base.
const EXTENDS: &str = "extends";

/// The keys by which a table chooses what its other keys mean.
const CHOICES: [&str; 2] = ["kind", "from"];

/// The folder of the recipes in the repository and in the download.
const FOLDER: &str = "recipes";

/// The file of a recipe: the path itself, or the `recipe.toml` of a folder. A name without a folder that leads to neither, such as
/// `mlx`, is that of a folder in `recipes`.
#[must_use]
pub fn file(path: &Path) -> PathBuf {
    file_among(path, Path::new(FOLDER))
}

fn file_among(path: &Path, recipes: &Path) -> PathBuf {
    let own = run::in_folder(path, run::RECIPE);
    let named = recipes.join(path).join(run::RECIPE);
    if is_name(path) && !own.exists() && named.is_file() { named } else { own }
}

/// The text of a recipe, merged with what it extends; the text of any other recipe as it is, whether or not it is TOML.
///
/// # Errors
/// The errors of reading the file, for a missing one with the names of all recipes; [`ErrorKind::InvalidData`] if it extends something
/// that is not a recipe, or itself.
pub fn read(path: &Path) -> Result<String> {
    let file = file(path);
    let text = read_text(&file).map_err(|error| with_names(error, Path::new(FOLDER)))?;
    match text.parse::<Table>() {
        Ok(table) if table.contains_key(EXTENDS) => {
            let merged = extended(table, &file, &mut Vec::new())?;
            toml::to_string(&merged).map_err(|error| Error::new(ErrorKind::InvalidData, error))
        }
        // Text that is not TOML is for its reader, who says where it is wrong.
        _ => Ok(text),
    }
}

/// The error of reading a recipe; for a missing one, with what would be one.
fn with_names(error: Error, recipes: &Path) -> Error {
    if error.kind() != ErrorKind::NotFound {
        return error;
    }
    let entries = std::fs::read_dir(recipes).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.path().join(run::RECIPE).is_file());
    let mut names: Vec<String> =
        folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let expected = "a TOML file, or a folder with a recipe.toml";
    let names = if names.is_empty() {
        "there is no folder recipes here, which the repository and the download have".to_owned()
    } else {
        format!("in the folder recipes are {}", names.join(", "))
    };
    Error::new(ErrorKind::NotFound, format!("{error}; expected {expected}; {names}"))
}

/// A recipe with everything that it extends; `outer` are the recipes that extend it.
fn extended(mut table: Table, file: &Path, outer: &mut Vec<PathBuf>) -> Result<Table> {
    let Some(named) = table.remove(EXTENDS) else { return Ok(table) };
    let Some(named) = named.as_str() else {
        return Err(invalid(format_args!(
            "found {named}, expected the path of a recipe, such as \"../knights-sl\""
        )));
    };
    outer.push(std::path::absolute(file)?.canonicalize()?);
    let base = file.parent().unwrap_or(Path::new("")).join(named);
    let base = run::in_folder(&base, run::RECIPE);
    let place = base.canonicalize().map_err(|error| unread(&base, error))?;
    if outer.contains(&place) {
        return Err(invalid(format_args!("{} extends {named}, which extends it in turn", file.display())));
    }
    let text = read_text(&base).map_err(|error| unread(&base, error))?;
    let inner: Table = text.parse().map_err(|error: toml::de::Error| unread(&base, error))?;
    let mut merged = extended(inner, &base, outer)?;
    merge(&mut merged, table);
    Ok(merged)
}

fn invalid(message: impl Display) -> Error {
    Error::new(ErrorKind::InvalidData, format!("{EXTENDS}: {message}"))
}

/// The error of reading a base, which would otherwise name only the recipe that extends it.
fn unread(base: &Path, error: impl Display) -> Error {
    invalid(format_args!("cannot read {}: {error}", base.display()))
}

/// Puts the keys of a recipe over those of its base.
fn merge(base: &mut Table, own: Table) {
    for (key, value) in own {
        match (base.get_mut(&key), value) {
            (Some(Value::Table(base)), Value::Table(own)) if !chooses_otherwise(base, &own) => {
                merge(base, own);
            }
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

/// True if the keys of the base's table belong to another choice.
fn chooses_otherwise(base: &Table, own: &Table) -> bool {
    CHOICES.iter().any(|key| own.get(*key).is_some_and(|chosen| base.get(*key) != Some(chosen)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(recipes: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in recipes {
            std::fs::create_dir(folder.path().join(name)).unwrap();
            std::fs::write(folder.path().join(name).join("recipe.toml"), text).unwrap();
        }
        folder
    }

    #[test]
    fn own_keys_replace_those_of_the_base_table_by_table() {
        let base = "title = 'a'\nlist = [1, 2]\nwhole = { x = 1 }\n[losses]\nweight = 0.5\n\
            loss = { kind = 'huber', delta = 1.0 }\ntarget = { from = 'evaluation', curve = { kind = 'tanh' } }";
        let middle = "extends = '../base'\n[losses]\nloss = { kind = 'absolute' }\ntarget = { curve = { kind = 'tanh', scale = 5 } }";
        let own = "extends = '../middle'\ntitle = 'b'\nlist = [3]\nwhole = 'no table'\nmore = true\n[losses]\ntarget = { from = 'result' }";
        let folder = folder(&[("base", base), ("middle", middle), ("own", own)]);
        let read = |name: &str| read(&folder.path().join(name)).unwrap().parse::<Table>().unwrap();
        let expected = "title = 'b'\nlist = [3]\nwhole = 'no table'\nmore = true\n[losses]\nweight = 0.5\n\
            loss = { kind = 'absolute' }\ntarget = { from = 'result' }";
        assert_eq!(read("own"), expected.parse::<Table>().unwrap());
        assert_eq!(read("middle")["losses"]["target"]["from"].as_str(), Some("evaluation"));
        assert_eq!(read("middle")["losses"]["target"]["curve"]["scale"].as_integer(), Some(5));
        // Line numbers and comments of other recipes stay.
        assert_eq!(super::read(&folder.path().join("base/recipe.toml")).unwrap(), base);
    }

    #[test]
    fn a_base_that_is_not_there_or_a_circle_is_named() {
        let folder = folder(&[
            ("missing", "extends = '../nowhere'"),
            ("number", "extends = 5"),
            ("broken", "extends = '../text'"),
            ("text", "title ="),
            ("one", "extends = '../two'"),
            ("two", "extends = '../one'"),
            ("self", "extends = 'recipe.toml'"),
        ]);
        for (name, expected) in [
            ("missing", "extends: cannot read "),
            ("missing", "nowhere"),
            ("number", "extends: found 5, expected the path of a recipe"),
            ("broken", "text/recipe.toml: TOML parse error"),
            ("one", "two/recipe.toml extends ../one, which extends it in turn"),
            ("self", "self/recipe.toml extends recipe.toml, which extends it in turn"),
        ] {
            let error = read(&folder.path().join(name)).unwrap_err();
            assert_eq!(error.raw_os_error(), None, "{error}");
            assert!(error.to_string().contains(expected), "{name}: {error}");
        }
        assert_eq!(read(&folder.path().join("none")).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    fn a_name_is_that_of_a_recipe_unless_something_else_has_it() {
        let folder = folder(&[("mlx", ""), ("Cargo.toml", ""), ("src", "")]);
        let recipes = folder.path();
        let file = |path: &str| file_among(Path::new(path), recipes);
        assert_eq!(file("mlx"), recipes.join("mlx/recipe.toml"));
        // Tests run in the folder of the crate, which has both, but no recipe in the second.
        assert_eq!(file("Cargo.toml"), Path::new("Cargo.toml"));
        assert_eq!(file("src"), recipes.join("src/recipe.toml"));
        for path in ["mlxx", "here/mlx", "./mlx", "mlx.toml"] {
            assert_eq!(file(path), Path::new(path));
        }
        for path in [".", ".."] {
            assert_eq!(file(path), Path::new(path).join("recipe.toml"));
        }
        let missing = || Error::from(ErrorKind::NotFound);
        let known = with_names(missing(), recipes);
        assert_eq!(known.kind(), ErrorKind::NotFound);
        assert!(known.to_string().ends_with("in the folder recipes are Cargo.toml, mlx, src"), "{known}");
        let none = with_names(missing(), &recipes.join("mlx")).to_string();
        assert!(none.contains("expected a TOML file") && none.contains("no folder recipes here"), "{none}");
        let other = with_names(Error::from(ErrorKind::PermissionDenied), recipes).to_string();
        assert!(!other.contains("expected"), "{other}");
    }
}
