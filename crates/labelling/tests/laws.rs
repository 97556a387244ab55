//! The laws of labellers on every labeller, and proof that the laws catch offenders.

#[cfg(unix)]
use crate::material_engine;

use chess::{
    Game, Score, StopSignal,
    laws::{queen_ahead, sample_games},
};
use dataset::{Label, PolicyLabel, packed_move::PackedMove, record::SearchEffort};
use labelling::{
    Labeller, Labellers, LabellingError,
    laws::{check, check_sides},
};

fn games() -> Vec<Game> {
    sample_games(3, 40)
}

#[test]
fn labellers_without_a_process_obey() {
    let folder = tempfile::tempdir().unwrap();
    let network = folder.path().join("x.nnue");
    std::fs::write(&network, network::nnue::synthetic::file(5)).unwrap();
    let of_stockfish = |settings: &str| format!("net={},{settings}", network.display());
    let players = [
        "net=material,nodes=20".to_owned(),
        "net=material,search=policy".to_owned(),
        of_stockfish("search=policy"),
        of_stockfish("search=value"),
        of_stockfish("search=value,nodes=1"),
    ];
    for player in players {
        let labellers = Labellers::of(&player.parse().unwrap(), None, 1).unwrap();
        check(&|| labellers.build(), &games()).unwrap_or_else(|broken| panic!("{player}: {broken}"));
    }
}

/// One position at a time, and several ahead of the answers.
#[cfg(unix)]
#[test]
fn an_engine_obeys() {
    let mut games = games();
    // The script declares no option of Chess960.
    games.retain(|game| game.castling_mode() == chess::CastlingMode::Standard);
    let ahead = queen_ahead();
    let folder = tempfile::tempdir().unwrap();
    material_engine::material_engine(
        folder.path(),
        "counts",
        games.iter().chain(ahead.iter().map(|(game, _)| game)),
    );
    let player = format!("uci={},depth=1", folder.path().join("counts").display());
    for at_once in [1, 8] {
        let labellers = Labellers::of(&player.parse().unwrap(), None, at_once).unwrap();
        check(&|| labellers.build(), &games).unwrap();
        check_sides(&|| labellers.build(), &ahead).unwrap();
    }
}

#[test]
fn labellers_on_material_see_a_queen_more_as_either_colour() {
    for search in ["puct", "value", "alpha-beta"] {
        let player = format!("net=material,search={search},nodes=40");
        let labellers = Labellers::of(&player.parse().unwrap(), None, 1).unwrap();
        check_sides(&|| labellers.build(), &queen_ahead())
            .unwrap_or_else(|broken| panic!("{player}: {broken}"));
    }
}

/// A labeller that breaks one law. It plays the first legal move, and its evaluation is the number of labels since it forgot.
struct Offender {
    law: u8,
    labels: i32,
}

impl Labeller for Offender {
    fn name(&self) -> &str {
        if self.law == 1 && self.labels > 0 { "somebody else" } else { "offender" }
    }

    fn forget(&mut self) -> Result<(), LabellingError> {
        if self.law != 4 {
            self.labels = 0;
        }
        Ok(())
    }

    fn label(&mut self, game: &Game, _stop: &StopSignal) -> Result<Label, LabellingError> {
        self.labels += 1;
        let position = if self.law == 2 { Game::default() } else { game.clone() };
        Ok(Label {
            best_move: PackedMove::pack(position.legal_moves()[0]),
            evaluation: Some(Score::Centipawns(self.labels)),
            policy: PolicyLabel::BestMove,
            search_value: None,
            effort: SearchEffort::default(),
        })
    }

    fn label_all(&mut self, games: &[Game], stop: &StopSignal) -> Result<Vec<Label>, LabellingError> {
        let count = if stop.is_stopped() && self.law != 5 { 1 } else { games.len() };
        let labels: Result<Vec<Label>, _> =
            games[..count].iter().map(|game| self.label(game, stop)).collect();
        let mut labels = labels?;
        if self.law == 3 {
            labels.reverse();
        }
        Ok(labels)
    }
}

#[test]
fn the_laws_catch_offenders() {
    let check = |law: u8| check(&move || Ok(Box::new(Offender { law, labels: 0 })), &games());
    for law in 1..=5 {
        let found = check(law).unwrap_err();
        assert!(found.starts_with(&format!("law {law}:")), "law {law}: {found}");
    }
    check(0).unwrap();
    // Its evaluations are positive, whichever side is to move.
    let found = check_sides(&|| Ok(Box::new(Offender { law: 0, labels: 0 })), &queen_ahead()).unwrap_err();
    assert!(found.starts_with("law 6:"), "{found}");
}
