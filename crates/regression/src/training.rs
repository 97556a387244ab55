//! Training: from a recipe to learners and their errors.

use std::{sync::Arc, time::Instant};

use chess::{EvaluationRequest, Evaluator, Game, evaluator::material_balance};
use dataset::{Split, Store};
use network::Provenance;

use crate::{
    BlendReport, BlendedNetwork, LearnerKind, LearnerRecipe, LearnerReport, RegressionError,
    RegressionReport, SweepPoint, TrainedEnsemble, TrainedLearner,
    cross_validation::{CrossValidated, Folds},
    ensemble::{best_share, mean_absolute_error, mixed, normalised, select},
    evaluator::pawns_of,
    examples::{Examples, Wanted},
    features::Features,
};

/// The context of training, in addition to the recipe.
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct TrainingSetting<'a> {
    pub name: String,
    pub commit: String,
    pub hardware: String,
    /// The opened network of the blend, with the hash of its file.
    pub network: Option<(Arc<dyn Evaluator>, Option<String>)>,
    /// Receives progress messages.
    pub say: &'a dyn Fn(&str),
}

/// One fitted learner, with its predictions.
struct Fitted {
    learner: TrainedLearner,
    chosen: CrossValidated,
    original: Option<SweepPoint>,
    /// Predictions on the tuning half and on the test half.
    answers: [Vec<f32>; 2],
}

/// Samples for fitting and cross-validation, for choosing the share of a network, and for the final errors.
struct Samples {
    training: Examples,
    halves: [Examples; 2],
}

/// Fits the learners of a recipe and chooses their weights.
///
/// # Errors
/// [`RegressionError`]: too few samples for a learner or none for the errors, an unreadable store, or a network that
/// fails.
pub fn train(
    recipe: &LearnerRecipe,
    setting: &TrainingSetting<'_>,
) -> Result<(TrainedEnsemble, RegressionReport), RegressionError> {
    let started = Instant::now();
    let config = &recipe.learner;
    let features = Features::new(&config.input, config.layout)?;
    let store = Store::open(recipe.store())?;
    let samples = gather(recipe, &store, features)?;
    let folds = Folds::new(&samples.training, config.validation_positions);
    let mut fitted = Vec::new();
    for (name, kind) in &config.members {
        (setting.say)(&format!("{name}: learning from {} samples", samples.training.rows.len()));
        let one = Fitted::fit(name, kind, &samples, &folds, config.seed);
        fitted.push(one.map_err(|reason| RegressionError::Fit { learner: name.clone(), reason })?);
    }
    let targets = folds.targets();
    let weights = if config.weights.is_empty() {
        let predictions: Vec<Vec<f32>> = fitted.iter().map(|one| one.chosen.predictions.clone()).collect();
        select(&predictions, &targets)
    } else {
        let given = fitted.iter().map(|one| config.weights.get(&one.learner.name).copied().unwrap_or(0.0));
        normalised(&given.collect::<Vec<_>>())
    };
    for (one, weight) in fitted.iter_mut().zip(&weights) {
        one.learner.weight = *weight;
    }
    let together = [0, 1].map(|half| mean_of(&fitted, half, config.limit));
    let blend = blend(recipe, setting, &samples, &together)?;
    let report = RegressionReport {
        kind: RegressionReport::KIND.into(),
        title: recipe.title.clone(),
        positions: samples.training.rows.len() as u64,
        tuning_positions: samples.halves[0].rows.len() as u64,
        test_positions: samples.halves[1].rows.len() as u64,
        seconds: started.elapsed().as_secs_f64(),
        constant: constant_error(&samples),
        material: material_error(&samples.halves[1], features, config.limit),
        learners: fitted
            .iter()
            .map(|one| learner_report(one, config.members.get(&one.learner.name), &samples, &targets))
            .collect(),
        ensemble: mean_absolute_error(&together[1], &samples.halves[1].pawns),
        blend: blend.as_ref().map(|(_, report)| report.clone()),
    };
    let ensemble = TrainedEnsemble {
        features,
        limit: config.limit,
        combination: config.combination,
        learners: fitted.into_iter().map(|one| one.learner).collect(),
        blend: blend.map(|(network, _)| network),
        provenance: provenance(recipe, setting, &store, &report)?,
    };
    Ok((ensemble, report))
}

fn provenance(
    recipe: &LearnerRecipe,
    setting: &TrainingSetting<'_>,
    store: &Store,
    report: &RegressionReport,
) -> Result<Provenance, RegressionError> {
    let errors = report.learners.iter().map(|one| (format!("error of {}", one.name), one.error));
    let others = [("error", report.ensemble), ("error of a constant", report.constant)];
    Ok(Provenance {
        name: setting.name.clone(),
        recipe: recipe.to_toml()?,
        data: store.hash(),
        commit: setting.commit.clone(),
        hardware: setting.hardware.clone(),
        seed: recipe.learner.seed,
        positions: report.positions,
        seconds: report.seconds,
        metrics: errors.chain(others.map(|(name, error)| (name.into(), error))).collect(),
        ..Provenance::default()
    })
}

