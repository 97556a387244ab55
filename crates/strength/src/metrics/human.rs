//! How often a player chooses the move that people of each rating played.
//!
//! Protocol of McIlroy-Young, Sen, Kleinberg and Anderson, "Aligning Superhuman AI with Human Behavior: Chess as a Model
//! System" (KDD 2020): both players of the game in the same band of 100 rating points, the first ten half-moves left out,
//! and moves made with less than thirty seconds on the clock left out where clocks are known.

use std::{collections::BTreeMap, fmt, path::Path};

use chess::{Game, Move, Position as _};
use dataset::DatasetError;
use serde::{Deserialize, Serialize};

use super::positions::{PlayedPosition, read_played};
use crate::{panel::Reply, player::MaterialPlayer, statistics::Measurement};

/// Width of a rating band.
pub const BAND: u16 = 100;

/// Half-moves at the start of a game that are left out.
pub const OPENING_PLIES: usize = 10;

/// Moves made with less time than this are left out, seconds.
pub const HURRIED_SECONDS: u32 = 30;

/// A position with the move that a person played.
#[derive(Clone, Debug)]
pub struct HumanPosition {
    /// Number of the game in its file.
    pub game_number: usize,
    /// Lower end of the band of both players' ratings.
    pub band: u16,
    /// The position with its history.
    pub game: Game,
    /// The move played.
    pub played: Move,
}

/// Reads the positions of a PGN file or of the validation split of a sample store that the protocol allows, at most
/// `per_game` of each game, spread over it. A store knows no clocks. Gives the number of games that could not be read beside
/// them.
///
/// # Errors
/// [`DatasetError`] when the source cannot be read to its end.
pub fn read_human(path: &Path, per_game: usize) -> Result<(Vec<HumanPosition>, u64), DatasetError> {
    let allowed = |position: &PlayedPosition| {
        let hurried = position.clock_seconds.is_some_and(|seconds| seconds < HURRIED_SECONDS);
        position.ply >= OPENING_PLIES && !hurried && band_of(position.ratings).is_some()
    };
    let found = read_played(path, per_game, allowed)?;
    let human = |position: PlayedPosition| {
        let PlayedPosition { game_number, game, played, ratings, .. } = position;
        Some(HumanPosition { game_number, band: band_of(ratings)?, game, played })
    };
    Ok((found.positions.into_iter().filter_map(human).collect(), found.bad_games))
}

/// The band of both ratings, where they are in one.
fn band_of(ratings: Option<[u16; 2]>) -> Option<u16> {
    let [white, black] = ratings?.map(|rating| rating / BAND * BAND);
    (white == black).then_some(white)
}

/// The share of a band.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HumanBand {
    /// Lower end of the band; `None` for all together.
    pub band: Option<u16>,
    /// Games.
    pub games: u64,
    /// Share of moves that equal the person's; the interval counts games, not moves, as independent.
    pub matched: Measurement,
    /// Expected for a random mover.
    pub random: f64,
    /// For the first move in generation order.
    pub first_legal: f64,
    /// Expected for the greedy mover.
    pub material: f64,
}

/// Agreement with people by rating.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HumanMatch {
    /// The bands, weakest first.
    pub bands: Vec<HumanBand>,
    /// All together.
    pub overall: HumanBand,
    /// Positions in which the player failed; counted as different moves.
    pub failures: u64,
}

impl HumanMatch {
    /// Compares. `None` without positions.
    pub fn new(positions: &[HumanPosition], replies: &[Reply<Move>]) -> Option<Self> {
        let mut by_band: BTreeMap<u16, Vec<(&HumanPosition, bool)>> = BTreeMap::new();
        let mut all = Vec::new();
        for (position, reply) in positions.iter().zip(replies) {
            let matched = matches!(reply, Reply::Answer(chess_move) if *chess_move == position.played);
            by_band.entry(position.band).or_default().push((position, matched));
            all.push((position, matched));
        }
        let failures = replies.iter().filter(|reply| matches!(reply, Reply::Failure(_))).count() as u64;
        let bands = by_band.iter().filter_map(|(&name, lines)| band(Some(name), lines)).collect();
        Some(Self { bands, overall: band(None, &all)?, failures })
    }
}

