//! Latency of requests.

use std::{collections::VecDeque, time::Duration};

/// Number of requests remembered, so that time is reserved for a slow one during the next eight moves. Chosen, not measured.
const REMEMBERED: usize = 8;

/// The times of the last moves' requests; the longest of them is the time that the next move is expected to lose.
#[derive(Clone, Debug, Default)]
pub(super) struct Latency {
    last: VecDeque<Duration>,
}

impl Latency {
    pub(super) fn add(&mut self, taken: Duration) {
        if self.last.len() == REMEMBERED {
            self.last.pop_front();
        }
        self.last.push_back(taken);
    }

    /// Time to reserve for the next request: the largest of the last ones; zero before the first request.
    pub(super) fn expected(&self) -> Duration {
        self.last.iter().max().copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_request_is_expected_again_until_enough_were_quick() {
        let mut latency = Latency::default();
        assert_eq!(latency.expected(), Duration::ZERO);
        latency.add(Duration::from_millis(900));
        for _ in 0..REMEMBERED - 1 {
            latency.add(Duration::from_millis(50));
            assert_eq!(latency.expected(), Duration::from_millis(900));
        }
        latency.add(Duration::from_millis(50));
        assert_eq!(latency.expected(), Duration::from_millis(50));
    }
}
