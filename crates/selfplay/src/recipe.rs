//! The recipe of a self-play run: a training recipe with additional tables for games, replay and gate.

use std::path::{Path, PathBuf};

use player::recipe_file;
use serde::{Deserialize, Serialize, de::IgnoredAny};
use strength::OpeningBook;
use training::{Recipe, TrainingError};

use crate::settings::{GateSettings, OpeningChoice, PlaySettings, ReplaySettings, SettingError};

/// Name of the sample store of a generation in its training recipe; the recipe of the run names no data.
const SAMPLES: &str = "samples";

/// The recipe of a self-play run: games, training and gate.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfPlayRecipe {
    /// Games, replay and gate.
    pub games: GamesPart,
    /// The network and its training; `training.steps` are the steps of one generation.
    pub training: Recipe,
}

/// The tables that a training recipe does not have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GamesPart {
    /// The network of the first games: `uniform` (no knowledge at all), a weights file, or `default`.
    pub start: String,
    /// Searches, openings and endings of the games.
    pub play: PlaySettings,
    /// The games that are learned from.
    pub replay: ReplaySettings,
    /// The match that a new network must win.
    pub gate: GateSettings,
    /// Samples from elsewhere that are part of every batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supervised: Option<Supervised>,
}

impl GamesPart {
    /// The file of openings from which games begin.
    pub fn opening_file(&self) -> Option<&Path> {
        match &self.play.openings {
            OpeningChoice::Book { file, .. } => OpeningBook::file(file),
            OpeningChoice::Start | OpeningChoice::Random { .. } => None,
        }
    }

    /// The files of openings from which games and the gate's matches begin.
    pub fn opening_files(&self) -> Vec<&Path> {
        [self.opening_file(), OpeningBook::file(&self.gate.openings)].into_iter().flatten().collect()
    }
}

/// Samples from elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Supervised {
    /// The sample store.
    pub data: PathBuf,
    /// Share of the supervised samples in every batch, between 0 and 1.
    pub share: f64,
}

/// The keys of [`GamesPart`].
const GAMES_KEYS: [&str; 5] = ["start", "play", "replay", "gate", "supervised"];

/// Why a recipe cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum RecipeError {
    #[error("cannot read the recipe {}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    /// Its text, or a table of games, replay, gate or `[supervised]`.
    #[error("{place}: {source}")]
    Syntax { place: String, source: toml::de::Error },
    /// It cannot be written out.
    #[error(transparent)]
    Write(#[from] toml::ser::Error),
    #[error(
        "{place}: found `data`, expected none: a self-play run learns from its own games; [supervised] adds others"
    )]
    Data { place: String },
    /// A setting of games, replay or gate.
    #[error("{place}: {source}")]
    Setting { place: String, source: SettingError },
    #[error("{place}: supervised.share = {share}: expected more than 0 and less than 1")]
    Share { place: String, share: f64 },
    #[error(
        "{place}: found training.batch = 1, expected at least 2: a sample of the games and one of [supervised]"
    )]
    Batch { place: String },
    /// The part about the network and its training.
    #[error(transparent)]
    Training(#[from] TrainingError),
}

impl RecipeError {
    fn syntax(place: &str) -> impl FnOnce(toml::de::Error) -> Self {
        move |source| Self::Syntax { place: place.into(), source }
    }
}

impl SelfPlayRecipe {
    /// True if a file has a table that only recipes of self-play have. Also false for a file that cannot be read or is not TOML:
    /// the next reader reports the problem.
    pub fn is_at(path: &Path) -> bool {
        let table = ::files::recipe::read(path).ok().and_then(|text| text.parse().ok());
        table.is_some_and(|table: toml::Table| {
            ["play", "replay", "gate"].iter().any(|key| table.contains_key(*key))
        })
    }

