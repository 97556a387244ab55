//! Openings from EPD and FEN files.

use std::path::Path;

use chess::Epd;

use super::{MatchOpening, must_go_on};
use crate::lines::{LineError, Lines, Positions};

const EXPECTED: &str =
    "EPD or FEN lines, such as \"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -\"";

pub(super) fn openings(path: &Path) -> Result<Positions<MatchOpening>, LineError> {
    Lines::open(path)?.read(None, EXPECTED, None, opening)
}

fn opening(line: &str, number: usize) -> Result<MatchOpening, String> {
    let refuse = |reason: String| {
        let found: String = line.chars().take(100).collect();
        format!("{found:?} is not an opening: {reason}")
    };
    let epd = Epd::parse(line).map_err(|error| refuse(error.to_string()))?;
    must_go_on(&epd.game).map_err(refuse)?;
    let name = epd.text("id").map_or_else(|| format!("line {number}"), ToString::to_string);
    Ok(MatchOpening { name, game: epd.game })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<MatchOpening>, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        openings(file.path()).map(|read| read.found).map_err(|error| error.to_string())
    }

    #[test]
    fn fen_and_epd_lines() {
        let text = "# comment\n\n\
            rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -\n\
            rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 3 12\n\
            8/8/4k3/8/8/3K4/4P3/8 w - - bm e4; id \"King and pawn\";\n";
        let found = read(text).unwrap();
        let names: Vec<&str> = found.iter().map(|opening| opening.name.as_str()).collect();
        assert_eq!(names, ["line 3", "line 4", "King and pawn"]);
        assert_eq!(found[1].game.fen(), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 3 12");
    }

    #[test]
    fn chess960_is_recognised_by_the_castling_rights() {
        let found = read(
            "nbrkqrbn/pppppppp/8/8/8/8/PPPPPPPP/NBRKQRBN w FCfc - 0 1\n\
             nrkbbrqn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBRQN w KQkq - 0 1\n\
             rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -\n",
        );
        let modes: Vec<bool> =
            found.unwrap().iter().map(|one| one.game.castling_mode().is_chess960()).collect();
        assert_eq!(modes, [true, true, false]);
    }

    #[test]
    fn bad_lines_are_named() {
        assert!(read("").unwrap_err().contains("found an empty file"));
        let illegal = read("\n8/8/8/8/8/8/8/8 w - -\n").unwrap_err();
        assert!(illegal.contains(":2:"), "{illegal}");
        let over = read("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").unwrap_err();
        assert!(over.contains("over there (stalemate)"), "{over}");
        assert!(read("e4 e5").unwrap_err().contains(":1: \"e4 e5\" is not an opening"));
    }

    #[test]
    fn binary_and_missing_files() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), [0xff, 0xfe, 0x28, 0xb5]).unwrap();
        assert!(openings(file.path()).unwrap_err().to_string().contains("not UTF-8"));
        assert!(matches!(openings(Path::new("no-such-file.epd")), Err(LineError::Read { .. })));
    }
}
