//! Stores in a bucket, on a stand-in for S3 (moto, in the tests' Python) that the program reaches as it reaches S3.

use crate::games;

use crate::program;

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener},
    path::Path,
    process::Output,
};

use crate::bucket_server::{Server, environment};
use program::{Arguments, command};
use tempfile::TempDir;

fn folder_with_store() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("games.pgn"), games::random_games(60, 120, true)).unwrap();
    program::success(folder.path(), "data build masters games.pgn --validation 0.3");
    folder
}

fn tabiya(folder: &Path, server: SocketAddr, arguments: &(impl Arguments + ?Sized)) -> Output {
    command(folder, arguments).envs(environment(server)).output().unwrap()
}

fn success(folder: &Path, server: SocketAddr, arguments: &[&str]) -> String {
    let output = tabiya(folder, server, arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn failure(folder: &Path, server: SocketAddr, arguments: &(impl Arguments + ?Sized)) -> String {
    let output = tabiya(folder, server, arguments);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

const ADDRESS: &str = "s3://chess/stores/masters";

#[test]
#[ignore = "needs Python with moto"]
fn python_moto_keeps_a_store_as_a_folder_does() {
    let (folder, server) = (folder_with_store(), Server::start(usize::MAX >> 1));
    let run = |arguments: &[&str]| success(folder.path(), server.address, arguments);
    let published = run(&["data", "publish", "masters", ADDRESS]);
    assert!(published.contains(ADDRESS) && published.contains("as they were written"), "{published}");
    let again = failure(folder.path(), server.address, &["data", "publish", "masters", ADDRESS]);
    assert!(again.contains(ADDRESS) && again.contains("exists"), "{again}");

    assert!(run(&["data", "verify", ADDRESS]).contains(ADDRESS));
    for command in [&["data", "stats", "--json"][..], &["data", "show", "--row", "3"]] {
        let of = |store: &str| run(&[command, &[store]].concat()).replace(store, "STORE");
        assert_eq!(of(ADDRESS), of("masters"), "{command:?}");
    }
    #[cfg(feature = "sql")]
    for query in [
        "SELECT split, game, ply, fen(position, ply) FROM positions ORDER BY split, game, ply",
        "SELECT file, positions, bytes, xxh3 FROM splits ORDER BY file",
    ] {
        let of = |store: &str| run(&["data", "sql", "--csv", query, store]);
        assert_eq!(of(ADDRESS), of("masters"), "{query}");
    }
    #[cfg(feature = "sql")]
    {
        let copy = ["data", "sql", "--store", "s3://chess/stores/copy", "SELECT * FROM positions", ADDRESS];
        run(&copy);
        let again = failure(folder.path(), server.address, &copy);
        assert!(again.contains("s3://chess/stores/copy") && again.contains("exists"), "{again}");
        let files = "SELECT file, positions, bytes, xxh3 FROM splits ORDER BY file";
        let of = |store: &str| run(&["data", "sql", "--csv", files, store]);
        assert_eq!(of("s3://chess/stores/copy"), of("masters"));
    }
    let nothing = failure(folder.path(), server.address, &["data", "stats", "s3://chess/stores/club"]);
    assert!(nothing.contains("s3://chess/stores/club"), "{nothing}");
}

#[test]
#[ignore = "needs Python with moto"]
fn python_moto_gives_games_and_takes_the_store_built_of_them() {
    let (folder, server) = (folder_with_store(), Server::start(usize::MAX >> 1));
    let games = std::fs::read(folder.path().join("games.pgn")).unwrap();
    server.put("/chess/games/january.pgn", &games);
    server.put("/chess/games/february/more.pgn", b"1. c4 e5 2. g3 0-1\n");
    let run = |arguments: &[&str]| success(folder.path(), server.address, arguments);
    let built = run(&["data", "build", ADDRESS, "s3://chess/games", "--validation", "0.3"]);
    assert!(built.starts_with(ADDRESS) && built.contains("of 61 games"), "{built}");
    run(&["data", "verify", ADDRESS]);
    let again = failure(folder.path(), server.address, &["data", "build", ADDRESS, "games.pgn"]);
    assert!(again.contains(ADDRESS) && again.contains("exists"), "{again}");

    // One object holds the same games as the file, in one store and in the other.
    run(&["data", "build", "one", "s3://chess/games/january.pgn", "--validation", "0.3"]);
    let rows = |store: &str| std::fs::read(folder.path().join(store).join("train-00000.parquet")).unwrap();
    assert!(rows("one") == rows("masters"));
    for (inputs, reason) in
        [("s3://chess/stores/masters", "a sample store"), ("s3://chess/none", "s3://chess/none")]
    {
        let refused = failure(folder.path(), server.address, &["data", "build", "two", inputs]);
        assert!(refused.contains(reason), "{refused}");
    }
    let merged = run(&["data", "merge", "s3://chess/merged", "masters", "one"]);
    assert!(merged.starts_with("s3://chess/merged: ") && merged.contains("of 2 stores"), "{merged}");
    run(&["data", "verify", "s3://chess/merged"]);
    assert!(!folder.path().join("s3:").exists());
}

#[test]
#[ignore = "needs Python with moto"]
fn python_moto_refuses_a_bucket_that_is_missing_and_a_key_that_is_wrong() {
    let folder = folder_with_store();
    let server = Server::start(usize::MAX >> 1);
    let missing =
        failure(folder.path(), server.address, &["data", "publish", "masters", "s3://club/masters"]);
    assert!(missing.contains("s3://club/masters") && missing.contains("NoSuchBucket"), "{missing}");

    // Making the bucket is free.
    let server = Server::start(1);
    for command in [&["data", "publish", "masters"][..], &["data", "stats"]] {
        let refused = failure(folder.path(), server.address, &[command, &[ADDRESS]].concat());
        assert!(refused.contains(ADDRESS) && refused.contains("InvalidAccessKeyId"), "{refused}");
    }
}

#[test]
fn a_server_that_is_absent_or_breaks_off_is_an_error() {
    let folder = folder_with_store();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = listener.local_addr().unwrap();
    // Each answer promises more bytes than it sends.
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.unwrap();
            let _ = client.read(&mut [0; 4096]).unwrap();
            let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nETag: \"1\"\r\n\
                Last-Modified: Sun, 22 Nov 2026 12:00:00 GMT\r\n\r\n{\"version\"";
            client.write_all(answer).unwrap();
        }
    });
    // Nothing listens at port 1; a port that was found free could be taken by the server of another test.
    let absent = SocketAddr::from(([127, 0, 0, 1], 1));
    for server in [server, absent] {
        let broken = failure(folder.path(), server, &["data", "stats", ADDRESS]);
        assert!(broken.contains(ADDRESS) && broken.contains("cannot read"), "{broken}");
    }
}
