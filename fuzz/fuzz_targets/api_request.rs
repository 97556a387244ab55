//! Any body sent to a route of the JSON API, and any address requested: the server always answers, and never with a failure
//! of its own. Server and client are those of the server's tests.
#![no_main]
#![allow(dead_code, unused_imports, reason = "the tests use all of it")]

#[path = "../../crates/web/tests/server/double.rs"]
mod double;
#[path = "../../crates/web/tests/server/openings.rs"]
mod openings;
#[path = "../../crates/web/tests/server/personal.rs"]
mod personal;
#[path = "../../crates/web/tests/server/stage.rs"]
mod stage;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use stage::Stage;

static STAGE: LazyLock<Stage> = LazyLock::new(Stage::new);
static GAME: LazyLock<String> = LazyLock::new(|| STAGE.game(r#"{"nodes":1}"#));

/// The routes to which a body is sent.
fn routes() -> [String; 6] {
    let moves = format!("{}/moves", *GAME);
    ["/api/v1/games", "/api/v1/reviews", "/api/v1/judgements", "/api/v1/networks", &moves, "/"]
        .map(str::to_owned)
}

fuzz_target!(|input: (u8, &str)| {
    let (route, text) = input;
    let answer = match routes().get(usize::from(route)) {
        Some(path) => STAGE.post(path, text),
        None => STAGE.get(&format!("/api/v1/{}", text.split_whitespace().next().unwrap_or_default())),
    };
    assert!(answer.status < 500 || answer.status == 503, "{route} {text:?}: {}", answer.text());
});
