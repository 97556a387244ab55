//! The threads of a loader.
//!
//! ```text
//! read_windows --windows (0)--> cut_batches --jobs (prefetch)--> encode_jobs x threads --batches (prefetch)--> next()
//! one thread                    one thread                        any order                                      in order
//! ```
//!
//! Every channel is bounded, so a slow consumer stops the reader. Batches are numbered where they are cut; encoders may finish in
//! any order, and `next` restores it. `early` holds what other encoders finish while an earlier number is still being encoded. A
//! batch is cut with a permit that `next` gives back, so that one slow encoder cannot let `early` grow without bound.
//!
//! Errors travel the same way, in place of the batch in which they occur: the batches before them are handed out first, however
//! far the reader was ahead.

use std::{
    collections::BTreeMap,
    ops::Range,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender, SyncSender, channel, sync_channel},
    },
    thread::JoinHandle,
};

use super::{
    Encoding, LoaderConfig, Targets,
    encoder::Encoder,
    order::EpochOrder,
    stream::{MadeSample, PositionLabeller, Streaming},
};
use crate::{
    Batch, DatasetError,
    sample::{Sample, SampleError},
    store::SplitFiles,
};

/// Samples that a pipeline reads, with their order and encoding.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) files: SplitFiles,
    pub(super) order: EpochOrder,
    pub(super) config: LoaderConfig,
    pub(super) encoding: Encoding,
    pub(super) targets: Targets,
    pub(super) streaming: Option<Streaming>,
}

/// Samples in memory with the order in which they are used.
struct ShuffleWindow {
    samples: Vec<Sample>,
    order: Vec<u32>,
    /// Where the samples come from, for messages.
    origins: Vec<GroupOrigin>,
}

/// A row group in a window.
struct GroupOrigin {
    first_sample: usize,
    path: PathBuf,
    row_group: usize,
}

/// A slice of a window's order. One batch is cut from one or more of them.
struct Slice {
    window: Arc<ShuffleWindow>,
    range: Range<usize>,
}

/// A sample of a batch: a stored one, or one that was made from it.
struct Chosen<'a> {
    window: &'a ShuffleWindow,
    index: usize,
    /// In a box: without a stream, batches are sorted and encoded as references.
    made: Option<Box<MadeSample>>,
}

type Numbered<T> = (u64, Result<T, DatasetError>);

