//! The laws of [`Samples`], as a check that the tests of every implementation run.

use std::collections::HashSet;

use dataset::{Batch, LoaderState, Split};

use crate::{Samples, StreamRequest};

/// A key that no position has, except with a probability of one in 2^64.
const UNUSED_KEY: u64 = 0x5eed_0f4b_ad5a_3b1e;

/// Checks the laws of [`Samples`] on both splits and two epochs of each, in batches of this size. The training split must fill
/// three batches.
///
/// # Errors
/// A sentence that names the law, the request and the finding.
pub fn check(samples: &dyn Samples, batch_size: usize) -> Result<(), String> {
    for split in [Split::Train, Split::Validation] {
        for epoch in [0, 1] {
            let start = LoaderState { epoch, batch: 0 };
            let request = StreamRequest { split, batch_size, seed: 1, shuffle_window: 16, threads: 2, start };
            let whole = batches(samples, request)?;
            if split == Split::Train && whole.len() < 3 {
                return Err(format!("{request:?}: found {} batches, expected three or more", whole.len()));
            }
            if batches(samples, request)? != whole {
                return Err(format!("law 1: another stream of {request:?} gives other batches"));
            }
            for (batch, rest) in (0..=whole.len()).map(|batch| (batch as u64, &whole[batch..])) {
                let request = StreamRequest { start: LoaderState { epoch, batch }, ..request };
                if batches(samples, request)? != rest {
                    return Err(format!("law 2: {request:?} does not continue the stream from its start"));
                }
            }
            if split == Split::Train {
                check_trained(samples, &whole)?;
            }
        }
    }
    Ok(())
}

fn batches(samples: &dyn Samples, request: StreamRequest) -> Result<Vec<Batch>, String> {
    let most = samples.positions(request.split) as usize;
    let stream = samples.stream(request).map_err(|error| format!("{request:?}: {error}"))?;
    let mut batches = Vec::new();
    for batch in stream {
        batches.push(batch.map_err(|error| format!("{request:?}: {error}"))?);
        if batches.len() > most {
            return Err(format!("law 3: {request:?} gives more batches than there are samples, {most}"));
        }
    }
    Ok(batches)
}

/// Checks law 4 with all keys of these training batches except one.
fn check_trained(samples: &dyn Samples, training: &[Batch]) -> Result<(), String> {
    let expected: HashSet<u64> = training.iter().flat_map(|batch| &batch.keys).copied().skip(1).collect();
    let mut requested = expected.clone();
    requested.insert(UNUSED_KEY);
    let found = samples.trained(&requested).map_err(|error| format!("law 4: {error}"))?;
    if found != expected {
        let (missing, surplus) = (expected.difference(&found).count(), found.difference(&expected).count());
        return Err(format!("law 4: of {} keys {missing} are missing, {surplus} too many", expected.len()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use network::synthetic::tiny_spec;

    use super::*;
    use crate::{SampleStream, TrainingError, synthetic::Synthetic};

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Fault {
        OtherOrder,
        StartsOver,
        NeverEnds,
        Forgets,
        Invents,
    }

    struct Faulty {
        sound: Synthetic,
        fault: Fault,
        streams: AtomicU64,
    }

    impl Samples for Faulty {
        fn hash(&self) -> String {
            self.sound.hash()
        }

        fn positions(&self, split: Split) -> u64 {
            self.sound.positions(split)
        }

        fn trained(&self, keys: &HashSet<u64>) -> Result<HashSet<u64>, TrainingError> {
            match self.fault {
                Fault::Forgets => Ok(HashSet::new()),
                Fault::Invents => Ok(keys.clone()),
                _ => self.sound.trained(keys),
            }
        }

        fn stream(&self, mut request: StreamRequest) -> Result<SampleStream, TrainingError> {
            match self.fault {
                Fault::OtherOrder => request.seed += self.streams.fetch_add(1, Ordering::Relaxed),
                Fault::StartsOver => request.start.batch = 0,
                _ => {}
            }
            let mut stream = self.sound.stream(request)?;
            Ok(match stream.next() {
                Some(first) if self.fault == Fault::NeverEnds => Box::new(std::iter::repeat(first?).map(Ok)),
                _ => self.sound.stream(request)?,
            })
        }
    }

    fn sound() -> Synthetic {
        Synthetic::new(&tiny_spec(), 20, 7)
    }

    #[test]
    fn the_double_of_other_tests_obeys() {
        assert_eq!(check(&sound(), 6), Ok(()));
    }

    #[test]
    fn each_broken_law_is_named() {
        for (fault, law) in [
            (Fault::OtherOrder, "law 1"),
            (Fault::StartsOver, "law 2"),
            (Fault::NeverEnds, "law 3"),
            (Fault::Forgets, "law 4"),
            (Fault::Invents, "law 4"),
        ] {
            let faulty = Faulty { sound: sound(), fault, streams: AtomicU64::new(0) };
            let refused = check(&faulty, 6).unwrap_err();
            assert!(refused.starts_with(law), "{fault:?}: {refused}");
        }
    }

    #[test]
    fn too_few_samples_to_tell_are_refused() {
        let refused = check(&Synthetic::new(&tiny_spec(), 12, 7), 6).unwrap_err();
        assert!(refused.contains("found 2 batches, expected three or more"), "{refused}");
    }
}
