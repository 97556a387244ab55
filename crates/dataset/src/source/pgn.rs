//! PGN files: tags, main line, evaluations, clocks and the engine's better moves, in constant memory.
//!
//! # Label rules
//! 1. `[%eval]` in a comment before the first move evaluates the starting position; after a move, the position after it. What the program
//!    of a match writes about its search (`+0.31/22 2.0s`) evaluates the position before the move. The conventions of programs are in
//!    `pgn/evaluation.rs`; records hold the view of the side to move. A label whose meaning is in doubt is left out and counted.
//! 2. In a position evaluated by `[%eval]` the first move of the first variation after the move played is the engine's better move,
//!    and the move played was a slip. Variations in other positions, those that continue after the move by their number, and null
//!    moves are commentary and ignored.
//! 3. The result is the termination marker or, where that is `*` or missing, the tag `Result`; a contradiction between two known
//!    results is a broken game, and two unknown ones are an unknown result.
//! 4. Of a game that is cut off the moves of the main line up to there are read, and it is counted: its end is that of the file, or the
//!    tags of the next game, which end a comment without a brace too (`pgn/comment.rs`).

mod annotation;
mod comment;
pub(super) mod evaluation;
mod movetext;
mod tags;
mod visitor;
mod word;

use std::{io, io::Read, path::Path, sync::Arc};

use pgn_reader::Reader;

use self::{
    movetext::Movetext,
    visitor::{GameVisitor, UnplacedGame},
};
use super::{
    BadReason, BadRecord, InputProgress, Problem, Source,
    input::{self, Input},
};
use crate::{
    DatasetError,
    record::{GameRecord, Place, Record},
};

/// Longest tag line and comment that arrive in one piece; longer comments come in parts, longer tags are syntax errors.
const TOKEN_BYTES: usize = 4096;

/// The games of one PGN file.
pub struct PgnSource {
    reader: Reader<Box<dyn Read + Send>>,
    monitor: input::InputMonitor,
    visitor: GameVisitor,
    finished: bool,
}

impl PgnSource {
    /// Opens a PGN file, plain or compressed.
    ///
    /// # Errors
    /// [`DatasetError`] when the file cannot be opened, is empty, or is not text.
    pub fn open(path: &Path) -> Result<Self, DatasetError> {
        Ok(Self::of(input::open(path)?))
    }

    /// Reads games from an opened file.
    fn of(input: Input) -> Self {
        let (text, monitor) = input.through(Movetext::new);
        let reader = Reader::build(text)
            .set_supported_tag_line_length(TOKEN_BYTES)
            .set_supported_comment_length(TOKEN_BYTES)
            .finish();
        Self { reader, monitor, visitor: GameVisitor::default(), finished: false }
    }

    /// The line that the parser has reached.
    fn line(&self) -> u64 {
        // The end of a line may be in the buffer before it was read, in front of a tag without a line of its own.
        (self.monitor.lines() + 1).saturating_sub(input::count_lines(self.reader.buffer())).max(1)
    }

    fn consumed(&self) -> u64 {
        self.monitor.progress().text_bytes - self.reader.buffer().len() as u64
    }

    fn bad_game(&self, start: Place, problem: Problem) -> BadRecord {
        BadRecord { start, line: self.line(), reason: problem.reason, detail: problem.detail }
    }

    /// An error of the parser: the file's end is broken, or one game is not PGN.
    fn parser_error(
        &mut self,
        start: Place,
        before: u64,
        error: &io::Error,
    ) -> Result<BadRecord, DatasetError> {
        if let Some(failure) = self.monitor.take_failure() {
            self.finished = true;
            return Err(failure);
        }
        // The parser continues after a syntax error; if it makes no progress, the file ends here, since it
        // would loop.
        self.finished = self.consumed() == before;
        Ok(self.bad_game(start, Problem::new(BadReason::BadSyntax, error.to_string())))
    }
}

impl Iterator for PgnSource {
    type Item = Result<Result<GameRecord, BadRecord>, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.finished {
            let before = self.consumed();
            // `has_more` skips the rest of a rejected game, so that the line is that of the next one.
            let more = self.reader.has_more();
            let start = Place { file: Arc::clone(self.monitor.path()), line: self.line() };
            match more {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => return Some(self.parser_error(start, before, &error).map(Err)),
            }
            match self.reader.read_game(&mut self.visitor) {
                Ok(Some(Ok(Some(UnplacedGame(mut record))))) => {
                    record.place = start;
                    return Some(Ok(Ok(record)));
                }
                // Comments between games are no game.
                Ok(Some(Ok(None))) => {}
                Ok(Some(Err(problem))) => return Some(Ok(Err(self.bad_game(start, problem)))),
                Ok(None) => break,
                Err(error) => return Some(self.parser_error(start, before, &error).map(Err)),
            }
        }
        self.finished = true;
        None
    }
}

/// The games of a file as records.
struct PgnRecords(PgnSource);

/// Reads games from an opened file.
pub(super) fn open(input: Input) -> Box<dyn Source> {
    Box::new(PgnRecords(PgnSource::of(input)))
}

/// True if a text begins like games: with a tag, a comment, a move or its number, a result.
pub(super) fn recognises(beginning: &str) -> bool {
    let mut lines =
        beginning.lines().filter(|line| !(line.trim().is_empty() || line.starts_with(['%', ';'])));
    let Some(line) = lines.next().map(str::trim_start) else { return true };
    let word = line.split([' ', '.', '\t']).next().unwrap_or_default();
    line.starts_with(['[', '*', '(', '$'])
        || (line.starts_with('{') && !line[1..].trim_start().starts_with('"'))
        || word::is_known(&word::plain(word.as_bytes()))
}

impl Iterator for PgnRecords {
    type Item = Result<Result<Record, BadRecord>, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.0.next()?.map(|game| game.map(Record::Game)))
    }
}

impl Source for PgnRecords {
    fn progress(&self) -> InputProgress {
        self.0.monitor.progress()
    }

    fn digest(&self) -> String {
        self.0.monitor.digest()
    }
}
