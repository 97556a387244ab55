//! The section `[stream]` of a recipe: positions that are generated and labelled during training and never stored.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use chess::Chess;
use dataset::{PositionLabeller, Streaming};
use network::{
    NetworkError, invalid,
    nnue::{Judge, Nnue},
};
use serde::{Deserialize, Serialize};

use crate::{Recipe, TrainingError, ValueTarget};

/// Positions some random moves away from those of the store, in place of these, with the static evaluation of a Stockfish network as
/// their value and no known move. Held-out positions are made from the store's held-out ones, the same at every validation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamConfig {
    /// The network that labels, as `tabiya net extract` writes it; relative to the working directory of the command.
    pub network: PathBuf,
    /// Most random moves from a position of the store, 1 to 16; each number up to it is equally likely. Default 2.
    #[serde(default = "network::default_to::<2, _>")]
    pub moves: u16,
    /// Share of the store's samples with known moves that are trained on as they are stored, from 0 to below 1: the only samples
    /// of the policy. Default 0.
    #[serde(default)]
    pub stored: f32,
}

/// More random moves lead to positions that no search meets.
const MOST_MOVES: u16 = 16;

/// An opened `[stream]`.
#[derive(Clone)]
pub(crate) struct Stream {
    pub(crate) streaming: Streaming,
    /// 128-bit XXH3 hash of the labelling network's file, in hexadecimal.
    pub(crate) hash: String,
}

impl StreamConfig {
    /// Checks the section and what it needs of the rest of its recipe.
    pub(crate) fn check(&self, recipe: &Recipe, place: &str) -> Result<(), NetworkError> {
        if !(1..=MOST_MOVES).contains(&self.moves) {
            return Err(invalid(place, "stream.moves", self.moves, format!("1 to {MOST_MOVES}")));
        }
        if !(0.0..1.0).contains(&self.stored) {
            return Err(invalid(place, "stream.stored", self.stored, "0 to below 1".into()));
        }
        let losses = &recipe.losses;
        if self.stored == 0.0 && losses.policy_weight > 0.0 {
            let expected = "more than 0 unless losses.policy_weight is 0: made positions have no known move";
            return Err(invalid(place, "stream.stored", self.stored, expected.into()));
        }
        if losses.value_weight == 0.0 {
            let expected = "more than 0 with [stream], whose positions teach only the value".into();
            return Err(invalid(place, "losses.value_weight", losses.value_weight, expected));
        }
        if let ValueTarget::Result = losses.value_target {
            let expected = "another source with [stream], whose positions have no result".into();
            return Err(invalid(place, "losses.value_target.from", losses.value_target.name(), expected));
        }
        let history = recipe.network.history()?;
        if history > 1 {
            let found = format!("{history} positions");
            let expected = "an encoding of 1 position with [stream], whose positions have no history".into();
            return Err(invalid(place, "network.input", found, expected));
        }
        Ok(())
    }

    /// Reads the labelling network.
    pub(crate) fn open(&self) -> Result<Stream, TrainingError> {
        let Self { network, moves, stored } = self;
        let bytes = files::read_at_most(network, files::LARGEST_FILE)
            .map_err(NetworkError::file(network, "read the network of [stream]"))?;
        let nnue = Arc::new(Nnue::from_bytes(&bytes, &network.display().to_string())?);
        let streaming = Streaming {
            moves: *moves,
            stored: *stored,
            // Called once for each loading thread; the judges share the weights.
            labeller: Arc::new(move || -> PositionLabeller {
                let mut judge = Judge::new(Arc::clone(&nnue));
                Box::new(move |position: &Chess| judge.static_score(position))
            }),
        };
        Ok(Stream { streaming, hash: files::bytes_hash(&bytes) })
    }

    /// The section for other machines: of an absolute path only the file's name.
    pub(crate) fn portable(&self) -> Self {
        let name = self.network.file_name().filter(|_| self.network.is_absolute());
        Self { network: name.map_or_else(|| self.network.clone(), PathBuf::from), ..*self }
    }
}

