//! The laws of [`InputEncoding`].

use shakmaty::{Chess, Position};

use super::games::{colour_flipped, recorded_end};
use crate::{
    Game,
    encoding::{InputEncoding, Plane, input::input_encoding},
};

/// Checks the laws of an input encoding on every game. Law 2 may be broken if that is declared, and then must be.
///
/// # Panics
/// If a law is broken, with the encoding, the law and the position; or if one is declared broken and holds.
pub fn check(encoding: &dyn InputEncoding, games: &[Game]) {
    assert!(encoding.history() >= 1, "{}: the current position counts as history", encoding.name());
    let declared: Vec<u32> = encoding.breaks().iter().map(|law_break| law_break.law).collect();
    assert!(
        declared.iter().all(|&law| law == 2),
        "{}: only law 2 may be broken, found {declared:?}",
        encoding.name()
    );
    channels_are_sound(encoding);
    let base = encoding.extends().map(|name| input_encoding(name).expect("law 5: what it extends is known"));
    let mut asymmetric = 0;
    for game in games {
        let planes = overwrites_everything(encoding, game);
        let place = format!("{} in {}", encoding.name(), game.fen());
        assert!(planes.iter().all(|plane| plane.value.is_finite()), "law 3 (finite values): {place}");
        channels_are_disjoint(encoding, &planes, game);
        if let Some(base) = base {
            let first = encode(base, game, STALE);
            assert_eq!(planes[..first.len()], first, "law 5 (begins with {}): {place}", base.name());
            let scalars = encoding.scalars() + base.scalars();
            assert_eq!(
                (encoding.channels(), base.channels(), scalars),
                (planes.len(), first.len(), 0),
                "law 5: {place}"
            );
        }
        let end = recorded_end(game, encoding.history());
        assert_eq!(planes, encode(encoding, &end, STALE), "law 1 (only the last positions): {place}");
        if start_is_known(encoding, game) {
            let mut flipped = encode(encoding, &colour_flipped(game), STALE);
            for &plane in encoding.colour_planes() {
                flipped[plane] = planes[plane];
            }
            asymmetric += usize::from(planes != flipped);
            if declared.is_empty() {
                assert_eq!(planes, flipped, "law 2 (colour-flip symmetry): {place}");
            }
        }
    }
    let kept = !declared.is_empty() && asymmetric == 0;
    assert!(!kept, "law 2 (colour-flip symmetry): {} declares it broken, but it holds", encoding.name());
}

/// Law 4, as far as it does not depend on the position.
fn channels_are_sound(encoding: &dyn InputEncoding) {
    let (name, channels) = (encoding.name(), encoding.channels());
    let mut planes_of = vec![0; channels];
    for plane in 0..encoding.planes() {
        let channel = encoding.channel(plane);
        assert!(
            channel < channels,
            "law 4 (range): {name} has {channels} channels, plane {plane} is of {channel}"
        );
        planes_of[channel] += 1;
    }
    assert!(planes_of.iter().all(|&planes| planes > 0), "law 4 (a plane each): {name} {planes_of:?}");
    let scalars = &planes_of[channels - encoding.scalars()..];
    assert!(scalars.iter().all(|&planes| planes == 1), "law 4 (one plane a number): {name} {planes_of:?}");
}

/// Law 4 in a position.
fn channels_are_disjoint(encoding: &dyn InputEncoding, planes: &[Plane], game: &Game) {
    let place = format!("{} in {}", encoding.name(), game.fen());
    let mut taken = vec![0; encoding.channels()];
    for (number, plane) in planes.iter().enumerate() {
        let channel = encoding.channel(number);
        assert_eq!(taken[channel] & plane.mask, 0, "law 4 (no square twice): channel {channel} of {place}");
        taken[channel] |= plane.mask;
    }
    let numbers = &taken[encoding.channels() - encoding.scalars()..];
    let constant = numbers.iter().all(|&mask| mask == 0 || mask == u64::MAX);
    assert!(constant, "law 4 (numbers are the same everywhere): {place}");
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
