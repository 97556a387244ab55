//! The built-in list of named lines.

use chess::{Game, notation::parse_san};

use super::{MatchOpening, must_go_on};
use crate::lines::LineError;

const LIST: &str = include_str!("../../openings/balanced.txt");
const PLACE: &str = "openings/balanced.txt";

pub(super) fn openings() -> Result<Vec<MatchOpening>, LineError> {
    let mut openings = Vec::new();
    for (index, line) in LIST.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        openings.push(opening(line).map_err(|reason| LineError::Line {
            path: PLACE.into(),
            line: index + 1,
            reason,
        })?);
    }
    Ok(openings)
}

/// `name: moves in SAN, separated by spaces`.
fn opening(line: &str) -> Result<MatchOpening, String> {
    let (name, moves) = line.split_once(": ").ok_or("expected `name: moves`")?;
    let mut game = Game::default();
    for written in moves.split_whitespace() {
        let chess_move = parse_san(game.position(), written).map_err(|error| error.to_string())?;
        game.play_unchecked(chess_move);
    }
    must_go_on(&game)?;
    Ok(MatchOpening { name: name.into(), game })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_list_is_sound() {
        let openings = openings().unwrap();
        assert!(openings.len() >= 100, "{}", openings.len());
        let names: HashSet<&str> = openings.iter().map(|opening| opening.name.as_str()).collect();
        assert_eq!(names.len(), openings.len(), "names are different");
        let keys: HashSet<u64> = openings.iter().map(|opening| opening.game.key()).collect();
        assert_eq!(keys.len(), openings.len(), "positions are different");
        for opening in &openings {
            let plies = opening.game.ply();
            assert!((4..=10).contains(&plies) && plies % 2 == 0, "{}: {plies} plies", opening.name);
        }
    }
}
