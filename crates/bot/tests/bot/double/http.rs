//! The part of HTTP/1.1 that a client of the API needs.

use std::{
    collections::HashMap,
    io::{self, BufRead, BufReader, Read as _, Write as _},
    net::{Shutdown, TcpStream},
};

pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: HashMap<String, String>,
    pub(crate) form: HashMap<String, String>,
    pub(crate) authorization: String,
}

/// Reads the next request of a connection; `None` when the client has closed it.
pub(crate) fn read(reader: &mut BufReader<TcpStream>) -> io::Result<Option<Request>> {
    let mut first = String::new();
    if reader.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    let mut words = first.split_whitespace();
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (mut length, mut authorization) = (0, String::new());
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':') else { continue };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or(0),
            "authorization" => authorization = value.trim().into(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    Ok(Some(Request {
        method: method.into(),
        path: path.into(),
        query: pairs(query),
        form: pairs(&String::from_utf8_lossy(&body)),
        authorization,
    }))
}

fn pairs(text: &str) -> HashMap<String, String> {
    let decoded = |text: &str| {
        let mut bytes = Vec::new();
        let mut rest = text.bytes();
        while let Some(byte) = rest.next() {
            match byte {
                b'+' => bytes.push(b' '),
                b'%' => {
                    let digits: String = rest.by_ref().take(2).map(char::from).collect();
                    bytes.push(u8::from_str_radix(&digits, 16).unwrap_or(b'?'));
                }
                other => bytes.push(other),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    };
    text.split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (decoded(key), decoded(value)))
        .collect()
}

/// Answers with a body of known length; the connection stays open.
pub(crate) fn answer(stream: &mut TcpStream, status: u16, kind: &str, body: &str) -> io::Result<()> {
    let head =
        format!("HTTP/1.1 {status} Text\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all((head + body).as_bytes())
}

/// Begins a stream of lines, one chunk each.
pub(crate) fn begin_lines(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
    )
}

/// Sends bytes as one chunk.
pub(crate) fn chunk(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    let mut whole = format!("{:x}\r\n", bytes.len()).into_bytes();
    whole.extend(bytes);
    whole.extend(b"\r\n");
    stream.write_all(&whole)
}

/// Ends a stream as the protocol requires.
pub(crate) fn end_lines(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(b"0\r\n\r\n")?;
    stream.shutdown(Shutdown::Both)
}
