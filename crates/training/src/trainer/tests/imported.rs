//! Networks of other programs, whose normalisations only add a bias, in training.

use network::{parameter::EPSILON, passes::NormStatistics};

use super::*;

/// The network with its normalisations folded into the weights, as those of lc0 are.
fn with_folded_normalisations(weights: &Weights) -> Weights {
    let mut matrices = weights.matrices().to_vec();
    let place = |layer: &str, part: &str| {
        let name = format!("{layer}.{part}");
        weights.matrices().iter().position(|matrix| matrix.name == name).unwrap()
    };
    for moments in weights.matrices() {
        let Some(layer) = moments.name.strip_suffix(".moments") else { continue };
        let (means, variances) = moments.values.split_at(moments.shape[1]);
        let [weight, scale, shift, statistics] =
            ["weight", "scale", "shift", "moments"].map(|part| place(layer, part));
        for (channel, variance) in variances.iter().enumerate() {
            let factor = matrices[scale].values[channel] / (variance + EPSILON).sqrt();
            let columns = matrices[weight].values.iter_mut().skip(channel).step_by(variances.len());
            columns.for_each(|value| *value *= factor);
            matrices[shift].values[channel] -= means[channel] * factor;
            matrices[scale].values[channel] = 1.0;
            matrices[statistics].values[channel] = 0.0;
            matrices[statistics].values[variances.len() + channel] = 1.0 - EPSILON;
        }
    }
    Weights::of_matrices(weights.spec.clone(), weights.provenance.clone(), matrices, "folded").unwrap()
}

#[test]
fn imported_weights_answer_as_before_once_they_have_normalisations() {
    let spec = tiny_spec();
    let samples = Synthetic::new(&spec, 300, 40);
    let folder = tempfile::tempdir().unwrap();
    let mut recipe = recipe(40);
    recipe.training.statistics_positions = 300;
    run(&mut Trainer::start(recipe, &samples, folder.path(), None).unwrap(), None);
    let trained = Weights::read(&folder.path().join("network.tabiya")).unwrap();
    let folded = with_folded_normalisations(&trained);

    let optimiser = OptimiserConfig::default();
    let learner = |spec: &Spec| Learner::new(spec, LossConfig::default(), optimiser, 1).unwrap();
    let batches = [synthetic::batch(&spec, &synthetic::positions(400, 9), 9)];
    let imported = learner(&spec);
    let (parameters, statistics) = folded.values();
    let mut passes = imported.architecture.forward().unwrap();
    let statistics = NormStatistics::Stored(&statistics);
    let expected = passes.forward(&parameters, statistics, &batches[0]).unwrap();
    assert!(expected.logits.iter().any(|logit| logit.abs() > 0.1), "the logits say something");

    let mut excited = spec.clone();
    let Spec::Planes(PlaneSpec { body: Body::Tower(tower), .. }) = &mut excited else { panic!("a tower") };
    tower.squeeze_excite.ratio = 4;
    for weights in [folded.clone(), folded.grown(&excited).unwrap().unwrap()] {
        let mut learner = learner(&weights.spec);
        learner.start_from(&weights, &batches).unwrap();
        let statistics = learner.measure_statistics(&batches).unwrap();
        let average = learner.network.averaged();
        let found = learner.forward(&average, &statistics, &batches[0]).unwrap();
        let far = |(found, expected): (&f32, &f32)| (found - expected).abs() > 2e-3 * (1.0 + expected.abs());
        assert!(!found.logits.iter().zip(&expected.logits).any(far), "{:?}", weights.spec);
        assert!(!found.values.iter().zip(&expected.values).any(far), "{:?}", weights.spec);
    }
}
