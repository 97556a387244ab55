//! Move-match: the share of people's moves, by rating, that a player also chooses.
//!
//! Protocol of McIlroy-Young, Sen, Kleinberg and Anderson, "Aligning Superhuman AI with Human Behavior: Chess as a Model
//! System" (KDD 2020): both players of the game in the same band of 100 rating points, the first ten half-moves left out,
//! and moves made with less than thirty seconds on the clock left out if clocks are known.

use std::{collections::BTreeMap, fmt, ops::RangeInclusive, path::Path};

use chess::Move;
use dataset::DatasetError;
use figures::{Percent, text_table};
use serde::{Deserialize, Serialize};

use super::positions::{PlayedPosition, PlayedPositions, PositionFacts, Take, read_played};
use crate::{
    panel::{Answers, Lateness},
    player::{Baselines, chance_of},
    statistics::{Measurement, grouped, mean},
};

/// Width of a rating band.
pub const BAND: u16 = 100;

/// Half-moves at the start of a game that are left out.
pub const OPENING_PLIES: usize = 10;

/// Moves made with less time than this are left out, seconds.
pub const HURRIED_SECONDS: u32 = 30;

/// Reads positions of a PGN file or of the validation split of a sample store that the protocol allows, of players rated
/// within `ratings`. A store has no clocks.
///
/// # Errors
/// [`DatasetError`] if the source cannot be read to its end.
pub fn read_human(
    path: &Path,
    take: Take,
    ratings: &RangeInclusive<u16>,
) -> Result<PlayedPositions, DatasetError> {
    read_played(path, take, |facts| {
        let hurried = facts.clock_seconds.is_some_and(|seconds| seconds < HURRIED_SECONDS);
        let is_within = facts.ratings.is_some_and(|both| both.iter().all(|rating| ratings.contains(rating)));
        facts.ply >= OPENING_PLIES && !hurried && band_of(facts).is_some() && is_within
    })
}

/// The band of both ratings, if they are in the same one.
fn band_of(facts: &PositionFacts) -> Option<u16> {
    let [white, black] = facts.ratings?.map(|rating| rating / BAND * BAND);
    (white == black).then_some(white)
}

/// The share of a band.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HumanBand {
    /// Lower end of the band; `None` for all bands together.
    pub band: Option<u16>,
    /// Distinct games that the positions are from.
    pub games: u64,
    /// Share of moves that equal the person's; the interval counts games, not moves, as independent.
    pub matched: Measurement,
    /// Expected for a random mover.
    pub random: f64,
    /// Share for the first move in generation order.
    pub first_legal: f64,
    /// Expected for the greedy mover.
    pub material: f64,
}

/// Agreement with people by rating.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HumanMatch {
    /// The bands, weakest first.
    pub bands: Vec<HumanBand>,
    /// All bands as one.
    pub overall: HumanBand,
    /// Positions in which the player failed; counted as different moves.
    pub failures: u64,
    /// Moves that took longer than allowed.
    #[serde(default)]
    pub late: Lateness,
}

impl HumanMatch {
    /// Compares answers with the moves played. `None` without positions.
    pub fn new(positions: &[PlayedPosition], answers: &Answers<Move>) -> Option<Self> {
        let mut by_band: BTreeMap<Option<u16>, Vec<(&PlayedPosition, bool)>> = BTreeMap::new();
        let mut all = Vec::new();
        for (position, reply) in positions.iter().zip(&answers.replies) {
            let line = (position, reply.answer() == Some(&position.played));
            by_band.entry(band_of(&position.facts)).or_default().push(line);
            all.push(line);
        }
        let bands = by_band.iter().filter_map(|(&name, lines)| band(name, lines)).collect();
        Some(Self { bands, overall: band(None, &all)?, failures: answers.failures(), late: answers.late })
    }
}

fn band(name: Option<u16>, lines: &[(&PlayedPosition, bool)]) -> Option<HumanBand> {
    let groups = grouped(
        lines,
        |(position, _)| position.game_number,
        |(_, matched)| Some(f64::from(u8::from(*matched))),
    );
    let Baselines { random, first_legal, material } = Baselines::of(|moves_of| {
        let chances = lines.iter().map(|(position, _)| chance_of(position.played, &moves_of(&position.game)));
        mean(chances).unwrap_or(0.0)
    });
    Some(HumanBand {
        band: name,
        games: groups.len() as u64,
        matched: Measurement::grouped_mean(&groups, 0.0..=1.0)?,
        random,
        first_legal,
        material,
    })
}

