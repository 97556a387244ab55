//! `tabiya data sql --cluster`: one scheduler and two executors, each in its own process, compared with the same
//! queries without them.
#![cfg(target_os = "linux")]

#[cfg(feature = "s3")]
use crate::bucket_server;
use crate::games;
#[path = "running/cluster.rs"]
mod processes;
use crate::program;

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use processes::{Cluster, Process, executor, processor_time, scheduler};
use program::{PROGRAM, failure, success};
use tempfile::TempDir;

/// Two stores whose files have the same names.
fn folder_with_stores() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, games) in [
        ("first.store", games::random_games(40, 120, true)),
        ("second.store", games::random_games(9, 60, false)),
    ] {
        let input = format!("{name}.pgn");
        std::fs::write(folder.path().join(&input), games).unwrap();
        success(folder.path(), &["data", "build", name, &input, "--validation", "0.3"]);
    }
    folder
}

fn ask(folder: &Path, cluster: Option<&str>, question: &[&str]) -> String {
    let options = cluster.map_or_else(Vec::new, |address| vec!["--cluster", address]);
    success(
        folder,
        &[&["data", "sql", "--csv"], question, &["first.store", "second.store"], &options[..]].concat(),
    )
}

/// The rows in any order; numbers, which are sums in a different order, to ten digits.
fn rows(text: &str) -> Vec<String> {
    let cell = |cell: &str| match cell.parse::<f64>() {
        Ok(number) => format!("{number:.10e}"),
        Err(_) => cell.to_owned(),
    };
    let mut rows: Vec<String> =
        text.lines().map(|row| row.split(',').map(cell).collect::<Vec<_>>().join(",")).collect();
    rows.sort_unstable();
    rows
}

const QUESTIONS: &[&str] = &[
    "SELECT store, split, game, ply, fen(position, ply) AS fen, san(position, best_move) AS move, legal_move_count(position) \
     AS moves, win_probability(centipawns, mate) AS win FROM positions WHERE in_check(position) OR ply < 20",
    "SELECT piece_count(position) AS pieces, phase(position, ply) AS phase, count(*) AS samples, avg(centipawns) AS mean, \
     count(DISTINCT position_key(position)) AS positions FROM positions GROUP BY pieces, phase",
    "SELECT g.result, p.split, count(*) AS samples, max(p.ply - g.first_ply) AS longest FROM positions p JOIN games g \
     ON p.store = g.store AND p.split = g.split AND p.game = g.game WHERE g.white_rating > 1500 GROUP BY g.result, p.split",
    "SELECT s.path, count(*) AS samples FROM positions p JOIN sources s ON p.store = s.store AND p.source = s.source GROUP BY s.path",
    "SELECT p.ply, e.name FROM positions p LEFT JOIN engines e ON p.store = e.store AND p.engine = e.engine WHERE p.ply = 3",
    "SELECT ply, row_number() OVER (PARTITION BY store, split, game ORDER BY ply) AS number FROM positions WHERE ply > 100",
    "SELECT DISTINCT ply FROM positions WHERE ply NOT IN (SELECT last_ply FROM games) ORDER BY ply DESC LIMIT 30",
    "SELECT split, CAST(floor(centipawns / 100.0) AS INTEGER) AS pawns, count(*) AS samples FROM positions GROUP BY split, pawns",
    "SELECT s.split, s.samples, g.games FROM (SELECT split, sum(positions) AS samples FROM splits GROUP BY split) s LEFT JOIN \
     (SELECT split, count(*) AS games FROM games GROUP BY split) g ON g.split = s.split",
    "SELECT ply, store FROM positions WHERE ply < 0",
    "SELECT * FROM engines",
    "SELECT store, games FROM stores ORDER BY games",
    "SHOW TABLES",
    "SELECT 1 AS one",
];

