//! The recipe of learners, as TOML.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use network::NetworkError;
use serde::{Deserialize, Serialize, de::IgnoredAny};
use training::Scale;

use crate::{
    RegressionError,
    features::{Features, Layout},
};

/// A recipe for learners. Unknown keys are refused.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct LearnerRecipe {
    /// Title of the training, in one line.
    pub title: String,
    /// Purpose of the training: reason, data, expected result.
    #[serde(default)]
    pub purpose: String,
    /// The sample store, given as a path or in a section with its sources.
    data: Data,
    pub learner: LearnerConfig,
    /// Parts of an experiment other than training: `experiment::Sections` reads them from the same file.
    #[serde(default, rename = "search")]
    _search: IgnoredAny,
    #[serde(default, rename = "evaluation")]
    _evaluation: IgnoredAny,
    #[serde(default, rename = "published")]
    _published: IgnoredAny,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected the path of a store, or a section with the key `store`")]
enum Data {
    Store(PathBuf),
    Section { store: PathBuf },
}

/// The learners and the amount of data: the section `[learner]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnerConfig {
    /// Name of the input encoding.
    pub input: String,
    /// Arrangement of the planes in a row. Default: sums.
    #[serde(default)]
    pub layout: Layout,
    /// Evaluations are clipped at this many pawns, which is also the value of a mate. Default 9.
    #[serde(default = "default_limit")]
    pub limit: f32,
    /// Number of training samples, spread evenly over the store. Default 50,000.
    #[serde(default = "network::default_to::<50_000, _>")]
    pub positions: usize,
    /// Number of held-out samples: half of them determine the share of a network, the other half is for the final errors. As many
    /// training samples determine weights and settings by cross-validation. Default 10,000.
    #[serde(default = "network::default_to::<10_000, _>")]
    pub validation_positions: usize,
    /// Seed of all random numbers. Default 0.
    #[serde(default)]
    pub seed: u64,
    /// Method by which several learners choose a move. Default: mean.
    #[serde(default)]
    pub combination: Combination,
    /// Weights of the learners by name. If absent, they are chosen by cross-validation on training games.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub weights: BTreeMap<String, f32>,
    /// The learners to fit, by the names used in `weights`.
    pub members: BTreeMap<String, LearnerKind>,
    /// A network whose value is mixed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blend: Option<Blend>,
}

/// The method by which several learners choose a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Combination {
    /// The weighted mean of the learners' values.
    #[default]
    Mean,
    /// The value is that of [`Combination::Mean`]. For the priors, each learner gives its weight to the move that it
    /// would play after a one-ply search; `search=policy` plays by these priors.
    Vote,
}

/// A kind of learner with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, tag = "kind")]
pub enum LearnerKind {
    /// The mean of the nearest training samples, weighted by 1 / distance.
    NearestNeighbours {
        /// Number of neighbours; the best of `sweep` if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        neighbours: Option<usize>,
        /// Numbers of neighbours whose error is measured by cross-validation on training games.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        sweep: Vec<usize>,
        /// The number of neighbours in the reproduced system: its error is measured as well.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        original: Option<usize>,
    },
    /// The mean of regression trees, each grown on samples drawn with replacement (Breiman, "Random forests", 2001).
    Forest {
        /// Number of trees. Default 20.
        #[serde(default = "network::default_to::<20, _>")]
        trees: u16,
        /// Number of features among which each split is chosen. Default 20.
        #[serde(default = "network::default_to::<20, _>")]
        features_per_split: usize,
        /// Smallest number of samples that are split. Default 4.
        #[serde(default = "network::default_to::<4, _>")]
        minimum_split: usize,
        /// Smallest number of samples in a leaf. Default 2.
        #[serde(default = "network::default_to::<2, _>")]
        minimum_leaf: usize,
    },
    /// A linear model that minimises squared errors beyond epsilon (support vector regression).
    LinearSvr {
        /// Errors up to this many pawns cost nothing. Default 0.
        #[serde(default)]
        epsilon: f64,
        /// Weight of errors relative to large coefficients. Default 1.
        #[serde(default = "network::default_to::<1, _>")]
        cost: f64,
        /// Largest number of passes over the samples. Default 200.
        #[serde(default = "network::default_to::<200, _>")]
        passes: usize,
    },
    /// A linear model with a penalty on the sum of absolute coefficients (Tibshirani, 1996).
    Lasso {
        /// Weight of the penalty relative to the mean squared error. scikit-learn halves that error, so its alpha is half of
        /// this. Default 2.
        #[serde(default = "network::default_to::<2, _>")]
        alpha: f64,
    },
}

