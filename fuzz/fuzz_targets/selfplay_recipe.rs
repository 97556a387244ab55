//! Any text read as a recipe of self-play, which is reproduced by its own text, and as one with a section `[search]`.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use player::of_recipe;
use selfplay::SelfPlayRecipe;
use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| TempDir::new().expect("a temporary folder"));

fuzz_target!(|text: &str| {
    if let Ok(recipe) = SelfPlayRecipe::from_toml(text, "fuzz") {
        let written = recipe.to_toml().expect("an accepted recipe can be written");
        let again = SelfPlayRecipe::from_toml(&written, "written");
        let again = again.unwrap_or_else(|error| panic!("{error}\n{written}"));
        assert_eq!(again.to_toml().expect("a recipe"), written);
    }
    let path = FOLDER.path().join("recipe.toml");
    std::fs::write(&path, text).expect("the folder can be written to");
    let _ = of_recipe(&path.to_string_lossy());
});
