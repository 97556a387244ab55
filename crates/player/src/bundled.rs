//! The networks that are part of the program; `nets/README.md` says where they come from.

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
}

/// The name of the network that plays if no other is named.
pub const DEFAULT_NETWORK: &str = "default";

/// The name of the bundled convolutional network: it has input planes, which exports to ONNX, other devices and learners need.
pub const CONVOLUTIONAL_NETWORK: &str = "cnn";

/// The name of the network that plays like people of the rating it is told.
pub const HUMAN_NETWORK: &str = "human";

/// Every bundled network; a static, because each use of a constant would put its own copy of the weights into the program.
pub static BUNDLED: &[BundledNetwork] = &[
    BundledNetwork {
        name: DEFAULT_NETWORK,
        help: "the bundled network, the strongest on a processor",
        weights: include_bytes!("../../../nets/default.tabiya"),
        strength: include_str!(concat!(env!("OUT_DIR"), "/default.strength.json")),
    },
    BundledNetwork {
        name: CONVOLUTIONAL_NETWORK,
        help: "the bundled convolutional network, for everything that needs input planes",
        weights: include_bytes!("../../../nets/cnn.tabiya"),
        strength: include_str!(concat!(env!("OUT_DIR"), "/cnn.strength.json")),
    },
    BundledNetwork {
        name: HUMAN_NETWORK,
        help: "the bundled network that plays like people of the rating in option.PlayerRating",
        weights: include_bytes!("../../../nets/human.tabiya"),
        strength: include_str!(concat!(env!("OUT_DIR"), "/human.strength.json")),
    },
];

/// The bundled network of this name.
pub fn bundled(name: &str) -> Option<&'static BundledNetwork> {
    BUNDLED.iter().find(|network| network.name == name)
}

/// True if these are the bytes of a bundled network.
pub fn is_bundled(bytes: &[u8]) -> bool {
    BUNDLED.iter().any(|network| network.weights == bytes)
}
