//! Labellers: a UCI engine in its own process, or a network in this process, with or without a search.

mod engine;
mod nnue;
mod policy;
mod search;

use chess::{Game, StopSignal};
use dataset::{Label, store::manifest};
use player::{PlayerSpecification, identity};

use crate::LabellingError;

/// Labels positions, one after another.
///
/// # Laws
/// 1. The name is not empty and does not change.
/// 2. The moves of a label are legal in its position.
/// 3. [`Labeller::label_all`] gives the labels that [`Labeller::label`] gives one after another.
/// 4. After [`Labeller::forget`] the labels are those of a new labeller.
/// 5. Once `stop` is signalled, no further position is begun, and `label_all` returns the labels that it has.
/// 6. Evaluations are from the view of the side to move: positive if it is ahead, whichever colour it has.
///
/// `labelling::laws` (feature `laws`) checks them; with a time limit the third and the fourth do not hold.
pub trait Labeller: Send {
    /// Its name with its version.
    fn name(&self) -> &str;

    /// Forgets all previous positions: the following labels are those of a new labeller.
    ///
    /// # Errors
    /// [`LabellingError`] if the engine has exited.
    fn forget(&mut self) -> Result<(), LabellingError>;

    /// The label of the current position of `game`, which has a legal move. `stop` ends the work early; the label is then
    /// worthless or missing.
    ///
    /// # Errors
    /// [`LabellingError`] without a usable answer, [`LabellingError::Stopped`] if `stop` came before one.
    fn label(&mut self, game: &Game, stop: &StopSignal) -> Result<Label, LabellingError>;

    /// The labels of several positions, in order; fewer if `stop` ended the work.
    ///
    /// # Errors
    /// As [`Labeller::label`], with the position.
    fn label_all(&mut self, games: &[Game], stop: &StopSignal) -> Result<Vec<Label>, LabellingError> {
        one_by_one(games, stop, &mut |game| self.label(game, stop))
    }
}

/// Labels positions with a labeller that takes one at a time.
fn one_by_one(
    games: &[Game],
    stop: &StopSignal,
    label: &mut dyn FnMut(&Game) -> Result<Label, LabellingError>,
) -> Result<Vec<Label>, LabellingError> {
    let mut labels = Vec::with_capacity(games.len());
    for game in games {
        labels.push(
            label(game)
                .map_err(|error| LabellingError::Position { fen: game.fen(), source: Box::new(error) })?,
        );
        if stop.is_stopped() {
            break;
        }
    }
    Ok(labels)
}

/// A kind of labeller. Its functions accept only requests for which `fits` returns true.
struct LabellerKind {
    fits: fn(&PlayerSpecification) -> bool,
    /// Refuses settings that give no labels, with the reason.
    check: fn(&LabelRequest<'_>) -> Result<(), String>,
    open: fn(&LabelRequest<'_>) -> Result<Labellers, LabellingError>,
}

/// Every kind, in the order in which they are tried.
const LABELLERS: &[LabellerKind] = &[nnue::KIND, policy::KIND, search::KIND, engine::KIND];

/// The player to label with, and the settings of its searches.
struct LabelRequest<'a> {
    player: &'a PlayerSpecification,
    /// MultiPV requested from a UCI engine.
    lines: Option<u16>,
    /// Positions written to a UCI engine before it has answered the first.
    ahead: u16,
}

type Make = Box<dyn Fn() -> Result<Box<dyn Labeller>, LabellingError> + Send + Sync>;

/// Builds labellers of one kind, one for each thread.
pub struct Labellers {
    make: Make,
    limits: String,
}

/// The option that makes engines report several lines.
const MULTI_PV: &str = "MultiPV";

/// The kind of search that evaluates the root only: its labels are the whole policy.
const POLICY: &str = ::search::POLICY.name;

impl Labellers {
    /// Labellers of this player; `lines` is the MultiPV requested from a UCI engine. A network is opened
    /// here; an engine is started with the first labeller, and receives up to `ahead` positions before its
    /// first answer.
    ///
    /// # Errors
    /// [`LabellingError::Unsuitable`] for players and settings without labels, [`LabellingError::Open`] if a network cannot be
    /// used.
    pub fn of(player: &PlayerSpecification, lines: Option<u16>, ahead: u16) -> Result<Self, LabellingError> {
        let request = LabelRequest { player, lines, ahead };
        let kind = request
            .check()
            .map_err(|problem| LabellingError::Unsuitable { player: player.to_string(), problem })?;
        (kind.open)(&request)
    }

    /// A new labeller.
    ///
    /// # Errors
    /// [`LabellingError::Process`] if an engine does not start.
    pub fn build(&self) -> Result<Box<dyn Labeller>, LabellingError> {
        (self.make)()
    }

    /// The entry for `labeller` in the manifest of a store.
    pub fn describe(&self, labeller: &dyn Labeller) -> manifest::Engine {
        manifest::Engine { name: labeller.name().into(), limits: self.limits.clone() }
    }
}

impl LabelRequest<'_> {
    /// The kind that fulfils the request, or the reason why none does.
    fn check(&self) -> Result<&'static LabellerKind, String> {
        if self.player.pace.clock.is_some() {
            return Err("tc is a clock for a game; positions need nodes, depth or movetime".into());
        }
        let mut options = self.player.options.iter();
        if self.lines.is_some() && options.any(|(name, _)| name.eq_ignore_ascii_case(MULTI_PV)) {
            return Err(format!("{MULTI_PV} is given twice, as an option and by --multipv"));
        }
        let Some(kind) = LABELLERS.iter().find(|kind| (kind.fits)(self.player)) else {
            return Err("it gives no evaluations; label with a UCI engine or a network".into());
        };
        (kind.check)(self)?;
        Ok(kind)
    }
}

/// Refuses requests that only UCI engines can fulfil, and options that a policy without search does not have.
fn check_network(request: &LabelRequest<'_>) -> Result<(), String> {
    let player = request.player;
    if request.ahead > 1 {
        return Err("--ahead is for UCI engines: a network has no pipe to wait for".into());
    }
    if request.lines.is_some() {
        let problem = "--multipv is for UCI engines: a search on a network gives the visits of all moves";
        return Err(problem.into());
    }
    if player.search.name == POLICY && !player.options.is_empty() {
        return Err(format!(
            "search={POLICY} labels with the whole policy, which options do not change: found {}, expected none",
            in_words(player)
        ));
    }
    Ok(())
}

/// Limits and options, such as `3000 nodes, MultiPV=4`.
fn in_words(player: &PlayerSpecification) -> String {
    let options = player.options.iter().map(|(name, value)| format!("{name}={value}"));
    std::iter::once(player.pace.to_string()).chain(options).collect::<Vec<_>>().join(", ")
}

/// Program, search and network; the network by the hash of its file, because names are reused.
fn name_of_network(player: &PlayerSpecification) -> String {
    let net = player.net().unwrap_or_default();
    let facts = identity(player);
    let [search, hash] = ["search", "network hash"].map(|wanted| {
        let fact = facts.iter().find(|(name, _)| name == wanted);
        fact.map(|(_, value)| format!(" {value}")).unwrap_or_default()
    });
    format!("Tabiya {}{search} {net}{hash}", env!("CARGO_PKG_VERSION"))
}
