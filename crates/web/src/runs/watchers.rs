//! News of files: looked for once a second while somebody listens, and not at all otherwise.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use serde::Serialize;
use tokio::{runtime::Handle, sync::watch, task, time};

use super::folder;
use crate::live::Frame;

/// How often files are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The topics `runs` and `run/{name}`.
#[derive(Clone)]
pub(crate) struct Watchers {
    runs: PathBuf,
    runtime: Handle,
    topics: Arc<Mutex<HashMap<String, watch::Sender<Frame>>>>,
}

/// What changed; the page then asks for what it wants to know.
#[derive(Serialize)]
struct News {
    runs: Vec<folder::RunSummary>,
}

impl Watchers {
    pub(crate) fn new(runs: PathBuf, runtime: Handle) -> Self {
        Self { runs, runtime, topics: Arc::default() }
    }

    /// The states of all runs from now on.
    pub(crate) fn watch_runs(&self) -> watch::Receiver<Frame> {
        let mut topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = topics.get("runs") {
            return sender.subscribe();
        }
        let (sender, receiver) = watch::channel(Frame::empty());
        topics.insert("runs".into(), sender.clone());
        self.runtime.spawn(self.clone().look("runs".into(), sender));
        receiver
    }

    /// Looks until nobody listens any more.
    async fn look(self, topic: String, sender: watch::Sender<Frame>) {
        let mut interval = time::interval(LOOK_EVERY);
        loop {
            interval.tick().await;
            let runs = self.runs.clone();
            let Ok(found) = task::spawn_blocking(move || folder::list(&runs)).await else { continue };
            // Seconds of silence pass without being news.
            let runs = found.into_iter().map(|run| folder::RunSummary { silent_seconds: 0, ..run }).collect();
            let frame = Frame::new(&topic, &News { runs });
            sender.send_if_modified(|last| {
                let news = *last != frame;
                *last = frame;
                news
            });
            let mut topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
            if sender.receiver_count() == 0 {
                topics.remove(&topic);
                return;
            }
        }
    }
}
