//! The networks of the systems that Tabiya reproduces, as opponents by name; docs/seeds.md describes the systems.

use std::path::{Path, PathBuf};

use crate::{
    error::SpecificationError,
    kinds::{PlayerForm, help_row},
    recipe::SearchSection,
    specification::PlayerSpecification,
};

/// A network of a system, by its name alone.
pub(crate) const FORM: PlayerForm = PlayerForm {
    help: || SYSTEMS.iter().map(|system| help_row(system.name, system.title)).collect(),
    parse: |text| SystemNetwork::find(text).map(SystemNetwork::found),
};

/// The folder of their weights files, in the working folder or beside the program: they are too large to be compiled in.
pub const SYSTEMS_FOLDER: &str = "nets/seeds";

/// A network of one of the systems, trained by its recipe and with the search of the recipe.
#[derive(Clone, Copy, Debug)]
pub struct SystemNetwork {
    /// Its name in commands, and that of its recipe and its file.
    pub name: &'static str,
    /// The system, and which of its networks this is.
    pub title: &'static str,
    /// The recipe, TOML.
    pub recipe: &'static str,
}

/// Every network of a system, in the order of docs/seeds.md.
pub const SYSTEMS: &[SystemNetwork] = &[
    SystemNetwork {
        name: "cogs188",
        title: "COGS188 ChessCNNMCTS",
        recipe: include_str!("../../../recipes/cogs188/recipe.toml"),
    },
    SystemNetwork {
        name: "catfish-corrected",
        title: "Catfish, on a whole board",
        recipe: include_str!("../../../recipes/catfish-corrected/recipe.toml"),
    },
    SystemNetwork {
        name: "aichess",
        title: "AIChess",
        recipe: include_str!("../../../recipes/aichess/recipe.toml"),
    },
    SystemNetwork {
        name: "mlx",
        title: "Chess MLX CNN",
        recipe: include_str!("../../../recipes/mlx/recipe.toml"),
    },
    SystemNetwork {
        name: "knights-sl",
        title: "Knights and Kernels, moves",
        recipe: include_str!("../../../recipes/knights-sl/recipe.toml"),
    },
    SystemNetwork {
        name: "knights-el",
        title: "Knights and Kernels, values",
        recipe: include_str!("../../../recipes/knights-el/recipe.toml"),
    },
];

impl SystemNetwork {
    /// The network of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        SYSTEMS.iter().find(|system| system.name == name)
    }

    /// The network whose name begins the text of a player.
    pub fn of_player(text: &str) -> Option<&'static Self> {
        Self::find(text.split(',').next()?)
    }

    /// Its weights file in a folder of them.
    pub fn file_in(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.tabiya", self.name))
    }

    /// The player: these weights with the search of the recipe.
    ///
    /// # Errors
    /// [`SpecificationError`] if the search of the recipe does not exist.
    pub fn player(&self, file: &Path) -> Result<PlayerSpecification, SpecificationError> {
        SearchSection::of_recipe(self.recipe, Path::new(self.name))?.player(file, self.name)
    }

    /// The player with the weights in the working folder, or otherwise beside the program.
    ///
    /// # Errors
    /// As [`SystemNetwork::player`]; [`SpecificationError::NoSystemFile`] if the file is in neither place.
    pub fn found(&self) -> Result<PlayerSpecification, SpecificationError> {
        let program = std::env::current_exe().ok();
        let beside = program.as_deref().and_then(Path::parent).map(|folder| folder.join(SYSTEMS_FOLDER));
        let places = [Some(PathBuf::from(SYSTEMS_FOLDER)), beside];
        let files: Vec<PathBuf> = places.into_iter().flatten().map(|folder| self.file_in(&folder)).collect();
        match files.iter().find(|file| file.is_file()) {
            Some(file) => self.player(file),
            None => Err(SpecificationError::NoSystemFile { name: self.name, files }),
        }
    }
}

#[cfg(test)]
mod tests {
    use chess::{Game, Limits, StopSignal};

    use super::*;

    /// Every network is in its place and plays a legal move as its recipe says, and its file is small enough for a
    /// repository.
    #[test]
    fn every_system_plays() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../nets/seeds"));
        for system in SYSTEMS {
            let file = system.file_in(folder);
            let player = system.player(&file).unwrap();
            assert_eq!(player.name, system.name);
            // Compiled in as it is, without what it would extend.
            assert!(!system.recipe.contains("\nextends"), "{}", system.name);
            let mut search = player.network().unwrap().into_searches()();
            let (game, limits) = (Game::default(), Limits { nodes: Some(2), ..Limits::default() });
            let decision = search.run(&game, &limits, &StopSignal::default(), &mut |_| ()).unwrap();
            assert!(game.legal_moves().contains(&decision.best), "{}", system.name);
        }
    }

    #[test]
    fn a_missing_file_says_where_it_was_looked_for() {
        // The tests run in the folder of the crate, which has no networks.
        let error = "cogs188".parse::<PlayerSpecification>().unwrap_err().to_string();
        for part in ["nets/seeds/cogs188.tabiya", "tabiya run recipes/cogs188"] {
            assert!(error.contains(part), "{error}");
        }
    }
}
