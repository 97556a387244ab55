//! A person's games: what is kept of them, the samples made from them, and their deletion.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::{fmt::Write as _, fs, path::Path};

use chess::Position as _;
use dataset::{GameResult, NoObserver, Split, Store};
use personal::{AddedGames, LEAST_GAMES, PersonalError, PersonalStore, PersonalTraining};

/// `count` games of Anna and Bert, who change sides, no two with the same third moves.
fn games(count: usize) -> String {
    const THIRD: [&str; 10] = ["a3", "a4", "b3", "c3", "c4", "d3", "d4", "g3", "h3", "h4"];
    const REPLY: [&str; 4] = ["a6", "b6", "g6", "h6"];
    let mut text = String::new();
    for number in 0..count {
        let (white, black) = if number % 2 == 0 { ("Anna", "Bert") } else { ("Bert", "Anna") };
        let (third, reply) = (THIRD[number % 10], REPLY[number / 10]);
        writeln!(
            text,
            "[Event \"Secret club\"]\n[Site \"https://lichess.org/abcdefgh\"]\n[Date \"2024.02.29\"]\n[White \"{white}\"]\n\
             [Black \"{black}\"]\n[WhiteElo \"1500\"]\n[BlackElo \"1600\"]\n[TimeControl \"180+2\"]\n[Result \"1-0\"]\n\n\
             1. e4 e5 2. Nf3 Nc6 3. {third} {{ my own thoughts }} {reply} 1-0\n"
        )
        .unwrap();
    }
    text
}

fn store(folder: &Path) -> PersonalStore {
    PersonalStore::open_or_make(&folder.join("personal")).unwrap()
}

fn add(store: &PersonalStore, text: &str, player: &str) -> Result<AddedGames, String> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), text).unwrap();
    store.add(file.path(), player, &mut |_| {}).map_err(|error| error.to_string())
}

#[test]
fn a_stored_game_that_is_cut_off_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    add(&store, &games(1), "Anna").unwrap();
    let path = store.folder().join("games").join(format!("{}.pgn", store.games().unwrap()[0].id));
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.rsplit_once("1-0").unwrap().0).unwrap();
    let error = store.games().unwrap_err().to_string();
    assert!(error.contains("a game that is cut off"), "{error}");
}

#[test]
fn a_game_is_kept_once_and_without_what_it_says_about_people() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let broken = "[White \"Anna\"]\n[Black \"Bert\"]\n\n1. e5 1-0\n\n";
    let others = "[White \"Carl\"]\n[Black \"Dora\"]\n\n1. d4 1-0\n\n";
    let found = add(&store, &format!("{}\n{broken}{others}", games(4)), "aNNa").unwrap();
    assert_eq!(found, AddedGames { read: 5, added: 4, known: 0, of_others: 1, broken: 1 });
    assert_eq!(
        add(&store, &games(5), "Anna").unwrap(),
        AddedGames { read: 5, added: 1, known: 4, of_others: 0, broken: 0 }
    );
    let kept = store.games().unwrap();
    assert_eq!(kept.len(), 5);
    for game in &kept {
        let (result, ratings) =
            if game.white { (GameResult::Win, [1500, 1600]) } else { (GameResult::Loss, [1600, 1500]) };
        assert_eq!((game.plies, game.result), (6, Some(result)));
        assert_eq!([game.rating, game.opponent_rating], ratings.map(Some));
        let text = fs::read_to_string(store.folder().join("games").join(format!("{}.pgn", game.id))).unwrap();
        for private in ["Anna", "Bert", "Secret", "lichess", "2024", "thoughts"] {
            assert!(!text.contains(private), "{text}");
        }
        assert!(text.contains("[TimeControl \"180+2\"]"), "{text}");
    }
    assert_eq!(kept.iter().filter(|game| game.white).count(), 3);
}

#[test]
fn samples_are_the_persons_moves_alone_and_follow_the_games() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    add(&store, &games(40), "anna").unwrap();
    let path = store.samples(8, &mut NoObserver).unwrap();
    let samples = Store::open(&path).unwrap();
    assert_eq!(samples.positions(Split::Train) + samples.positions(Split::Validation), 40 * 3);
    let mut movers = [0, 0];
    for split in [Split::Train, Split::Validation] {
        for sample in samples.row_groups(split).flat_map(Result::unwrap) {
            assert_eq!(
                sample.mover_rating(),
                Some(if sample.chess().unwrap().turn().is_white() { 1500 } else { 1600 })
            );
            movers[usize::from(sample.ply % 2)] += 1;
        }
    }
    assert_eq!(movers, [60, 60], "Anna had White in every other game");
    assert_eq!(store.samples(8, &mut NoObserver).unwrap(), path, "nothing has changed");
    assert_eq!(store.samples_as_before().unwrap(), path);
    let first = store.games().unwrap().remove(0).id;
    store.remove(&first).unwrap();
    assert!(!path.exists(), "no sample outlives its game");
    assert!(store.samples_as_before().unwrap_err().to_string().contains("begin a new run"));
    let after = store.samples(8, &mut NoObserver).unwrap();
    assert_ne!(after, path);
    assert_eq!(
        Store::open(&after).unwrap().positions(Split::Train)
            + Store::open(&after).unwrap().positions(Split::Validation),
        39 * 3
    );
    assert!(store.remove(&first).unwrap_err().to_string().contains(&first));
    assert!(store.remove("../personal").is_err());
}