#[test]
fn a_cluster_answers_as_one_machine_does() {
    let folder = folder_with_stores();
    let mut cluster = Cluster::start(folder.path(), &[]);
    let mut nonempty = 0;
    for question in QUESTIONS {
        let here = rows(&ask(folder.path(), None, &[question]));
        assert_eq!(rows(&ask(folder.path(), Some(&cluster.address), &[question])), here, "{question}");
        nonempty += usize::from(here.len() > 1);
    }
    assert_eq!(nonempty, QUESTIONS.len() - 2, "two questions have no rows");
    for parts in ["1", "3"] {
        let here = rows(&ask(folder.path(), None, &[QUESTIONS[1]]));
        let there = ask(folder.path(), Some(&cluster.address), &["--threads", parts, QUESTIONS[1]]);
        assert_eq!(rows(&there), here, "in {parts} parts");
    }
    for executor in &cluster.executors {
        let spent = processor_time(executor.id());
        assert!(spent > Duration::from_millis(100), "an executor had nothing to do: {spent:?}");
    }

    cluster.executors[1].terminate();
    cluster.scheduler.wait_for("has left");
    assert_eq!(
        std::fs::read_dir(folder.path().join("second")).unwrap().count(),
        0,
        "it leaves no file behind"
    );
    let question = "SELECT count(*) FROM positions";
    assert_eq!(
        ask(folder.path(), Some(&cluster.address), &[question]),
        ask(folder.path(), None, &[question])
    );
}

/// Asks the question, and ends the first executor at work with `end` before the answer is there. Returns the rows.
fn ask_and_lose(folder: &Path, cluster: &mut Cluster, question: &str, end: fn(&mut Process)) -> Vec<String> {
    let spent = |cluster: &Cluster| -> Vec<Duration> {
        cluster.executors.iter().map(|executor| processor_time(executor.id())).collect()
    };
    let before = spent(cluster);
    let arguments =
        ["data", "sql", "--csv", question, "first.store", "second.store", "--cluster", &cluster.address];
    let mut asked = Command::new(PROGRAM)
        .args(arguments)
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_mins(1);
    let working = loop {
        let mut worked =
            spent(cluster).into_iter().zip(&before).map(|(now, before)| now.saturating_sub(*before));
        if let Some(index) = worked.position(|time| time > Duration::from_millis(400)) {
            break index;
        }
        assert!(Instant::now() < deadline, "no executor has worked");
        std::thread::sleep(Duration::from_millis(5));
    };
    let mut lost = cluster.executors.remove(working);
    end(&mut lost);
    assert!(asked.try_wait().unwrap().is_none(), "the query was over before the executor was lost");
    cluster.scheduler.wait_for("has left");
    let mut there = String::new();
    asked.stdout.take().unwrap().read_to_string(&mut there).unwrap();
    assert!(asked.wait().unwrap().success());
    rows(&there)
}

/// The position of each pair of samples is written and read: some seconds of work.
const LONG_QUESTION: &str = "SELECT b.split, a.ply % 7 AS day, sum(legal_move_count(from_fen(fen(a.position, b.ply)))) AS moves \
    FROM positions a, positions b WHERE a.ply % 8 = 0 AND b.ply % 8 = 1 GROUP BY b.split, day";

#[test]
fn a_query_survives_executors_that_are_killed_and_stopped() {
    let folder = folder_with_stores();
    let mut cluster = Cluster::start(folder.path(), &[]);
    let here = rows(&ask(folder.path(), None, &[LONG_QUESTION]));
    for (end, next) in [(Process::kill as fn(&mut Process), "third"), (Process::terminate, "fourth")] {
        assert_eq!(ask_and_lose(folder.path(), &mut cluster, LONG_QUESTION, end), here, "before the {next}");
        // A new executor takes its place.
        cluster.executors.push(executor(folder.path(), &cluster.address, next, &[]));
        cluster.scheduler.wait_for("has joined");
    }
    assert_eq!(rows(&ask(folder.path(), Some(&cluster.address), &[LONG_QUESTION])), here);
}

