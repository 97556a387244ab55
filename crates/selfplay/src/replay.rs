//! The replay store: the games, networks and decisions of a run under names in a [`Storage`], the only thing that its processes
//! share.
//!
//! ```text
//! run.json                            format, version, program, recipe, inputs
//! networks/00003.tabiya               the network trained after generation 3; 00000 is the initial one, if there is one
//! games/00003/WORKER-000017.json.zst  a game of generation 3
//! generations/00003.json              the record of generation 3, and whether its network was promoted
//! end.json                            the run is over
//! ```
//! Every object is written once and completely, so the store is correct no matter which process is killed or when: a game is in the
//! run when its object exists, and the state of the run follows from the list of objects.

use std::path::Path;

use files::{
    Inputs, OutputError,
    run::{REPLAY_GAMES, REPLAY_RUN},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    game::{BadGame, GameId, SelfPlayGame},
    generation::{Generation, NetworkName},
    storage::{PutResult, Storage, StorageError},
};

/// First field of `run.json`; never reused for something else.
pub const FORMAT: &str = "tabiya-selfplay-run";

/// The version of the layout.
pub const VERSION: u32 = 2;

/// What files of openings are used as, for the names of inputs.
pub const OPENINGS: &str = "openings";

const END: &str = "end.json";
const GENERATIONS: &str = "generations";
/// The ending of a game's name.
const ENDING: &str = ".json.zst";

/// The store of one run, which any number of machines share.
#[derive(Debug)]
pub struct ReplayStore {
    storage: Storage,
    recipe: String,
    inputs: Inputs,
}

/// The state of a run: the games that its workers play, and the network that they use.
#[derive(Clone, Debug, PartialEq)]
pub struct RunState {
    /// The generation whose games are being played.
    pub generation: u32,
    /// The network that plays them.
    pub network: NetworkName,
}

/// Identity of a run: the content of `run.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunFile {
    format: String,
    version: u32,
    program: String,
    /// The recipe as TOML, with every default written out.
    recipe: String,
    /// The files that the recipe names, by content: processes on other machines have their own.
    inputs: Inputs,
}

#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
    program: String,
}

