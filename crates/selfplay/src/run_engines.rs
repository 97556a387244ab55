//! Players of self-play games: networks of the run with the search of the recipe.

use std::sync::Arc;

use chess::{Evaluator, Game, Move, RootMove, Search, UniformEvaluator};
use network::{CpuOptions, NetworkError};
use player::SearchSetup;
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use strength::OpeningBook;

use crate::{
    Effort, Engines, NetworkName, PlaySettings, engine::visit_counts, error::RunError,
    settings::OpeningChoice,
};

/// Shares of an improved policy are written as parts of this number.
const WHOLE: f32 = 10_000.0;

/// Makes the engines of a run: for full searches, quick searches and matches.
pub struct RunEngines {
    full: SearchSetup,
    quick: SearchSetup,
    in_matches: SearchSetup,
    openings: Openings,
}

enum Openings {
    Start,
    Random(u32),
    Book(OpeningBook),
}

impl RunEngines {
    /// The engines that the settings describe.
    ///
    /// # Errors
    /// [`RunError`] for options that no search has and openings that cannot be read.
    pub fn new(settings: &PlaySettings) -> Result<Self, RunError> {
        let full = search_options(settings);
        // Noise is for searches whose policy is learned; a quick search only has to choose well (KataGo's playout cap
        // randomisation).
        let quick = changed(&full, &[("NoiseEpsilon", "0")]);
        // The options of the games without random choices.
        let in_matches = changed(&quick, &[("Temperature", "0"), ("GumbelNoise", "0")]);
        let [full, quick, in_matches] = [full, quick, in_matches]
            .map(|options| SearchSetup::new(&options).map_err(RunError::at("[play] options")));
        let openings = match &settings.openings {
            OpeningChoice::Start => Openings::Start,
            OpeningChoice::Random { plies } => Openings::Random(*plies),
            OpeningChoice::Book { file, plies } => Openings::Book(match file.as_str() {
                OpeningBook::BALANCED => OpeningBook::balanced(settings.seed)?,
                path => OpeningBook::from_file(path.as_ref(), *plies, settings.seed)?,
            }),
        };
        Ok(Self { full: full?, quick: quick?, in_matches: in_matches?, openings })
    }

    /// The search in matches: that of the games, without random choices.
    pub(crate) fn in_matches(&self) -> &SearchSetup {
        &self.in_matches
    }

    /// An evaluator with these weights; without weights, one that knows nothing.
    pub(crate) fn open(weights: Option<&[u8]>) -> Result<Arc<dyn Evaluator>, NetworkError> {
        match weights {
            None => Ok(Arc::new(UniformEvaluator)),
            Some(bytes) => network::from_bytes(bytes, CpuOptions::default()),
        }
    }
}

/// The options of the recipe, and as little memory as the searches need: there are hundreds of searches.
fn search_options(settings: &PlaySettings) -> Vec<(String, String)> {
    // A visit opens a node of 32 bytes with edges of 8 bytes for about 40 moves: less than 500 bytes.
    const VISITS_IN_A_MEBIBYTE: u64 = 2000;
    // Without reuse of the tree a search begins empty, so its visits of one move bound its memory.
    let memory = 1 + settings.nodes / VISITS_IN_A_MEBIBYTE;
    let small = [("Hash".to_owned(), memory.to_string()), ("TreeReuse".to_owned(), "false".to_owned())];
    let own = settings.options.iter().map(|(name, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        (name.clone(), text)
    });
    // The recipe's own come last and override these.
    small.into_iter().chain(own).collect()
}

/// The options with `changes` after them; later values override earlier ones.
fn changed(options: &[(String, String)], changes: &[(&str, &str)]) -> Vec<(String, String)> {
    let changes = changes.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
    options.iter().cloned().chain(changes).collect()
}

impl Engines for RunEngines {
    fn evaluator(&self, _: &NetworkName, weights: Option<&[u8]>) -> Result<Arc<dyn Evaluator>, String> {
        Self::open(weights).map_err(|error| error.to_string())
    }

    fn search(&self, evaluator: Arc<dyn Evaluator>, effort: Effort) -> Box<dyn Search> {
        let setup = match effort {
            Effort::Full => &self.full,
            Effort::Quick => &self.quick,
        };
        setup.make_tree_search(evaluator)
    }

    fn policy(&self, moves: &[RootMove]) -> Vec<(Move, u32)> {
        let improved: Option<Vec<(Move, u32)>> = moves
            .iter()
            .map(|root_move| Some((root_move.chess_move, (root_move.improved? * WHOLE).round() as u32)))
            .collect();
        // All moves have it, or none: only Gumbel's search computes it.
        let Some(mut improved) = improved else { return visit_counts(moves) };
        improved.retain(|(_, share)| *share > 0);
        improved.sort_by_key(|&(_, share)| std::cmp::Reverse(share));
        improved
    }

    fn opening(&self, seed: u64) -> Game {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        match &self.openings {
            Openings::Start => Game::default(),
            Openings::Book(book) => book.of_pair(random.random_range(0..book.len() as u32)).game.clone(),
            Openings::Random(most) => random_opening(*most, &mut random),
        }
    }
}

/// The start position after a number of random half-moves that do not end the game.
pub(crate) fn random_opening(most: u32, random: &mut Xoshiro256PlusPlus) -> Game {
    loop {
        let mut game = Game::default();
        for _ in 0..random.random_range(0..=most) {
            let moves = game.legal_moves();
            if moves.is_empty() {
                break;
            }
            game.play_unchecked(moves[random.random_range(..moves.len())]);
        }
        // A repetition or a draw by material also ends a game, although there are legal moves.
        if game.outcome().is_none() {
            return game;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> PlaySettings {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn options_that_no_search_has_are_refused_by_name() {
        let play = settings("nodes = 10\noptions = { CPuckt = 2 }");
        let refused = RunEngines::new(&play).err().unwrap();
        assert_eq!(refused.to_string(), "[play] options");
        let reason = std::error::Error::source(&refused).unwrap().to_string();
        assert!(reason.contains("CPuckt"), "{reason}");
    }

    #[test]
    fn matches_leave_nothing_to_chance() {
        let play = settings(
            "nodes = 10\noptions = { NoiseEpsilon = 0.25, Temperature = 1, GumbelMoves = 8, CPuct = 3 }",
        );
        let engines = RunEngines::new(&play).unwrap();
        let pairs = [
            ("Hash", "1"),
            ("TreeReuse", "false"),
            ("GumbelMoves", "8"),
            ("GumbelNoise", "0"),
            ("CPuct", "3"),
        ];
        let expected = SearchSetup::new(&changed(&[], &pairs)).unwrap();
        assert_eq!(engines.in_matches().options, expected.options);
    }

    #[test]
    fn openings_follow_their_seed_and_are_never_over() {
        let play = settings("nodes = 10\nopenings = { kind = \"random\", plies = 60 }");
        let engines = RunEngines::new(&play).unwrap();
        let mut lengths = std::collections::BTreeSet::new();
        for seed in 0..200 {
            let game = engines.opening(seed);
            assert_eq!(game.fen(), engines.opening(seed).fen());
            assert!(game.outcome().is_none());
            lengths.insert(game.ply());
        }
        assert!(lengths.len() > 20, "{lengths:?}");
    }
}