/// Another training removed the samples that this one was reading.
#[test]
fn samples_that_a_training_reads_are_not_removed() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    // Long enough for moves after the opening, on which the training measures.
    let long = |count| games(count).replace(" 1-0\n", " 4. Be2 Be7 5. O-O Nf6 6. Re1 O-O 7. Bf1 Re8 1-0\n");
    add(&store, &long(30), "Anna").unwrap();
    let begin = || PersonalTraining::of(store.folder(), 1, false).map(Option::unwrap);
    let (first, second) = (begin().unwrap(), begin().unwrap());
    assert_eq!(first.samples(), second.samples(), "several may read them");
    drop(second);
    add(&store, &long(31), "Anna").unwrap();
    let id = store.games().unwrap().remove(0).id;
    for refused in [begin().err(), store.remove(&id).err(), store.clone().delete().err()] {
        assert!(matches!(refused, Some(PersonalError::InUse { .. })), "{refused:?}");
    }
    assert!(first.samples().exists());
    assert_eq!(store.count().unwrap(), 31);
    drop(first);
    store.remove(&id).unwrap();
    begin().unwrap();
}

#[test]
fn what_cannot_be_learned_from_is_refused_with_what_was_found() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let nobody = add(&store, &games(3), "Zoe").unwrap_err();
    assert!(
        nobody.contains("found no player \"Zoe\" in 3 games")
            && nobody.contains("\"Anna\" (3), \"Bert\" (3)"),
        "{nobody}"
    );
    let nameless = add(&store, "1. e4 e5 1-0\n", "Zoe").unwrap_err();
    assert!(nameless.contains("the games name none"), "{nameless}");
    add(&store, &games(LEAST_GAMES - 1), "Anna").unwrap();
    let few = store.samples(1, &mut NoObserver).unwrap_err().to_string();
    assert!(few.contains("found 19 games, expected at least 20"), "{few}");
    fs::write(store.folder().join("games/0123.pgn"), "[White \"Carl\"]\n\n1. e4 1-0\n").unwrap();
    let foreign = store.games().unwrap_err().to_string();
    assert!(foreign.contains("0123.pgn") && foreign.contains("a game of other players"), "{foreign}");
}

#[test]
fn a_deleted_store_is_gone_and_files_of_others_stay() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let place = store.folder().to_path_buf();
    add(&store, &games(30), "Anna").unwrap();
    store.samples(1, &mut NoObserver).unwrap();
    store.delete().unwrap();
    assert!(!place.exists());
    assert!(PersonalStore::open(&place).unwrap_err().to_string().contains("tabiya data personal add"));
    let again = PersonalStore::open_or_make(&place).unwrap();
    add(&again, &games(2), "Anna").unwrap();
    fs::write(place.join("diary.txt"), "mine").unwrap();
    let left = again.delete().unwrap_err().to_string();
    assert!(left.contains("cannot delete"), "{left}");
    assert_eq!(fs::read_dir(&place).unwrap().count(), 1);
    let taken = PersonalStore::open_or_make(&place).unwrap_err().to_string();
    assert!(taken.contains("exists already"), "{taken}");
}

#[test]
fn what_a_killed_process_was_writing_hinders_nobody_and_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("personal");
    let half = |name: &str| {
        let path = place.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "[Whi").unwrap();
        path
    };
    let settings = half(".tabiya-a1b2c3.partial");
    let store = PersonalStore::open_or_make(&place).unwrap();
    let game = half("games/.tabiya-d4e5f6.partial");
    PersonalStore::open_or_make(&place).unwrap();
    assert!(!settings.exists() && !game.exists());
    half(".tabiya-a1b2c3.partial");
    store.delete().unwrap();
    assert!(!place.exists());
}

#[test]
fn nobody_collects_games_who_was_not_allowed_to() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    assert!(!store.collects_from_page().unwrap());
    store.collect_from_page(true).unwrap();
    assert!(PersonalStore::open(store.folder()).unwrap().collects_from_page().unwrap());
    let settings = store.folder().join("personal.json");
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, text.replace("\"version\": 1", "\"version\": 2")).unwrap();
    let newer = PersonalStore::open(store.folder()).unwrap_err().to_string();
    assert!(newer.contains("personal.json") && newer.contains("version 2"), "{newer}");
    fs::write(&settings, "{").unwrap();
    assert!(PersonalStore::open_or_make(store.folder()).is_err(), "a damaged store is not replaced");
}
