//! Reviewed games by rating, and the scale that suits them.

use std::{collections::BTreeMap, ops::RangeInclusive};

use chess::Color;
use figures::{Percent, text_table};
use serde::{Deserialize, Serialize};

use super::ReviewError;
use crate::{Judgement, ReviewScale};

/// The players whose games set the scale: two bands of club players.
const CLUB: RangeInclusive<u16> = 1400..=1799;
/// Shares of their moves that are at least an inaccuracy, a mistake, a blunder.
const MARKED: [f64; 3] = [0.20, 0.12, 0.06];
/// Median accuracy of their games.
const MEDIAN: f64 = 80.0;
/// Minimum number of sides of games to fit a scale.
const LEAST_SIDES: usize = 20;
/// Range in which the rate is fitted: at 0.001 losses hardly lower the accuracy, at 1 every loss brings it to
/// zero.
const RATES: [f64; 2] = [0.001, 1.0];

/// Result of a game's review before a scale is applied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewedGame {
    /// Ratings of White and Black.
    pub ratings: [u16; 2],
    /// The side that moved first.
    #[serde(with = "crate::calibration::kept::color")]
    pub first: Color,
    /// White's win percentages of the positions.
    pub values: Vec<f64>,
    /// Points of win percentage that each move cost; `None` for the only legal ones.
    pub losses: Vec<Option<f64>>,
}

/// The games of players rated `from` to `to`, both included. One side of one game counts once.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct Band {
    pub from: u16,
    pub to: u16,
    /// Sides of games.
    pub sides: usize,
    /// Moves with a choice.
    pub moves: usize,
    /// First quartile, median and third quartile of the accuracy.
    pub accuracy: [f64; 3],
    /// Mean loss per move, points of win percentage.
    pub mean_loss: f64,
    /// Shares of moves that are inaccuracies, mistakes, blunders.
    pub marked: [f64; 3],
}

impl Band {
    /// Default width of a band in rating points.
    pub const WIDTH: u16 = 200;
}

/// A side of a game.
#[derive(Clone, Copy)]
struct ReviewedSide<'a> {
    game: &'a ReviewedGame,
    side: Color,
}

impl<'a> ReviewedSide<'a> {
    fn both(game: &'a ReviewedGame) -> [Self; 2] {
        [Color::White, Color::Black].map(|side| Self { game, side })
    }

    fn rating(self) -> u16 {
        self.game.ratings[self.side.fold_wb(0, 1)]
    }

    /// Losses of its moves that had a choice.
    fn free_losses(self) -> impl Iterator<Item = f64> {
        let movers = [self.game.first, !self.game.first].into_iter().cycle();
        let losses = self.game.losses.iter().zip(movers);
        losses.filter_map(move |(loss, mover)| loss.filter(|_| mover == self.side))
    }

    fn accuracy(self, scale: &ReviewScale) -> Option<f64> {
        scale.game_accuracy(&self.game.values, &self.game.losses, self.game.first, self.side)
    }
}

