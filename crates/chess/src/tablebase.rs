//! Syzygy endgame tables: the result of a position, and the distance to zeroing.

mod table_move;

use std::{
    collections::BTreeSet,
    fmt, fs,
    io::Read as _,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use shakmaty::{Chess, Move, Position};
use shakmaty_syzygy::{Dtz, SyzygyError, Tablebase, Wdl};

use crate::{FIFTY_MOVES, Game, played};

pub use table_move::{MoveReason, TableGap, TableMove, TableOutcome};

/// The result of a position for the side to move under the fifty-move rule: a win that takes longer is a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TableResult {
    /// The side to move loses.
    Loss,
    /// Neither side can win within the fifty-move rule.
    Draw,
    /// The side to move wins.
    Win,
}

/// Endgame tables from one or more folders. Files are opened on first use.
pub struct Tablebases {
    tables: Tablebase<Chess>,
    files: usize,
    /// Errors while probing; each is reported once.
    problems: Mutex<Problems>,
}

impl fmt::Debug for Tablebases {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (files, pieces) = (self.files, self.max_pieces());
        formatter
            .debug_struct("Tablebases")
            .field("files", &files)
            .field("max_pieces", &pieces)
            .finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Problems {
    known: BTreeSet<String>,
    unreported: Vec<String>,
}

// Magic numbers of WDL and DTZ files (Syzygy's `tbprobe`).
const WDL_MAGIC: [u8; 4] = [0x71, 0xe8, 0x23, 0x5d];
const DTZ_MAGIC: [u8; 4] = [0xd7, 0x66, 0x0c, 0xa5];

impl Tablebases {
    /// Opens the tables in folders separated by `:` (`;` on Windows), the format of `SyzygyPath`. Also returns the problems with
    /// folders and files, each with its path; the rest is used.
    pub fn open(folders: &str) -> (Self, Vec<String>) {
        let mut found = Self { tables: Tablebase::new(), files: 0, problems: Mutex::default() };
        let mut problems = Vec::new();
        for folder in std::env::split_paths(folders).filter(|folder| !folder.as_os_str().is_empty()) {
            let before = found.files;
            match tables_in(&folder) {
                Ok(files) => files.iter().for_each(|file| found.add(file, &mut problems)),
                Err(error) => problems.push(format!("cannot read folder {}: {error}", folder.display())),
            }
            if found.files == before {
                problems.push(format!("no usable Syzygy table in {}", folder.display()));
            }
        }
        (found, problems)
    }

    fn add(&mut self, file: &Path, problems: &mut Vec<String>) {
        let added = check_magic(file).and_then(|()| self.tables.add_file(file));
        match added {
            Ok(()) => self.files += 1,
            Err(error) => problems.push(format!("table {} is not used: {error}", file.display())),
        }
    }

    /// Number of table files in use.
    pub fn files(&self) -> usize {
        self.files
    }

    /// Largest number of pieces in a table, kings included; 0 without tables.
    pub fn max_pieces(&self) -> usize {
        self.tables.max_pieces()
    }

    /// The result of a position right after a capture or pawn move. `None` elsewhere (WDL tables assume a fresh fifty-move
    /// counter), with castling rights, and if a table is missing or damaged ([`Tablebases::take_problems`]).
    pub fn probe(&self, position: &Chess) -> Option<TableResult> {
        if position.halfmoves() != 0 || !self.covers(position) {
            return None;
        }
        self.wdl_after_zeroing(position)
    }

    /// The result of the position that a game has reached, where it is certain under the fifty-move rule with the counter as it is. `None`
    /// besides the cases of [`Tablebases::probe`] if the last half-moves before a draw decide and the tables round their distances, or if
    /// a win might need a position that has occurred twice already.
    pub fn certain_result(&self, game: &Game) -> Option<TableResult> {
        let position = game.position();
        if position.halfmoves() == 0 {
            return self.probe(position);
        }
        if !self.covers(position) {
            return None;
        }
        let found = self.noted(self.tables.probe_dtz(position))?;
        let rounding = u32::from(found.precise().is_none());
        let result = certain(i32::from(found.ignore_rounding()), rounding, position.halfmoves())?;
        // A best line has no position twice, so it draws by repetition only with one that has occurred twice before it.
        let reversible = game.history().iter().rev().take(position.halfmoves() as usize + 1);
        let is_open =
            result != TableResult::Draw && reversible.map(|entry| entry.repetitions).any(|count| count > 0);
        (!is_open).then_some(result)
    }

