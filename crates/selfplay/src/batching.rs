//! Evaluates the positions of many games together.
//!
//! # Why nothing hangs
//!
//! A batch is due when as many questions wait as there are players ([`BatchingEvaluator::join`]). Both numbers are under one
//! lock, and both events that can make them equal look: a question that is added, and a player that leaves. Whoever makes the
//! batch due takes all questions out of the queue and evaluates them without the lock. In the meantime players may ask or leave;
//! those whose questions were taken count as players that have not asked, so no second batch is due before they have been
//! answered and ask again, or leave.
//!
//! A player that neither asks nor leaves stops all others: what takes long apart from the search (writing a game) belongs outside
//! of [`Playing`]. An answer is stored before its condition is signalled and read in a loop, so neither early nor spurious
//! wake-ups matter.

use std::{
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use chess::{Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Game, Heads, Move, guarded};

/// An evaluator shared by games that each have their own thread: their questions are collected until every running game is waiting,
/// and then evaluated in one batch by the thread that added the last question.
///
/// The batch is therefore as wide as there are games, and nothing waits for a timer. The answers do not depend on the other
/// positions in a batch (law 3 of [`Evaluator`]), so they are those of the inner evaluator. A thread calls
/// [`BatchingEvaluator::join`] to say that it plays.
pub struct BatchingEvaluator {
    inner: Arc<dyn Evaluator>,
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    players: usize,
    waiting: Vec<Arc<Question>>,
    counts: BatchCounts,
}

/// Counters of a shared evaluator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct BatchCounts {
    pub batches: u64,
    /// Positions in all batches.
    pub positions: u64,
}

/// Positions of one thread, and their evaluations once there are some.
struct Question {
    positions: Vec<(Game, Vec<Move>)>,
    answer: Mutex<Option<Result<Vec<Evaluation>, EvaluatorError>>>,
    answered: Condvar,
}

/// The time in which a thread plays: batches wait for its question.
pub struct Playing<'a>(&'a BatchingEvaluator);

impl BatchingEvaluator {
    /// Collects batches for this evaluator.
    pub fn new(inner: Arc<dyn Evaluator>) -> Self {
        Self { inner, queue: Mutex::default() }
    }

    /// Batches wait for this thread's question until the returned value is dropped.
    pub fn join(&self) -> Playing<'_> {
        self.lock().players += 1;
        Playing(self)
    }

    /// Batches and positions so far.
    pub fn counts(&self) -> BatchCounts {
        self.lock().counts
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The questions, if every player has one.
    fn complete(mut queue: MutexGuard<'_, Queue>) -> Vec<Arc<Question>> {
        // Each thread has at most one question, so as many questions as players means that none is still searching.
        if queue.waiting.len() < queue.players || queue.waiting.is_empty() {
            return Vec::new();
        }
        let batch = mem::take(&mut queue.waiting);
        queue.counts.batches += 1;
        queue.counts.positions += batch.iter().map(|question| question.positions.len() as u64).sum::<u64>();
        batch
    }

    fn answer(&self, questions: &[Arc<Question>]) {
        if questions.is_empty() {
            return;
        }
        let requests: Vec<EvaluationRequest<'_>> = questions
            .iter()
            .flat_map(|question| &question.positions)
            .map(|(game, legal_moves)| EvaluationRequest { game, legal_moves })
            .collect();
        // A panic here would leave the other games waiting for ever.
        let answers = guarded(|| self.inner.evaluate(&requests)).unwrap_or_else(|panic| {
            let reason = panic.to_string();
            Err(EvaluatorError { evaluator: self.inner.describe(), batch: requests.len(), reason })
        });
        // The answers are in the order of the requests, so each question takes as many from the front as it has positions.
        let mut answers = answers.map(Vec::into_iter);
        for question in questions {
            let own = match &mut answers {
                Ok(answers) => Ok(answers.take(question.positions.len()).collect()),
                // Field by field, because the error is not `Clone`, and each game needs its own.
                Err(EvaluatorError { evaluator, batch, reason }) => Err(EvaluatorError {
                    evaluator: evaluator.clone(),
                    batch: *batch,
                    reason: reason.clone(),
                }),
            };
            *question.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(own);
            question.answered.notify_one();
        }
    }
}

impl Drop for Playing<'_> {
    fn drop(&mut self) {
        let mut queue = self.0.lock();
        queue.players -= 1;
        // The others may all be waiting for this thread's question, which will not come.
        let batch = BatchingEvaluator::complete(queue);
        self.0.answer(&batch);
    }
}

impl Evaluator for BatchingEvaluator {
    fn describe(&self) -> String {
        self.inner.describe()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        if batch.is_empty() {
            return Ok(Vec::new());
        }
        let history = self.inner.history();
        let positions =
            // Only the part of a long game that the network reads: otherwise the whole game is copied for every question.
            batch.iter().map(|request| (request.game.tail(history), request.legal_moves.to_vec())).collect();
        let question = Arc::new(Question { positions, answer: Mutex::default(), answered: Condvar::new() });
        let mut queue = self.lock();
        queue.waiting.push(Arc::clone(&question));
        // This releases the lock before the evaluation, so that threads without a question can leave or join meanwhile.
        let complete = Self::complete(queue);
        self.answer(&complete);
        let mut answer = question.answer.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(answer) = answer.take() {
                return answer;
            }
            answer = question.answered.wait(answer).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn heads(&self) -> Heads {
        self.inner.heads()
    }

    fn history(&self) -> usize {
        self.inner.history()
    }

    /// One: the other games fill the batch, so no search has to guess ahead.
    fn preferred_batch(&self) -> usize {
        1
    }
}

#[cfg(test)]
mod tests;
