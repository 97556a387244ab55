//! The networks of the systems that Tabiya reproduces, as players by name; docs/seeds.md describes the systems.

use std::{fmt, path::Path};

use crate::{
    bundled::BundledNetwork,
    kinds::{PlayerForm, help_row},
    recipe::SearchSection,
    specification::PlayerSpecification,
};

/// A network of a system, by its name alone.
pub(crate) const FORM: PlayerForm = PlayerForm {
    help: || SYSTEMS.iter().map(|system| help_row(system.network.name, system.network.help)).collect(),
    parse: |text| SystemNetwork::find(text).map(|system| Ok(system.player())),
};

/// A network of one of the systems, trained by its recipe and with the search of the recipe.
pub struct SystemNetwork {
    /// Its weights; its name in commands is that of its recipe.
    pub network: BundledNetwork,
    /// The recipe, TOML.
    pub recipe: &'static str,
}

/// A system by the name of its recipe, and which of its networks this is.
macro_rules! system {
    ($name:literal, $title:literal) => {
        SystemNetwork {
            network: BundledNetwork {
                name: $name,
                help: $title,
                weights: include_bytes!(concat!("../../../nets/seeds/", $name, ".tabiya")),
                strength: include_str!(concat!(env!("OUT_DIR"), "/", $name, ".strength.json")),
                rating: include_str!(concat!(env!("OUT_DIR"), "/", $name, ".rating.json")),
            },
            recipe: include_str!(concat!("../../../recipes/", $name, "/recipe.toml")),
        }
    };
}

/// Every network of a system, in the order of docs/seeds.md; a static for the reason of [`BUNDLED`](crate::BUNDLED).
pub static SYSTEMS: &[SystemNetwork] = &[
    system!("cogs188", "COGS188 ChessCNNMCTS"),
    system!("catfish-corrected", "Catfish, on a whole board"),
    system!("aichess", "AIChess"),
    system!("mlx", "Chess MLX CNN"),
    system!("knights-sl", "Knights and Kernels, moves"),
    system!("knights-el", "Knights and Kernels, values"),
];

impl fmt::Debug for SystemNetwork {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.network.name)
    }
}

impl SystemNetwork {
    /// The network of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        SYSTEMS.iter().find(|system| system.network.name == name)
    }

    /// The network whose name begins the text of a player.
    pub fn of_player(text: &str) -> Option<&'static Self> {
        Self::find(text.split(',').next()?)
    }

    /// The player: the network with the search of the recipe.
    ///
    /// # Panics
    /// If the search of the recipe does not exist; a test plays every system.
    pub fn player(&self) -> PlayerSpecification {
        let name = self.network.name;
        SearchSection::of_recipe(self.recipe, Path::new(name))
            .and_then(|search| search.player(Path::new(name), name))
            .expect("a test plays every system")
    }
}

#[cfg(test)]
mod tests {
    use chess::{Game, Limits, StopSignal};

    use super::*;

    /// Every network plays a legal move as its recipe says, by its name alone and after `net=`.
    #[test]
    fn every_system_plays() {
        for system in SYSTEMS {
            let name = system.network.name;
            let player = system.player();
            assert_eq!((player.name.as_str(), player.net()), (name, Some(name)));
            // Compiled in as it is, without what it would extend.
            assert!(!system.recipe.contains("\nextends"), "{name}");
            let mut search = player.network().unwrap().into_searches()();
            let (game, limits) = (Game::default(), Limits { nodes: Some(2), ..Limits::default() });
            let decision = search.run(&game, &limits, &StopSignal::default(), &mut |_| ()).unwrap();
            assert!(game.legal_moves().contains(&decision.best), "{name}");
            let named: PlayerSpecification = format!("net={name}").parse().unwrap();
            assert_eq!((named.search.name, named.pace), (player.search.name, player.pace));
            assert_eq!(named.options, player.options);
        }
    }
}
