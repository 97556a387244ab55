//! A game in the terminal: reads input, plays, draws the board, saves the game.

mod entry;
mod menu;

use std::{
    io::{self, BufRead, Write},
    ops::ControlFlow,
    path::{Path, PathBuf},
    time::SystemTime,
};

use chess::{
    Color, Decision, Ending, Game, Limits, Outcome, Score, Search, SearchInfo, StopSignal, Thinker,
    diagram::{Drawing, draw},
    pgn::{PgnDate, PgnGame, PgnResult},
    print_san,
};
use figures::Percent;

use self::entry::{Entry, REQUESTS, Request};
use crate::error::TerminalError;

pub use menu::{Opponent, PersonSide, PlayChoice, SIDES, Strength, Tournament, ask};

/// Maximum number of games with one name, so that the search for a free name ends.
const MOST_GAMES: u32 = 9_999;

/// The settings of a game in the terminal; only the board's orientation changes.
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct GameSettings {
    pub person: Color,
    pub limits: Limits,
    pub file: PathBuf,
    pub drawing: Drawing,
    pub engine: String,
}

/// Ending of a game: by the rules or by resignation.
#[derive(Clone, Copy)]
enum Verdict {
    Rules(Outcome),
    Resignation,
}

/// A game between a person and a search.
pub struct TerminalGame {
    start: Game,
    game: Game,
    search: Box<dyn Search>,
    settings: GameSettings,
}

impl TerminalGame {
    /// A game that starts from `game`.
    pub fn new(game: Game, search: Box<dyn Search>, settings: GameSettings) -> Self {
        Self { start: game.clone(), game, search, settings }
    }

