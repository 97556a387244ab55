//! Any text as a player, and as options of a search: an accepted player describes itself in a form that is accepted.
#![no_main]

use libfuzzer_sys::fuzz_target;
use player::{PlayerSpecification, SearchSetup};

fuzz_target!(|text: &str| {
    if let Ok(player) = text.parse::<PlayerSpecification>() {
        let again: PlayerSpecification = player.text.parse().expect("an accepted player is accepted again");
        assert_eq!((again.name, again.pace), (player.name, player.pace));
    }
    let _ = search::options::parse(text);
    let pairs: Vec<(String, String)> = text
        .lines()
        .filter_map(|line| line.split_once('='))
        // Files and folders that happen to exist are not tested here.
        .filter(|(name, _)| !name.to_lowercase().replace(['_', '-', ' '], "").ends_with("path"))
        .filter(|(name, _)| !name.to_lowercase().replace(['_', '-', ' '], "").ends_with("file"))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let _ = SearchSetup::new(&pairs);
});
