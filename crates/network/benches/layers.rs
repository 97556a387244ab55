//! Positions per second in training and in play, for each recipe, on one thread. Seconds are CPU time of the thread if the
//! system reports it.
//!
//!     cargo bench -p network --bench layers [-- RECIPE ... BATCH]
#![allow(clippy::print_stdout, reason = "a benchmark reports by printing")]

use std::{path::Path, time::Instant};

use chess::{EvaluationRequest, Evaluator, Game};
use network::{
    CpuOptions, Provenance, Spec, TrainingPrecision, Weights,
    architecture::{Architecture, PlaneArchitecture},
    passes::{Forward as _, HeadOutputs, NormStatistics, Objective, OutputGradients, PlanePasses},
    synthetic,
};

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
    let training = best(|| {
        let found = passes.gradients(&parameters, &samples, &Slopes, 1);
        passes.give_back(found.expect("a batch of the same encoding").gradients);
    });
    let statistics =
        passes.forward(&parameters, NormStatistics::Batch, &samples).expect("the same batch").statistics;
    let weights = Weights::new(&architecture, &parameters, &statistics, Provenance::default());
    let bytes = weights.to_bytes().expect("weights can be written");
    let evaluator = network::from_bytes(&bytes, CpuOptions::default()).expect("they can be read");
    let play = best(|| evaluate(&*evaluator, &positions));
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

/// Seconds per run: the fastest of several means, each over enough runs to exceed the resolution of the processor-time
/// clock.
fn best(mut run: impl FnMut()) -> f64 {
    const LEAST: f64 = 0.1;
    let begin = Instant::now();
    run();
    let runs = (LEAST / begin.elapsed().as_secs_f64()).ceil();
    (0..STEPS).fold(f64::INFINITY, |least, _| {
        let (begin, processor) = (Instant::now(), processor());
        (0..runs as usize).for_each(|_| run());
        let of_processor = self::processor().zip(processor).map(|(now, before)| now - before);
        least.min(of_processor.unwrap_or_else(|| begin.elapsed().as_secs_f64()) / runs)
    })
}

/// Seconds that this thread has been on the processor.
fn processor() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = status.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

/// The gradients of half the mean square of all outputs of the heads.
struct Slopes;

impl Objective for Slopes {
    fn gradients(&self, _: &PlaneArchitecture, outputs: HeadOutputs<'_>) -> OutputGradients {
        let slopes = |outputs: &[f32]| outputs.iter().map(|output| output / outputs.len() as f32).collect();
        OutputGradients { policy: slopes(outputs.policy), value: slopes(outputs.value), ..Default::default() }
    }
}
