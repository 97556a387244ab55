//! A stand-in for S3 on this machine.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

/// A server with one bucket, `chess`. It is killed when dropped.
pub(crate) struct Server {
    process: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Starts a server without keys that allows anybody `free_requests` requests before it asks for one.
    pub(crate) fn start(free_requests: usize) -> Self {
        // Free until the server takes it: the address is given to nobody else on this machine.
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let process = Command::new(std::env::var_os("TABIYA_PYTHON").unwrap())
            .args(["-m", "moto.server", "-H", "127.0.0.1", "-p", &address.port().to_string()])
            .env("INITIAL_NO_AUTH_ACTION_COUNT", free_requests.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self { process, address };
        let deadline = Instant::now() + Duration::from_mins(2);
        while TcpStream::connect(address).is_err() {
            assert!(Instant::now() < deadline, "the server has not started");
            sleep(Duration::from_millis(50));
        }
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