    /// The moves to consider at the root: those that keep the best result and, if that is a win or a loss, have the shortest
    /// or longest distance to the next capture or pawn move (DTZ), so that every won position is won. `None` unless the tables
    /// cover every move.
    pub fn best_moves(&self, game: &Game) -> Option<Vec<Move>> {
        let ranked = self.ranked(game.position())?;
        let best = ranked.iter().map(|(rank, _)| *rank).max()?;
        Some(ranked.into_iter().filter(|(rank, _)| *rank == best).map(|(_, chess_move)| chess_move).collect())
    }

    /// The result of each legal move for the side that plays it, with the counter of the fifty-move rule as it is. `None` unless the
    /// tables cover every move.
    pub fn results(&self, game: &Game) -> Option<Vec<(Move, TableResult)>> {
        let ranked = self.ranked(game.position())?;
        Some(ranked.into_iter().map(|(rank, chess_move)| (chess_move, rank.outcome.result())).collect())
    }

    fn ranked(&self, position: &Chess) -> Option<Vec<(Rank, Move)>> {
        if !self.covers(position) {
            return None;
        }
        let moves = position.legal_moves().into_iter();
        moves.map(|chess_move| Some((self.rank(position, chess_move)?, chess_move))).collect()
    }

    /// Errors of probing since the last call.
    pub fn take_problems(&self) -> Vec<String> {
        let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut problems.unreported)
    }

    fn covers(&self, position: &Chess) -> bool {
        self.gap(position).is_none()
    }

    /// Why no table can have the position; `None` if one may, which can still be missing or damaged.
    fn gap(&self, position: &Chess) -> Option<TableGap> {
        let (pieces, most) = (position.board().occupied().count(), self.tables.max_pieces());
        if pieces > most {
            Some(TableGap::Pieces { pieces, most })
        } else {
            (!position.castles().is_empty()).then_some(TableGap::Castling)
        }
    }

    fn wdl_after_zeroing(&self, position: &Chess) -> Option<TableResult> {
        let wdl = self.noted(self.tables.probe_wdl_after_zeroing(position))?;
        Some(match wdl {
            Wdl::Win => TableResult::Win,
            Wdl::Loss => TableResult::Loss,
            Wdl::CursedWin | Wdl::Draw | Wdl::BlessedLoss => TableResult::Draw,
        })
    }

    /// Rank of a move for the side that plays it, better moves higher; `None` without a table.
    fn rank(&self, position: &Chess, chess_move: Move) -> Option<Rank> {
        let after = played(position, chess_move);
        if after.is_checkmate() {
            return Some(Rank::MATE);
        }
        if after.legal_moves().is_empty() || after.is_insufficient_material() {
            return Some(Rank { outcome: TableOutcome::Draw, speed: 0 });
        }
        Some(Rank::of(self.noted(self.distance(&after))?.plies, position.halfmoves()))
    }

    /// The distance for the side that has just moved, in a game that goes on after its move.
    fn distance(&self, after: &Chess) -> Result<Distance, SyzygyError> {
        // DTZ tables hold the distance to the next capture or pawn move, so after such a move they would speak of the one after it:
        // there only the result counts, and the distance is that of the move itself.
        if after.halfmoves() == 0 {
            let wdl = self.tables.probe_wdl_after_zeroing(after)?;
            return Ok(Distance { plies: i32::from(Dtz::before_zeroing(-wdl)), rounding: 0 });
        }
        let found = self.tables.probe_dtz(after)?;
        let opponents = i32::from(found.ignore_rounding());
        Ok(Distance {
            plies: -opponents - opponents.signum(),
            rounding: u32::from(found.precise().is_none()),
        })
    }

    /// The result of a probe; records an error for [`Tablebases::take_problems`].
    fn noted<T>(&self, answer: Result<T, SyzygyError>) -> Option<T> {
        match answer {
            Ok(answer) => Some(answer),
            Err(SyzygyError::Castling | SyzygyError::TooManyPieces) => None,
            Err(error) => {
                let text = reason(&error);
                let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
                if problems.known.insert(text.clone()) {
                    problems.unreported.push(text);
                }
                None
            }
        }
    }
}