/// The section `[learner.blend]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blend {
    /// The network: a weights file, or `default`.
    pub network: String,
    /// Its share of the value, 0 to 1; the learners have the rest. If absent, it is chosen on held-out samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f32>,
}

/// Fewest positions of a scaled training. Chosen.
const LEAST_POSITIONS: u64 = 500;

/// The folder of runs in the paths that recipes name.
const RUNS: &str = "runs";

// The defaults for the limit and the forest are those of Knights and Kernels, as in recipes/knights-classical; the
// others are chosen.

fn default_limit() -> f32 {
    9.0
}

impl LearnerRecipe {
    /// Parses a recipe; `place` names it in errors.
    ///
    /// # Errors
    /// [`NetworkError::Syntax`] with the line and the known keys, and [`NetworkError::Invalid`], both as
    /// [`RegressionError::File`]; [`RegressionError::UnknownEncoding`].
    pub fn from_toml(text: &str, place: &str) -> Result<Self, RegressionError> {
        let recipe: Self = toml::from_str(text)
            .map_err(|error| NetworkError::Syntax { place: place.into(), reason: error.to_string() })?;
        recipe.learner.check(place)?;
        Ok(recipe)
    }

    /// The training on a fraction of its positions, mixed with the network that the other recipe trains at the same scale.
    #[must_use]
    pub fn at_scale(mut self, scale: Scale) -> Self {
        let learner = &mut self.learner;
        for positions in [&mut learner.positions, &mut learner.validation_positions] {
            *positions = scale.of(*positions as u64, LEAST_POSITIONS) as usize;
        }
        if let Some(blend) = &mut learner.blend {
            blend.network = scale.path_in_run(&blend.network, Path::new(RUNS));
        }
        self
    }

    /// Path of the sample store.
    pub fn store(&self) -> &Path {
        match &self.data {
            Data::Store(store) | Data::Section { store } => store,
        }
    }

    /// The recipe with another sample store.
    #[must_use]
    pub fn with_store(self, store: &Path) -> Self {
        Self { data: Data::Store(store.into()), ..self }
    }

    /// All settings that determine the result of training, with every default written out.
    ///
    /// # Errors
    /// [`NetworkError::Syntax`] as [`RegressionError::File`] if it cannot be serialised, which no recipe is
    /// known to cause.
    pub fn to_toml(&self) -> Result<String, RegressionError> {
        #[derive(Serialize)]
        struct Resolved<'a> {
            title: &'a str,
            data: &'a Path,
            learner: &'a LearnerConfig,
        }
        let resolved = Resolved { title: &self.title, data: self.store(), learner: &self.learner };
        Ok(toml::to_string(&resolved)
            .map_err(|error| NetworkError::Syntax { place: "recipe".into(), reason: error.to_string() })?)
    }
}

/// The section of a recipe, for errors about its values.
struct Key<'a> {
    place: &'a str,
    section: String,
}

impl Key<'_> {
    fn ensure(
        &self,
        is_right: bool,
        key: &str,
        found: &dyn ToString,
        expected: &str,
    ) -> Result<(), RegressionError> {
        if is_right {
            return Ok(());
        }
        Err(RegressionError::File(NetworkError::Invalid {
            place: self.place.into(),
            field: format!("{}.{key}", self.section),
            found: found.to_string(),
            expected: expected.into(),
        }))
    }
}

