/** Analyse: a game as a tree, live searches in the position shown, and a review of the whole. */

import type { Key, SquareClasses } from '@lichess-org/chessground/types';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { ScreenProps } from '../app.tsx';
import { Board } from '../board/board.tsx';
import { MiniBoard } from '../board/mini.tsx';
import { positionOf, stationsOf } from '../chess/position.ts';
import { useOpening } from '../chess/use-opening.ts';
import { useKeys } from '../keys.ts';
import { BoardScreen } from '../play/board-screen.tsx';
import { StepButtons } from '../play/step-buttons.tsx';
import { go } from '../route.ts';
import { explain, get, getText } from '../server/request.ts';
import type { Colour, Judgement, NetworkSummary, TracedMove } from '../server/types.ts';
import { Segments } from '../shell/segments.tsx';
import { useTitle } from '../shell/title.ts';
import { type Arrow, ArrowLayer, type ArrowLabel, arrowsOf } from './arrows.tsx';
import { Editor } from './editor.tsx';
import { EngineBar } from './engine-bar.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { FindBetter, exercisesOf, useSolving } from './find-better.tsx';
import { Graph } from './graph.tsx';
import { Headline } from './headline.tsx';
import { heatOf } from './heat.ts';
import { HumanTab } from './human-tab.tsx';
import { Icicle } from './icicle.tsx';
import { ImportDialog, LONGEST_TEXT } from './import-dialog.tsx';
import { LayerButtons, type Layers, toggled } from './layer-buttons.tsx';
import { MoveTable } from './move-table.tsx';
import { Notation } from './notation.tsx';
import { NodeActions } from './node-actions.tsx';
import { forWhite } from './numbers.ts';
import { ReviewPanel, nextJudged } from './review-panel.tsx';
import { lineTo, mainLine, play, playLine, readAnything, removeFrom } from './tree.ts';
import { useDrop } from './use-drop.ts';
import { useGameTree } from './use-game-tree.ts';
import { DEFAULT_BUDGET, type Preview, budgetOf, keepShapes, leaveVariation, nextFork, pathOf, shapesOf, stationAt, useAddressOfChoices } from './screen-parts.ts';
import { useReview } from './use-review.ts';
import { useSearch } from './use-search.ts';
import { WdlBar } from './wdl-bar.tsx';

const TABS = ['moves', 'tree', 'human', 'review'] as const;
type Tab = (typeof TABS)[number];
type Dialog = 'import' | 'export' | 'editor' | null;

const ROWS = 6;

