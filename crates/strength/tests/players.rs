//! The laws of players on every player without external requirements, and proof that the laws catch offenders.

use chess::{
    Decision, Game, Limits, Move, PrincipalVariation, Score, Search, SearchError, SearchInfo, StopSignal, Wdl,
};
use strength::{
    Choice, MoveInfo, Player, PlayerError, PlayerFactory,
    player::{FIRST, MATERIAL, RANDOM, SearchPlayer, laws::check},
};

/// A search that always plays the last legal move and claims to have seen one node.
struct LastMove;

impl Search for LastMove {
    fn describe(&self) -> String {
        "last legal move".into()
    }

    fn run(
        &mut self,
        game: &Game,
        _limits: &Limits,
        _stop: &StopSignal,
        _report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        let moves = game.legal_moves();
        let best = *moves.last().ok_or(SearchError::NoLegalMove { fen: game.fen() })?;
        let variation =
            PrincipalVariation { moves: vec![best], score: Score::Centipawns(17), wdl: Wdl::DRAW };
        let info = SearchInfo {
            depth: 1,
            selective_depth: 1,
            nodes: 1,
            variations: vec![variation],
            ..SearchInfo::default()
        };
        Ok(Decision { best, ponder: None, info })
    }
}

/// A player that breaks one law.
struct Offender {
    law: u8,
    games: u64,
}

impl Player for Offender {
    fn name(&self) -> &str {
        match (self.law, self.games) {
            (1, 2..) => "somebody else",
            _ => "offender",
        }
    }

    fn new_game(&mut self, _seed: u64) -> Result<(), PlayerError> {
        self.games += 1;
        Ok(())
    }

    fn choose(&mut self, game: &Game, limits: &Limits, _stop: &StopSignal) -> Result<Choice, PlayerError> {
        let moves = game.legal_moves();
        let info = MoveInfo::default();
        let first = Game::default().legal_moves()[0];
        if moves.is_empty() && self.law == 3 {
            return Ok(Choice { chess_move: first, info });
        }
        let mut chess_move: Move =
            *moves.first().ok_or(PlayerError::Search(SearchError::NoLegalMove { fen: game.fen() }))?;
        if self.law == 2 {
            chess_move = first;
        }
        if self.law == 4 && limits.infinite {
            std::thread::sleep(std::time::Duration::from_millis(400));
        }
        if self.law == 5 {
            static CALLS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
            let call = CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed) / 7;
            chess_move = moves[call % moves.len()];
        }
        Ok(Choice { chess_move, info })
    }
}

#[test]
fn simple_players_obey() {
    let factories: [Box<PlayerFactory>; 4] = [
        Box::new(|| Ok(FIRST.build())),
        Box::new(|| Ok(RANDOM.build())),
        Box::new(|| Ok(MATERIAL.build())),
        Box::new(|| Ok(Box::new(SearchPlayer::new("last", Box::new(LastMove))) as Box<dyn Player>)),
    ];
    for factory in factories {
        check(factory.as_ref(), &Limits::default()).unwrap();
    }
}

#[test]
fn the_laws_catch_offenders() {
    for law in 1..=5 {
        let factory = move || Ok(Box::new(Offender { law, games: 0 }) as Box<dyn Player>);
        let found = check(&factory, &Limits::default()).unwrap_err();
        assert!(found.starts_with(&format!("law {law}")), "law {law}: {found}");
    }
    check(&|| Ok(Box::new(Offender { law: 0, games: 0 }) as Box<dyn Player>), &Limits::default()).unwrap();
}

#[test]
fn a_search_player_passes_on_what_the_search_says() {
    let mut player = SearchPlayer::new("last", Box::new(LastMove));
    let choice = player.choose(&Game::default(), &Limits::default(), &StopSignal::default()).unwrap();
    let said =
        MoveInfo { score: Some(Score::Centipawns(17)), wdl: Some(Wdl::DRAW), depth: Some(1), nodes: Some(1) };
    assert_eq!(choice.info, said);
}

#[test]
fn random_moves_are_spread_over_all_legal_ones() {
    let mut player = RANDOM.build();
    let game = Game::default();
    let mut counts = std::collections::HashMap::new();
    for _ in 0..2_000 {
        let choice = player.choose(&game, &Limits::default(), &StopSignal::default()).unwrap();
        *counts.entry(choice.chess_move).or_insert(0_u32) += 1;
    }
    assert_eq!(counts.len(), 20);
    // 100 expected each; a count outside 50..150 is five deviations off.
    assert!(counts.values().all(|count| (50..150).contains(count)), "{counts:?}");
}
