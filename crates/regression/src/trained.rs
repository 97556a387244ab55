//! Trained learners, and their file.

use std::path::Path;

use network::{
    NetworkError, Provenance,
    container::{Container, Matrix},
};
use serde::{Deserialize, Serialize};

use crate::{
    RegressionError,
    features::{Features, Layout},
    models::{self, Model, Parts},
    recipe::Combination,
};

/// Type of the file, which distinguishes it from a network.
pub const FORMAT: &str = "tabiya-regression";

/// A learner of an ensemble as stored in its file: a model with the weight of its predictions.
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct TrainedLearner {
    pub name: String,
    pub weight: f32,
    pub(crate) model: Box<dyn Model>,
}

/// A network with which an ensemble is mixed; it is in a separate file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct BlendedNetwork {
    /// Its name, as given to players.
    pub network: String,
    /// 128-bit XXH3 hash of its weights file, in hexadecimal: a different file under the same name is a different
    /// blend.
    pub hash: Option<String>,
    pub share: f32,
}

/// Learners with everything needed to play them, and their provenance.
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct TrainedEnsemble {
    pub features: Features,
    /// Predictions are clipped to this many pawns.
    pub limit: f32,
    pub combination: Combination,
    /// The learners; their weights add up to one.
    pub learners: Vec<TrainedLearner>,
    pub blend: Option<BlendedNetwork>,
    /// Recipe, data and program of the training.
    pub provenance: Provenance,
}

/// The header keys with the [`Description`] and with the provenance, both JSON.
const DESCRIPTION: &str = "regression";
const PROVENANCE: &str = "provenance";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    input: String,
    layout: Layout,
    limit: f32,
    combination: Combination,
    learners: Vec<LearnerDescription>,
    blend: Option<BlendedNetwork>,
}

/// A value in a [`Description`] that no training writes.
struct Unsound {
    key: &'static str,
    found: String,
    expected: &'static str,
}

impl Description {
    fn check(&self) -> Result<(), Unsound> {
        if !(self.limit > 0.0 && self.limit <= 100.0) {
            let found = self.limit.to_string();
            return Err(Unsound { key: "limit", found, expected: "above 0 to 100 pawns" });
        }
        let shares: Vec<f32> = self.learners.iter().map(|learner| learner.weight).collect();
        let sum: f32 = shares.iter().sum();
        if !(shares.iter().all(|&share| share >= 0.0) && (sum - 1.0).abs() < 1e-3) {
            let found = format!("{shares:?}");
            return Err(Unsound { key: "weights", found, expected: "shares that add up to one" });
        }
        match &self.blend {
            Some(BlendedNetwork { share, .. }) if !(0.0..=1.0).contains(share) => {
                Err(Unsound { key: "share of the network", found: share.to_string(), expected: "0 to 1" })
            }
            _ => Ok(()),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LearnerDescription {
    name: String,
    kind: String,
    weight: f32,
}

impl TrainedEnsemble {
    /// The weighted mean of the learners within the limit, in pawns for the side from whose point of view the row is.
    pub(crate) fn predict(&self, row: &[f32]) -> f32 {
        let asked = self.learners.iter().filter(|learner| learner.weight > 0.0);
        let mean: f32 = asked.map(|learner| learner.weight * learner.model.predict(row)).sum();
        mean.clamp(-self.limit, self.limit)
    }

    /// The bytes of its file. Equal ensembles give equal bytes.
    ///
    /// # Errors
    /// [`RegressionError::File`]; no case is known to occur.
    pub fn to_bytes(&self) -> Result<Vec<u8>, RegressionError> {
        let (mut learners, mut matrices) = (Vec::new(), Vec::new());
        for TrainedLearner { name, weight, model } in &self.learners {
            let kind = model.kind().into();
            learners.push(LearnerDescription { name: name.clone(), kind, weight: *weight });
            for matrix in model.matrices() {
                matrices.push(Matrix { name: prefix(name) + &matrix.name, ..matrix });
            }
        }
        let description = Description {
            input: self.features.input().into(),
            layout: self.features.layout(),
            limit: self.limit,
            combination: self.combination,
            learners,
            blend: self.blend.clone(),
        };
        let header = [(DESCRIPTION, json(&description)?), (PROVENANCE, json(&self.provenance)?)];
        let header = header.into_iter().map(|(key, text)| (key.into(), text)).collect();
        Ok(Container { header, matrices }.to_bytes(FORMAT)?)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// As [`TrainedEnsemble::from_bytes`].
    pub fn read(path: &Path) -> Result<Self, RegressionError> {
        Self::from_container(Container::open(path, FORMAT)?, &path.display().to_string())
    }

    /// Reads the bytes of a file; `place` names it in errors.
    ///
    /// # Errors
    /// [`RegressionError::File`] if they are damaged or of another type, [`RegressionError::UnknownEncoding`].
    pub fn from_bytes(bytes: &[u8], place: &str) -> Result<Self, RegressionError> {
        Self::from_container(Container::from_bytes(bytes, place, FORMAT)?, place)
    }

    fn from_container(mut container: Container, place: &str) -> Result<Self, RegressionError> {
        let description: Description = parse(&container, DESCRIPTION, place)?;
        let provenance: Provenance = parse(&container, PROVENANCE, place)?;
        let features = Features::new(&description.input, description.layout)?;
        let limit = description.limit;
        description.check().map_err(|unsound| NetworkError::Format {
            place: place.into(),
            what: format!("header key `{DESCRIPTION}`: {}", unsound.key),
            found: unsound.found,
            expected: unsound.expected.into(),
        })?;
        let mut learners = Vec::new();
        for LearnerDescription { name, kind, weight } in description.learners {
            let mut parts = Parts { container: &mut container, prefix: prefix(&name), place };
            let model = models::read(&kind, &mut parts, features.count())?;
            learners.push(TrainedLearner { name, weight, model });
        }
        let (combination, blend) = (description.combination, description.blend);
        Ok(Self { features, limit, combination, learners, blend, provenance })
    }
}

/// Prefix of the names of a learner's matrices.
fn prefix(name: &str) -> String {
    format!("{name}.")
}

fn json(value: &impl Serialize) -> Result<String, RegressionError> {
    Ok(serde_json::to_string(value)
        .map_err(|error| NetworkError::Syntax { place: "header".into(), reason: error.to_string() })?)
}

fn parse<T: serde::de::DeserializeOwned>(
    container: &Container,
    key: &str,
    place: &str,
) -> Result<T, RegressionError> {
    let text = container.text(key, place)?;
    Ok(serde_json::from_str(text).map_err(|error| NetworkError::Syntax {
        place: format!("{place}: header key `{key}`"),
        reason: error.to_string(),
    })?)
}
