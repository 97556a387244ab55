//! The loop with doubles: workers that play by material, a trainer that learns nothing. Wherever the loop is interrupted, no
//! game is lost or counted twice, and no finished step is repeated.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use chess::{
    Decision, Evaluator, Game, Limits, MaterialEvaluator, Move, RootMove, Search, SearchError, SearchInfo,
    StopSignal, Wdl,
};
use selfplay::{
    Effort, Engines, GateResult, Generation, GenerationTrainer, LearningLoop, NetworkName, PlaySettings,
    ReplaySettings, ReplayStore, Storage, Worker,
    engine::visit_counts,
    learning_loop::{AnyError, GateRequest, LearningError, TrainRequest, TrainedGeneration},
    replay::RunState,
    worker::WorkerError,
};

const RECIPE: &str = "title = \"loop\"";
const GAMES: u32 = 12;

/// Plays the move whose place among the legal ones the seed decides, and asks the evaluator about each position.
struct Seeded {
    evaluator: Arc<dyn Evaluator>,
    seed: u64,
}

impl Search for Seeded {
    fn describe(&self) -> String {
        "seeded".into()
    }

    fn new_game(&mut self) {
        self.seed = 0;
    }

    fn reseed(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn run(
        &mut self,
        game: &Game,
        _: &Limits,
        _: &StopSignal,
        _: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        let legal_moves = game.legal_moves();
        let request = chess::EvaluationRequest { game, legal_moves: &legal_moves };
        let answer = self.evaluator.evaluate(&[request])?.remove(0);
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let best = (self.seed >> 33) as usize % legal_moves.len();
        let root_moves = legal_moves.iter().enumerate().map(|(place, &chess_move)| RootMove {
            visits: if place == best { 5 } else { 1 },
            wdl: Some(answer.wdl),
            ..RootMove::unvisited(chess_move, answer.priors[place])
        });
        let info = SearchInfo { evaluations: 1, root_moves: root_moves.collect(), ..SearchInfo::default() };
        Ok(Decision { best: legal_moves[best], ponder: None, info })
    }
}

#[derive(Default)]
struct Double {
    opened: AtomicU32,
}

impl Engines for Double {
    fn evaluator(&self, network: &NetworkName, weights: Option<&[u8]>) -> Result<Arc<dyn Evaluator>, String> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        match weights {
            Some(b"damaged") => Err("found 7 bytes of nonsense".into()),
            Some(_) => Ok(Arc::new(MaterialEvaluator)),
            None if *network == NetworkName(0) => Ok(Arc::new(MaterialEvaluator)),
            None => Err("no weights".into()),
        }
    }

    fn search(&self, evaluator: Arc<dyn Evaluator>, _: Effort) -> Box<dyn Search> {
        Box::new(Seeded { evaluator, seed: 0 })
    }

    fn policy(&self, moves: &[RootMove]) -> Vec<(Move, u32)> {
        visit_counts(moves)
    }

    fn opening(&self, _: u64) -> Game {
        Game::default()
    }
}

/// Trains a network of one byte, the number of its generation, and stops where it is told to.
#[derive(Default)]
struct Scripted {
    trained: Vec<u32>,
    matches: Vec<(u32, u32)>,
    fails: BTreeSet<&'static str>,
    samples: u64,
}

impl Scripted {
    fn failing(step: &'static str) -> Self {
        Self { fails: [step].into(), ..Self::default() }
    }
}

impl GenerationTrainer for Scripted {
    fn train(
        &mut self,
        request: &TrainRequest<'_>,
        _: &StopSignal,
    ) -> Result<Option<TrainedGeneration>, AnyError> {
        let store = dataset::Store::open(request.samples)?;
        self.samples = store.manifest().counts.positions;
        if self.fails.contains("learn") {
            return Err("the power failed while learning".into());
        }
        let before = if request.number > 1 { Some(vec![request.number as u8 - 1]) } else { None };
        assert_eq!(request.from, before, "training goes on from the last weights");
        self.trained.push(request.number);
        Ok(Some(TrainedGeneration {
            weights: vec![request.number as u8],
            losses: BTreeMap::new(),
            seconds: 1.0,
        }))
    }

    fn judge(&mut self, request: &GateRequest<'_>, _: &StopSignal) -> Result<Option<GateResult>, AnyError> {
        if self.fails.contains("judge") {
            return Err("the power failed while judging".into());
        }
        assert_eq!(request.challenger, [request.number as u8]);
        self.matches.push((request.number, request.in_force.0));
        // Every second network is promoted.
        let promoted = !request.number.is_multiple_of(2);
        Ok(Some(GateResult {
            games: [1, 0, 0],
            elo: None,
            lower: None,
            upper: None,
            promoted,
            reason: "script".into(),
        }))
    }
}