/// Running threads; dropping it ends them.
pub(super) struct Pipeline {
    output: Option<Receiver<Numbered<Batch>>>,
    /// Gives back the permit of a batch that was handed out.
    permits: Option<Sender<()>>,
    early: BTreeMap<u64, Result<Batch, DatasetError>>,
    next: u64,
    stopped: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Pipeline {
    /// Starts the threads for a range of the epoch's batches.
    pub(super) fn start(source: &Source, batches: Range<u64>) -> Self {
        let config = &source.config;
        let stopped = Arc::new(AtomicBool::new(false));
        // A channel without room: the reader hands a window over and only then reads the next one, so that three windows are in memory at
        // most, the one being read, the one being cut and the last one in the batches that are being encoded.
        let (window_sender, windows) = sync_channel(0);
        let (job_sender, jobs) = sync_channel(config.prefetch);
        let (batch_sender, output) = sync_channel(config.prefetch);
        let (permit_sender, permits) = channel();
        for _ in 0..2 * config.prefetch + config.threads {
            let _ = permit_sender.send(());
        }
        let jobs = Arc::new(Mutex::new(jobs));
        let next = batches.start;
        let mut threads = Vec::with_capacity(config.threads + 2);
        threads.push(std::thread::spawn({
            let (source, stopped) = (source.clone(), Arc::clone(&stopped));
            let first = next * config.batch_size as u64;
            move || read_windows(&source, first, &window_sender, &stopped)
        }));
        threads.push(std::thread::spawn({
            let source = source.clone();
            move || cut_batches(&source, batches, &windows, &permits, &job_sender)
        }));
        for _ in 0..config.threads {
            let (source, jobs, batch_sender) = (source.clone(), Arc::clone(&jobs), batch_sender.clone());
            threads.push(std::thread::spawn(move || encode_jobs(&source, &jobs, &batch_sender)));
        }
        Self {
            output: Some(output),
            permits: Some(permit_sender),
            early: BTreeMap::new(),
            next,
            stopped,
            threads,
        }
    }

    /// The next batch; later batches that other threads finish first have to wait.
    pub(super) fn next(&mut self) -> Result<Batch, DatasetError> {
        loop {
            if let Some(batch) = self.early.remove(&self.next) {
                self.next += 1;
                if let Some(permits) = &self.permits {
                    // After the last batch nobody waits for a permit.
                    let _ = permits.send(());
                }
                return batch;
            }
            let received = self.output.as_ref().and_then(|output| output.recv().ok());
            let (number, batch) = received.ok_or(DatasetError::LoaderThread)?;
            self.early.insert(number, batch);
        }
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        // Joined, so that no thread of an old pipeline reads the store while the next one starts.
        // Closing the last channel makes every thread's next send fail, from the encoders back to the reader.
        self.stopped.store(true, Ordering::Relaxed);
        self.output = None;
        self.permits = None;
        for thread in self.threads.drain(..) {
            // A thread that panicked has already been reported as `LoaderThread`.
            let _ = thread.join();
        }
    }
}

/// Sends the windows, starting with the one that holds sample `first`; an error is the last thing sent.
fn read_windows(
    source: &Source,
    first: u64,
    windows: &SyncSender<Result<ShuffleWindow, DatasetError>>,
    stopped: &AtomicBool,
) {
    let (first_window, _) = source.order.locate(first);
    for number in first_window..source.order.windows() {
        let Some(window) = read_window(source, number, stopped).transpose() else { return };
        let failed = window.is_err();
        if windows.send(window).is_err() || failed {
            return;
        }
    }
}

/// `None` when the loader was stopped in between.
fn read_window(
    source: &Source,
    number: usize,
    stopped: &AtomicBool,
) -> Result<Option<ShuffleWindow>, DatasetError> {
    let order = source.order.permutation(number);
    let mut samples = Vec::with_capacity(order.len());
    let mut origins = Vec::new();
    for group in source.order.groups(number) {
        if stopped.load(Ordering::Relaxed) {
            return Ok(None);
        }
        origins.push(GroupOrigin {
            first_sample: samples.len(),
            path: source.files.path(group),
            row_group: group.index,
        });
        samples.append(&mut source.files.read(group)?);
    }
    Ok(Some(ShuffleWindow { samples, order, origins }))
}

/// Cuts the stream of samples into batches, which may cross the border between two windows.
fn cut_batches(
    source: &Source,
    batches: Range<u64>,
    windows: &Receiver<Result<ShuffleWindow, DatasetError>>,
    permits: &Receiver<()>,
    jobs: &SyncSender<Numbered<Vec<Slice>>>,
) {
    let size = source.config.batch_size;
    let (_, mut used) = source.order.locate(batches.start * size as u64);
    let mut window: Option<Arc<ShuffleWindow>> = None;
    for batch in batches {
        if permits.recv().is_err() {
            return;
        }
        let mut slices = Vec::with_capacity(1);
        let mut missing = size;
        while missing > 0 {
            let Some(current) = window.as_ref().filter(|window| used < window.order.len()) else {
                match windows.recv() {
                    Ok(Ok(next)) => {
                        // At the start `used` is the place to continue from; later it is the end of the last window.
                        used = if window.is_some() { 0 } else { used };
                        window = Some(Arc::new(next));
                        continue;
                    }
                    Ok(Err(error)) => {
                        let _ = jobs.send((batch, Err(error)));
                        return;
                    }
                    // The last batch of a validation split is short.
                    Err(_) => break,
                }
            };
            let end = current.order.len().min(used + missing);
            missing -= end - used;
            slices.push(Slice { window: Arc::clone(current), range: used..end });
            used = end;
        }
        if jobs.send((batch, Ok(slices))).is_err() {
            return;
        }
    }
}

fn encode_jobs(
    source: &Source,
    jobs: &Mutex<Receiver<Numbered<Vec<Slice>>>>,
    batches: &SyncSender<Numbered<Batch>>,
) {
    let mut labeller = source.streaming.as_ref().map(|streaming| (streaming.labeller)());
    loop {
        // The lock is held only while waiting; one encoder waits, the others wait for the lock. It is released before encoding, because
        // it is a temporary of this statement alone.
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((batch, slices)) = job else { return };
        let encoded = slices.and_then(|slices| encode(source, batch, &slices, labeller.as_mut()));
        if batches.send((batch, encoded)).is_err() {
            return;
        }
    }
}

/// Encodes the batch with this number in the epoch.
fn encode(
    source: &Source,
    batch: u64,
    slices: &[Slice],
    labeller: Option<&mut PositionLabeller>,
) -> Result<Batch, DatasetError> {
    let size = slices.iter().map(|slice| slice.range.len()).sum();
    let mut samples: Vec<Chosen<'_>> = Vec::with_capacity(size);
    for Slice { window, range } in slices {
        for &index in &window.order[range.clone()] {
            samples.push(Chosen { window, index: index as usize, made: None });
        }
    }
    if let Some(streaming) = &source.streaming {
        let first = batch * source.config.batch_size as u64;
        for (place, chosen) in (first..).zip(&mut samples) {
            let made = streaming.made(chosen.stored(), source.order.seed(), place);
            chosen.made = made.map_err(|error| chosen.bad_row(&error))?.map(Box::new);
        }
    }
    // Before labelling: similar positions read the same rows of a labelling network too.
    if source.targets.is_sorted {
        samples.sort_by_cached_key(|chosen| chosen.sample().position.neighbourhood());
    }
    if let Some(label) = labeller {
        for made in samples.iter_mut().filter_map(|chosen| chosen.made.as_mut()) {
            made.sample.evaluation = Some(label(&made.position));
        }
    }
    let mut encoder = Encoder::new(&source.encoding, source.targets, samples.len());
    for chosen in samples {
        encoder.push(chosen.sample()).map_err(|error| chosen.bad_row(&error))?;
    }
    Ok(encoder.finish())
}

impl<'a> Chosen<'a> {
    fn stored(&self) -> &'a Sample {
        &self.window.samples[self.index]
    }

    fn sample(&self) -> &Sample {
        self.made.as_ref().map_or(self.stored(), |made| &made.sample)
    }

    fn bad_row(&self, error: &SampleError) -> DatasetError {
        self.window.bad_row(self.index, &error.to_string())
    }
}

impl ShuffleWindow {
    fn bad_row(&self, index: usize, reason: &str) -> DatasetError {
        let group = self.origins.partition_point(|origin| origin.first_sample <= index) - 1;
        let origin = &self.origins[group];
        DatasetError::BadRow {
            path: origin.path.clone(),
            row_group: origin.row_group,
            row: index - origin.first_sample,
            reason: reason.into(),
        }
    }
}