/// The losses of all sides together.
fn all_losses(sides: &[ReviewedSide<'_>]) -> Vec<f64> {
    sides.iter().flat_map(|side| side.free_losses()).collect()
}

/// The accuracies of the sides that had a choice.
fn all_accuracies(sides: &[ReviewedSide<'_>], scale: &ReviewScale) -> Vec<f64> {
    sides.iter().filter_map(|side| side.accuracy(scale)).collect()
}

/// The games by rating, the lowest band first. `width` is the width of a band in rating points.
pub fn bands(games: &[ReviewedGame], scale: &ReviewScale, width: u16) -> Vec<Band> {
    let mut found: BTreeMap<u16, Vec<ReviewedSide<'_>>> = BTreeMap::new();
    for side in games.iter().flat_map(ReviewedSide::both) {
        found.entry(side.rating() / width * width).or_default().push(side);
    }
    let bands =
        found.iter().filter_map(|(&from, sides)| band(from, from.saturating_add(width - 1), sides, scale));
    bands.collect()
}

/// The band of these sides; `None` if none of them had a choice.
fn band(from: u16, to: u16, sides: &[ReviewedSide<'_>], scale: &ReviewScale) -> Option<Band> {
    let accuracies = all_accuracies(sides, scale);
    let losses = all_losses(sides);
    if accuracies.is_empty() || losses.is_empty() {
        return None;
    }
    let moves = losses.len() as f64;
    let marked = [Judgement::Inaccuracy, Judgement::Mistake, Judgement::Blunder]
        .map(|kind| losses.iter().filter(|loss| scale.judge(**loss) == kind).count() as f64 / moves);
    Some(Band {
        from,
        to,
        sides: accuracies.len(),
        moves: losses.len(),
        accuracy: [0.25, 0.5, 0.75].map(|share| quantile(&accuracies, share)),
        mean_loss: losses.iter().sum::<f64>() / moves,
        marked,
    })
}

/// Fits the scale at which club players have the accuracy and the rates of marks set by this file's
/// constants.
///
/// # Errors
/// [`ReviewError::TooFew`].
pub fn fit(games: &[ReviewedGame]) -> Result<ReviewScale, ReviewError> {
    let sides = games.iter().flat_map(ReviewedSide::both);
    let club: Vec<ReviewedSide<'_>> = sides.filter(|side| CLUB.contains(&side.rating())).collect();
    if club.len() < LEAST_SIDES {
        let (from, to) = (*CLUB.start(), *CLUB.end());
        return Err(ReviewError::TooFew { found: club.len(), from, to, least: LEAST_SIDES });
    }
    let losses = all_losses(&club);
    let limits = MARKED.map(|share| quantile(&losses, 1.0 - share));
    // The limits follow from the losses at once, the rate does not: the median of the accuracies has no inverse in closed form. But
    // it falls as the rate rises, because every single accuracy does (a property test of the scale), so bisection finds the rate.
    // The end of the loop is far below the precision that is displayed.
    let [mut low, mut high] = RATES;
    while high - low > 1e-6 {
        let rate = f64::midpoint(low, high);
        let median = quantile(&all_accuracies(&club, &ReviewScale { limits, rate }), 0.5);
        if median > MEDIAN { low = rate } else { high = rate }
    }
    Ok(ReviewScale { limits, rate: f64::midpoint(low, high) })
}

/// Splits the games alternately into a half to fit a scale and a half to test it.
pub fn halves(games: Vec<ReviewedGame>) -> (Vec<ReviewedGame>, Vec<ReviewedGame>) {
    let (mut even, mut odd) = (Vec::new(), Vec::new());
    for (number, game) in games.into_iter().enumerate() {
        if number.is_multiple_of(2) { even.push(game) } else { odd.push(game) }
    }
    (even, odd)
}

/// A quantile with linear interpolation; 0 without values.
fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let place = share * (sorted.len().max(1) - 1) as f64;
    let below = sorted.get(place as usize).copied().unwrap_or_default();
    let above = sorted.get(place.ceil() as usize).copied().unwrap_or_default();
    below + (above - below) * place.fract()
}

/// The bands as a table for a terminal.
pub fn table(bands: &[Band]) -> String {
    let header =
        ["rating", "sides", "moves", "accuracy", "quartiles", "mean loss", "?!", "?", "??", "marked"];
    let rows = bands.iter().map(|band| {
        let [low, median, high] = band.accuracy;
        let mut row = vec![
            format!("{}-{}", band.from, band.to),
            band.sides.to_string(),
            band.moves.to_string(),
            format!("{median:.1}"),
            format!("{low:.1} to {high:.1}"),
            format!("{:.2}", band.mean_loss),
        ];
        row.extend(band.marked.map(|share| Percent(share).to_string()));
        row.push(Percent(band.marked.iter().sum::<f64>()).to_string());
        row
    });
    text_table(&header, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game in which both sides lose the same with every move.
    fn steady(rating: u16, loss: f64, moves: usize) -> ReviewedGame {
        let values = (0..=moves).map(|ply| if ply % 2 == 0 { 50.0 } else { 50.0 - loss }).collect();
        ReviewedGame { ratings: [rating; 2], first: Color::White, values, losses: vec![Some(loss); moves] }
    }

    #[test]
    fn bands_have_their_own_games_and_rising_losses_lower_the_accuracy() {
        let games: Vec<ReviewedGame> = [(900, 8.0), (950, 9.0), (1500, 4.0), (2100, 1.0)]
            .map(|(rating, loss)| steady(rating, loss, 20))
            .into();
        let found = bands(&games, &ReviewScale::CALIBRATED, 200);
        assert_eq!(
            found.iter().map(|band| (band.from, band.sides)).collect::<Vec<_>>(),
            [(800, 4), (1400, 2), (2000, 2)]
        );
        assert!(found.windows(2).all(|pair| pair[0].accuracy[1] < pair[1].accuracy[1]));
        assert_eq!(found[0].moves, 40);
        let wide = bands(&games, &ReviewScale::CALIBRATED, 700);
        assert_eq!(
            wide.iter().map(|band| (band.from, band.to)).collect::<Vec<_>>(),
            [(700, 1399), (1400, 2099), (2100, 2799)]
        );
    }

    #[test]
    fn forced_moves_are_no_faults_and_belong_to_their_side() {
        let mut game = steady(1500, 30.0, 4);
        game.losses = vec![None, Some(30.0), None, Some(30.0)];
        let [white, black] = ReviewedSide::both(&game);
        assert_eq!(white.free_losses().count(), 0);
        assert_eq!(black.free_losses().collect::<Vec<_>>(), [30.0, 30.0]);
    }

    #[test]
    fn a_fitted_scale_marks_and_values_club_players_as_it_says() {
        let games: Vec<ReviewedGame> =
            (0..100).map(|number| steady(1600, f64::from(number) / 4.0, 30)).collect();
        let scale = fit(&games).unwrap();
        let [club] = bands(&games, &scale, 200).try_into().unwrap();
        assert!((club.accuracy[1] - MEDIAN).abs() < 0.1, "{club:?}");
        assert!((club.marked.iter().sum::<f64>() - MARKED[0]).abs() < 0.02, "{club:?}");
        assert!((club.marked[2] - MARKED[2]).abs() < 0.02, "{club:?}");
        assert!(fit(&games[..5]).unwrap_err().to_string().contains("found 10 sides"));
    }

    #[test]
    fn quantiles_interpolate() {
        assert_eq!([0.0, 0.5, 1.0].map(|share| quantile(&[3.0, 1.0, 2.0, 4.0], share)), [1.0, 2.5, 4.0]);
    }
}
