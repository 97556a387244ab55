//! The state of a running search, and its updates for pages: the state on every change, the tree once a second.

use std::time::{Duration, Instant};

use chess::{SearchTrace, TracedBranch};
use serde::Serialize;
use tokio::sync::watch;

use crate::frame::Frame;

/// Stage of an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stage {
    /// All threads for searches are taken; the search begins when one is free.
    Waiting,
    Running,
    /// The budget is spent.
    Spent,
    /// Nothing remains to be found.
    Proven,
    /// It was stopped by a request.
    Stopped,
    /// The game is over in this position.
    Over,
    /// It cannot search; the message gives the reason.
    Failed,
}

/// The newest state of an analysis.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AnalysisView {
    /// The number the page gave the position; a state with another number belongs to an older one.
    pub(super) key: u64,
    pub(super) stage: Stage,
    /// The network's id.
    pub(super) network: String,
    /// Display name of the network.
    pub(super) engine: String,
    /// Visits of the root at which it stops.
    pub(super) budget: Option<u64>,
    /// Visits of the root, including those kept from earlier positions.
    pub(super) visits: u64,
    /// Visits kept from earlier positions.
    pub(super) kept: u64,
    pub(super) trace: Option<SearchTrace>,
    /// The most visited nodes of the tree, published under a separate topic.
    #[serde(skip)]
    pub(super) branches: Vec<TracedBranch>,
    pub(super) message: Option<String>,
}

/// Shortest interval between two trees while the search runs.
const TREE_EVERY: Duration = Duration::from_secs(1);

/// Publishes the states of an analysis.
pub(super) struct Publisher {
    topic: String,
    tree_topic: String,
    frames: watch::Sender<Frame>,
    trees: watch::Sender<Frame>,
    tree_published: Option<Instant>,
}

/// The most visited nodes of the tree.
#[derive(Serialize)]
struct TreeView<'a> {
    /// The number the page gave the position.
    key: u64,
    visits: u64,
    /// The nodes, parents before their children.
    branches: &'a [TracedBranch],
}

impl Publisher {
    pub(super) fn new(name: &str, frames: watch::Sender<Frame>, trees: watch::Sender<Frame>) -> Self {
        Self {
            topic: format!("search/{name}"),
            tree_topic: format!("tree/{name}"),
            frames,
            trees,
            tree_published: None,
        }
    }

    /// Publishes a state, and its tree if the last one is old.
    pub(super) fn publish(&mut self, view: &AnalysisView) {
        if self.tree_published.is_none_or(|last| last.elapsed() >= TREE_EVERY) {
            self.publish_with_tree(view);
        } else {
            self.frames.send_replace(Frame::new(&self.topic, view));
        }
    }

    /// Publishes a state with its tree: a first or last state, which is not followed by another soon.
    pub(super) fn publish_with_tree(&mut self, view: &AnalysisView) {
        self.frames.send_replace(Frame::new(&self.topic, view));
        self.tree_published = Some(Instant::now());
        let tree = TreeView { key: view.key, visits: view.visits, branches: &view.branches };
        self.trees.send_replace(Frame::new(&self.tree_topic, &tree));
    }
}
