//! Captures, checks and new queens get a share of the prior: networks trained on what people play hide sacrifices behind priors
//! of a thousandth, where a few hundred visits never look.

use chess::{Chess, Evaluation, Move, Position, Role, SearchOptions};

use super::{Hint, HintContext};
use crate::{moves::played, tunables::tunables};

tunables! {
    /// The share of forcing moves.
    ForcingOptions

    "ForcingPrior" prior: f32 = 0.0 in 0.0, 0.9;
    "Share of the prior given in equal parts to the moves that check, capture or queen, so that no policy can hide them; 0 for none. For weak networks: 0.1."
}

pub(super) fn make(options: &SearchOptions) -> Option<Box<dyn Hint>> {
    let share = ForcingOptions::read(options).prior;
    (share > 0.0).then(|| Box::new(Forcing { share }) as _)
}

struct Forcing {
    share: f32,
}

impl Hint for Forcing {
    fn apply(&self, place: &HintContext<'_>, evaluation: &mut Evaluation) {
        let forcing = forcing(place.game.position(), place.moves);
        let equal = self.share / forcing.len() as f32;
        if forcing.is_empty() {
            return;
        }
        evaluation.priors.iter_mut().for_each(|prior| *prior *= 1.0 - self.share);
        for place in forcing {
            evaluation.priors[place] += equal;
        }
    }
}

/// The places of the moves that capture, promote to a queen or give check.
fn forcing(position: &Chess, moves: &[Move]) -> Vec<usize> {
    let is_forcing = |chess_move: Move| {
        chess_move.is_capture()
            || chess_move.promotion() == Some(Role::Queen)
            || played(position, chess_move).is_check()
    };
    (0..moves.len()).filter(|&place| is_forcing(moves[place])).collect()
}

#[cfg(test)]
mod tests {
    use chess::{CastlingMode, Game, Wdl};

    use super::*;

    fn names(fen: &str) -> Vec<String> {
        let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
        let moves = game.legal_moves();
        let found = forcing(game.position(), &moves).into_iter();
        let mut names: Vec<String> =
            found.map(|place| chess::print_uci_move(moves[place], CastlingMode::Standard)).collect();
        names.sort();
        names
    }

    #[test]
    fn captures_queens_and_checks_are_forcing() {
        // A capture, two checks of the rook, promotions that check; the knight and the bishop do not.
        assert_eq!(names("6k1/2P5/8/8/r6R/8/8/1K6 w - - 0 1"), ["c7c8q", "c7c8r", "h4a4", "h4g4", "h4h8"]);
        assert_eq!(
            names("8/2P5/8/8/1k6/8/8/1K6 w - - 0 1"),
            ["c7c8q"],
            "without check only the queen counts"
        );
        assert_eq!(names("4k3/8/8/8/8/8/3P4/4K3 w - - 0 1"), Vec::<String>::new());
        assert_eq!(names("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2"), ["e5d6"], "en passant");
    }

    #[test]
    fn forcing_moves_get_their_share_and_without_any_priors_stay() {
        let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        for (fen, count) in [(kiwipete, 8), ("4k3/8/8/8/8/8/3P4/4K3 w - - 0 1", 0)] {
            let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
            let moves = game.legal_moves();
            let total: f32 = (1..=moves.len()).map(|place| place as f32).sum();
            let before: Vec<f32> = (1..=moves.len()).map(|place| place as f32 / total).collect();
            let mut evaluation = Evaluation { wdl: Wdl::DRAW, priors: before.clone(), moves_left: None };
            let place = HintContext { game: &game, moves: &moves, is_root: false };
            Forcing { share: 0.3 }.apply(&place, &mut evaluation);
            let favoured = forcing(game.position(), &moves);
            assert_eq!(favoured.len(), count, "as perft counts the captures of Kiwipete");
            for (place, (prior, before)) in evaluation.priors.iter().zip(before).enumerate() {
                let share = if favoured.contains(&place) { 0.3 / count as f32 } else { 0.0 };
                let kept = if count == 0 { 1.0 } else { 0.7 };
                assert!((prior - kept * before - share).abs() < 1e-6);
            }
        }
    }
}