/// The replay store, or something in it, cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum ReplayError {
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// An input is not the one with which the run was begun.
    #[error(transparent)]
    Input(#[from] OutputError),
    #[error("{place}/{name}: found {found}, expected {expected}")]
    Object {
        /// Path or address of the store.
        place: String,
        name: String,
        found: String,
        expected: String,
    },
    #[error(transparent)]
    Game(#[from] BadGame),
    #[error("cannot pack the game {id}: {source}")]
    Pack { id: GameId, source: std::io::Error },
}

impl ReplayStore {
    /// Begins a run, or continues the existing one, which must have the same recipe and inputs.
    ///
    /// # Errors
    /// [`ReplayError::Object`] if there is another run, or one of another version of the program; [`ReplayError::Input`].
    pub fn create(
        storage: Storage,
        program: &str,
        recipe: &str,
        inputs: &Inputs,
    ) -> Result<Self, ReplayError> {
        let (format, version, inputs) = (FORMAT.to_owned(), VERSION, inputs.clone());
        let run = RunFile { format, version, program: program.into(), recipe: recipe.into(), inputs };
        // Two learners may begin at once: one writes the run, the other finds it and compares the recipes.
        match storage.put_new(REPLAY_RUN, json(&run))? {
            PutResult::Written => Ok(Self { storage, recipe: run.recipe, inputs: run.inputs }),
            PutResult::Taken => {
                // A run continues only with the recipe that it began with: games of other settings would be learned from as if they
                // were of these.
                let store = Self::open(storage, program)?;
                store.check_recipe(recipe)?;
                store.check_inputs(&run.inputs)?;
                Ok(store)
            }
        }
    }

    /// Joins an existing run.
    ///
    /// # Errors
    /// [`ReplayError::Object`] if there is no run, or one of another version of the layout or the program.
    pub fn open(storage: Storage, program: &str) -> Result<Self, ReplayError> {
        let mut store = Self { storage, recipe: String::new(), inputs: Inputs::default() };
        let bytes = store.storage.get(REPLAY_RUN)?;
        let made_by = "a run made by `tabiya selfplay RECIPE`";
        let bytes = bytes.ok_or_else(|| store.bad(REPLAY_RUN, "nothing".into(), made_by.into()))?;
        // Before the rest: a file of another version may have other fields, and the message should say so.
        let header: Header = store.parse_run(&bytes)?;
        if (header.format.as_str(), header.version) != (FORMAT, VERSION) {
            let found = format!("format {:?} version {}", header.format, header.version);
            return Err(store.bad(REPLAY_RUN, found, format!("{FORMAT:?} version {VERSION}")));
        }
        if header.program != program {
            let found = format!("a run of {}", header.program);
            let expected =
                format!("{program}, which this program is: games of different versions do not mix");
            return Err(store.bad(REPLAY_RUN, found, expected));
        }
        let run: RunFile = store.parse_run(&bytes)?;
        (store.recipe, store.inputs) = (run.recipe, run.inputs);
        Ok(store)
    }

    /// Parses `run.json`, or the part of it that all versions have.
    fn parse_run<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T, ReplayError> {
        serde_json::from_slice(bytes)
            .map_err(|error| self.bad(REPLAY_RUN, error.to_string(), format!("a run of version {VERSION}")))
    }

    /// The recipe of the run, as TOML.
    pub fn recipe(&self) -> &str {
        &self.recipe
    }

    /// Refuses a process that would play with another file of openings than the run was begun with. A worker reads no other file: its
    /// networks are in the store.
    ///
    /// # Errors
    /// [`ReplayError::Input`].
    pub fn check_openings(&self, file: &Path) -> Result<(), ReplayError> {
        self.check_inputs(&self.inputs.clone().with_path(OPENINGS, file)?)
    }

    fn check_inputs(&self, inputs: &Inputs) -> Result<(), ReplayError> {
        Ok(inputs.expect_same(&self.inputs, Path::new(self.place()))?)
    }

    /// Path or address of the store, as given.
    pub fn place(&self) -> &str {
        self.storage.place()
    }

    /// The generations that have ended, in order.
    ///
    /// # Errors
    /// [`ReplayError::Object`] if one is damaged.
    pub fn generations(&self) -> Result<Vec<Generation>, ReplayError> {
        let mut generations: Vec<Generation> = Vec::new();
        for name in self.storage.list(GENERATIONS)? {
            let name = format!("{GENERATIONS}/{name}");
            let generation: Generation = self.read(&name)?;
            // Without a gap, because the count of generations determines which generation is played.
            let expected = generations.len() as u32 + 1;
            if generation.number != expected {
                return Err(self.bad(
                    &name,
                    format!("generation {}", generation.number),
                    format!("generation {expected}"),
                ));
            }
            generations.push(generation);
        }
        Ok(generations)
    }

    /// Progress of the run after these generations.
    pub fn state(generations: &[Generation]) -> RunState {
        let promoted = generations.iter().rev().find(|generation| generation.gate.promoted);
        RunState {
            generation: generations.len() as u32,
            network: promoted.map_or(NetworkName(0), |generation| NetworkName(generation.number)),
        }
    }

    /// True if the generation that these games belong to has ended.
    ///
    /// # Errors
    /// [`ReplayError::Storage`].
    pub fn has_ended(&self, generation: u32) -> Result<bool, ReplayError> {
        Ok(self.storage.get(&generation_object(generation + 1))?.is_some())
    }

    /// Records the end of a generation, once.
    ///
    /// # Errors
    /// [`ReplayError::Storage`].
    pub fn end_generation(&self, generation: &Generation) -> Result<PutResult, ReplayError> {
        Ok(self.storage.put_new(&generation_object(generation.number), json(generation))?)
    }

    /// Records that no more games are wanted.
    ///
    /// # Errors
    /// [`ReplayError::Storage`].
    pub fn end_run(&self) -> Result<(), ReplayError> {
        Ok(self.storage.replace(END, b"{}\n".to_vec())?)
    }

    /// Undoes [`ReplayStore::end_run`], if a run continues for more generations.
    ///
    /// # Errors
    /// [`ReplayError::Storage`].
    pub fn go_on(&self) -> Result<(), ReplayError> {
        Ok(self.storage.remove(END)?)
    }

    /// True if the run is over.
    ///
    /// # Errors
    /// [`ReplayError::Storage`].
    pub fn is_over(&self) -> Result<bool, ReplayError> {
        Ok(self.storage.get(END)?.is_some())
    }

    /// The weights of a network; `None` for a start without a network.
    ///
    /// # Errors
    /// [`ReplayError::Object`] if the weights are missing.
    pub fn weights(&self, network: NetworkName) -> Result<Option<Vec<u8>>, ReplayError> {
        let name = network_object(network);
        let weights = self.storage.get(&name)?;
        // A run may begin without a network; every other current network was learned.
        if weights.is_none() && network != NetworkName(0) {
            return Err(self.bad(&name, "nothing".into(), "the weights that play now".into()));
        }
        Ok(weights)
    }

    /// Writes the weights of a network, once.
    ///
    /// # Errors
    /// [`ReplayError::Storage`].
    pub fn put_weights(&self, network: NetworkName, weights: Vec<u8>) -> Result<PutResult, ReplayError> {
        Ok(self.storage.put_new(&network_object(network), weights)?)
    }

    /// Writes a finished game, once.
    ///
    /// # Errors
    /// [`ReplayError::Storage`], for example if the disk is full: the game is then not in the run.
    pub fn put_game(&self, game: &SelfPlayGame) -> Result<PutResult, ReplayError> {
        let bytes = game.to_bytes().map_err(|source| ReplayError::Pack { id: game.id.clone(), source })?;
        Ok(self.storage.put_new(&object_of(&game.id), bytes)?)
    }

    /// The names of the games of a generation, in order, for [`ReplayStore::game`].
    ///
    /// # Errors
    /// [`ReplayError::Storage`].
    pub fn games(&self, generation: u32) -> Result<Vec<String>, ReplayError> {
        let folder = games_of(generation);
        let names = self.storage.list(&folder)?;
        let games = names.iter().filter(|name| name.ends_with(ENDING));
        Ok(games.map(|name| format!("{folder}/{name}")).collect())
    }

    /// Reads a game by the name of its object.
    ///
    /// # Errors
    /// [`ReplayError::Game`] if it is damaged, or is not the game of that name.
    pub fn game(&self, name: &str) -> Result<SelfPlayGame, ReplayError> {
        let bytes = self.storage.get(name)?;
        let bytes = bytes.ok_or_else(|| self.bad(name, "nothing".into(), "a game".into()))?;
        let game = SelfPlayGame::from_bytes(&bytes, &format!("{}/{name}", self.place()))?;
        if object_of(&game.id) != name {
            return Err(self.bad(name, format!("the game {}", game.id), "the game of this name".into()));
        }
        Ok(game)
    }

    fn check_recipe(&self, recipe: &str) -> Result<(), ReplayError> {
        let (before, now) = (self.recipe_table(&self.recipe)?, self.recipe_table(recipe)?);
        // Values are compared, not text: comments and order in a recipe may change.
        let mut keys = before.keys().chain(now.keys());
        let Some(key) = keys.find(|key| before.get(*key) != now.get(*key)) else { return Ok(()) };
        let found = format!("a run whose recipe has {key} = {}", value_text(&before, key));
        let now = value_text(&now, key);
        let expected = format!("{now}, as in the recipe given; name another folder for another run");
        Err(self.bad(REPLAY_RUN, found, expected))
    }

    fn recipe_table(&self, text: &str) -> Result<toml::Table, ReplayError> {
        text.parse::<toml::Table>()
            .map_err(|error| self.bad(REPLAY_RUN, error.to_string(), "a recipe".into()))
    }

    fn read<T: DeserializeOwned>(&self, name: &str) -> Result<T, ReplayError> {
        let bytes = self.storage.get(name)?;
        let bytes = bytes.ok_or_else(|| self.bad(name, "nothing".into(), "an object".into()))?;
        serde_json::from_slice(&bytes)
            .map_err(|error| self.bad(name, error.to_string(), "JSON of this program".into()))
    }

    fn bad(&self, name: &str, found: String, expected: String) -> ReplayError {
        ReplayError::Object { place: self.place().into(), name: name.into(), found, expected }
    }
}

/// A value in an error message.
fn value_text(table: &toml::Table, key: &str) -> String {
    table.get(key).map_or("nothing".into(), ToString::to_string)
}

fn object_of(id: &GameId) -> String {
    format!("{REPLAY_GAMES}/{id}{ENDING}")
}

pub(crate) fn games_of(generation: u32) -> String {
    format!("{REPLAY_GAMES}/{generation:05}")
}

fn generation_object(number: u32) -> String {
    format!("{GENERATIONS}/{number:05}.json")
}

fn network_object(network: NetworkName) -> String {
    format!("networks/{network}.tabiya")
}

fn json(value: &impl Serialize) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(value).expect("plain structures with text keys are always JSON");
    text.push(b'\n');
    text
}

#[cfg(test)]
mod tests;
