//! A damaged checkpoint, read as the last one of a run that is resumed.
#![no_main]

use std::{path::PathBuf, sync::LazyLock};

use chess::StopSignal;
use dataset::{BuildConfig, NoObserver, build};
use libfuzzer_sys::fuzz_target;
use tabiya_fuzz::{Damage, damaged};
use tempfile::TempDir;
use training::{Recipe, StoreSamples, Trainer, Unobserved};

const RECIPE: &str = r#"
title = "fuzz"
data = "store"
[training]
steps = 1
batch = 4
threads = 1
validation_positions = 8
statistics_positions = 8
[network]
blocks = 1
channels = 8
value = { channels = 2, hidden = 4 }
[losses]
value_target = { from = "result" }
[schedule]
kind = "cosine"
peak = 0.002
last = 0.0002
warmup = 0
"#;

/// A run of one step.
struct Run {
    folder: TempDir,
    recipe: Recipe,
    samples: StoreSamples,
    newest: PathBuf,
    content: Vec<u8>,
}

static RUN: LazyLock<Run> = LazyLock::new(|| {
    let folder = TempDir::new().expect("a temporary folder");
    let games = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/games/hand-made.pgn");
    let mut config = BuildConfig::new(folder.path().join("store"), [games]);
    config.validation_share = 0.5;
    build(&config, &mut NoObserver).expect("the games of the tests make a store");
    let recipe = Recipe::from_toml(RECIPE, "fuzz").expect("a recipe");
    let samples = StoreSamples::open(&config.output, &recipe.network).expect("the store fits the recipe");
    let run = folder.path().join("run");
    let mut trainer =
        Trainer::start(recipe.clone(), &samples, &run, None).expect("a run begins");
    trainer.run(&mut Unobserved, &StopSignal::default()).expect("a run ends");
    let newest = run.join("checkpoints/step-00000001.safetensors");
    let content = std::fs::read(&newest).expect("a run leaves its last checkpoint");
    drop(trainer);
    Run { folder, recipe, samples, newest, content }
});

fuzz_target!(|damage: Damage| {
    let Run { folder, recipe, samples, newest, content } = &*RUN;
    std::fs::write(newest, damaged(content, &damage)).expect("the folder can be written to");
    if let Ok(trainer) = Trainer::resume(recipe.clone(), samples, &folder.path().join("run"))
    {
        let _ = trainer.step();
    }
});
