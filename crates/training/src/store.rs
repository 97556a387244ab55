//! The sample store of the `dataset` crate as a run's [`Samples`].

use std::{collections::HashSet, path::Path};

use dataset::{Loader, LoaderConfig, POLICY_TEMPERATURE, SampleWeights, Split, Store};
use network::{Inputs, Spec};

use crate::{
    Recipe, TrainingError,
    samples::{SampleStream, Samples, StreamRequest},
    stream::{Stream, StreamConfig},
};

/// Number of batches kept ready while the network trains: loading is much faster than training, so a few are enough.
pub const PREFETCH: usize = 4;

/// A store on disk, encoded for one network.
pub struct StoreSamples {
    store: Store,
    inputs: Inputs,
    policy_temperature: f32,
    weights: SampleWeights,
    /// True if training samples without castling rights are mirrored at random ([`Loader::with_mirroring`]).
    mirrored: bool,
    stream: Option<Stream>,
}

impl StoreSamples {
    /// Opens a store.
    ///
    /// # Errors
    /// [`TrainingError::Store`] if the store is missing or damaged.
    pub fn open(path: &Path, spec: &Spec) -> Result<Self, TrainingError> {
        Self::with_inputs(path, spec.inputs()?)
    }

    /// Opens a store for a network that has these encodings and perhaps no specification.
    ///
    /// # Errors
    /// As [`StoreSamples::open`].
    pub fn with_inputs(path: &Path, inputs: Inputs) -> Result<Self, TrainingError> {
        let store = Store::open(path)?;
        let (policy_temperature, weights) = (POLICY_TEMPERATURE, SampleWeights::default());
        Ok(Self { store, inputs, policy_temperature, weights, mirrored: false, stream: None })
    }

    /// Opens the store of a recipe, with the recipe's targets, weights, mirroring and stream.
    ///
    /// # Errors
    /// As [`StoreSamples::open`] and [`StoreSamples::with_stream`].
    pub fn of_recipe(recipe: &Recipe) -> Result<Self, TrainingError> {
        let samples = Self {
            policy_temperature: recipe.losses.policy_temperature,
            weights: recipe.losses.sample_weights(),
            mirrored: recipe.training.mirror,
            ..Self::open(&recipe.data, &recipe.network)?
        };
        samples.with_stream(recipe.stream.as_ref())
    }

    /// Opens this store again, for a stream that must outlive a borrow of it.
    ///
    /// # Errors
    /// As [`StoreSamples::open`].
    pub fn reopened(&self) -> Result<Self, TrainingError> {
        let store = Store::open(self.store.path())?;
        Ok(Self { store, inputs: self.inputs.clone(), stream: self.stream.clone(), ..*self })
    }

    /// Sets the temperature with which evaluations of several moves are spread in the policy target.
    #[must_use]
    pub fn with_policy_temperature(mut self, temperature: f32) -> Self {
        self.policy_temperature = temperature;
        self
    }

    /// Replaces samples by positions that are made and labelled while loading, or by none.
    ///
    /// # Errors
    /// [`TrainingError::Network`] if the labelling network cannot be read, [`TrainingError::Labels`] if it is of another kind.
    pub fn with_stream(mut self, config: Option<&StreamConfig>) -> Result<Self, TrainingError> {
        self.stream = config.map(StreamConfig::open).transpose()?;
        Ok(self)
    }
}

impl Samples for StoreSamples {
    /// The hash of the store; with a stream, also that of its labelling network after a `+`.
    fn hash(&self) -> String {
        let labels = self.stream.as_ref().map(|stream| format!("+{}", stream.hash)).unwrap_or_default();
        self.store.hash() + &labels
    }

    fn positions(&self, split: Split) -> u64 {
        self.store.positions(split)
    }

    fn trained(&self, keys: &HashSet<u64>) -> Result<HashSet<u64>, TrainingError> {
        Ok(self.store.known(Split::Train, keys)?)
    }

    fn stream(&self, request: StreamRequest) -> Result<SampleStream, TrainingError> {
        let config = LoaderConfig {
            split: request.split,
            batch_size: request.batch_size,
            seed: request.seed,
            shuffle_window: request.shuffle_window,
            threads: request.threads,
            prefetch: PREFETCH,
        };
        let loader = match self.inputs.clone() {
            Inputs::Features(sets) => {
                let loader = Loader::of_features(&self.store, sets, config, request.start)?;
                match request.split {
                    // The value's feature set comes first.
                    Split::Train => {
                        loader.with_policy_inputs_where_learned(1).with_similar_positions_together()
                    }
                    Split::Validation => loader,
                }
            }
            Inputs::Planes(input, moves) => Loader::new(&self.store, input, moves, config, request.start)?,
        };
        let loader = loader.with_policy_temperature(self.policy_temperature).with_weights(self.weights);
        let loader = if self.mirrored { loader.with_mirroring() } else { loader };
        let loader = match &self.stream {
            Some(stream) => loader.with_streaming(stream.streaming.clone()),
            None => loader,
        };
        Ok(Box::new(loader.map(|batch| batch.map_err(TrainingError::from))))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::path::PathBuf;

    use dataset::{BuildConfig, NoObserver, build};
    use network::synthetic::{tiny_sparse_spec, tiny_spec};

    use super::*;
    use crate::laws;

    /// A store of twelve games in which every position has a move.
    pub(crate) fn store(folder: &Path) -> PathBuf {
        let games = ["e4", "d4", "c4", "Nf3", "g3", "b3", "e3", "d3", "c3", "f4", "g4", "b4"].map(|first| {
            format!("[Result \"1-0\"]\n\n1. {first} e6 2. a4 a6 3. h4 h6 4. a5 Nc6 5. h5 Nf6 1-0\n\n")
        });
        let (input, store) = (folder.join("games.pgn"), folder.join("store"));
        std::fs::write(&input, games.concat()).unwrap();
        build(&BuildConfig { validation_share: 0.3, ..BuildConfig::new(&store, [input]) }, &mut NoObserver)
            .unwrap();
        store
    }

    #[test]
    fn stores_obey_the_laws_of_samples() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        for spec in [tiny_spec(), tiny_sparse_spec()] {
            let samples = StoreSamples::open(&store, &spec).unwrap();
            assert_eq!(laws::check(&samples, 8), Ok(()));
            assert_eq!(laws::check(&StoreSamples { mirrored: true, ..samples }, 8), Ok(()));
        }
        let text = format!(
            "title = \"t\"\ndata = {store:?}\n[training]\nsteps = 1000\nmirror = true\n[network]\nblocks = 1\nchannels = 16\n"
        );
        let recipe = Recipe::from_toml(&text, "test").unwrap();
        let asked = StoreSamples::of_recipe(&recipe).unwrap();
        assert!(asked.mirrored && asked.reopened().unwrap().mirrored);
    }
}
