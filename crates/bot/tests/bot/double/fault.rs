//! Faults between a bot and its server.

/// One fault, which occurs once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The stream of events ends although it should not.
    EventsEnd,
    /// It breaks off in the middle of a line.
    EventsCutLine,
    /// Its connection is cut without the end of the chunks.
    EventsCutConnection,
    /// It becomes silent, without even the empty lines.
    EventsSilent,
    /// It is refused with these statuses.
    EventsStatus(u16),
    /// An HTML page comes instead of it.
    EventsPage,
    /// It begins with lines that are not events: broken JSON, invalid UTF-8, more than a MiB, an unknown kind.
    EventsGarbage,
    EventsTwice,
    /// The connection is closed before any answer.
    EventsNoAnswer,
    /// The stream of a game ends after its first line.
    GameEnds,
    /// It breaks off in the middle of a line.
    GameCutLine,
    /// It becomes silent.
    GameSilent,
    /// It is refused with this status.
    GameStatus(u16),
    /// A line of it is not JSON, and one is not UTF-8.
    GameGarbage,
    /// Every state comes twice, and the previous one once more.
    GameTwice,
    /// Old states come late.
    GameLate,
    /// A move is not accepted: its connection is closed before an answer.
    MoveLost,
    /// A move is accepted, but the answer is lost.
    AnswerLost,
    /// A move is answered with this status and not accepted.
    MoveStatus(u16),
    /// A move's answer is shorter than it says.
    AnswerCut,
    /// A move is accepted, but the answer is slow.
    AnswerSlow,
    /// For a while the server accepts connections and closes them at once.
    Down,
}

pub(crate) const FAULTS: [Fault; 25] = [
    Fault::EventsEnd,
    Fault::EventsCutLine,
    Fault::EventsCutConnection,
    Fault::EventsSilent,
    Fault::EventsStatus(500),
    Fault::EventsStatus(502),
    Fault::EventsStatus(429),
    Fault::EventsPage,
    Fault::EventsGarbage,
    Fault::EventsTwice,
    Fault::EventsNoAnswer,
    Fault::GameEnds,
    Fault::GameCutLine,
    Fault::GameSilent,
    Fault::GameStatus(503),
    Fault::GameStatus(429),
    Fault::GameGarbage,
    Fault::GameTwice,
    Fault::GameLate,
    Fault::MoveLost,
    Fault::AnswerLost,
    Fault::MoveStatus(500),
    Fault::MoveStatus(429),
    Fault::AnswerCut,
    Fault::Down,
];