    /// Reads a recipe: a TOML file, or a folder with a `recipe.toml` in it.
    ///
    /// # Errors
    /// [`RecipeError`].
    pub fn read(path: &Path) -> Result<Self, RecipeError> {
        let path = recipe_file(path);
        let text = ::files::recipe::read(&path)
            .map_err(|source| RecipeError::Read { path: path.clone(), source })?;
        Self::from_toml(&text, &path.display().to_string())
    }

    /// Parses a recipe; `place` names it in errors.
    ///
    /// # Errors
    /// [`RecipeError`].
    pub fn from_toml(text: &str, place: &str) -> Result<Self, RecipeError> {
        check_keys(text).map_err(RecipeError::syntax(place))?;
        let mut training: toml::Table = text.parse().map_err(RecipeError::syntax(place))?;
        let mut games = toml::Table::new();
        for key in GAMES_KEYS {
            games.extend(training.remove_entry(key));
        }
        if training.contains_key("data") {
            return Err(RecipeError::Data { place: place.into() });
        }
        training.insert("data".into(), SAMPLES.into());
        let training: Recipe = training.try_into().map_err(RecipeError::syntax(place))?;
        let games: GamesPart = games.try_into().map_err(RecipeError::syntax(place))?;
        training.check(place).map_err(TrainingError::from)?;
        let checked =
            games.play.check().and_then(|()| games.replay.check()).and_then(|()| games.gate.check());
        checked.map_err(|source| RecipeError::Setting { place: place.into(), source })?;
        if let Some(Supervised { share, .. }) = games.supervised
            && (share <= 0.0 || share >= 1.0 || share.is_nan())
        {
            return Err(RecipeError::Share { place: place.into(), share });
        }
        if games.supervised.is_some() && training.training.batch < 2 {
            return Err(RecipeError::Batch { place: place.into() });
        }
        Ok(Self { games, training })
    }

    /// The recipe with every default written out.
    ///
    /// # Errors
    /// [`RecipeError`] for numbers that TOML cannot hold.
    pub fn to_toml(&self) -> Result<String, RecipeError> {
        let mut table = toml::Table::try_from(&self.training)?;
        table.remove("data");
        table.extend(toml::Table::try_from(&self.games)?);
        Ok(table.to_string())
    }
}

/// Every key at the top of a recipe of this crate. Its parts are read one by one, which loses the line numbers of the
/// text, so an unknown table is reported here first, with its line.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Tables {
    title: IgnoredAny,
    purpose: IgnoredAny,
    data: IgnoredAny,
    training: IgnoredAny,
    network: IgnoredAny,
    losses: IgnoredAny,
    optimiser: IgnoredAny,
    schedule: IgnoredAny,
    search: IgnoredAny,
    evaluation: IgnoredAny,
    published: IgnoredAny,
    start: IgnoredAny,
    play: IgnoredAny,
    replay: IgnoredAny,
    gate: IgnoredAny,
    supervised: IgnoredAny,
    reinforce: IgnoredAny,
}

/// Refuses text that is not TOML, or that has a key that no recipe has, with its line.
pub(crate) fn check_keys(text: &str) -> Result<(), toml::de::Error> {
    toml::from_str::<Tables>(text).map(drop)
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
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recipes").join(name);
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
            ("[gate]", "[gates]", "line 7, column 2"),
            ("[training]", "[trianing]", "unknown field `trianing`"),
            ("title", "data = \"x\"\ntitle", "data"),
            ("games = 20", "games = 1", "replay.games"),
            ("start = \"uniform\"\n", "", "start"),
            ("[gate]", "[supervised]\ndata = \"x\"\nshare = 1.0\n[gate]", "supervised.share"),
            (
                "[training]",
                "[supervised]\ndata = \"x\"\nshare = 0.5\n[training]\nbatch = 1",
                "found training.batch = 1, expected at least 2",
            ),
        ] {
            let text = RECIPE.replacen(from, to, 1);
            let refused = SelfPlayRecipe::from_toml(&text, "toy.toml").unwrap_err().to_string();
            assert!(
                refused.contains("toy.toml") && refused.contains(expected),
                "{refused} does not say {expected}"
            );
        }
    }
}
