//! The connections of browsers: accepted, given a limited time to send a request, and counted.

use std::{
    collections::BTreeMap,
    io::{self, ErrorKind},
    pin::pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{Router, extract::Request};
use hyper::{body::Incoming, server::conn::http1, service::Service as _};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{mpsc, watch},
    task::AbortHandle,
    time,
};

use crate::threads::locked;

/// Pause in accepting connections after the system refused one and no silent connection was left to close.
const PAUSE: Duration = Duration::from_millis(100);

/// Longest head of a request; a browser with every cookie it may keep sends less.
const LONGEST_HEAD: usize = 32 * 1024;

/// State that every connection needs.
#[derive(Clone)]
pub(crate) struct Connections {
    pub(crate) router: Router,
    /// Time that a client has to send the head of a request; after that its connection is closed.
    pub(crate) slowest: Duration,
    /// Turns true when the server ends.
    pub(crate) ending: watch::Receiver<bool>,
}

impl Connections {
    /// Answers requests until the server ends, then waits for those in progress.
    ///
    /// If the system runs out of file descriptors, connections that have not sent a request yet are closed to
    /// make room.
    pub(crate) async fn serve(mut self, listener: TcpListener) {
        let silent = SilentConnections::default();
        let (open, mut closed) = mpsc::channel::<()>(1);
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = self.ending.wait_for(|ending| *ending) => break,
            };
            match accepted {
                // Registered under the lock before the task can finish: a task that removed itself first would stay in the list for good,
                // and half of the list is what is closed when descriptors run out.
                Ok((stream, _)) => silent.register(|id| {
                    let (leaving, open) = (silent.clone(), open.clone());
                    let answering = self.clone().answer(stream, id, silent.clone());
                    let task = tokio::spawn(async move {
                        answering.await;
                        leaving.remove(id);
                        drop(open);
                    });
                    task.abort_handle()
                }),
                Err(error) if is_clients(&error) => {}
                // Out of descriptors, most likely. Whoever opens connections without a request must not keep out pages that send one.
                // Half of them, because one would be taken again at once, and all would hit those that are just about to send.
                Err(_) if silent.close_half() > 0 => {}
                Err(_) => time::sleep(PAUSE).await,
            }
        }
        drop(open);
        // Nothing is ever sent: this ends when the last connection has.
        let _: Option<()> = closed.recv().await;
    }

    async fn answer(mut self, stream: TcpStream, id: u64, silent: SilentConnections) {
        let service = TowerToHyperService::new(self.router);
        let service = hyper::service::service_fn(move |request: Request<Incoming>| {
            silent.remove(id);
            service.call(request)
        });
        let mut connection = pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(self.slowest)
                .max_buf_size(LONGEST_HEAD)
                .serve_connection(TokioIo::new(stream), service)
                .with_upgrades()
        );
        // An error is the client's: it left, was too slow or broke the protocol.
        tokio::select! {
            _ = connection.as_mut() => return,
            _ = self.ending.wait_for(|ending| *ending) => {}
        }
        connection.as_mut().graceful_shutdown();
        let _ = connection.await;
    }
}

/// True if an error of `accept` is about one closed connection, not about this process.
fn is_clients(error: &io::Error) -> bool {
    use ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

/// The connections that have not sent a request yet, the oldest first.
#[derive(Clone, Default)]
struct SilentConnections(Arc<Mutex<Silent>>);

#[derive(Default)]
struct Silent {
    next: u64,
    tasks: BTreeMap<u64, AbortHandle>,
}

impl SilentConnections {
    /// Registers the task that `spawn` starts, before that task can remove itself.
    fn register(&self, spawn: impl FnOnce(u64) -> AbortHandle) {
        let mut silent = locked(&self.0);
        silent.next += 1;
        let id = silent.next;
        let task = spawn(id);
        silent.tasks.insert(id, task);
    }

    fn remove(&self, id: u64) {
        locked(&self.0).tasks.remove(&id);
    }

    /// Closes the older half of them. Returns how many that were.
    fn close_half(&self) -> usize {
        let mut silent = locked(&self.0);
        let half = silent.tasks.len().div_ceil(2);
        for _ in 0..half {
            if let Some((_, task)) = silent.tasks.pop_first() {
                task.abort();
            }
        }
        half
    }
}
