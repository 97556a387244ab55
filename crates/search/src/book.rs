//! Moves from an opening book, played while the position is in it.

use chess::{
    Game, Limits, PolyglotBook, Position as _, RootMove, SearchInfo, plies_before, polyglot::BookMove,
};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{rules::draw_rank, temperature::draw, tunables::tunables};

tunables! {
    /// Use of the opening book.
    BookOptions

    "OwnBook" own_book: bool = false in false, true;
    "Plays from the opening book (BookFile) while it knows the position."

    "BookPlies" plies: u64 = 0 in 0, 1000;
    "Half-moves of the game during which the book is used; 0 for as long as it knows a move."

    "BookTemperature" temperature: f32 = 1.0 in 0.0, 100.0;
    "Randomness of the book's choice: probability proportional to weight^(1/temperature); 0 always plays the heaviest move."

    "BookVariety" variety: bool = false in false, true;
    "Chooses book moves by rank instead of weight: the first in 65 %, the second in 20 (to own move 7), the third in 10 (to move 5) and the fourth in 5 (to move 3)."
}

impl BookOptions {
    /// The book moves that may be played, heaviest first. Empty if the search has to decide: in analysis (`infinite`,
    /// `mate`), while pondering, in Chess960, for which the format has no keys, and in a position that occurred before, because
    /// the book would repeat it forever.
    pub(crate) fn candidates(&self, book: &PolyglotBook, game: &Game, limits: &Limits) -> Vec<BookMove> {
        let position = game.position();
        let plies = u64::from(plies_before(position));
        let asked = self.own_book
            && (self.plies == 0 || plies < self.plies)
            && !limits.infinite
            && !limits.ponder
            && limits.mate.is_none()
            && game.castling_mode().is_standard()
            && game.repetitions() == 0;
        if !asked {
            return Vec::new();
        }
        let wanted = &limits.search_moves;
        let mut moves = book.moves(position);
        moves.retain(|each| each.weight > 0 && (wanted.is_empty() || wanted.contains(&each.chess_move)));
        moves
    }

    /// The index of the move to play. `moves` is not empty.
    pub(crate) fn choose(&self, game: &Game, moves: &[BookMove], random: &mut Xoshiro256PlusPlus) -> usize {
        if self.variety {
            return draw_rank(game.position().fullmoves().get(), moves.len(), random);
        }
        if self.temperature == 0.0 {
            return 0;
        }
        let weights: Vec<f64> = moves.iter().map(|each| f64::from(each.weight)).collect();
        draw(&weights, f64::from(self.temperature), random)
    }
}

/// The moves with their shares as priors and no variation, because nothing was evaluated.
pub(crate) fn findings_of(moves: &[BookMove]) -> SearchInfo {
    let whole: f32 = moves.iter().map(|each| f32::from(each.weight)).sum();
    let root_moves = moves
        .iter()
        .map(|each| RootMove::unvisited(each.chess_move, f32::from(each.weight) / whole))
        .collect();
    SearchInfo { root_moves, ..SearchInfo::default() }
}
