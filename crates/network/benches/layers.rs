//! Positions per second in training and in play, for each recipe, on one thread. Seconds are CPU time of the thread if the
//! system reports it.
//!
//!     cargo bench -p network --bench layers [-- RECIPE ... BATCH]
#![allow(clippy::print_stdout, reason = "a benchmark reports by printing")]

#[path = "../../../benches/support/processor.rs"]
mod processor;

use std::path::Path;

use chess::{EvaluationRequest, Evaluator, Game};
use network::{
    CpuOptions, Provenance, Spec, TrainingPrecision, Weights,
    architecture::{Architecture, PlaneArchitecture},
    passes::{Forward as _, HeadOutputs, NormStatistics, Objective, OutputGradients, PlanePasses},
    synthetic,
};
use processor::fastest;

const RECIPES: [&str; 4] = ["cogs188", "catfish-v1", "knights-sl", "knights-el"];

/// Number of means, the smallest of which is reported.
const STEPS: usize = 4;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let batch = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(64);
    let named = arguments.iter().filter(|name| name.parse::<usize>().is_err());
    let mut recipes: Vec<&str> = named.map(String::as_str).collect();
    if recipes.is_empty() {
        recipes = RECIPES.to_vec();
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be made");
    println!("{:<14}{:>10}{:>14}{:>14}  arithmetic", "recipe", "batch", "training/s", "play/s");
    for recipe in recipes {
        let spec = spec(recipe);
        let (training, play, arithmetic) = pool.install(|| measure(&spec, batch));
        println!("{recipe:<14}{batch:>10}{training:>14.1}{play:>14.1}  {arithmetic}");
    }
}

/// The network of a recipe.
fn spec(recipe: &str) -> Spec {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recipes").join(recipe);
    let text = files::recipe::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let table: toml::Table = text.parse().expect("a recipe is TOML");
    let network = toml::to_string(&table["network"]).expect("a table of a recipe");
    Spec::from_toml(&network).unwrap_or_else(|error| panic!("{recipe}: {error}"))
}

fn measure(spec: &Spec, batch: usize) -> (f64, f64, String) {
    let architecture = Architecture::new(spec).expect("a recipe's network");
    let parameters = architecture.initial_parameters(1).expect("finite deviations");
    let positions = synthetic::positions(batch, 1);
    let samples = synthetic::batch(spec, &positions, 1);
    let planes = architecture.planes().expect("a network of layers");
    let mut passes = PlanePasses::new(planes, TrainingPrecision::F32).expect("all train in f32");
    let training = fastest(STEPS, || {
        let found = passes.gradients(&parameters, &samples, &Slopes, 1);
        passes.give_back(found.expect("a batch of the same encoding").gradients);
    });
    let statistics =
        passes.forward(&parameters, NormStatistics::Batch, &samples).expect("the same batch").statistics;
    let weights = Weights::new(&architecture, &parameters, &statistics, Provenance::default());
    let bytes = weights.to_bytes().expect("weights can be written");
    let evaluator = network::from_bytes(&bytes, CpuOptions::default()).expect("they can be read");
    let play = fastest(STEPS, || evaluate(&*evaluator, &positions));
    (batch as f64 / training, batch as f64 / play, passes.describe())
}

fn evaluate(evaluator: &dyn Evaluator, games: &[Game]) {
    for games in games.chunks(evaluator.preferred_batch()) {
        let moves: Vec<_> = games.iter().map(Game::legal_moves).collect();
        let requests =
            games.iter().zip(&moves).map(|(game, legal_moves)| EvaluationRequest { game, legal_moves });
        evaluator.evaluate(&requests.collect::<Vec<_>>()).expect("finite weights");
    }
}

/// The gradients of half the mean square of all outputs of the heads.
struct Slopes;

impl Objective for Slopes {
    fn gradients(&self, _: &PlaneArchitecture, outputs: HeadOutputs<'_>) -> OutputGradients {
        let slopes = |outputs: &[f32]| outputs.iter().map(|output| output / outputs.len() as f32).collect();
        OutputGradients { policy: slopes(outputs.policy), value: slopes(outputs.value), ..Default::default() }
    }
}
