//! The laws of [`InputEncoding`].

use shakmaty::{Chess, Position};

use super::games::{colour_flipped, recorded_end};
use crate::{
    Game,
    encoding::{InputEncoding, Plane},
};

/// Checks the laws of an input encoding on every game.
///
/// # Panics
/// If a law is broken, with the encoding, the law and the position.
pub fn check(encoding: &dyn InputEncoding, games: &[Game]) {
    assert!(encoding.history() >= 1, "{}: the current position counts as history", encoding.name());
    for game in games {
        let planes = overwrites_everything(encoding, game);
        let place = || format!("{} in {}", encoding.name(), game.fen());
        assert!(planes.iter().all(|plane| plane.value.is_finite()), "law 3 (finite values): {}", place());
        let end = recorded_end(game, encoding.history());
        assert_eq!(planes, encode(encoding, &end, STALE), "law 1 (only the last positions): {}", place());
        if start_is_known(encoding, game) {
            let mut flipped = encode(encoding, &colour_flipped(game), STALE);
            for &plane in encoding.colour_planes() {
                flipped[plane] = planes[plane];
            }
            assert_eq!(planes, flipped, "law 2 (colour-flip symmetry): {}", place());
        }
    }
}

const STALE: Plane = Plane { mask: 0x0123_4567_89ab_cdef, value: f32::NAN };

fn encode(encoding: &dyn InputEncoding, game: &Game, stale: Plane) -> Vec<Plane> {
    let mut planes = vec![stale; encoding.planes()];
    encoding.encode(game, &mut planes);
    planes
}

/// Law 1: the previous content of the buffer must not matter.
fn overwrites_everything(encoding: &dyn InputEncoding, game: &Game) -> Vec<Plane> {
    let planes = encode(encoding, game, STALE);
    let again = encode(encoding, game, Plane { mask: !STALE.mask, value: 7.0 });
    assert_eq!(planes, again, "law 1 (all planes overwritten): {} in {}", encoding.name(), game.fen());
    planes
}

/// An encoding with history may treat the orthodox start specially (lc0 does: nothing comes before it), and its
/// colour-flipped twin, with Black to move, is not the orthodox start.
fn start_is_known(encoding: &dyn InputEncoding, game: &Game) -> bool {
    let start = &game.history()[0].position;
    let orthodox = *start == Chess::default() || start.board() == Chess::default().board();
    encoding.history() == 1 || game.history().len() >= encoding.history() || !orthodox
}
