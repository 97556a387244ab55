//! The walls as data. A new crate, a new heavy dependency or an overlong table is one row here, and its reason with it.

/// One workspace crate and the crates it may import.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) name: &'static str,
    pub(super) imports: &'static [&'static str],
    /// Why it may import no more than that.
    pub(super) why: &'static str,
}

/// The crates in import order, which is also the order of the alphabet and of the data: each sees only crates above.
pub(super) const LAYERS: &[Layer] = &[
    Layer {
        name: "chess",
        imports: &[],
        why: "the vocabulary is the bottom: every other crate builds on it",
    },
    Layer {
        name: "dataset",
        imports: &["chess"],
        why: "samples are the same whatever network learns from them or search makes them",
    },
    Layer {
        name: "kernels",
        imports: &["chess"],
        why: "arithmetic on planes knows no files, no networks and no searches",
    },
    Layer {
        name: "network",
        imports: &["chess", "dataset", "kernels"],
        why: "a network learns from samples and answers evaluations; which search asks is not its business",
    },
    Layer {
        name: "protocol",
        imports: &["chess"],
        why: "UCI is text about games and limits; what thinks behind it is not its business",
    },
    Layer {
        name: "search",
        imports: &["chess"],
        why: "a search meets its evaluator through chess::Evaluator, so that any evaluator fits any search",
    },
    Layer {
        name: "selfplay",
        imports: &["chess", "dataset", "kernels", "network", "search"],
        why: "self-play makes games for training; measuring and showing them comes after",
    },
    Layer {
        name: "strength",
        imports: &["chess", "dataset", "protocol"],
        why: "a match must treat every player alike, so it meets searches only through chess::Search and UCI",
    },
    Layer {
        name: "web",
        imports: &["chess", "dataset", "strength"],
        why: "the page shows any player, so it meets searches only through chess::Search and strength::Player",
    },
    Layer {
        name: "tabiya",
        imports: &[
            "chess", "dataset", "kernels", "network", "protocol", "search", "selfplay", "strength", "web",
        ],
        why: "the program is the one place that sees all and wires weights, evaluator, search and player",
    },
    Layer { name: "xtask", imports: &[], why: "the checks must run when the program does not build" },
];

/// The crates that may contain the keyword `unsafe`.
pub(super) const UNSAFE_CRATES: &[&str] = &["kernels"];

/// External packages that only some crates may name.
#[derive(Debug)]
pub(super) struct Home {
    /// A package and everything whose name continues it after a hyphen: `arrow` stands for `arrow-array` too.
    pub(super) family: &'static str,
    pub(super) homes: &'static [&'static str],
    pub(super) why: &'static str,
}

/// Where each confined dependency lives. A dependency that is not here may be used by every crate.
pub(super) const HOMES: &[Home] = &[
    Home {
        family: "anyhow",
        homes: &["tabiya", "xtask"],
        why: "libraries own a typed error; only programs need any",
    },
    Home { family: "arrow", homes: &["dataset"], why: "the store's format is the data crate's business" },
    Home { family: "axum", homes: &["web"], why: "only the page speaks HTTP" },
    Home {
        family: "burn",
        homes: &["network"],
        why: "tensors never leave the network; it is also slow to compile",
    },
    Home { family: "clap", homes: &["tabiya"], why: "libraries take values, not command lines" },
    Home { family: "comfy-table", homes: &["strength"], why: "one look for every table in a terminal" },
    Home {
        family: "ctrlc",
        homes: &["tabiya"],
        why: "a process has one signal handler, and the program owns it",
    },
    Home { family: "cubecl", homes: &["network"], why: "GPU kernels are reached through Burn" },
    Home { family: "hyper", homes: &["web"], why: "only the page speaks HTTP" },
    Home { family: "indicatif", homes: &["tabiya"], why: "libraries report progress, the program draws it" },
    Home { family: "parquet", homes: &["dataset"], why: "the store's format is the data crate's business" },
    Home { family: "pgn-reader", homes: &["dataset"], why: "others get games, not PGN tokens" },
    Home {
        family: "prost",
        homes: &["network"],
        why: "protocol buffers come only with lc0 and ONNX weights",
    },
    Home { family: "safetensors", homes: &["network"], why: "only the network reads and writes weights" },
    Home {
        family: "shakmaty",
        homes: &["chess"],
        why: "one version of the rules serves all: use chess::shakmaty",
    },
    Home { family: "statrs", homes: &["strength"], why: "only measurements have intervals" },
    Home { family: "tower", homes: &["web"], why: "only the page speaks HTTP" },
    Home { family: "utoipa", homes: &["web"], why: "only the page has an API to describe" },
    Home { family: "tokio", homes: &["web"], why: "async stays at the page; everything below it is threads" },
];

/// A source file longer than this needs a row in [`LONG_FILES`].
pub(super) const LONGEST_FILE: usize = 500;

/// Files that may be longer, each with its reason. Only tables have one.
pub(super) const LONG_FILES: &[LongFile] = &[];

/// One row of [`LONG_FILES`].
#[derive(Debug)]
pub(super) struct LongFile {
    /// From the repository's root, with forward slashes.
    pub(super) path: &'static str,
    pub(super) why: &'static str,
}

/// Names that say nothing about what is inside, so that everything ends up there.
pub(super) const DRAWERS: &[&str] = &["util", "utils", "common", "helper", "helpers", "misc", "base"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_layer_imports_only_layers_above_it() {
        for (place, layer) in LAYERS.iter().enumerate() {
            for import in layer.imports {
                let above = LAYERS[..place].iter().any(|other| other.name == *import);
                assert!(above, "{} lists {import}, which does not stand above it", layer.name);
            }
        }
    }

    #[test]
    fn every_home_and_unsafe_crate_is_a_layer() {
        let named = HOMES.iter().flat_map(|home| home.homes).chain(UNSAFE_CRATES);
        for name in named {
            assert!(LAYERS.iter().any(|layer| layer.name == *name), "{name} is no layer");
        }
    }
}