fn band(name: Option<u16>, lines: &[(&HumanPosition, bool)]) -> Option<HumanBand> {
    let groups: Vec<Vec<f64>> = lines
        .chunk_by(|one, other| one.0.game_number == other.0.game_number)
        .map(|game| game.iter().map(|(_, matched)| f64::from(u8::from(*matched))).collect())
        .collect();
    let mean = |share: &dyn Fn(&HumanPosition) -> f64| {
        lines.iter().map(|(position, _)| share(position)).sum::<f64>() / lines.len() as f64
    };
    Some(HumanBand {
        band: name,
        games: groups.len() as u64,
        matched: Measurement::grouped_mean(&groups)?,
        random: mean(&|position| 1.0 / position.game.position().legal_moves().len().max(1) as f64),
        first_legal: mean(&|position| {
            let first = position.game.position().legal_moves().first().copied();
            f64::from(u8::from(first == Some(position.played)))
        }),
        material: mean(&|position| {
            let best = MaterialPlayer::best_moves(&position.game);
            f64::from(u8::from(best.contains(&position.played))) / best.len().max(1) as f64
        }),
    })
}

impl fmt::Display for HumanMatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "  {:<11} {:>6} {:>9} {:>26} {:>8} {:>11} {:>9}",
            "rating", "games", "positions", "matched (95 %)", "random", "first legal", "material"
        )?;
        for line in self.bands.iter().chain([&self.overall]) {
            let name = line.band.map_or("all".into(), |band| format!("{band}-{}", band + BAND - 1));
            write!(
                formatter,
                "\n  {name:<11} {:>6} {:>9} {:>26} {:>6.1} % {:>9.1} % {:>7.1} %",
                line.games,
                line.matched.samples,
                line.matched.percent(),
                100.0 * line.random,
                100.0 * line.first_legal,
                100.0 * line.material
            )?;
        }
        if self.failures > 0 {
            write!(formatter, "\n  caution: the player failed in {} positions", self.failures)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use chess::CastlingMode;

    use super::*;

    const MOVES: &str = "1. e4 { [%clk 0:01:00] } e5 { [%clk 0:01:00] } 2. Nf3 { [%clk 0:00:50] } Nc6 { [%clk 0:00:50] } 3. Bb5 \
        { [%clk 0:00:40] } a6 { [%clk 0:00:40] } 4. Ba4 { [%clk 0:00:35] } Nf6 { [%clk 0:00:35] } 5. O-O { [%clk 0:00:31] } \
        Be7 { [%clk 0:00:20] } 6. Re1 { [%clk 0:00:10] } b5 { [%clk 0:00:10] } 7. Bb3 { [%clk 0:00:05] } *";

    fn read(white: &str, black: &str, per_game: usize) -> Vec<String> {
        let text = format!("[WhiteElo \"{white}\"]\n[BlackElo \"{black}\"]\n[Result \"*\"]\n\n{MOVES}\n\n");
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let (positions, bad) = read_human(file.path(), per_game).unwrap();
        assert_eq!(bad, 0);
        positions.iter().map(|one| one.played.to_uci(CastlingMode::Standard).to_string()).collect()
    }

    #[test]
    fn openings_hurried_moves_and_unequal_players_are_left_out() {
        // White has 31 s before move 6 and 10 s before move 7; Black has 20 s before its sixth move.
        assert_eq!(read("1510", "1590", 99), ["f1e1"]);
        assert!(read("1510", "1610", 99).is_empty());
        assert!(read("?", "1590", 99).is_empty());
        assert!(read("1510", "1590", 0).is_empty());
    }

    #[test]
    fn shares_come_with_bands_and_baselines() {
        let game = Game::default();
        let played = game.legal_moves()[3];
        let position =
            |game_number: usize, band: u16| HumanPosition { game_number, band, game: game.clone(), played };
        let positions = [position(0, 1500), position(0, 1500), position(1, 1600), position(2, 1600)];
        let other = game.legal_moves()[4];
        let replies =
            [Reply::Answer(played), Reply::Answer(other), Reply::Answer(played), Reply::Answer(other)];
        let found = HumanMatch::new(&positions, &replies).unwrap();
        assert_eq!(
            found.bands.iter().map(|band| (band.games, band.matched.value)).collect::<Vec<_>>(),
            [(1, 0.5), (2, 0.5)]
        );
        assert!((found.overall.random - 0.05).abs() < 1e-12 && (found.overall.material - 0.05).abs() < 1e-12);
        assert_eq!(found.overall.games, 3);
        assert!(HumanMatch::new(&[], &[]).is_none());
    }
}
