//! Plays from an opening book while it knows the position, and asks a search afterwards.

use std::sync::Arc;

use chess::{
    Decision, Game, Limits, PolyglotBook, Position as _, RootMove, Search, SearchError, SearchInfo,
    SearchOptions, StopSignal, plies_before, polyglot::BookMove,
};

use crate::{
    findings, seeded_random::SeededRandom, temperature::draw, tunables::tunables, variety::draw_rank,
};

tunables! {
    /// Whether and how moves come from the book.
    BookOptions

    "OwnBook" own_book: bool = false in false, true;
    "Plays from the opening book (BookFile) while it knows the position."

    "BookPlies" plies: u64 = 0 in 0, 1000;
    "Half-moves of the game during which the book is used; 0 for as long as it knows a move."

    "BookTemperature" temperature: f32 = 1.0 in 0.0, 100.0;
    "Randomness of the book's choice: probability proportional to weight^(1/temperature); 0 always plays the heaviest move."

    "BookVariety" variety: bool = false in false, true;
    "Chooses book moves by rank instead of weight: 65, 20, 10 and 5 %, until move 7 the second, 5 the third and 3 the fourth."
}

/// A search with a book before it. Decisions from the book list the book's moves with their shares as priors and no
/// variation, because nothing was evaluated.
///
/// The book is not asked in analysis (`infinite`, `mate`), while pondering, in Chess960, for which the format has no keys,
/// or in a position that occurred before, lest it repeats it for ever.
pub struct BookSearch {
    inner: Box<dyn Search>,
    book: Arc<PolyglotBook>,
    options: BookOptions,
    random: SeededRandom,
}

impl BookSearch {
    /// `inner` with the book before it; [`BookOptions`] say whether it is used.
    pub fn new(inner: Box<dyn Search>, book: Arc<PolyglotBook>, options: &SearchOptions) -> Self {
        Self { inner, book, options: BookOptions::read(options), random: SeededRandom::new(options) }
    }

    /// The book's moves that may be played, heaviest first; none where the search is to be asked.
    fn candidates(&self, game: &Game, limits: &Limits) -> Vec<BookMove> {
        let position = game.position();
        let plies = u64::from(plies_before(position));
        let asked = self.options.own_book
            && (self.options.plies == 0 || plies < self.options.plies)
            && !limits.infinite
            && !limits.ponder
            && limits.mate.is_none()
            && game.castling_mode().is_standard()
            && game.repetitions() == 0;
        if !asked {
            return Vec::new();
        }
        let wanted = &limits.search_moves;
        let mut moves = self.book.moves(position);
        moves.retain(|each| each.weight > 0 && (wanted.is_empty() || wanted.contains(&each.chess_move)));
        moves
    }

    fn choose(&mut self, game: &Game, moves: &[BookMove]) -> usize {
        if self.options.variety {
            return draw_rank(game.position().fullmoves().get(), moves.len(), self.random.generator());
        }
        if self.options.temperature == 0.0 {
            return 0;
        }
        let weights: Vec<f64> = moves.iter().map(|each| f64::from(each.weight)).collect();
        draw(&weights, f64::from(self.options.temperature), self.random.generator())
    }
}

impl Search for BookSearch {
    fn describe(&self) -> String {
        if self.options.own_book { format!("book, {}", self.inner.describe()) } else { self.inner.describe() }
    }

    fn new_game(&mut self) {
        self.inner.new_game();
        self.random.new_game();
    }

    fn reseed(&mut self, seed: u64) {
        self.inner.reseed(seed);
        self.random.reseed(seed);
    }

    fn set_options(&mut self, options: &SearchOptions) {
        self.inner.set_options(options);
        self.random.set_options(options);
        self.options = BookOptions::read(options);
    }

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        let moves = self.candidates(game, limits);
        if moves.is_empty() {
            return self.inner.run(game, limits, stop, report);
        }
        let chosen = self.choose(game, &moves);
        let whole: f32 = moves.iter().map(|each| f32::from(each.weight)).sum();
        let root_moves = moves
            .iter()
            .map(|each| RootMove::unvisited(each.chess_move, f32::from(each.weight) / whole))
            .collect();
        Ok(findings::decide(SearchInfo { root_moves, ..SearchInfo::default() }, chosen, report))
    }
}
