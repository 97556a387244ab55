//! Running a search for a caller that must get an answer: a game, a GUI, a page.

use std::{
    any::Any,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
};

use super::{Decision, Limits, Search, SearchError, SearchInfo, StopSignal};
use crate::Game;

/// A panic that was caught.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("panicked: {message}")]
#[allow(missing_docs, reason = "the message says what the fields hold")]
pub struct Panicked {
    pub message: String,
}

impl Panicked {
    /// The panic with the payload that [`catch_unwind`] or a joined thread gives.
    pub fn new(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        Self { message: text.unwrap_or_else(|| "no message".into()) }
    }
}

/// Calls `act` and turns a panic in it into an error. After an error, values that `act` was modifying must not be used
/// again.
///
/// # Errors
/// [`Panicked`] with the panic's message.
pub fn guarded<T>(act: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(act)).map_err(|payload| Panicked::new(payload.as_ref()))
}

/// The end of a search.
pub struct Thought {
    /// The search with its tree and caches, for the next position; `None` if it panicked or could not be created.
    pub search: Option<Box<dyn Search>>,
    /// The move to play; [`SearchError::Panicked`] after a defect of the search.
    pub result: Result<Decision, SearchError>,
}

/// Searches one position, on the calling thread or on one of its own, and survives a defect of the search: a panic ends in
/// [`SearchError::Panicked`], so that a waiting caller gets an answer.
///
/// # Examples
/// ```
/// use chess::{Decision, Game, Limits, Search, SearchError, SearchInfo, StopSignal, Thinker};
///
/// struct Broken;
///
/// impl Search for Broken {
///     fn describe(&self) -> String {
///         "broken".into()
///     }
///
///     fn run(
///         &mut self,
///         _game: &Game,
///         _limits: &Limits,
///         _stop: &StopSignal,
///         _report: &mut dyn FnMut(&SearchInfo),
///     ) -> Result<Decision, SearchError> {
///         panic!("no tree")
///     }
/// }
///
/// let thinker = Thinker { game: Game::default(), limits: Limits::default(), stop: StopSignal::default() };
/// let thought = thinker.think(|| Ok(Box::new(Broken)), &mut |_| ());
/// assert_eq!(thought.result.unwrap_err().to_string(), "the search panicked: no tree");
/// assert!(thought.search.is_none());
/// ```
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Thinker {
    pub game: Game,
    pub limits: Limits,
    pub stop: StopSignal,
}

impl Thinker {
    /// Searches on the calling thread with a search that the caller keeps and must drop after [`SearchError::Panicked`].
    ///
    /// # Errors
    /// [`SearchError`].
    pub fn ask(
        &self,
        search: &mut dyn Search,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        guarded(|| search.run(&self.game, &self.limits, &self.stop, report))?
    }