/// Adds the place in the recipe to the error of an unknown input encoding.
fn unknown_input(error: RegressionError, place: &str) -> RegressionError {
    match error {
        RegressionError::UnknownEncoding(unknown) => RegressionError::File(NetworkError::Invalid {
            place: place.into(),
            field: "learner.input".into(),
            found: unknown.found,
            expected: format!("one of {}", unknown.known),
        }),
        other => other,
    }
}

impl LearnerConfig {
    fn check(&self, place: &str) -> Result<(), RegressionError> {
        let key = Key { place, section: "learner".into() };
        let features =
            Features::new(&self.input, self.layout).map_err(|error| unknown_input(error, place))?;
        key.ensure(self.limit > 0.0 && self.limit <= 100.0, "limit", &self.limit, "above 0 to 100")?;
        key.ensure(self.positions > 0, "positions", &self.positions, "at least 1")?;
        let validation = self.validation_positions;
        key.ensure(validation > 1, "validation_positions", &validation, "at least 2")?;
        key.ensure(!self.members.is_empty(), "members", &"nothing", "at least one [learner.members.NAME]")?;
        for (name, kind) in &self.members {
            kind.check(&Key { place, section: format!("learner.members.{name}") }, features.count())?;
        }
        for (name, weight) in &self.weights {
            let known = self.members.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            key.ensure(self.members.contains_key(name), "weights", name, &format!("one of {known}"))?;
            let is_share = weight.is_finite() && *weight >= 0.0;
            key.ensure(is_share, &format!("weights.{name}"), weight, "0 or more")?;
        }
        let sum: f32 = self.weights.values().sum();
        let is_weighted = self.weights.is_empty() || sum > 0.0;
        key.ensure(is_weighted, "weights", &format!("a sum of {sum}"), "a positive sum")?;
        if let Some(Blend { share: Some(share), .. }) = self.blend {
            key.ensure((0.0..=1.0).contains(&share), "blend.share", &share, "0 to 1")?;
        }
        Ok(())
    }
}

impl LearnerKind {
    /// Its name in a recipe.
    pub fn name(&self) -> &'static str {
        match self {
            Self::NearestNeighbours { .. } => "nearest-neighbours",
            Self::Forest { .. } => "forest",
            Self::LinearSvr { .. } => "linear-svr",
            Self::Lasso { .. } => "lasso",
        }
    }

    fn check(&self, key: &Key<'_>, features: usize) -> Result<(), RegressionError> {
        match *self {
            Self::NearestNeighbours { neighbours, ref sweep, original } => {
                let expected = "a number, or candidates in `sweep`";
                key.ensure(neighbours.is_some() || !sweep.is_empty(), "neighbours", &"nothing", expected)?;
                let least = neighbours.iter().chain(sweep).chain(&original).min().copied().unwrap_or(0);
                key.ensure(least > 0, "neighbours", &least, "at least 1")
            }
            Self::Forest { trees, features_per_split, minimum_split, minimum_leaf } => {
                key.ensure(trees > 0, "trees", &trees, "at least 1")?;
                let is_among = (1..=features).contains(&features_per_split);
                key.ensure(is_among, "features_per_split", &features_per_split, &format!("1 to {features}"))?;
                key.ensure(minimum_split > 1, "minimum_split", &minimum_split, "at least 2")?;
                key.ensure(minimum_leaf > 0, "minimum_leaf", &minimum_leaf, "at least 1")
            }
            Self::LinearSvr { epsilon, cost, passes } => {
                key.ensure((0.0..=100.0).contains(&epsilon), "epsilon", &epsilon, "0 to 100")?;
                key.ensure(cost > 0.0 && cost <= 1e6, "cost", &cost, "above 0 to 1000000")?;
                key.ensure(passes > 0, "passes", &passes, "at least 1")
            }
            Self::Lasso { alpha } => {
                key.ensure(alpha > 0.0 && alpha <= 1e6, "alpha", &alpha, "above 0 to 1000000")
            }
        }
    }
}