#[test]
fn what_a_cluster_cannot_answer_says_why() {
    let folder = folder_with_stores();
    let refused = |question: &str, address: &str| {
        failure(folder.path(), &["data", "sql", question, "first.store", "--cluster", address])
    };
    let count = "SELECT count(*) FROM positions";
    let expected = "expected a scheduler started by `tabiya data cluster scheduler`";
    for (address, reason) in
        [("127.0.0.1:1", expected), ("127.0.0.1", "expected HOST:PORT"), ("nowhere.invalid:50050", expected)]
    {
        let message = refused(count, address);
        assert!(message.contains(address) && message.contains(reason), "{message}");
        let message = failure(folder.path(), &["data", "cluster", "executor", address]);
        assert!(message.contains(address) && message.contains(reason), "{message}");
    }

    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = other.local_addr().unwrap().to_string();
    let server = std::thread::spawn(move || {
        let mut client = other.accept().unwrap().0;
        let _ = client.read(&mut [0; 1000]).unwrap();
        client.write_all(b"HTTP/1.1 200 OK\r\nserver: nginx\r\ncontent-length: 2\r\n\r\nhi").unwrap();
        other
    });
    let message = refused(count, &taken);
    assert!(
        message.contains(&taken) && message.contains("\"nginx\"") && message.contains(expected),
        "{message}"
    );
    let other = server.join().unwrap();
    let message = failure(folder.path(), &["data", "cluster", "scheduler", "--listen", &taken]);
    assert!(message.contains(&taken) && message.contains("in use"), "{message}");

    let (address, mut scheduler) = scheduler(folder.path(), &[]);
    let message = refused(count, &address);
    assert!(message.contains(&address) && message.contains("no executors"), "{message}");
    let message = failure(folder.path(), &["data", "cluster", "executor", &address, "--listen", &taken]);
    assert!(message.contains(&taken) && message.contains("in use"), "{message}");
    drop(other);

    let _executor = executor(folder.path(), &address, "only", &[]);
    scheduler.wait_for("has joined");
    let message = refused("SELECT from_fen('fen ' || ply) FROM positions", &address);
    assert!(message.contains("the query failed") && message.contains("from_fen"), "{message}");
    let message = refused("SELECT fan(position) FROM positions", &address);
    assert!(message.contains("the query failed") && message.contains("fan"), "{message}");
    let message = refused("COPY (SELECT ply FROM positions) TO 'plies.csv'", &address);
    assert!(message.contains("COPY on a cluster"), "{message}");
    assert!(!folder.path().join("plies.csv").exists());
}

#[test]
fn a_cluster_makes_the_stores_that_one_machine_makes() {
    let folder = folder_with_stores();
    let cluster = Cluster::start(folder.path(), &[]);
    let all = |store: &str| {
        let columns = "* EXCEPT (store, source, policy_moves, policy_scores, policy_visits)";
        rows(&success(
            folder.path(),
            &["data", "sql", "--csv", &format!("SELECT {columns} FROM positions"), store],
        ))
    };
    for name in ["deduplicated", "resplit-games", "resplit-positions", "without-leaks"] {
        let make = |output: &str, options: &[&str]| {
            let question = ["data", "sql", "--store", output, "--query", name, "first.store", "second.store"];
            success(folder.path(), &[&question, options].concat());
            success(folder.path(), &["data", "verify", output]);
            all(output)
        };
        let here = make(&format!("{name}.here"), &[]);
        assert!(here.len() > 1000);
        assert_eq!(make(&format!("{name}.there"), &["--cluster", &cluster.address]), here, "{name}");
    }
}

#[cfg(feature = "s3")]
#[test]
#[ignore = "needs Python with moto"]
fn python_moto_cluster_reads_a_bucket() {
    let (folder, server) = (folder_with_stores(), bucket_server::Server::start(usize::MAX >> 1));
    let environment = bucket_server::environment(server.address);
    let cluster = Cluster::start(folder.path(), &environment);
    let run = |arguments: &[&str]| {
        let mut command = Command::new(PROGRAM);
        command
            .args(arguments)
            .current_dir(folder.path())
            .envs(environment.iter().map(|(name, value)| (name, value)));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let (first, second) = ("s3://chess/stores/first", "s3://chess/stores/second");
    run(&["data", "publish", "first.store", first]);
    run(&["data", "publish", "second.store", second]);
    for question in &QUESTIONS[1..3] {
        let here = rows(&ask(folder.path(), None, &[question]));
        let there = run(&["data", "sql", "--csv", question, first, second, "--cluster", &cluster.address]);
        assert_eq!(rows(&there), here, "{question}");
        assert!(here.len() > 1, "{question}");
    }
}