export function AnalyseScreen({ route }: ScreenProps) {
  const { tree, node, setNode, setTree, changed, problem } = useGameTree(route.path[1], route.query);
  const [networks, setNetworks] = useState<NetworkSummary[]>([]);
  const [listProblem, setListProblem] = useState<string | null>(null);
  const [network, setNetwork] = useState(route.query.get('net') ?? '');
  const [second, setSecond] = useState<string | null>(route.query.get('net2'));
  const [on, setOn] = useState(false);
  const [budget, setBudget] = useState<number | null>(() => budgetOf(route.query.get('nodes')));
  const [attempt, setAttempt] = useState(0);
  const [only, setOnly] = useState<string[]>([]);
  const [rows, setRows] = useState(ROWS);
  const [tab, setTab] = useState<Tab>(() => TABS.find((one) => one === route.query.get('tab')) ?? 'moves');
  const [given, setGiven] = useState<string | undefined>();
  const [hidden, setHidden] = useState(false);
  const [tries, setTries] = useState(0);
  const [selected, setSelected] = useState<Key | null>(null);
  const [preview, setPreview] = useState<Preview | null>(null);
  const [dialog, setDialog] = useState<Dialog>(null);
  const [orientation, setOrientation] = useState<Colour>(route.query.get('flip') ? 'black' : 'white');
  const [view, setView] = useState<'white' | 'mover'>(route.query.get('pov') === 'turn' ? 'mover' : 'white');
  const [layers, setLayers] = useState<Layers>({ arrows: true, heat: 'off', threat: false, label: 'visits' });
  const [hovered, setHovered] = useState<string | null>(null);
  const [reviewNodes, setReviewNodes] = useState(400);

  useEffect(() => {
    get<NetworkSummary[]>('/networks').then(
      (all) => {
        const usable = all.filter((one) => !one.problem);
        setNetworks(usable);
        setNetwork((chosen) => chosen || (usable[0]?.id ?? ''));
      },
      (error: unknown) => setListProblem(explain(error)),
    );
  }, []);

  const start = tree.root.fen;
  const moves = useMemo(() => lineTo(node), [node]);
  const whiteToMove = node.fen.split(' ')[1] === 'w';
  const wanted = { on: on && network !== '', start, moves, budget, only, attempt };
  const searchA = useSearch('a', { ...wanted, network });
  const searchB = useSearch('b', { ...wanted, on: wanted.on && second !== null, network: second ?? '' });
  const threatFen = useMemo(() => withoutMove(node.fen), [node.fen]);
  const searchT = useSearch('threat', {
    on: wanted.on && layers.threat && threatFen !== null,
    network,
    start: threatFen ?? start,
    moves: [],
    budget: 200,
    only: [],
    attempt,
  });
  const trace = searchA.view?.trace ?? null;
  const other = second === null ? null : (searchB.view?.trace ?? null);
  useEffect(() => {
    setOnly([]);
    setHovered(null);
    setSelected(null);
    setPreview(null);
  }, [node]);
  useAddressOfChoices({ net: network, net2: second ?? '', nodes: budget === DEFAULT_BUDGET ? '' : String(budget ?? 'none'), pov: view === 'mover' ? 'turn' : '', flip: orientation === 'black' ? '1' : '', tab: tab === 'moves' ? '' : tab });
  const { over: dropping, problem: dropProblem } = useDrop({ onText: (text) => {
    const found = readAnything(text);
    const [one] = found.games;
    if (one && found.games.length === 1 && found.faults.length === 0 && !found.problem) return setTree(one);
    setGiven(text);
    setDialog('import');
  } }, LONGEST_TEXT);

  const line = useMemo(() => mainLine(tree.root), [tree, changed]);
  const mainMoves = useMemo(() => line.slice(1).map((step) => step.uci), [line]);
  const { review, problem: reviewProblem, start: startReview, stop: stopReview } = useReview(`${start} ${mainMoves.join(' ')}`);
  const judgements = useMemo(
    () => new Map<number, Judgement>(review?.points.flatMap((point) => (point.judgement ? [[point.ply, point.judgement]] : [])) ?? []),
    [review],
  );

  const { solving, begin, next: nextExercise, again, end: endSolving, attempt: tryMove } = useSolving(review, setNode);
  const exercises = useMemo(() => (review?.white ? exercisesOf(review, line, orientation) : []), [review, line, orientation]);
  const quiet = solving !== null || hidden;
  const move = useCallback(
    (uci: string) => {
      if (solving) {
        const san = stationsOf(node.fen, [uci])[1]?.san ?? uci;
        setTries((count) => count + 1);
        void tryMove(uci, san);
        return;
      }
      const next = play(node, uci);
      if (next) setNode(next);
    },
    [node, solving],
  );
  const addLine = (traced: TracedMove, length: number) => setNode(playLine(node, traced.variation_uci.slice(0, length)));
  const back = () => node.parent && setNode(node.parent);
  const forward = () => node.children[0] && setNode(node.children[0]);
  const first = () => setNode(tree.root);
  const last = () => setNode(mainLine(node).at(-1) ?? node);
  const sibling = (step: number) => {
    const choices = node.parent?.children ?? [];
    const next = choices[choices.indexOf(node) + step];
    if (next) setNode(next);
  };
  const result = route.query.get('result');
  useEffect(() => {
    if (!result) return;
    getText(`/results/${encodeURIComponent(result)}/pgn`).then(
      (pgn) => {
        setGiven(pgn);
        setDialog('import');
      },
      (error: unknown) => setListProblem(explain(error)),
    );
  }, [result]);
  const toggleOnly = (uci: string) => setOnly(only.includes(uci) ? only.filter((one) => one !== uci) : [...only, uci]);
  const flip = () => setOrientation(orientation === 'white' ? 'black' : 'white');
  const toggleSecond = () => setSecond(second === null ? (networks.find((one) => one.id !== network)?.id ?? network) : null);
  const jump = (kind: 'inaccuracy' | 'mistake' | 'blunder') => {
    const found = review && nextJudged(review, kind, node.ply, orientation, start.split(' ')[1] === 'w');
    const target = found === null || found === undefined ? undefined : line[found + 1];
    if (target) setNode(target);
  };
  const beginReview = () => void startReview({ network, fen: start, moves: mainMoves, nodes: reviewNodes });
  const labels: ArrowLabel[] = ['visits', 'win', 'prior'];
  /** `[` and `]` walk the line of the row under the pointer, or of the best move, on the small board. */
  const walk = (step: number) => {
    const traced = trace?.moves.find((one) => one.uci === (preview?.uci ?? hovered)) ?? trace?.moves[0];
    if (!traced) return;
    const length = Math.max(1, Math.min(traced.variation_uci.length, (preview?.uci === traced.uci ? preview.length : 0) + step));
    setPreview({ uci: traced.uci, length, ...stationAt(node.fen, traced.variation_uci.slice(0, length)) });
  };
  const rowButtons = () => [...document.querySelectorAll<HTMLElement>('.move-table tbody th button')];
  const rowKeys = Object.fromEntries(
    [...'123456789'].flatMap((digit, index) => [
      [digit, () => rowButtons()[index]?.focus()],
      [`Shift+Digit${digit}`, () => playRow(index)],
    ]),
  );
  const playRow = (index: number) => {
    const uci = rowButtons()[index]?.closest('tr')?.dataset['uci'];
    if (uci) move(uci);
  };
  useKeys({
    ArrowLeft: back,
    ArrowRight: forward,
    k: back,
    j: forward,
    ',': back,
    '.': forward,
    Home: first,
    End: last,
    '0': first,
    'Shift+ArrowRight': () => setNode(nextFork(node)),
    'Shift+ArrowLeft': () => setNode(leaveVariation(node)),
    ArrowUp: () => (node.parent && node.parent.children.length > 1 ? sibling(-1) : first()),
    ArrowDown: () => (node.parent && node.parent.children.length > 1 ? sibling(1) : last()),
    f: flip,
    l: () => setOn(!on),
    ' ': () => (on && trace?.moves[0] ? move(trace.moves[0].uci) : setOn(true)),
    a: () => setLayers({ ...layers, arrows: !layers.arrows }),
    h: () => setLayers(toggled(layers, 'heat')),
    z: () => setHidden(!hidden),
    '[': () => walk(-1),
    ']': () => walk(1),
    ...rowKeys,
    // On most keyboards the shifted 4 is also a row's key; it is that only where there is such a row.
    $: last,
    'Shift+Digit4': () => (rowButtons().length > 3 ? playRow(3) : last()),
    x: () => setLayers({ ...layers, threat: !layers.threat }),
    v: () => setLayers({ ...layers, label: labels[(labels.indexOf(layers.label) + 1) % labels.length] as ArrowLabel }),
    n: toggleSecond,
    t: () => setTab(tab === 'tree' ? 'moves' : 'tree'),
    w: () => setView(view === 'white' ? 'mover' : 'white'),
    r: () => {
      setTab('review');
      if (mainMoves.length > 0) beginReview();
    },
    i: () => jump('inaccuracy'),
    m: () => jump('mistake'),
    b: () => jump('blunder'),
    Delete: () => setNode(removeFrom(node)),
  });

  useTitle(node.san ? `${Math.ceil(node.ply / 2)}${node.ply % 2 ? '.' : '...'} ${node.san} · Analyse` : 'Analyse');
  const whiteWdl = trace?.wdl ? forWhite(trace.wdl, whiteToMove) : null;
  const arrows = useMemo<Arrow[]>(() => {
    if (!layers.arrows || quiet) return [];
    const drawn: Arrow[] = [];
    const spot = (moves: TracedMove[]) => (selected ? moves.filter((one) => one.uci.startsWith(selected)) : moves);
    const next = node.children[0];
    if (next) drawn.push({ id: 'played', uci: next.uci, kind: 'played', width: 4 / 64, opacity: 1, label: '' });
    const threat = layers.threat ? searchT.view?.trace?.moves[0] : undefined;
    if (threat) drawn.push({ id: 'threat', uci: threat.uci, kind: 'threat', width: 8 / 64, opacity: 1, label: '!' });
    if (other) drawn.push(...arrowsOf(spot(other.moves), 'net-b', layers.label, hovered));
    if (trace) drawn.push(...arrowsOf(spot(trace.moves), 'net-a', layers.label, hovered));
    return drawn;
  }, [layers, trace, other, searchT.view, hovered, node, changed, selected, quiet]);
  const heat = useMemo(() => heatOf(layers.heat !== 'off' && !quiet ? (trace?.moves ?? []) : [], layers.heat), [layers.heat, trace, quiet]);
  const opening = useOpening(useMemo(() => pathOf(node).map((one) => one.fen), [node]));
  const shapes = useMemo(() => shapesOf(node), [node]);
  const marks: SquareClasses = heat.classes;

  return (
    <BoardScreen
      side={<WdlBar white={quiet ? null : whiteWdl} orientation={orientation} />}
      board={
        <Board fen={node.fen} lastMove={node.uci || null} orientation={orientation} movable="both" version={tries} onMove={move} marks={marks} shapes={shapes} onShapes={(drawn) => keepShapes(node, drawn)} onSelect={setSelected}>
          <ArrowLayer arrows={arrows} orientation={orientation} figures={heat.figures} />
        </Board>
      }
      top={<PlayerName headers={tree.headers} colour={orientation === 'white' ? 'Black' : 'White'} />}
      bottom={<PlayerName headers={tree.headers} colour={orientation === 'white' ? 'White' : 'Black'} />}
      panel={
        <>
          <h1 class="sr-only">Analyse</h1>
          <EngineBar
            on={on}
            onToggle={() => setOn(!on)}
            networks={networks}
            network={network}
            onNetwork={setNetwork}
            second={second}
            onSecond={setSecond}
            search={searchA}
            budget={budget}
            onBudget={setBudget}
            onRetry={() => setAttempt(attempt + 1)}
          />
          {(problem ?? listProblem ?? dropProblem) && <p class="problem">{problem ?? listProblem ?? dropProblem}</p>}
          {dropping && <p class="drop-note">Let go to import the game.</p>}
          {hidden && (
            <p class="note">
              The engine's output is hidden ·{' '}
              <button type="button" class="link" onClick={() => setHidden(false)}>
                show it (z)
              </button>
            </p>
          )}
          {solving && (
            <FindBetter
              solving={solving}
              onAgain={again}
              onShow={(exercise) => {
                endSolving();
                setNode(play(exercise.node, exercise.point.best ?? '') ?? exercise.node);
              }}
              onNext={nextExercise}
              onEnd={endSolving}
            />
          )}
          {!quiet && <Headline trace={trace} other={other} whiteToMove={whiteToMove} view={view} />}
          <LayerButtons layers={layers} onChange={setLayers} view={view} onView={setView} />
          {only.length > 0 && (
            <p class="note">
              Only {only.map((uci) => trace?.moves.find((one) => one.uci === uci)?.san ?? uci).join(', ')} ·{' '}
              <button type="button" class="link" onClick={() => setOnly([])}>
                all moves
              </button>
            </p>
          )}
          {trace && !quiet && (
            <MoveTable
              moves={selected && trace.moves.some((one) => one.uci.startsWith(selected)) ? trace.moves.filter((one) => one.uci.startsWith(selected)) : trace.moves}
              other={other?.moves ?? null}
              rows={rows}
              settled={searchA.view?.stage !== 'running'}
              onAll={() => setRows(300)}
              whiteToMove={whiteToMove}
              view={view}
              hovered={hovered}
              onHover={(uci) => {
                setHovered(uci);
                if (uci === null) setPreview(null);
              }}
              onLine={addLine}
              only={only}
              onOnly={toggleOnly}
              onPreview={(traced, length) => setPreview({ uci: traced.uci, length, ...stationAt(node.fen, traced.variation_uci.slice(0, length)) })}
            />
          )}
          <Segments
            label="Below the table"
            hideLabel={true}
            options={[
              ['moves', 'Moves'],
              ['tree', 'Tree'],
              ['human', 'Human'],
              ['review', 'Review'],
            ]}
            value={tab}
            onChange={setTab}
          />
          {review && (
            <Graph
              points={review.points}
              positions={review.positions}
              ply={line.includes(node) ? node.ply : 0}
              moveName={(ply) => moveName(line[ply]?.san, ply)}
              onChoose={(ply) => {
                const target = line[ply];
                if (target) setNode(target);
              }}
              onHover={(ply) => {
                const target = ply === null ? undefined : line[ply];
                setPreview(target ? { uci: '', length: 0, fen: target.fen, lastMove: target.uci || null } : null);
              }}
            />
          )}
          {opening && (
            <p class="opening note">
              {opening.code} {opening.name}
            </p>
          )}
          {tab === 'moves' && <Notation root={tree.root} current={node} judgements={judgements} onChoose={setNode} />}
          {tab === 'tree' && (
            <Icicle
              ready={searchA.view !== null}
              searchKey={searchA.view?.key ?? null}
              whiteToMove={whiteToMove}
              onHover={setHovered}
              onLine={(uciLine) => setNode(playLine(node, uciLine))}
            />
          )}
          {tab === 'human' && (
            <HumanTab networks={networks} start={start} moves={moves} traced={trace?.moves ?? null} onHover={setHovered} onMove={move} />
          )}
          {tab === 'review' && (
            <ReviewPanel
              review={review}
              problem={reviewProblem}
              canReview={mainMoves.length > 0}
              nodes={reviewNodes}
              onNodes={setReviewNodes}
              onStart={beginReview}
              onStop={stopReview}
              onJump={jump}
              exercises={exercises.length}
              onSolve={() => begin(exercises)}
            />
          )}
          <StepButtons
            ply={node.ply}
            last={node.children.length > 0 ? node.ply + 1 : node.ply}
            onStep={(ply) => (ply === 0 ? first() : ply < node.ply ? back() : forward())}
            onFlip={flip}
          />
          <NodeActions
            tree={tree}
            node={node}
            onTree={setTree}
            onNode={setNode}
            onDialog={setDialog}
            onPlay={() => go(`/?fen=${encodeURIComponent(node.fen)}`)}
          />
          {preview && (
            <div class="preview">
              <MiniBoard fen={preview.fen} lastMove={preview.lastMove} orientation={orientation} label="The position of the line" />
            </div>
          )}
          {dialog === 'export' && <ExportDialog tree={tree} review={review} onClose={() => setDialog(null)} />}
          {dialog === 'import' && (
            <ImportDialog
              key={given}
              given={given}
              onClose={() => {
                setGiven(undefined);
                setDialog(null);
              }}
              onGame={(game) => {
                setTree(game);
                setGiven(undefined);
                setDialog(null);
              }}
            />
          )}
          {dialog === 'editor' && (
            <Editor
              fen={node.fen}
              onClose={() => setDialog(null)}
              onPosition={(fen) => {
                setDialog(null);
                go(`/analyse?fen=${encodeURIComponent(fen)}`);
              }}
            />
          )}
        </>
      }
    />
  );
}

function PlayerName({ headers, colour }: { headers: Map<string, string>; colour: 'White' | 'Black' }) {
  const name = headers.get(colour);
  return <p class="player-name">{name && name !== '?' ? `${name}` : colour}</p>;
}

function moveName(san: string | null | undefined, ply: number): string {
  if (!san || ply === 0) return 'Start';
  return `${Math.ceil(ply / 2)}${ply % 2 ? '.' : '...'} ${san}`;
}

/** The position as if the side to move passed; null where it is in check, when a pass means nothing. */
function withoutMove(fen: string): string | null {
  const fields = fen.split(' ');
  fields[1] = fields[1] === 'w' ? 'b' : 'w';
  fields[3] = '-';
  const passed = fields.join(' ');
  return 'position' in positionOf(passed) ? passed : null;
}
