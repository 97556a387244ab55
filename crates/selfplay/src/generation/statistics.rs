//! Statistics of the games of a generation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::game::{SelfPlayGame, Winner};

/// Counts over the games of a generation, for its record and the page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct GameStatistics {
    pub games: u64,
    /// Won by White, drawn, won by Black.
    pub results: [u64; 3],
    /// Games by how they ended, for example `checkmate`.
    pub endings: BTreeMap<String, u64>,
    /// Half-moves of all games.
    pub plies: u64,
    /// Full searches.
    pub searches: u64,
    /// Sum of the policy surprise of the full searches, nats.
    pub surprise: f64,
    /// Positions that the network evaluated.
    pub evaluations: u64,
    /// Sum of the seconds of all games: games that run in parallel each count in full.
    pub seconds: f64,
    /// Games in which a side would have resigned and was made to play on.
    pub verified: u64,
    /// Games of these that the side did not lose.
    pub wrong_resignations: u64,
}

impl GameStatistics {
    /// Adds a game to the counts.
    pub fn add(&mut self, game: &SelfPlayGame) {
        self.games += 1;
        self.results[match game.winner {
            Winner::White => 0,
            Winner::Draw => 1,
            Winner::Black => 2,
        }] += 1;
        *self.endings.entry(game.end.name().into()).or_default() += 1;
        self.plies += game.plies() as u64;
        for surprise in game.moves.iter().filter_map(|played| played.search.as_ref()?.surprise) {
            self.searches += 1;
            self.surprise += surprise;
        }
        self.evaluations += game.evaluations;
        self.seconds += game.seconds;
        if let Some(doubted) = game.doubted {
            self.verified += 1;
            let lost = if doubted.white { Winner::Black } else { Winner::White };
            // A draw counts: resigning would have given half a point away.
            self.wrong_resignations += u64::from(game.winner != lost);
        }
    }

    /// Mean number of half-moves per game.
    pub fn mean_plies(&self) -> f64 {
        self.plies as f64 / self.games.max(1) as f64
    }

    /// Mean policy surprise of a full search, in nats.
    pub fn mean_surprise(&self) -> f64 {
        self.surprise / self.searches.max(1) as f64
    }

    /// Share of the games that were drawn.
    pub fn draw_share(&self) -> f64 {
        self.results[1] as f64 / self.games.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use chess::Ending;

    use super::*;
    use crate::game::{GameEnd, GameId, Resignation};

    fn game(winner: Winner, end: GameEnd, doubted: Option<Resignation>) -> SelfPlayGame {
        let id = GameId { generation: 0, worker: "w".into(), number: 0 };
        let (program, start) = (String::new(), chess::Game::default().fen());
        SelfPlayGame {
            id,
            program,
            seed: 0,
            start,
            moves: Vec::new(),
            winner,
            end,
            doubted,
            evaluations: 10,
            seconds: 0.5,
        }
    }

    #[test]
    fn a_resignation_was_wrong_where_its_side_did_not_lose() {
        let white = Some(Resignation { ply: 3, white: true });
        let mut statistics = GameStatistics::default();
        statistics.add(&game(Winner::Black, GameEnd::Rules(Ending::Checkmate), white));
        statistics.add(&game(Winner::Draw, GameEnd::Length, white));
        statistics.add(&game(Winner::White, GameEnd::Resignation, None));
        assert_eq!((statistics.verified, statistics.wrong_resignations), (2, 1));
        assert_eq!(statistics.results, [1, 1, 1]);
        let endings: Vec<&str> = statistics.endings.keys().map(String::as_str).collect();
        assert_eq!(endings, ["checkmate", "length", "resignation"]);
    }
}