struct Stage {
    folder: tempfile::TempDir,
    settings: PlaySettings,
    replay: ReplaySettings,
    engines: Double,
}

impl Stage {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            settings: toml::from_str("nodes = 5\nmost_plies = 20\ngames_at_once = 4").unwrap(),
            replay: ReplaySettings { games: GAMES, window: 2, validation_share: 0.2 },
            engines: Double::default(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn store(&self) -> ReplayStore {
        let storage = Storage::open(self.path("run").to_str().unwrap()).unwrap();
        ReplayStore::create(storage, "tabiya 1", RECIPE, &files::Inputs::default()).unwrap()
    }

    fn worker<'a>(&'a self, replay: &'a ReplayStore, name: &str) -> Worker<'a> {
        let (settings, engines) = (&self.settings, &self.engines);
        Worker {
            replay,
            name: name.into(),
            program: "tabiya 1".into(),
            settings,
            games: GAMES,
            threads: 2,
            engines,
        }
    }

    /// Runs a learner that plays its own games, for at most `generations` generations.
    fn learn(&self, generations: u32, trainer: &mut Scripted) -> Result<Vec<Generation>, LearningError> {
        let replay = self.store();
        let worker = self.worker(&replay, "learner");
        let stop = StopSignal::default();
        let mut play = |state: &RunState| -> Result<(), AnyError> {
            worker.play_generation(state, &stop, &|_| ())?;
            Ok(())
        };
        let (settings, folder) = (&self.replay, self.path("work"));
        let learner = LearningLoop { replay: &replay, settings, folder, history: 1, generations };
        let mut ended = Vec::new();
        learner.run(&mut play, trainer, &stop, &mut |generation| ended.push(generation.clone()))?;
        Ok(ended)
    }
}

/// The names of all games below a folder, which must be different games.
fn all_games(replay: &ReplayStore, generations: u32) -> Vec<String> {
    let names: Vec<String> =
        (0..generations).flat_map(|generation| replay.games(generation).unwrap()).collect();
    let games: BTreeSet<String> = names
        .iter()
        .map(|name| {
            let game = replay.game(name).unwrap();
            format!("{:?}", game.moves.iter().map(|played| played.chess_move).collect::<Vec<_>>())
        })
        .collect();
    assert_eq!(games.len(), names.len(), "no game was played twice");
    names
}

fn entries(folder: &Path) -> usize {
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

#[test]
fn generations_follow_each_other_on_a_window_of_games() {
    let stage = Stage::new();
    let mut trainer = Scripted::default();
    let generations = stage.learn(3, &mut trainer).unwrap();
    assert_eq!(trainer.trained, [1, 2, 3]);
    assert_eq!(trainer.matches, [(1, 0), (2, 1), (3, 1)], "the second network did not take over");
    assert_eq!(generations[2].window.generations, [1, 2]);
    assert_eq!(generations[2].window.games, u64::from(2 * GAMES));
    assert_eq!(generations[2].played_by, NetworkName(1));
    assert_eq!(generations[1].games.games, u64::from(GAMES));
    assert_eq!(all_games(&stage.store(), 3).len(), 3 * GAMES as usize, "no more games than wanted");
    assert_eq!(entries(&stage.path("work")), 0, "windows are removed when they are learned");
    assert!(stage.store().is_over().unwrap());
}

#[test]
fn a_run_that_broke_off_at_any_step_goes_on_without_doing_one_twice() {
    for step in ["learn", "judge"] {
        let stage = Stage::new();
        let mut broken = Scripted::failing(step);
        let refused = stage.learn(2, &mut broken).unwrap_err().to_string();
        assert!(refused.contains("generation 1") && refused.contains("the power failed"), "{refused}");
        // A game that comes late belongs to the next window: the first window does not change.
        let replay = stage.store();
        let mut late = replay.game(&replay.games(0).unwrap()[0]).unwrap();
        late.id.number = 9999;
        late.moves.pop();
        replay.put_game(&late).unwrap();
        let mut trainer = Scripted::default();
        let generations = stage.learn(2, &mut trainer).unwrap();
        let expected: &[u32] = if step == "learn" { &[1, 2] } else { &[2] };
        assert_eq!(trainer.trained, expected, "after a break at {step}");
        assert_eq!(generations[0].window.games, u64::from(GAMES));
        assert_eq!(generations[0].window.positions, broken.samples);
        assert_eq!(generations[1].window.games, u64::from(2 * GAMES) + 1);
        assert_eq!(all_games(&stage.store(), 2).len(), 2 * GAMES as usize + 1);
    }
}

#[test]
fn workers_share_a_generation_without_playing_more_than_it_needs_each() {
    let stage = Stage::new();
    let (first, second) = (stage.store(), stage.store());
    let state = RunState { generation: 0, network: NetworkName(0) };
    let stop = StopSignal::default();
    std::thread::scope(|scope| {
        for (replay, name) in [(&first, "one"), (&second, "two")] {
            let (stage, stop, state) = (&stage, &stop, &state);
            scope.spawn(move || stage.worker(replay, name).play_generation(state, stop, &|_| ()).unwrap());
        }
    });
    let games = all_games(&first, 1).len();
    // Both may have the last games in progress when they learn of each other's games.
    assert!((GAMES as usize..=2 * GAMES as usize).contains(&games), "{games}");
    let more = stage.worker(&first, "three").play_generation(&state, &stop, &|_| ()).unwrap();
    assert_eq!(more.games, 0, "the generation has enough");
}

#[test]
fn equal_seeds_give_equal_games_however_many_threads_play() {
    let games = |threads: usize| {
        let stage = Stage::new();
        let replay = stage.store();
        let worker = Worker { threads, ..stage.worker(&replay, "same") };
        let state = RunState { generation: 0, network: NetworkName(0) };
        worker.play_generation(&state, &StopSignal::default(), &|_| ()).unwrap();
        let names = replay.games(0).unwrap();
        names.iter().map(|name| replay.game(name).unwrap().moves).collect::<Vec<_>>()
    };
    assert_eq!(games(1), games(3));
}

#[test]
fn a_worker_goes_on_counting_where_one_of_its_name_was_killed() {
    let stage = Stage::new();
    let replay = stage.store();
    let state = RunState { generation: 0, network: NetworkName(0) };
    let few = Worker { games: 5, ..stage.worker(&replay, "box") };
    assert_eq!(few.play_generation(&state, &StopSignal::default(), &|_| ()).unwrap().games, 5);
    let rest = stage.worker(&replay, "box").play_generation(&state, &StopSignal::default(), &|_| ()).unwrap();
    assert_eq!(rest.games, GAMES - 5);
    assert_eq!(all_games(&replay, 1).len(), GAMES as usize);
}

#[test]
fn weights_that_cannot_play_end_the_worker_with_their_name() {
    let stage = Stage::new();
    let replay = stage.store();
    let state = RunState { generation: 4, network: NetworkName(4) };
    let missing = stage.worker(&replay, "box").play_generation(&state, &StopSignal::default(), &|_| ());
    assert!(missing.unwrap_err().to_string().contains("networks/00004.tabiya"));
    replay.put_weights(NetworkName(4), b"damaged".to_vec()).unwrap();
    let damaged = stage.worker(&replay, "box").play_generation(&state, &StopSignal::default(), &|_| ());
    let damaged = damaged.unwrap_err();
    assert!(
        matches!(damaged, WorkerError::Network { .. }) && damaged.to_string().contains("nonsense"),
        "{damaged}"
    );
}

#[test]
fn a_store_that_takes_no_games_ends_the_worker_with_the_place() {
    let stage = Stage::new();
    let replay = stage.store();
    // Like a full disk: the folder of the games cannot be made.
    std::fs::write(stage.path("run/games"), "").unwrap();
    let state = RunState { generation: 0, network: NetworkName(0) };
    let refused = stage.worker(&replay, "box").play_generation(&state, &StopSignal::default(), &|_| ());
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("games/00000"), "{refused}");
}

#[test]
fn the_value_of_a_game_is_seen_by_its_mover() {
    let stage = Stage::new();
    let replay = stage.store();
    let state = RunState { generation: 0, network: NetworkName(0) };
    stage.worker(&replay, "box").play_generation(&state, &StopSignal::default(), &|_| ()).unwrap();
    for name in replay.games(0).unwrap() {
        let game = replay.game(&name).unwrap();
        let mut board = game.begin().unwrap();
        for played in &game.moves {
            let legal_moves = board.legal_moves();
            let request = chess::EvaluationRequest { game: &board, legal_moves: &legal_moves };
            let Wdl { win, .. } = MaterialEvaluator.evaluate(&[request]).unwrap()[0].wdl;
            assert!((played.search.as_ref().unwrap().value.win - win).abs() < 1e-5);
            board.play_unchecked(played.chess_move);
        }
    }
}
