//! Records of a generation: its games and the network learned from them.

use serde::{Deserialize, Serialize};

use crate::{
    game::{SelfPlayGame, Winner},
    settings::SettingError,
};

/// A network of the run: 0 is the one it began with, any other the one learned after that number of generations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NetworkName(pub u32);

impl std::fmt::Display for NetworkName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:05}", self.0)
    }
}

/// The end of a generation: a network was learned, and took over or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generation {
    /// Counts from 1; also the name of the network learned.
    pub number: u32,
    /// The network that had played the newest games.
    pub played_by: NetworkName,
    /// Statistics of those games.
    pub games: GameStatistics,
    /// The games learned from.
    pub window: WindowSummary,
    /// The losses of the network learned, by name, on the games that are held out.
    pub losses: std::collections::BTreeMap<String, f64>,
    /// Seconds that learning took.
    pub seconds: f64,
    /// The match that decided on promotion.
    pub gate: GateResult,
}

/// A match of the network learned against the one in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateResult {
    /// Games won, drawn and lost by the network learned.
    pub games: [u32; 3],
    /// Elo difference with the bounds of its 95 % interval; a bound is missing where all games ended alike.
    pub elo: Option<f64>,
    /// Lower bound of the confidence interval, if there is one.
    pub lower: Option<f64>,
    /// Upper bound of the confidence interval, if there is one.
    pub upper: Option<f64>,
    /// True if the network learned takes over.
    pub promoted: bool,
    /// Reason for the decision, as text.
    pub reason: String,
}

/// The window of games that a network was learned from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct WindowSummary {
    /// Generations whose games are in it, the first and the last.
    pub generations: [u32; 2],
    pub games: u64,
    /// Games that repeat another one move by move, and were left out.
    pub duplicates: u64,
    /// Positions, those held out included.
    pub positions: u64,
    /// Games that could not be read, each with its place and what is wrong.
    pub skipped: Vec<String>,
}

/// Counts over the games of a generation, for its record and the page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct GameStatistics {
    pub games: u64,
    /// Won by White, drawn, won by Black.
    pub results: [u64; 3],
    /// Games by how they ended, for example `checkmate`.
    pub endings: std::collections::BTreeMap<String, u64>,
    /// Half-moves of all games.
    pub plies: u64,
    /// Full searches.
    pub searches: u64,
    /// Sum of the policy surprise of the full searches, nats.
    pub surprise: f64,
    /// Positions that the network evaluated.
    pub evaluations: u64,
    /// Seconds of all games, added up: games that run side by side count each.
    pub seconds: f64,
    /// Games in which a side would have resigned and was made to play on.
    pub verified: u64,
    /// Those of them that it did not lose.
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

    /// Nats of a full search.
    pub fn mean_surprise(&self) -> f64 {
        self.surprise / self.searches.max(1) as f64
    }

    /// Share of the games that were drawn.
    pub fn draw_share(&self) -> f64 {
        self.results[1] as f64 / self.games.max(1) as f64
    }
}

/// The strength of each generation against the network that the run began with, by adding up the matches of the networks that took
/// over: Elo differences add, and so do the variances of independent matches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChainedElo {
    /// Number of the generation.
    pub number: u32,
    /// Elo above the start.
    pub elo: f64,
    /// Half of the 95 % interval.
    pub margin: f64,
}

/// The chain of the generations that were promoted; it ends where a match has no finite interval.
pub fn chained_elo(generations: &[Generation]) -> Vec<ChainedElo> {
    let (mut elo, mut variance) = (0.0, 0.0);
    let mut chain = Vec::new();
    for generation in generations.iter().filter(|generation| generation.gate.promoted) {
        let GateResult { elo: Some(gain), lower: Some(lower), upper: Some(upper), .. } = generation.gate
        else {
            break;
        };
        elo += gain;
        // In half-intervals instead of deviations: all are the same multiple, so the root is a half-interval again.
        variance += ((upper - lower) / 2.0).powi(2);
        chain.push(ChainedElo { number: generation.number, elo, margin: variance.sqrt() });
    }
    chain
}

/// A worker's name becomes part of names of objects.
///
/// # Errors
/// [`SettingError`] for anything but 1 to 60 letters, digits and hyphens.
pub fn check_worker_name(name: &str) -> Result<(), SettingError> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    if (1..=60).contains(&name.len()) && name.chars().all(plain) {
        return Ok(());
    }
    Err(SettingError {
        key: "name",
        found: format!("{name:?}"),
        expected: "1 to 60 letters, digits and hyphens",
    })
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

    #[test]
    fn elo_adds_up_over_the_networks_that_took_over() {
        let generation = |number, promoted, elo: Option<f64>| Generation {
            number,
            played_by: NetworkName(0),
            games: GameStatistics::default(),
            window: WindowSummary::default(),
            losses: std::collections::BTreeMap::default(),
            seconds: 0.0,
            gate: GateResult {
                games: [0; 3],
                elo,
                lower: elo.map(|elo| elo - 30.0),
                upper: elo.map(|elo| elo + 30.0),
                promoted,
                reason: String::new(),
            },
        };
        let run = [
            generation(1, true, Some(100.0)),
            generation(2, false, Some(-50.0)),
            generation(3, true, Some(40.0)),
        ];
        let chain = chained_elo(&run);
        assert_eq!(chain.iter().map(|link| link.number).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(chain[1].elo, 140.0);
        assert!((chain[1].margin - 1800f64.sqrt()).abs() < 1e-9);
        assert_eq!(chained_elo(&[generation(1, true, None)]), []);
    }

    #[test]
    fn names_of_workers_are_plain() {
        assert!(check_worker_name("box-12").is_ok());
        for name in ["", "a/b", "a b", "é", &"x".repeat(61)] {
            assert!(check_worker_name(name).is_err(), "{name:?}");
        }
    }
}