/// A part of a sentence: what is made, and how much of it.
impl fmt::Display for StreamConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { network, moves, stored } = self;
        let network = network.file_name().map_or(network.as_path(), Path::new).display();
        let percent = (f64::from(*stored) * 1000.0).round() / 10.0;
        write!(
            formatter,
            "positions at most {moves} random move(s) away, labelled by {network}, in place of all but {percent} % of the samples"
        )
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use chess::{Position as _, Score, played};
    use dataset::{LoaderState, Split, Store, packed_position::PackedPosition};
    use network::{nnue::synthetic, synthetic::tiny_sparse_spec};

    use super::*;
    use crate::{Samples as _, StoreSamples, StreamRequest, store::tests::store};

    /// `data label` gives static scores too (`crates/labelling/tests/labels.rs`).
    #[test]
    fn made_positions_have_the_static_scores_of_the_network() {
        let folder = tempfile::tempdir().unwrap();
        let path = store(folder.path());
        let (network, bytes) = (folder.path().join("x.nnue"), synthetic::file(3));
        std::fs::write(&network, &bytes).unwrap();
        let mut judge = Judge::new(Arc::new(Nnue::from_bytes(&bytes, "synthetic").unwrap()));
        let opened = Store::open(&path).unwrap();
        // Positions that differ in the clock of fifty moves alone have one key and several scores.
        let mut scores: HashMap<u64, Vec<Score>> = HashMap::new();
        for sample in
            Split::ALL.into_iter().flat_map(|split| opened.row_groups(split)).flat_map(Result::unwrap)
        {
            let position = sample.chess().unwrap();
            for chosen in position.legal_moves() {
                let after = played(&position, chosen);
                let key = PackedPosition::pack(&after).key();
                scores.entry(key).or_default().push(judge.static_score(&after));
            }
        }
        let config = StreamConfig { network, moves: 1, stored: 0.25 };
        let samples = StoreSamples::open(&path, &tiny_sparse_spec()).unwrap();
        let samples = samples.with_stream(Some(&config)).unwrap();
        let hash = files::bytes_hash(&bytes);
        assert_eq!(samples.hash(), format!("{}+{hash}", opened.hash()));
        let [mut made, mut stored] = [0, 0];
        for split in Split::ALL {
            let start = LoaderState::default();
            let request =
                StreamRequest { split, batch_size: 8, seed: 1, shuffle_window: 16, threads: 2, start };
            for batch in samples.reopened().unwrap().stream(request).unwrap() {
                let batch = batch.unwrap();
                for row in 0..batch.size {
                    if batch.policy_weights[row] > 0.0 {
                        stored += 1;
                    } else {
                        made += 1;
                        let label = batch.evaluations[row].unwrap();
                        assert!(scores[&batch.keys[row]].contains(&label), "{label:?}");
                    }
                }
            }
        }
        assert!(made > stored && stored > 0, "{made} made, {stored} stored");
    }

    const RECIPE: &str = "title = \"t\"\ndata = \"s\"\n[training]\nsteps = 5000\n[network]\nblocks = 1\nchannels = 8\n\
                          [losses]\nvalue_target = { from = \"search\" }\n[stream]\nnetwork = \"nets/x.nnue\"\nstored = 0.1\n";

    #[test]
    fn a_stream_that_teaches_nothing_is_refused() {
        for (from, to, expected) in [
            ("stored = 0.1", "stored = 0.1\nmoves = 0", "stream.moves = 0: expected 1 to 16"),
            ("stored = 0.1", "stored = 1.0", "stream.stored = 1: expected 0 to below 1"),
            ("stored = 0.1", "", "stream.stored = 0: expected more than 0 unless losses.policy_weight is 0"),
            ("[losses]", "[losses]\nvalue_weight = 0.0", "losses.value_weight = 0: expected more than 0"),
            ("\"search\"", "\"result\"", "losses.value_target.from = result: expected another source"),
            (
                "channels = 8",
                "channels = 8\ninput = \"lc0-112\"",
                "network.input = 8 positions: expected an encoding of 1 position",
            ),
        ] {
            let message = Recipe::from_toml(&RECIPE.replace(from, to), "my.toml").unwrap_err().to_string();
            assert!(message.starts_with(&format!("my.toml: {expected}")), "{message}");
        }
        let unknown =
            Recipe::from_toml(&format!("{RECIPE}share = 0.5\n"), "my.toml").unwrap_err().to_string();
        assert!(unknown.contains("`share`") && unknown.contains("`stored`"), "{unknown}");
    }

    #[test]
    fn a_stream_is_part_of_its_recipe() {
        let mut recipe = Recipe::from_toml(RECIPE, "my.toml").unwrap();
        assert_eq!(Recipe::from_toml(&recipe.to_toml().unwrap(), "resolved").unwrap(), recipe);
        let stream = recipe.stream.as_mut().unwrap();
        assert_eq!(
            stream.to_string(),
            "positions at most 2 random move(s) away, labelled by x.nnue, in place of all but 10 % of the samples"
        );
        assert_eq!(stream.portable(), *stream);
        stream.network = std::path::absolute("nets/x.nnue").unwrap();
        assert_eq!(stream.portable().network, Path::new("x.nnue"));
        let folder = tempfile::tempdir().unwrap();
        stream.network = folder.path().join("x.nnue");
        let missing = stream.open().err().unwrap().to_string();
        assert!(missing.starts_with("cannot read the network of [stream] "), "{missing}");
        std::fs::write(&stream.network, "no network").unwrap();
        let damaged = stream.open().err().unwrap().to_string();
        assert!(damaged.starts_with("stream.network: ") && damaged.contains("x.nnue"), "{damaged}");
    }
}
