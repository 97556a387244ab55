//! The player of a recipe: the network or learners that it trains, with the search of its section `[search]`.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{
    error::SpecificationError,
    search_setup::SearchSetup,
    specification::{PlayerSpecification, Subject},
};

/// The folder in which `tabiya run` trains the networks of recipes.
pub const RUNS: &str = "runs";

/// The section `[search]` of a recipe: how its network plays.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SearchSection {
    /// The kind of search; the first of [`search::SEARCHES`] by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// Limits of a move, as in a player's text: nodes, depth, movetime, tc.
    #[serde(default)]
    limits: toml::Table,
    #[serde(default)]
    options: toml::Table,
}

impl SearchSection {
    /// The section of a recipe's text; `file` names it in errors.
    pub(crate) fn of_recipe(text: &str, file: &Path) -> Result<Self, SpecificationError> {
        Ok(PlayerSections::of(text, file)?.search)
    }

    /// A network with the search of the section.
    ///
    /// # Errors
    /// [`SpecificationError`] if a search, a limit or an option does not exist.
    pub fn player(&self, network: &Path, name: &str) -> Result<PlayerSpecification, SpecificationError> {
        let network = network.display().to_string();
        let mut parts = Vec::new();
        parts.extend(self.kind.iter().map(|kind| format!("search={kind}")));
        parts.extend(self.limits.iter().map(|(key, value)| format!("{key}={}", plain(value))));
        parts.extend(self.options.iter().map(|(key, value)| format!("option.{key}={}", plain(value))));
        parts.push(format!("name={name}"));
        let text = format!("net={network},{}", parts.join(","));
        let player = PlayerSpecification::new(Subject::Network(network))
            .with_keys(&text, &parts)
            .map_err(|error| SpecificationError::SearchSection { player: text, error: Box::new(error) })?;
        SearchSetup::new(&player.options)
            .map_err(|error| SpecificationError::SearchOptions(Box::new(error)))?;
        Ok(player)
    }
}

/// The sections of a recipe that describe its player.
#[derive(Deserialize)]
struct PlayerSections {
    #[serde(default)]
    search: SearchSection,
    /// Present if learners are trained instead of a network.
    learner: Option<toml::Value>,
}

impl PlayerSections {
    fn of(text: &str, file: &Path) -> Result<Self, SpecificationError> {
        toml::from_str(text).map_err(|error| SpecificationError::Recipe { file: file.into(), error })
    }
}

/// The network that a recipe trains in `runs`, as a player with the recipe's search. The training's own sections are not read.
pub(crate) fn recipe_player(path: &Path, runs: &Path) -> Result<PlayerSpecification, SpecificationError> {
    let file = recipe_file(path);
    let text = ::files::recipe::read(&file)
        .map_err(|error| SpecificationError::ReadRecipe { file: file.clone(), error })?;
    let sections = PlayerSections::of(&text, &file)?;
    let name = recipe_name(&file)?;
    let trained = if sections.learner.is_some() { files::run::LEARNERS } else { files::run::NETWORK };
    sections.search.player(&runs.join(&name).join(trained), &name)
}

/// The file of a recipe: itself, the `recipe.toml` of a folder, or that of the folder in `recipes` with this name.
pub fn recipe_file(path: &Path) -> PathBuf {
    ::files::recipe::file(path)
}

/// The name of a recipe: that of its folder if the file is `recipe.toml`, otherwise that of the file.
///
/// # Errors
/// [`SpecificationError::NoName`] for a file without either.
pub fn recipe_name(file: &Path) -> Result<String, SpecificationError> {
    name_of(file).ok_or_else(|| SpecificationError::NoName(file.into()))
}

fn name_of(file: &Path) -> Option<String> {
    // Absolute, because the folder of a relative `recipe.toml` is in the current path, not in the text.
    let path = std::path::absolute(file).ok()?;
    let in_folder = file.file_name().is_some_and(|name| name == files::run::RECIPE);
    let name = if in_folder { path.parent().unwrap_or(&path).file_name() } else { path.file_stem() };
    name.map(|name| name.to_string_lossy().into_owned())
}

/// A TOML value as written in a player specification or on a command line: a text without its quotes, an array with commas.
pub fn plain(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}
