//! The networks in the program by their names: Tabiya's own (`nets/README.md` documents their training), and those of the systems that
//! it reproduces, which are players (docs/seeds.md describes them).

use std::{fmt, path::Path};

use crate::{
    recipe::SearchSection,
    specification::{PlayerSpecification, Subject},
};

/// A weights file inside the program.
pub struct BundledNetwork {
    /// Name of the network in commands.
    pub name: &'static str,
    /// Its strength or its style of play, in a few words.
    pub help: &'static str,
    /// The bytes of its file in `nets/`.
    pub weights: &'static [u8],
    /// Measured strength, a strength table as JSON; empty if nothing was measured.
    pub strength: &'static str,
    /// The rating of its player, the result of a ladder as JSON; empty if nothing was measured.
    pub rating: &'static str,
}

/// The name of the network that plays if no other is named.
pub const DEFAULT_NETWORK: &str = "default";

/// The name of the bundled convolutional network: it has input planes, which exports to ONNX, other devices and learners need.
pub const CONVOLUTIONAL_NETWORK: &str = "cnn";

/// The name of the network that plays like people of the rating in option PlayerRating.
pub const HUMAN_NETWORK: &str = "human";

/// A network of the program: the folder of its file, its name and its help. What was measured of it is copied by the build script to
/// OUT_DIR, where a network without measurements has empty files.
macro_rules! network {
    ($folder:literal, $name:literal, $help:literal) => {
        BundledNetwork {
            name: $name,
            help: $help,
            weights: include_bytes!(concat!("../../../", $folder, $name, ".tabiya")),
            strength: include_str!(concat!(env!("OUT_DIR"), "/", $name, ".strength.json")),
            rating: include_str!(concat!(env!("OUT_DIR"), "/", $name, ".rating.json")),
        }
    };
}

/// Tabiya's own networks; a static, because each use of a constant would put its own copy of the weights into the program.
pub static BUNDLED: &[BundledNetwork] = &[
    network!("nets/", "default", "the bundled network, the strongest on a CPU"),
    network!("nets/", "cnn", "the bundled convolutional network, for everything that needs input planes"),
    network!(
        "nets/",
        "human",
        "the bundled network that plays like people of the rating in option.PlayerRating"
    ),
];

/// The ending of the name of a player that has a system's network, but another search than its recipe.
pub(crate) const WITH_SEARCH: &str = "-search";

/// For networks without a policy: alpha-beta, which needs none. Chosen: about a second a move for the slowest of them, cogs188.
const BY_VALUE: Option<&str> = Some("search=pvs,nodes=1000");
/// For networks with both heads: PUCT.
const BY_BOTH: Option<&str> = Some("search=puct,nodes=100");
/// For networks without a value: there is nothing to search for.
const NO_VALUE: Option<&str> = None;

/// A network of one of the systems, trained by its recipe and with the search of the recipe.
pub struct SystemNetwork {
    /// Its weights; its name in commands is that of its recipe.
    pub network: BundledNetwork,
    /// The recipe with all that it extends, TOML.
    pub recipe: &'static str,
    /// The keys of [`SystemNetwork::player_with_search`].
    with_search: Option<&'static str>,
}

/// Declares a system's network: the name of its recipe, its title, the search of `NAME-search`, and the path
/// of the merged recipe if the recipe extends another.
macro_rules! system {
    ($name:literal, $title:literal, $with_search:expr) => {
        system!($name, $title, $with_search, "recipes/", $name, "/recipe.toml")
    };
    ($name:literal, $title:literal, $with_search:expr, $($recipe:literal),+) => {
        SystemNetwork {
            network: network!("nets/seeds/", $name, $title),
            recipe: include_str!(concat!("../../../", $($recipe),+)),
            with_search: $with_search,
        }
    };
}