    /// Plays until the game is over, the person quits or the input ends.
    ///
    /// # Errors
    /// [`TerminalError`] if the terminal is closed, the search fails, or the game cannot be saved.
    pub fn run(&mut self, input: &mut dyn BufRead, out: &mut dyn Write) -> Result<(), TerminalError> {
        say(out, &format!("You play {} against {}.", name(self.settings.person), self.settings.engine))?;
        say(out, &format!("The game is saved in {}. Type `help` for help.", self.settings.file.display()))?;
        self.show(out)?;
        loop {
            // Draws that must be claimed do not end the game: the person may want to play on, and `draw` claims them.
            if let Some(outcome) = self.game.outcome().filter(|outcome| !outcome.ending.needs_claim()) {
                return self.finish(Verdict::Rules(outcome), out);
            }
            if self.game.turn() != self.settings.person {
                self.answer(out)?;
                continue;
            }
            let Some(line) = typed(input, out, "your move", "your move")? else { return self.leave(out) };
            if line.trim().is_empty() {
                continue;
            }
            match entry::read(&line, &self.game) {
                Err(message) => say(out, &message)?,
                Ok(Entry::Play(chess_move)) => {
                    self.game.play(chess_move)?;
                    self.keep(None)?;
                }
                Ok(Entry::Do(request)) => {
                    if self.serve(request, out)?.is_break() {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Carries a command out. [`ControlFlow::Break`] if it ended the game or the person left.
    fn serve(&mut self, request: Request, out: &mut dyn Write) -> Result<ControlFlow<()>, TerminalError> {
        match request {
            Request::Help => {
                say(out, "Type a move (Nf3, exd5, O-O, e8=Q or g1f3, e7e8q), or:")?;
                for (word, _, meaning) in REQUESTS {
                    say(out, &format!("  {word:<7} {meaning}"))?;
                }
            }
            Request::Undo => self.undo(out)?,
            Request::Hint => {
                let decision = self.think()?;
                say(out, &format!("I would play {}.", self.describe(&decision)))?;
            }
            Request::Flip => {
                self.settings.drawing.bottom = !self.settings.drawing.bottom;
                self.show(out)?;
            }
            Request::Moves => {
                let moves = self.game.legal_moves();
                let names: Vec<String> =
                    moves.into_iter().map(|each| print_san(self.game.position(), each)).collect();
                say(out, &names.join(" "))?;
            }
            Request::Fen => say(out, &self.game.fen())?,
            Request::Evaluate => {
                let decision = self.think()?;
                say(out, &format!("For you: {}.", value(&decision.info)))?;
            }
            Request::Draw => match self.game.outcome().filter(|outcome| outcome.ending.needs_claim()) {
                Some(outcome) => return self.finish(Verdict::Rules(outcome), out).map(ControlFlow::Break),
                None => {
                    say(out, "There is no draw by threefold repetition or the fifty-move rule to claim.")?;
                }
            },
            Request::Resign => return self.finish(Verdict::Resignation, out).map(ControlFlow::Break),
            Request::New => {
                // The old game stays in its file, unfinished or not; a new one never replaces it.
                self.keep(None)?;
                self.settings.file = next_file(&self.settings.file, MOST_GAMES)?;
                self.game = self.start.clone();
                self.search.new_game();
                say(out, &format!("A new game, saved in {}.", self.settings.file.display()))?;
                self.show(out)?;
            }
            Request::Save => {
                self.keep(None)?;
                say(out, &format!("Kept in {}.", self.settings.file.display()))?;
            }
            Request::Quit => return self.leave(out).map(ControlFlow::Break),
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Takes back the engine's reply and the move before it.
    fn undo(&mut self, out: &mut dyn Write) -> Result<(), TerminalError> {
        if self.game.ply() < 2 {
            return say(out, "There is no move of yours to take back.");
        }
        self.game.undo();
        self.game.undo();
        self.keep(None)?;
        self.show(out)
    }

    fn answer(&mut self, out: &mut dyn Write) -> Result<(), TerminalError> {
        say(out, "thinking ...")?;
        // Described before it is played: the notation of a move depends on the position before it.
        let decision = self.think()?;
        let text = self.describe(&decision);
        self.game.play(decision.best)?;
        self.keep(None)?;
        self.show(out)?;
        say(out, &format!("I play {text}."))?;
        if self.game.outcome().is_some_and(|outcome| outcome.ending.needs_claim()) {
            say(out, "You may claim a draw: type `draw`.")?;
        }
        Ok(())
    }

    fn think(&mut self) -> Result<Decision, TerminalError> {
        let (game, limits) = (self.game.clone(), self.settings.limits.clone());
        let thinker = Thinker { game, limits, stop: StopSignal::default() };
        Ok(thinker.ask(self.search.as_mut(), &mut |_| {})?)
    }

    /// The chosen move and the mover's chances.
    fn describe(&self, decision: &Decision) -> String {
        let best = print_san(self.game.position(), decision.best);
        format!("{best} ({}; {} visits)", value(&decision.info), decision.info.nodes)
    }

    fn show(&self, out: &mut dyn Write) -> Result<(), TerminalError> {
        let last = self.game.moves().last().copied();
        say(out, "")?;
        for line in draw(self.game.position(), self.settings.drawing, last) {
            say(out, &line)?;
        }
        say(out, "")
    }

    fn finish(&mut self, verdict: Verdict, out: &mut dyn Write) -> Result<(), TerminalError> {
        self.keep(Some(verdict))?;
        if !matches!(verdict, Verdict::Resignation) {
            self.show(out)?;
        }
        say(out, &format!("{}: {}.", ending_name(verdict), self.result(verdict)))?;
        say(out, &format!("The game is in {}.", self.settings.file.display()))
    }

    fn leave(&mut self, out: &mut dyn Write) -> Result<(), TerminalError> {
        self.keep(None)?;
        say(out, &format!("The game is in {}.", self.settings.file.display()))
    }

    fn result(&self, verdict: Verdict) -> PgnResult {
        match verdict {
            Verdict::Rules(outcome) => outcome.into(),
            Verdict::Resignation => PgnResult::won_by(Some(!self.settings.person)),
        }
    }

    /// Writes the game to a temporary file and renames it, so the file is always complete.
    fn keep(&self, verdict: Option<Verdict>) -> Result<(), TerminalError> {
        // After every move, because a person also ends a game by closing the window.
        let mut pgn = PgnGame::new(&self.game).tag(
            "Termination",
            verdict.map_or("unterminated".into(), |verdict| ending_name(verdict).to_lowercase()),
        );
        pgn.event = "Casual game".into();
        pgn.site = "tabiya play".into();
        pgn.date = Some(PgnDate::from_utc(SystemTime::now()));
        pgn.round = "-".into();
        let engine = format!("Tabiya ({})", self.settings.engine);
        (pgn.white, pgn.black) = match self.settings.person {
            Color::White => ("Human".into(), engine),
            Color::Black => (engine, "Human".into()),
        };
        pgn.result = verdict.map_or(PgnResult::Unknown, |verdict| self.result(verdict));
        let file = &self.settings.file;
        files::write(file, pgn.to_string())
            .map_err(|source| TerminalError::Keep { file: file.clone(), source })
    }
}

/// `evening.pgn` -> `evening-2.pgn`, with the first number that is free.
fn next_file(file: &Path, most: u32) -> Result<PathBuf, TerminalError> {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    for number in 2..=most {
        let candidate = file.with_file_name(format!("{stem}-{number}.pgn"));
        if !candidate.exists() {
            return Ok(candidate);
        }
    }
    let full = format!("the names up to {stem}-{most}.pgn are taken, expected a free one");
    Err(TerminalError::Keep { file: file.into(), source: io::Error::new(io::ErrorKind::AlreadyExists, full) })
}

/// Reads a line after `prompt`; `None` if the input ends. Bytes that are not UTF-8 become U+FFFD, which no
/// parser accepts. `what` names the line in errors.
fn typed(
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    prompt: &str,
    what: &'static str,
) -> Result<Option<String>, TerminalError> {
    write!(out, "{prompt}> ").and_then(|()| out.flush()).map_err(TerminalError::Write)?;
    let mut line = Vec::new();
    let read = input.read_until(b'\n', &mut line);
    if read.map_err(|source| TerminalError::Read { what, source })? == 0 {
        say(out, "")?;
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&line).into_owned()))
}

fn say(out: &mut dyn Write, line: &str) -> Result<(), TerminalError> {
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(TerminalError::Write)
}

/// The mover's chances in words.
fn value(info: &SearchInfo) -> String {
    let Some(line) = info.variations.first() else { return "no value yet".into() };
    if !info.heads.judge(line.wdl) {
        return "no value: the network has none".into();
    }
    let chances = format!(
        "win {:.0}, draw {:.0}, loss {:.0}",
        Percent(line.wdl.win),
        Percent(line.wdl.draw),
        Percent(line.wdl.loss)
    );
    match line.score {
        Score::Mate(moves) => format!("mate in {moves}"),
        Score::Centipawns(centipawns) => format!("{:+.2}, {chances}", f64::from(centipawns) / 100.0),
    }
}

fn name(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}

fn ending_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Resignation => "Resignation",
        Verdict::Rules(outcome) => match outcome.ending {
            Ending::Checkmate => "Checkmate",
            Ending::Stalemate => "Stalemate",
            Ending::InsufficientMaterial => "Insufficient material",
            Ending::ThreefoldRepetition => "Threefold repetition",
            Ending::FivefoldRepetition => "Fivefold repetition",
            Ending::FiftyMoves => "Fifty-move rule",
            Ending::SeventyFiveMoves => "Seventy-five-move rule",
        },
    }
}

#[cfg(test)]
mod tests {
    use chess::{SearchError, SearchInfo};

    use super::*;

    struct Broken;

    impl Search for Broken {
        fn describe(&self) -> String {
            "broken".into()
        }

        fn run(
            &mut self,
            _game: &Game,
            _limits: &Limits,
            _stop: &StopSignal,
            _report: &mut dyn FnMut(&SearchInfo),
        ) -> Result<Decision, SearchError> {
            panic!("a tree without a root")
        }
    }

    #[test]
    fn a_new_game_takes_no_name_of_another() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second, third] =
            ["evening.pgn", "evening-2.pgn", "evening-3.pgn"].map(|name| folder.path().join(name));
        std::fs::write(&second, "").unwrap();
        assert_eq!(next_file(&first, 3).unwrap(), third);
        std::fs::write(&third, "").unwrap();
        let error = next_file(&first, 3).unwrap_err();
        assert!(matches!(&error, TerminalError::Keep { file, .. } if *file == first), "{error}");
    }

    #[test]
    fn a_search_that_panics_is_an_error_and_the_game_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("evening.pgn");
        let settings = GameSettings {
            person: Color::White,
            limits: Limits::default(),
            file: file.clone(),
            drawing: Drawing { pieces: chess::diagram::PieceStyle::Ascii, bottom: Color::White },
            engine: "broken".into(),
        };
        let mut session = TerminalGame::new(Game::default(), Box::new(Broken), settings);
        let error = session.run(&mut "e4\n".as_bytes(), &mut Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), "the search panicked: a tree without a root");
        assert!(std::fs::read_to_string(file).unwrap().contains("1. e4"));
    }
}