    /// Searches on the calling thread with the search that `open` creates or hands over.
    pub fn think(
        &self,
        open: impl FnOnce() -> Result<Box<dyn Search>, SearchError>,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Thought {
        type Searched = (Box<dyn Search>, Result<Decision, SearchError>);
        let searched = guarded(|| -> Result<Searched, SearchError> {
            let mut search = open()?;
            let result = self.ask(search.as_mut(), report);
            Ok((search, result))
        });
        match searched {
            Ok(Ok((search, result))) => {
                let broken = matches!(result, Err(SearchError::Panicked(_)));
                Thought { search: Some(search).filter(|_| !broken), result }
            }
            Ok(Err(error)) => Thought { search: None, result: Err(error) },
            Err(panicked) => Thought { search: None, result: Err(panicked.into()) },
        }
    }

    /// Searches on a thread of this name, which calls `report` while it searches and `end` exactly once, even after a
    /// panic. Loading a network may take seconds, so `open` is called on that thread too.
    ///
    /// # Errors
    /// If the operating system refuses a thread; then nothing is called.
    pub fn spawn(
        self,
        name: &str,
        open: impl FnOnce() -> Result<Box<dyn Search>, SearchError> + Send + 'static,
        mut report: impl FnMut(&SearchInfo) + Send + 'static,
        end: impl FnOnce(Thought) + Send + 'static,
    ) -> io::Result<()> {
        let builder = thread::Builder::new().name(name.into());
        builder.spawn(move || end(self.think(open, &mut report))).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;
    use crate::RootMove;

    /// Plays the first legal move, and panics in every run from `panics_from` on.
    struct Counting {
        runs: u32,
        panics_from: u32,
    }

    impl Search for Counting {
        fn describe(&self) -> String {
            "counting".into()
        }

        fn new_game(&mut self) {
            self.runs = 0;
        }

        fn run(
            &mut self,
            game: &Game,
            _limits: &Limits,
            _stop: &StopSignal,
            report: &mut dyn FnMut(&SearchInfo),
        ) -> Result<Decision, SearchError> {
            self.runs += 1;
            assert!(self.runs < self.panics_from, "run {}", self.runs);
            let Some(&best) = game.legal_moves().first() else {
                return Err(SearchError::NoLegalMove { fen: game.fen() });
            };
            let info =
                SearchInfo { root_moves: vec![RootMove::unvisited(best, 1.0)], ..SearchInfo::default() };
            report(&info);
            Ok(Decision { best, ponder: None, info })
        }
    }

    fn thinker(fen: &str) -> Thinker {
        let game = Game::from_fen(fen, crate::CastlingMode::Standard).unwrap();
        Thinker { game, limits: Limits::default(), stop: StopSignal::default() }
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const MATED: &str = "R5k1/5ppp/8/8/8/8/8/7K b - - 0 1";

    /// The end of a search on a thread, with the number of its reports.
    fn spawned(fen: &str, search: Box<dyn Search>) -> (usize, Thought) {
        let (sender, ends) = channel();
        let (reports, heard) = channel();
        let report = move |_: &SearchInfo| reports.send(()).unwrap();
        let end = move |thought| sender.send(thought).unwrap();
        thinker(fen).spawn("test", || Ok(search), report, end).unwrap();
        let thought = ends.recv().unwrap();
        (heard.iter().count(), thought)
    }

    #[test]
    fn a_search_comes_back_for_the_next_position() {
        let (reports, thought) = spawned(START, Box::new(Counting { runs: 0, panics_from: 3 }));
        assert!(reports == 1 && thought.result.is_ok());
        let (reports, thought) = spawned(START, thought.search.unwrap());
        assert!(reports == 1 && thought.result.is_ok());
        let (reports, thought) = spawned(START, thought.search.unwrap());
        assert_eq!(
            (reports, thought.result.unwrap_err().to_string().as_str()),
            (0, "the search panicked: run 3")
        );
        assert!(thought.search.is_none(), "what panicked is not used again");
    }

    #[test]
    fn an_error_of_the_search_is_not_its_end() {
        let (_, thought) = spawned(MATED, Box::new(Counting { runs: 0, panics_from: 9 }));
        assert!(matches!(thought.result, Err(SearchError::NoLegalMove { .. })));
        assert!(thought.search.is_some());
    }

    #[test]
    fn a_search_that_cannot_be_made_is_an_error_and_so_is_a_panic_while_it_is_made() {
        let thought = thinker(START).think(|| Err(SearchError::Open("no such network".into())), &mut |_| ());
        assert_eq!(thought.result.unwrap_err().to_string(), "no such network");
        let thought = thinker(START).think(|| panic!("{} bytes", 3), &mut |_| ());
        assert_eq!(thought.result.unwrap_err().to_string(), "the search panicked: 3 bytes");
        assert!(thought.search.is_none());
    }

    #[test]
    fn panics_of_any_kind_have_a_message() {
        assert_eq!(guarded(|| 7), Ok(7));
        let odd = guarded(|| std::panic::panic_any(7_u8));
        assert_eq!(odd.unwrap_err().to_string(), "panicked: no message");
    }
}
