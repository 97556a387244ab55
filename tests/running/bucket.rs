//! A stand-in for S3 on this machine.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    process::{Child, Command, Stdio},
};

/// Serves until its standard input ends.
const SERVER: &str = "
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer('127.0.0.1', 0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
";

/// A server with one bucket, `chess`. It is killed when dropped.
pub(crate) struct Server {
    process: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Starts a server without keys that allows anybody `free_requests` requests before it asks for one.
    ///
    /// The server takes a free port itself and prints it: a port that was found free here could be given to another
    /// test before the server takes it.
    pub(crate) fn start(free_requests: usize) -> Self {
        let mut process = Command::new(std::env::var_os("TABIYA_PYTHON").unwrap())
            .args(["-c", SERVER])
            .env("INITIAL_NO_AUTH_ACTION_COUNT", free_requests.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut port = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut port).unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], port.trim().parse().unwrap()));
        let server = Self { process, address };
        server.put("/chess", b"");
        server
    }

    /// Makes a bucket or an object, without the program.
    pub(crate) fn put(&self, path: &str, bytes: &[u8]) {
        let (address, length) = (self.address, bytes.len());
        let head = format!(
            "PUT {path} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        let mut client = TcpStream::connect(address).unwrap();
        client.write_all(&[head.as_bytes(), bytes].concat()).unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may already have ended, which is equally good.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The environment with which a process finds the server at an address instead of S3.
pub(crate) fn environment(server: SocketAddr) -> Vec<(&'static str, String)> {
    let texts = [
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "reader"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
    ];
    let address = ("AWS_ENDPOINT", format!("http://{server}"));
    texts.into_iter().map(|(name, text)| (name, text.to_owned())).chain([address]).collect()
}