impl fmt::Display for HumanMatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = ["rating", "games", "positions", "matched (95 %)", "random", "first legal", "material"];
        let rows = self.bands.iter().chain([&self.overall]).map(|line| {
            vec![
                line.band.map_or("all".into(), |band| format!("{band}-{}", band.saturating_add(BAND - 1))),
                line.games.to_string(),
                line.matched.samples.to_string(),
                line.matched.percent(),
                Percent(line.random).to_string(),
                Percent(line.first_legal).to_string(),
                Percent(line.material).to_string(),
            ]
        });
        formatter.write_str(&text_table(&header, rows))?;
        if self.failures > 0 {
            write!(formatter, "\n  caution: the player failed in {} positions", self.failures)?;
        }
        write!(formatter, "{}", self.late)
    }
}

#[cfg(test)]
mod tests {
    use chess::{CastlingMode, Game};

    use super::*;
    use crate::panel::Reply;

    const MOVES: &str = "1. e4 { [%clk 0:01:00] } e5 { [%clk 0:01:00] } 2. Nf3 { [%clk 0:00:50] } Nc6 { [%clk 0:00:50] } 3. Bb5 \
        { [%clk 0:00:40] } a6 { [%clk 0:00:40] } 4. Ba4 { [%clk 0:00:35] } Nf6 { [%clk 0:00:35] } 5. O-O { [%clk 0:00:31] } \
        Be7 { [%clk 0:00:20] } 6. Re1 { [%clk 0:00:10] } b5 { [%clk 0:00:10] } 7. Bb3 { [%clk 0:00:05] } *";

    fn read(white: &str, black: &str, per_game: usize) -> Vec<String> {
        read_within(white, black, per_game, &(0..=u16::MAX))
    }

    fn read_within(white: &str, black: &str, per_game: usize, ratings: &RangeInclusive<u16>) -> Vec<String> {
        let text = format!("[WhiteElo \"{white}\"]\n[BlackElo \"{black}\"]\n[Result \"*\"]\n\n{MOVES}\n\n");
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let found = read_human(file.path(), Take { per_game, sample: None }, ratings).unwrap();
        assert_eq!(found.bad_games, 0);
        for PlayedPosition { game, facts, .. } in &found.positions {
            // A network conditioned on ratings receives the players' ratings.
            assert_eq!([game.ratings().white, game.ratings().black], facts.ratings.unwrap().map(Some));
        }
        found.positions.iter().map(|one| one.played.to_uci(CastlingMode::Standard).to_string()).collect()
    }

    #[test]
    fn openings_hurried_moves_and_unequal_players_are_left_out() {
        // White has 31 s before move 6 and 10 s before move 7; Black has 20 s before its sixth move.
        assert_eq!(read("1510", "1590", 99), ["f1e1"]);
        assert!(read("1510", "1610", 99).is_empty());
        assert_eq!(read_within("1510", "1590", 99, &(1510..=1590)), ["f1e1"]);
        assert!(read_within("1510", "1590", 99, &(1511..=1590)).is_empty());
        assert!(read_within("1510", "1590", 99, &(1510..=1589)).is_empty());
        assert!(read("?", "1590", 99).is_empty());
        assert!(read("1510", "1590", 0).is_empty());
    }

    #[test]
    fn shares_come_with_bands_and_baselines() {
        let game = Game::default();
        let played = game.legal_moves()[3];
        let position = |game_number: usize, rating: u16| PlayedPosition {
            game_number,
            facts: PositionFacts { ratings: Some([rating; 2]), ..PositionFacts::default() },
            game: game.clone(),
            played,
        };
        let positions = [position(0, 1500), position(0, 1599), position(1, 1600), position(2, 1600)];
        let replies = [played, game.legal_moves()[4]].repeat(2).into_iter().map(Reply::Answer).collect();
        let answers = Answers { replies, late: Lateness::default() };
        let found = HumanMatch::new(&positions, &answers).unwrap();
        assert_eq!(
            found.bands.iter().map(|band| (band.games, band.matched.value)).collect::<Vec<_>>(),
            [(1, 0.5), (2, 0.5)]
        );
        assert!((found.overall.random - 0.05).abs() < 1e-12 && (found.overall.material - 0.05).abs() < 1e-12);
        assert_eq!(found.overall.games, 3);
        let strongest = [position(0, u16::MAX)];
        let replies = vec![Reply::Answer(played)];
        let alone = HumanMatch::new(&strongest, &Answers { replies, late: Lateness::default() }).unwrap();
        assert!(alone.to_string().contains("-65535 "), "{alone}");
        let none = Answers { replies: Vec::new(), late: Lateness::default() };
        assert!(HumanMatch::new(&[], &none).is_none());
    }
}
