//! Files named by the GUI: networks, endgame tables, books.

use std::{
    io::{self, Write},
    path::Path,
    sync::Arc,
};

use chess::{PolyglotBook, Tablebases};

use super::UciSession;
use crate::{
    evaluators::open_evaluator, levels::levels, search_setup::BOOK_FILE, specification::PlayerSpecification,
};

impl<W: Write> UciSession<W> {
    /// Opens another network; one of a reproduced system then plays with its recipe's search. If that fails,
    /// the current network stays in use and the error is reported.
    pub(super) fn open_network(&mut self, net: &str) -> io::Result<()> {
        if net == self.evaluator.net {
            return Ok(());
        }
        self.end_running()?;
        let opened = open_evaluator(net, self.precision).and_then(|evaluator| Ok((evaluator, levels(net)?)));
        match opened {
            Ok((evaluator, strength)) => {
                (self.search, self.imitator, self.imitates) = (None, None, false);
                self.evaluator = evaluator;
                let player = PlayerSpecification::of_net(net, self.chosen);
                let options = self.settings.change_options(&self.player.options, &player.options);
                self.player = player;
                let ratings = self.settings.set_strength(strength);
                self.output.say_text(&self.described())?;
                options.or_else(|error| self.output.say_error(&error))?;
                ratings.map_or(Ok(()), |text| self.output.say_text(&text))
            }
            Err(error) => self.output.say_text(&format!("error: {error}; still {}", self.described())),
        }
    }

    /// Looks for endgame tables; problems are reported, and all usable tables are used.
    pub(super) fn open_tables(&mut self, folders: &str) -> io::Result<()> {
        self.end_running()?;
        let (tables, problems) = Tablebases::open(folders);
        problems
            .iter()
            .try_for_each(|problem| self.output.say_text(&format!("error: SyzygyPath: {problem}")))?;
        self.tables = (tables.files() > 0).then(|| Arc::new(tables));
        if let Some(tables) = &self.tables {
            let text = format!("{} Syzygy tables, up to {} pieces", tables.files(), tables.max_pieces());
            self.output.say_text(&text)?;
        }
        self.search = None;
        Ok(())
    }

    /// Reads a book. If that fails, the present one stays in use and the error is reported.
    pub(super) fn open_book(&mut self, file: &str) -> io::Result<()> {
        self.end_running()?;
        if file.is_empty() {
            (self.book, self.search) = (None, None);
            return Ok(());
        }
        match PolyglotBook::read(Path::new(file)) {
            Ok(book) => {
                let text = format!("book {file}: {} positions", book.positions());
                (self.book, self.search) = (Some(Arc::new(book)), None);
                self.output.say_text(&text)
            }
            Err(error) => self.output.say_text(&format!("error: {BOOK_FILE}: {error}")),
        }
    }
}