/// The result under the fifty-move rule of a position with this distance to zeroing, which may be longer by `rounding` half-moves, after
/// half-moves without a zeroing move; `None` if the rounding decides.
fn certain(distance: i32, rounding: u32, halfmoves: u32) -> Option<TableResult> {
    let least = distance.unsigned_abs().saturating_add(halfmoves);
    if distance == 0 || least > FIFTY_MOVES {
        return Some(TableResult::Draw);
    }
    let result = if distance > 0 { TableResult::Win } else { TableResult::Loss };
    (least + rounding <= FIFTY_MOVES).then_some(result)
}

/// Why a probe failed. A damaged table adds a backtrace; the first line has the reason.
fn reason(error: &SyzygyError) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

/// Half-moves from the position before a move to the next capture, pawn move or mate with best play, for the side that makes the
/// move.
#[derive(Clone, Copy)]
struct Distance {
    /// Positive if that side wins, negative if it loses, 0 in a draw. 1 for a capture or pawn move, and 101 if what follows it takes
    /// too long for the fifty-move rule ([`Dtz::before_zeroing`]).
    plies: i32,
    /// Half-moves by which it may be longer, because the tables round.
    rounding: u32,
}

/// A move's outcome and, in wins and losses, how soon or late: larger is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    outcome: TableOutcome,
    speed: i32,
}

impl Rank {
    /// Better than every win that needs another move.
    const MATE: Self = Self { outcome: TableOutcome::Win, speed: 0 };

    /// The rank for a mover's distance to zeroing and the plies already played without a zeroing move.
    fn of(distance: i32, halfmoves: u32) -> Self {
        let in_time = distance.unsigned_abs().saturating_add(halfmoves) <= FIFTY_MOVES;
        let (outcome, speed) = match (distance.signum(), in_time) {
            (1, true) => (TableOutcome::Win, -distance),
            (1, false) => (TableOutcome::CursedWin, 0),
            (-1, true) => (TableOutcome::Loss, -distance),
            (-1, false) => (TableOutcome::BlessedLoss, 0),
            _ => (TableOutcome::Draw, 0),
        };
        Self { outcome, speed }
    }
}

/// The table files of a folder, by name.
fn tables_in(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rtbw" || extension == "rtbz"));
    files.sort();
    Ok(files)
}

fn check_magic(file: &Path) -> std::io::Result<()> {
    let expected =
        if file.extension().is_some_and(|extension| extension == "rtbw") { WDL_MAGIC } else { DTZ_MAGIC };
    let mut found = [0; 4];
    fs::File::open(file)?.read_exact(&mut found)?;
    if found == expected {
        return Ok(());
    }
    let text = format!("it begins with {found:02x?}, expected {expected:02x?}");
    Err(std::io::Error::new(std::io::ErrorKind::InvalidData, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_folders_and_foreign_files_are_reported_and_the_rest_is_used() {
        let (none, problems) = Tablebases::open("");
        assert_eq!((none.files(), problems.len()), (0, 0));
        let (none, problems) = Tablebases::open("no/such/folder");
        assert_eq!(none.files(), 0);
        assert!(problems[0].contains("no/such/folder"), "{problems:?}");
        assert_eq!(none.probe(Game::default().position()), None);
        assert_eq!(none.best_moves(&Game::default()), None);
    }

    #[test]
    fn ranks_prefer_results_then_speed_and_know_the_fifty_moves() {
        let order = [
            Rank::of(-3, 0),
            Rank::of(-40, 0),
            Rank::of(-40, 90),
            Rank::of(0, 0),
            Rank::of(40, 90),
            Rank::of(40, 0),
            Rank::of(3, 0),
            Rank::MATE,
        ];
        assert!(order.is_sorted_by(|worse, better| worse < better), "{order:?}");
        assert_eq!(Rank::of(40, u32::MAX), Rank::of(40, 90), "the clock of a FEN may be as large");
    }

    #[test]
    fn a_result_is_certain_unless_rounding_decides() {
        use TableResult::{Draw, Loss, Win};
        for (distance, rounding, halfmoves, expected) in [
            (0, 1, 99, Some(Draw)),
            (4, 0, 96, Some(Win)),
            (-4, 0, 96, Some(Loss)),
            (4, 0, 97, Some(Draw)),
            (-4, 1, 97, Some(Draw)),
            (4, 1, 96, None),
            (-4, 1, 96, None),
            (4, 1, 95, Some(Win)),
            (1, 0, u32::MAX, Some(Draw)),
        ] {
            assert_eq!(certain(distance, rounding, halfmoves), expected, "{distance} {rounding} {halfmoves}");
        }
    }
}