/// Every network of a system, in the order of docs/seeds.md; a static for the reason of [`BUNDLED`].
pub static SYSTEMS: &[SystemNetwork] = &[
    system!("cogs188", "COGS188 ChessCNNMCTS", BY_VALUE),
    system!("cogs188-corrected", "COGS188 ChessCNNMCTS, corrected", BY_BOTH),
    system!("catfish-v3", "Catfish V3", BY_VALUE),
    system!("catfish-corrected", "Catfish, on a whole board", BY_VALUE),
    system!("aichess", "AIChess", BY_BOTH),
    system!("aichess-corrected", "AIChess, corrected", BY_BOTH),
    system!("mlx", "Chess MLX CNN", BY_BOTH),
    system!("mlx-corrected", "Chess MLX CNN, corrected", BY_BOTH),
    system!("knights-sl", "Knights and Kernels, moves", NO_VALUE),
    system!("knights-el", "Knights and Kernels, values", BY_VALUE),
    system!("knights-el-corrected", "Knights and Kernels, corrected", BY_VALUE),
    system!(
        "knights-e4",
        "Knights and Kernels, generation E4",
        BY_VALUE,
        "nets/seeds/knights-e4/experiment.toml"
    ),
    system!(
        "knights-e3",
        "Knights and Kernels, generation E3",
        BY_VALUE,
        "nets/seeds/knights-e3/experiment.toml"
    ),
    system!(
        "knights-e1",
        "Knights and Kernels, generation E1",
        BY_VALUE,
        "nets/seeds/knights-e1/experiment.toml"
    ),
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

    /// The network that plays with a search under this name.
    pub fn find_searching(name: &str) -> Option<&'static Self> {
        Self::find(name.strip_suffix(WITH_SEARCH)?).filter(|system| system.with_search.is_some())
    }

    /// The network whose name is the first part of a player's text.
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

    /// The player `NAME-search`: the network with a search of this program instead of that of the recipe. `None` for a network without a
    /// value.
    ///
    /// # Panics
    /// If the search does not exist, which a test of every system excludes.
    pub fn player_with_search(&self) -> Option<PlayerSpecification> {
        let keys: Vec<String> = self.with_search?.split(',').map(str::to_owned).collect();
        let net = self.network.name;
        let player = PlayerSpecification::new(Subject::Network(net.into()))
            .with_keys(&format!("{net}{WITH_SEARCH}"), &keys);
        Some(player.expect("a test plays every system"))
    }
}

/// Every network in the program: [`BUNDLED`], then those of [`SYSTEMS`].
pub(crate) fn all_bundled() -> impl Iterator<Item = &'static BundledNetwork> {
    BUNDLED.iter().chain(SYSTEMS.iter().map(|system| &system.network))
}

/// The network of this name in the program.
pub fn bundled(name: &str) -> Option<&'static BundledNetwork> {
    all_bundled().find(|network| network.name == name)
}

/// True if these are the bytes of a network in the program.
pub fn is_bundled(bytes: &[u8]) -> bool {
    all_bundled().any(|network| network.weights == bytes)
}

/// True if the file holds the bytes of a network in the program; it is read only if it is as long as one.
pub fn is_bundled_file(file: &Path) -> bool {
    // Folders of networks hold files of many megabytes, and the page asks this of each of them.
    let length = std::fs::metadata(file).map_or(0, |data| data.len());
    all_bundled().any(|network| network.weights.len() as u64 == length)
        && std::fs::read(file).is_ok_and(|bytes| is_bundled(&bytes))
}

#[cfg(test)]
mod tests {
    use chess::{Game, Limits, StopSignal};

    use super::*;

    /// Every network plays a legal move with its recipe's search, by its name alone and after `net=`.
    #[test]
    fn every_system_plays() {
        for system in SYSTEMS {
            let name = system.network.name;
            let player = system.player();
            assert_eq!((player.name.as_str(), player.net()), (name, Some(name)));
            // Compiled in without merging.
            assert!(!system.recipe.contains("\nextends"), "{name}");
            assert_plays(&player, 2);
            let named: PlayerSpecification = format!("net={name}").parse().unwrap();
            assert_eq!((named.search.name, named.pace), (player.search.name, player.pace));
            assert_eq!(named.options, player.options);
        }
    }

    fn assert_plays(player: &PlayerSpecification, nodes: u64) {
        let mut search = player.network().unwrap().into_searches()();
        let (game, limits) = (Game::default(), Limits { nodes: Some(nodes), ..Limits::default() });
        let decision = search.run(&game, &limits, &StopSignal::default(), &mut |_| ()).unwrap();
        assert!(game.legal_moves().contains(&decision.best), "{}", player.name);
    }

    /// A search needs a value, and PUCT a policy too.
    #[test]
    fn every_system_with_a_value_plays_with_a_search() {
        for system in SYSTEMS {
            let net = system.network.name;
            let heads = system.player().network().unwrap().into_evaluator().heads();
            let name = format!("{net}{WITH_SEARCH}");
            assert_eq!(SystemNetwork::find_searching(&name).is_some(), heads.value, "{net}");
            let Some(player) = system.player_with_search() else { continue };
            assert_eq!(player.search.name, if heads.policy { "puct" } else { "pvs" }, "{net}");
            assert_eq!((player.name.as_str(), player.net()), (&name[..], Some(net)));
            assert_plays(&player, 30);
            let limited: PlayerSpecification = format!("{name},nodes=5").parse().unwrap();
            assert_eq!((limited.search.name, limited.pace.nodes), (player.search.name, Some(5)));
            assert_eq!(name.parse::<PlayerSpecification>().unwrap().pace, player.pace);
        }
        assert!(SystemNetwork::find_searching("knights-el").is_none());
    }
}
