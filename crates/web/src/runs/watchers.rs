//! Topics about files that other programs write: polled once a second while a page is subscribed.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde::Serialize;
use tokio::{runtime::Handle, sync::watch, task, time};

use crate::{error::ApiError, frame::Frame, threads::locked};

/// Interval at which a watcher polls the folder.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Topics whose states are polled; each has one poll for all subscribers.
#[derive(Clone)]
pub(crate) struct Watchers {
    runtime: Handle,
    topics: Arc<Mutex<HashMap<&'static str, watch::Sender<Frame>>>>,
}

impl Watchers {
    pub(crate) fn new(runtime: Handle) -> Self {
        Self { runtime, topics: Arc::default() }
    }

    /// The states of a topic from now on; `look` returns the current one and may read the disk.
    pub(crate) fn watch<T: Serialize + Send + 'static>(
        &self,
        topic: &'static str,
        look: impl Fn() -> Result<T, ApiError> + Send + Sync + 'static,
    ) -> watch::Receiver<Frame> {
        let mut topics = locked(&self.topics);
        if let Some(sender) = topics.get(topic) {
            return sender.subscribe();
        }
        let (sender, receiver) = watch::channel(Frame::empty());
        topics.insert(topic, sender.clone());
        self.runtime.spawn(self.clone().poll(topic, sender, Arc::new(look)));
        receiver
    }

    /// Polls until the last subscriber has left.
    async fn poll<T: Serialize + Send + 'static>(
        self,
        topic: &'static str,
        sender: watch::Sender<Frame>,
        look: Arc<dyn Fn() -> Result<T, ApiError> + Send + Sync>,
    ) {
        let mut interval = time::interval(LOOK_EVERY);
        loop {
            interval.tick().await;
            let look = Arc::clone(&look);
            let looked = task::spawn_blocking(move || Frame::of(topic, &look())).await;
            // `look` panicked: sends an error, so that pages do not show an old state as current.
            let frame = looked.unwrap_or_else(|_| {
                let failed = ApiError::failed(format!("looking for {topic} failed: the program has a bug"));
                Frame::of::<T>(topic, &Err(failed))
            });
            sender.send_if_modified(|last| {
                let news = *last != frame;
                *last = frame;
                news
            });
            // Counted under the lock that a new subscriber takes: one that arrives now either is counted here or finds no topic and
            // starts another poll. Without the lock it could subscribe to a sender that is never used again.
            let mut topics = locked(&self.topics);
            if sender.receiver_count() == 0 {
                topics.remove(topic);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::runtime::Builder;

    use super::*;

    #[test]
    fn pages_are_told_of_a_look_that_panics() {
        let runtime = Builder::new_multi_thread().enable_time().build().unwrap();
        let watchers = Watchers::new(runtime.handle().clone());
        let mut frames = watchers.watch("results", || -> Result<u64, ApiError> { panic!("a bug") });
        runtime.block_on(frames.changed()).unwrap();
        let message = frames.borrow().message().unwrap().into_text().unwrap();
        assert!(message.contains("looking for results failed"), "{message}");
    }
}
