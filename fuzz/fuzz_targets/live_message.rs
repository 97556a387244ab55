//! Any messages, and any bytes where frames are expected, sent to the page's WebSocket: the server answers or closes, and keeps
//! running.
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

use std::{io::ErrorKind, net::TcpStream, sync::LazyLock, time::Duration};

use libfuzzer_sys::fuzz_target;
use stage::Stage;
use tungstenite::{Error, HandshakeError, Message, WebSocket, client::IntoClientRequest as _};

static STAGE: LazyLock<Stage> = LazyLock::new(Stage::new);

/// Valid messages; a byte of the input chooses one.
const MESSAGES: &[&str] = &[
    r#"{"id":1,"t":"sub","topic":"runs"}"#,
    r#"{"id":2,"t":"unsub","topic":"runs"}"#,
    r#"{"id":3,"t":"sub","topic":"search/a"}"#,
    r#"{"id":4,"t":"search","name":"a","request":{"key":1,"nodes":5}}"#,
    r#"{"id":5,"t":"search","name":"a","request":{"key":2,"moves":["e2e4"],"only":["e7e5"],"nodes":3}}"#,
    r#"{"id":6,"t":"stop","name":"a"}"#,
    r#"{"id":18446744073709551615,"t":"sub","topic":"game/x"}"#,
];

fuzz_target!(|input: (Vec<u8>, &str, &[u8])| {
    let (choices, text, bytes) = input;
    let mut socket = connected();
    for &choice in choices.iter().take(8) {
        let _ = socket.send(Message::text(MESSAGES[usize::from(choice) % MESSAGES.len()]));
    }
    let _ = socket.send(Message::text(text));
    if !bytes.is_empty() {
        let _ = std::io::Write::write_all(socket.get_mut(), bytes);
    }
    let _ = socket.close(None);
    let _ = socket.flush();
    drop(socket);
    assert_eq!(STAGE.get("/api/v1/server").status, 200, "the server lives");
});

/// A socket on the page. libFuzzer's alarm clock may interrupt the first answer, which says nothing about the server.
fn connected() -> WebSocket<TcpStream> {
    loop {
        let mut request =
            format!("ws://{}/api/v1/live", STAGE.address).into_client_request().expect("an address");
        request.headers_mut().insert("sec-websocket-protocol", "tabiya.v1".parse().expect("a header"));
        let stream = TcpStream::connect(STAGE.address).expect("the server lives");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time");
        match tungstenite::client(request, stream) {
            Err(HandshakeError::Failure(Error::Io(error))) if error.kind() == ErrorKind::Interrupted => {}
            answer => return answer.expect("the server takes a socket").0,
        }
    }
}
