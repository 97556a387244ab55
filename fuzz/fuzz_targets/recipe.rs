//! Any text read as a recipe; what is accepted is written and read back unchanged.
#![no_main]

use libfuzzer_sys::fuzz_target;
use training::Recipe;

fuzz_target!(|text: &str| {
    if let Ok(recipe) = Recipe::from_toml(text, "fuzz") {
        let written = recipe.to_toml().expect("an accepted recipe can be written");
        let again =
            Recipe::from_toml(&written, "written").unwrap_or_else(|error| panic!("{error}\n{written}"));
        assert_eq!(recipe, again);
    }
});
