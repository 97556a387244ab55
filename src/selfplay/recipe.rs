//! The recipe of a self-play run: that of a training, with what concerns games, replay and gate.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use selfplay::{GateSettings, PlaySettings, ReplaySettings};
use serde::{Deserialize, Serialize};
use training::Recipe;

/// Where the samples of a generation lie for its training; the recipe itself names no data.
const SAMPLES: &str = "samples";

/// A self-play run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SelfPlayRecipe {
    /// What is about games.
    pub(crate) games: GamesPart,
    /// What is about the network; `training.steps` are those of one generation.
    pub(crate) training: Recipe,
}

/// The tables that a training recipe does not have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GamesPart {
    /// What plays the first games: `uniform` (no knowledge at all), a weights file, or `default`.
    pub(crate) start: String,
    /// How games are played.
    pub(crate) play: PlaySettings,
    /// What is learned from.
    pub(crate) replay: ReplaySettings,
    /// What a new network must show.
    pub(crate) gate: GateSettings,
    /// Samples from elsewhere that are part of every batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) supervised: Option<Supervised>,
}

/// Samples from elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Supervised {
    /// The sample store.
    pub(crate) data: PathBuf,
    /// Their share of every batch, between 0 and 1.
    pub(crate) share: f64,
}

/// The keys of [`GamesPart`].
const GAMES_KEYS: [&str; 5] = ["start", "play", "replay", "gate", "supervised"];

impl SelfPlayRecipe {
    /// Reads a recipe: a TOML file, or a folder with a `recipe.toml` in it.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let path = if path.is_dir() { path.join("recipe.toml") } else { path.to_path_buf() };
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read the recipe {}", path.display()))?;
        Self::from_toml(&text, &path.display().to_string())
    }

    /// Parses a recipe; `place` names it in errors.
    pub(crate) fn from_toml(text: &str, place: &str) -> Result<Self> {
        let mut training: toml::Table = text.parse().with_context(|| place.to_owned())?;
        let mut games = toml::Table::new();
        for key in GAMES_KEYS {
            games.extend(training.remove_entry(key));
        }
        ensure!(
            !training.contains_key("data"),
            "{place}: found `data`, expected none: a self-play run learns from its own games; [supervised] adds others"
        );
        training.insert("data".into(), SAMPLES.into());
        // Keys that nobody knows are among these: a table misspelt is named before it is missed.
        let training: Recipe = training.try_into().with_context(|| place.to_owned())?;
        let games: GamesPart = games.try_into().with_context(|| place.to_owned())?;
        training.check(place)?;
        let checked =
            games.play.check().and_then(|()| games.replay.check()).and_then(|()| games.gate.check());
        checked.with_context(|| place.to_owned())?;
        if let Some(Supervised { share, .. }) = games.supervised {
            ensure!(
                share > 0.0 && share < 1.0,
                "{place}: supervised.share = {share}: expected more than 0 and less than 1"
            );
        }
        Ok(Self { games, training })
    }

    /// The recipe with every default written out.
    pub(crate) fn to_toml(&self) -> Result<String> {
        let mut table: toml::Table = self.training.to_toml()?.parse()?;
        table.remove("data");
        table.extend(toml::Table::try_from(&self.games)?);
        Ok(table.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECIPE: &str = "title = \"toy\"\nstart = \"uniform\"\n[play]\nnodes = 16\n[replay]\ngames = 20\n[gate]\ngames = 10\n\
                          [training]\nsteps = 10\n[network]\nblocks = 1\nchannels = 16\n[schedule]\nkind = \"cosine\"\n\
                          peak = 0.002\nlast = 0.0001\nwarmup = 2\n";

    #[test]
    fn the_recipes_of_the_repository_are_valid() {
        for name in ["selfplay-toy", "catfish-v0"] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("recipes").join(name);
            SelfPlayRecipe::read(&folder).unwrap();
        }
    }

    #[test]
    fn the_written_recipe_is_the_one_that_was_read() {
        let recipe = SelfPlayRecipe::from_toml(RECIPE, "toy.toml").unwrap();
        assert_eq!((recipe.games.replay.window, recipe.training.training.steps), (5, 10));
        let written = recipe.to_toml().unwrap();
        assert_eq!(SelfPlayRecipe::from_toml(&written, "run.json").unwrap(), recipe);
    }

    #[test]
    fn what_does_not_belong_is_named_with_the_file() {
        for (from, to, expected) in [
            ("nodes = 16", "nods = 16", "nods"),
            ("[gate]", "[gates]", "gates"),
            ("title", "data = \"x\"\ntitle", "data"),
            ("games = 20", "games = 1", "replay.games"),
            ("start = \"uniform\"\n", "", "start"),
            ("[gate]", "[supervised]\ndata = \"x\"\nshare = 1.0\n[gate]", "supervised.share"),
        ] {
            let text = RECIPE.replacen(from, to, 1);
            let refused = format!("{:#}", SelfPlayRecipe::from_toml(&text, "toy.toml").unwrap_err());
            assert!(
                refused.contains("toy.toml") && refused.contains(expected),
                "{refused} does not say {expected}"
            );
        }
    }
}
