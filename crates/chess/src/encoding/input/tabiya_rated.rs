//! The input of networks conditioned on the players' ratings.

use super::{InputEncoding, Plane, TabiyaPlanes, tabiya::PLANES as POSITION_PLANES};
use crate::Game;

/// `tabiya-rated`: the planes of `tabiya`, then the players' ratings.
///
/// | plane | content |
/// |---|---|
/// | 0-19 | as in `tabiya` |
/// | 20 | the mover's rating: (Elo - 1500) / 1000, within -1.5 and 1.5; zero if it is unknown |
/// | 21 | the opponent's rating on the same scale |
/// | 22 | all ones if the mover's rating is known |
///
/// Both ratings, as in Maia-2 (Tang et al. 2024, arXiv 2409.20553): people play differently against stronger opponents.
#[derive(Clone, Copy, Debug)]
pub struct TabiyaRatedPlanes;

const OWN_RATING: usize = POSITION_PLANES;
const THEIR_RATING: usize = OWN_RATING + 1;
/// Planes of this encoding, which others begin with.
pub(super) const PLANES: usize = THEIR_RATING + 2;

/// About the mean of online ratings.
const CENTRE: f32 = 1500.0;
/// Elo in one unit of the plane: most players lie within one.
const UNIT: f32 = 1000.0;
/// Clipping limit, in units from the centre: ratings are clipped to Elo 0 to 3000.
const LIMIT: f32 = 1.5;

impl InputEncoding for TabiyaRatedPlanes {
    fn name(&self) -> &'static str {
        "tabiya-rated"
    }

    fn planes(&self) -> usize {
        PLANES
    }

    fn extends(&self) -> Option<&'static str> {
        Some(TabiyaPlanes.name())
    }

    fn channel_name(&self, channel: usize) -> String {
        match channel {
            0..POSITION_PLANES => TabiyaPlanes.channel_name(channel),
            OWN_RATING => "own rating".into(),
            THEIR_RATING => "their rating".into(),
            _ => "own rating known".into(),
        }
    }

    fn encode(&self, game: &Game, planes: &mut [Plane]) {
        let (position, ratings) = planes.split_at_mut(POSITION_PLANES);
        TabiyaPlanes.encode(game, position);
        let (mover, opponent) = (game.ratings().of(game.turn()), game.ratings().of(!game.turn()));
        ratings[0] = rating_plane(mover);
        ratings[1] = rating_plane(opponent);
        ratings[2] = Plane::flag(mover.is_some());
    }
}

fn rating_plane(rating: Option<u16>) -> Plane {
    let scaled = rating.map_or(0.0, |rating| (f32::from(rating) - CENTRE) / UNIT);
    Plane::constant(scaled.clamp(-LIMIT, LIMIT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlayerRatings;

    fn planes(white: Option<u16>, black: Option<u16>, moves: &[&str]) -> Vec<Plane> {
        let mut game = Game::default().with_ratings(PlayerRatings { white, black });
        for uci in moves {
            game.play_uci(uci).unwrap();
        }
        let mut planes = vec![Plane::EMPTY; PLANES];
        TabiyaRatedPlanes.encode(&game, &mut planes);
        planes
    }

    #[test]
    fn the_mover_comes_first() {
        let white = planes(Some(1100), Some(1900), &[]);
        assert_eq!(white[20..], [Plane::constant(-0.4), Plane::constant(0.4), Plane::flag(true)]);
        let black = planes(Some(1100), Some(1900), &["e2e4"]);
        assert_eq!(black[20..], [Plane::constant(0.4), Plane::constant(-0.4), Plane::flag(true)]);
    }

    #[test]
    fn unknown_is_not_the_centre_and_extremes_are_cut() {
        assert_eq!(planes(None, Some(9000), &[])[20..], [Plane::EMPTY, Plane::constant(1.5), Plane::EMPTY]);
        assert_eq!(planes(Some(1500), None, &[])[20..], [Plane::EMPTY, Plane::EMPTY, Plane::flag(true)]);
    }
}
