//! The networks embedded in the program; `nets/README.md` documents their training.

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

/// Tabiya's own networks; a static, because each use of a constant would put its own copy of the weights into the program.
pub static BUNDLED: &[BundledNetwork] = &[
    BundledNetwork {
        name: DEFAULT_NETWORK,
        help: "the bundled network, the strongest on a processor",
        weights: include_bytes!("../../../nets/default.tabiya"),
        strength: include_str!(concat!(env!("OUT_DIR"), "/default.strength.json")),
        rating: include_str!(concat!(env!("OUT_DIR"), "/default.rating.json")),
    },
    BundledNetwork {
        name: CONVOLUTIONAL_NETWORK,
        help: "the bundled convolutional network, for everything that needs input planes",
        weights: include_bytes!("../../../nets/cnn.tabiya"),
        strength: include_str!(concat!(env!("OUT_DIR"), "/cnn.strength.json")),
        rating: include_str!(concat!(env!("OUT_DIR"), "/cnn.rating.json")),
    },
    BundledNetwork {
        name: HUMAN_NETWORK,
        help: "the bundled network that plays like people of the rating in option.PlayerRating",
        weights: include_bytes!("../../../nets/human.tabiya"),
        strength: include_str!(concat!(env!("OUT_DIR"), "/human.strength.json")),
        rating: include_str!(concat!(env!("OUT_DIR"), "/human.rating.json")),
    },
];
