//! A pool of workers for tasks that do not depend on each other.

use std::{
    ops::ControlFlow,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, Sender, SyncSender, channel, sync_channel},
    },
};

use chess::StopSignal;

use crate::LabellingError;

type Result<T, E = LabellingError> = std::result::Result<T, E>;

/// Workers of one kind, each with a thread of its own.
pub(crate) struct WorkerPool<'a, W, T, P> {
    pub(crate) size: usize,
    /// Builds a worker: at the start, and after a failure.
    pub(crate) build: &'a (dyn Fn() -> Result<W> + Sync),
    /// Does a piece of work.
    pub(crate) attempt: &'a (dyn Fn(&mut W, &T) -> Result<P> + Sync),
    /// Ends the work. Also raised when it fails or is done, so that every worker stops.
    pub(crate) stop: &'a StopSignal,
    /// Counts workers that failed and were replaced.
    pub(crate) restarts: &'a AtomicU64,
}

/// A task and its product.
type Done<T, P> = Result<(T, P)>;

impl<W, T: Send, P: Send> WorkerPool<'_, W, T, P> {
    /// Processes the tasks, and passes each with its result to `take`, in order of completion. A worker that
    /// fails is replaced and its task retried; a second failure is an error. Ends after the last task, at the
    /// first error, when `take` breaks, or when it is stopped.
    pub(crate) fn work(
        &self,
        tasks: impl Iterator<Item = Result<T>> + Send,
        take: &mut dyn FnMut(T, P) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        // One task waits for each worker.
        let (to_workers, waiting) = sync_channel(self.size);
        // Unbounded: `take` may write files, and workers must not wait for that.
        let (done, results) = channel();
        // Who holds which end of the channels decides how the work ends. The workers end when the feeder has dropped its sender and the
        // queue is empty, the feeder when the last worker has dropped the receiver, and this thread when all of them have dropped
        // theirs of the results. One end that is held too long is a pool that waits for ever; hence the drops below.
        std::thread::scope(|scope| {
            let waiting = Arc::new(Mutex::new(waiting));
            for _ in 0..self.size {
                let (waiting, done) = (Arc::clone(&waiting), done.clone());
                scope.spawn(move || self.run(&waiting, &done));
            }
            // Only the workers hold the receiver, so that the feeder fails, not waits, when all have ended.
            drop(waiting);
            // Drops the last sender with the feeder: `results` ends when the feeder and all workers have
            // ended.
            scope.spawn(move || self.feed(tasks, &to_workers, &done));
            let mut end = None;
            for result in results {
                // Results that arrive after the end were begun before it.
                if end.is_none() {
                    end = match result.and_then(|(task, product)| take(task, product)) {
                        Ok(ControlFlow::Continue(())) => None,
                        Ok(ControlFlow::Break(())) => Some(Ok(())),
                        Err(error) => Some(Err(error)),
                    };
                    if end.is_some() {
                        self.stop.stop();
                    }
                }
            }
            end.unwrap_or(Ok(()))
        })
    }

    fn feed(
        &self,
        tasks: impl Iterator<Item = Result<T>>,
        to_workers: &SyncSender<T>,
        done: &Sender<Done<T, P>>,
    ) {
        for task in tasks {
            let sent = match task {
                Ok(task) => to_workers.send(task).is_ok(),
                Err(error) => {
                    // Without a receiver the work has ended already.
                    let _ = done.send(Err(error));
                    false
                }
            };
            if !sent || self.stop.is_stopped() {
                return;
            }
        }
    }

    fn run(&self, waiting: &Mutex<Receiver<T>>, done: &Sender<Done<T, P>>) {
        let mut worker = None;
        loop {
            // Only one waits for a task; the others wait for the lock, which has the same effect.
            let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(task) = next else { return };
            let product = self.product(&mut worker, &task);
            // A stopped product is worthless.
            if self.stop.is_stopped() {
                return;
            }
            let failed = product.is_err();
            let sent = done.send(product.map(|product| (task, product)));
            if failed || sent.is_err() {
                return;
            }
        }
    }

    fn product(&self, worker: &mut Option<W>, task: &T) -> Result<P> {
        match self.try_once(worker, task) {
            // A stop may end an attempt with an error, for example if an engine is killed: this is not a reason to start another.
            Err(_) if !self.stop.is_stopped() => {
                self.restarts.fetch_add(1, Ordering::Relaxed);
                *worker = None;
                self.try_once(worker, task).map_err(|error| LabellingError::FailedTwice(Box::new(error)))
            }
            first => first,
        }
    }

    fn try_once(&self, worker: &mut Option<W>, task: &T) -> Result<P> {
        let worker = match worker {
            Some(worker) => worker,
            None => worker.insert((self.build)()?),
        };
        (self.attempt)(worker, task)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(text: String) -> LabellingError {
        LabellingError::NoMove { fen: text }
    }

    /// A pool of three that doubles numbers; `attempt` may fail.
    fn double(
        tasks: impl Iterator<Item = Result<u32>> + Send,
        attempt: &(dyn Fn(&mut u32, &u32) -> Result<u32> + Sync),
        take: &mut dyn FnMut(u32, u32) -> Result<ControlFlow<()>>,
    ) -> (Result<()>, u64) {
        let (stop, restarts) = (StopSignal::default(), AtomicU64::new(0));
        let pool = WorkerPool { size: 3, build: &|| Ok(0), attempt, stop: &stop, restarts: &restarts };
        let end = pool.work(tasks, take);
        (end, restarts.into_inner())
    }

    #[test]
    fn every_task_is_done_once() {
        let mut found = Vec::new();
        let (end, restarts) = double((0..500).map(Ok), &|_, task| Ok(2 * task), &mut |task, product| {
            assert_eq!(product, 2 * task);
            found.push(task);
            Ok(ControlFlow::Continue(()))
        });
        end.unwrap();
        found.sort_unstable();
        assert_eq!(found, (0..500).collect::<Vec<_>>());
        assert_eq!(restarts, 0);
    }

    #[test]
    fn a_worker_that_fails_is_replaced_and_fails_the_work_only_twice_in_a_row() {
        // A worker counts its tasks and breaks down at its fifth.
        let tired = |done: &mut u32, task: &u32| {
            *done += 1;
            if *done < 5 { Ok(*task) } else { Err(failed(format!("tired at {task}"))) }
        };
        let mut count = 0;
        let (end, restarts) = double((0..100).map(Ok), &tired, &mut |_, _| {
            count += 1;
            Ok(ControlFlow::Continue(()))
        });
        end.unwrap();
        assert_eq!(count, 100);
        assert!(restarts > 10, "{restarts}");
        let (end, restarts) = double(
            (0..).map(Ok),
            &|_, task| if *task == 40 { Err(failed(format!("no {task}"))) } else { Ok(*task) },
            &mut |_, _| Ok(ControlFlow::Continue(())),
        );
        let error = end.unwrap_err().to_string();
        assert!(error.contains("failed twice") && error.contains("no 40"), "{error}");
        assert_eq!(restarts, 1);
    }

    #[test]
    fn endless_work_ends_when_enough_is_done_or_a_task_is_broken() {
        let mut taken = 0;
        let (end, _) = double((0..).map(Ok), &|_, task| Ok(*task), &mut |_, _| {
            taken += 1;
            Ok(if taken == 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        });
        end.unwrap();
        assert_eq!(taken, 10, "nothing is taken after the end");
        let tasks = (0..).map(|task| if task < 20 { Ok(task) } else { Err(failed("no more".into())) });
        let (end, _) = double(tasks, &|_, task| Ok(*task), &mut |_, _| Ok(ControlFlow::Continue(())));
        assert!(end.unwrap_err().to_string().contains("no more"));
        let (end, _) =
            double((0..).map(Ok), &|_, task| Ok(*task), &mut |_, _| Err(failed("disk full".into())));
        assert!(end.unwrap_err().to_string().contains("disk full"));
    }
}