fn gather(recipe: &LearnerRecipe, store: &Store, features: Features) -> Result<Samples, RegressionError> {
    let config = &recipe.learner;
    let wanted = Wanted {
        features,
        limit: config.limit,
        split: Split::Train,
        count: config.positions,
        with_games: false,
    };
    let held_out =
        Wanted { split: Split::Validation, count: config.validation_positions, with_games: true, ..wanted };
    let samples = Samples {
        training: Examples::gather(store, wanted)?,
        halves: Examples::gather_halves(store, held_out)?,
    };
    let [tuning, test] = &samples.halves;
    for (what, examples) in [("training", &samples.training), ("held-out", tuning), ("held-out", test)] {
        if examples.rows.is_empty() {
            return Err(RegressionError::Samples {
                store: store.path().display().to_string(),
                found: format!("no evaluated samples in its {what} games, or none in one half of them"),
                expected:
                    "some with an engine's evaluation (`tabiya data build --evaluated --validation 0.02`)"
                        .into(),
            });
        }
    }
    Ok(samples)
}

impl Fitted {
    /// Chooses the open settings of a learner on training games, then fits it to all of them.
    fn fit(
        name: &str,
        kind: &LearnerKind,
        samples: &Samples,
        folds: &Folds<'_>,
        seed: u64,
    ) -> Result<Self, String> {
        let chosen = folds.predict(kind, seed)?;
        let original = match *kind {
            LearnerKind::NearestNeighbours { original: Some(neighbours), .. } => {
                let model = kind.fit(&samples.training, seed, Some(neighbours))?;
                let test = &samples.halves[1];
                Some(SweepPoint {
                    neighbours,
                    error: mean_absolute_error(&test.predicted(model.as_ref()), &test.pawns),
                })
            }
            _ => None,
        };
        let model = kind.fit(&samples.training, seed, chosen.neighbours)?;
        let answers = samples.halves.each_ref().map(|half| half.predicted(model.as_ref()));
        let learner = TrainedLearner { name: name.into(), weight: 0.0, model };
        Ok(Self { learner, chosen, original, answers })
    }
}

/// The predictions of all learners together for one half.
fn mean_of(fitted: &[Fitted], half: usize, limit: f32) -> Vec<f32> {
    (0..fitted[0].answers[half].len())
        .map(|sample| {
            let mean: f32 = fitted.iter().map(|one| one.learner.weight * one.answers[half][sample]).sum();
            mean.clamp(-limit, limit)
        })
        .collect()
}

/// The mixture with the network, if the recipe has one.
fn blend(
    recipe: &LearnerRecipe,
    setting: &TrainingSetting<'_>,
    samples: &Samples,
    together: &[Vec<f32>; 2],
) -> Result<Option<(BlendedNetwork, BlendReport)>, RegressionError> {
    let Some((blend, (network, hash))) = recipe.learner.blend.as_ref().zip(setting.network.as_ref()) else {
        return Ok(None);
    };
    (setting.say)(&format!("asking {} about {} positions", blend.network, samples.halves[0].games.len() * 2));
    let mut answers = Vec::new();
    for half in &samples.halves {
        answers.push(network_pawns(network.as_ref(), &half.games, recipe)?);
    }
    let share = match blend.share {
        Some(share) => share,
        None => best_share(&answers[0], &together[0], &samples.halves[0].pawns),
    };
    let pawns = &samples.halves[1].pawns;
    let report = BlendReport {
        network: blend.network.clone(),
        share,
        network_error: mean_absolute_error(&answers[1], pawns),
        error: mean_absolute_error(&mixed(&answers[1], &together[1], share), pawns),
    };
    Ok(Some((BlendedNetwork { network: blend.network.clone(), hash: hash.clone(), share }, report)))
}

/// Number of positions that a network evaluates at once.
const BATCH: usize = 256;

/// A network's values in pawns, for the side from whose point of view the features are.
fn network_pawns(
    network: &dyn Evaluator,
    games: &[Game],
    recipe: &LearnerRecipe,
) -> Result<Vec<f32>, RegressionError> {
    let config = &recipe.learner;
    let features = Features::new(&config.input, config.layout)?;
    let mut pawns = Vec::with_capacity(games.len());
    for games in games.chunks(BATCH) {
        let moves: Vec<_> = games.iter().map(Game::legal_moves).collect();
        let requests: Vec<EvaluationRequest<'_>> = games
            .iter()
            .zip(&moves)
            .map(|(game, moves)| EvaluationRequest { game, legal_moves: moves })
            .collect();
        for (game, answer) in games.iter().zip(network.evaluate(&requests)?) {
            pawns.push(features.seen(game, pawns_of(answer.wdl, config.limit)));
        }
    }
    Ok(pawns)
}

fn learner_report(
    one: &Fitted,
    kind: Option<&LearnerKind>,
    samples: &Samples,
    targets: &[f32],
) -> LearnerReport {
    LearnerReport {
        name: one.learner.name.clone(),
        kind: kind.map_or_else(String::new, |kind| kind.name().into()),
        weight: one.learner.weight,
        tuning_error: mean_absolute_error(&one.chosen.predictions, targets),
        error: mean_absolute_error(&one.answers[1], &samples.halves[1].pawns),
        sweep: one.chosen.sweep.clone(),
        neighbours: one.chosen.neighbours,
        original: one.original,
    }
}

fn constant_error(samples: &Samples) -> f64 {
    let mut sorted = samples.training.pawns.clone();
    sorted.sort_by(f32::total_cmp);
    let median = sorted[sorted.len() / 2];
    let test = &samples.halves[1].pawns;
    mean_absolute_error(&vec![median; test.len()], test)
}

fn material_error(test: &Examples, features: Features, limit: f32) -> f64 {
    let counted = test.games.iter().map(|game| {
        let movers = material_balance(game.position()) as f32;
        features.seen(game, movers).clamp(-limit, limit)
    });
    mean_absolute_error(&counted.collect::<Vec<_>>(), &test.pawns)
}
