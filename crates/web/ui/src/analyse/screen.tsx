/** Analyse: a game as a tree, live searches in the position shown, and a review of the whole. */

import type { SquareClasses } from '@lichess-org/chessground/types';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { ScreenProps } from '../app.tsx';
import { Board } from '../board/board.tsx';
import { positionOf } from '../chess/position.ts';
import { useKeys } from '../keys.ts';
import { BoardScreen } from '../play/board-screen.tsx';
import { StepButtons } from '../play/step-buttons.tsx';
import { go } from '../route.ts';
import { explain, get } from '../server/request.ts';
import type { Colour, Judgement, NetworkSummary, SearchTrace, TracedMove } from '../server/types.ts';
import { Segments } from '../shell/segments.tsx';
import { useTitle } from '../shell/title.ts';
import { type Arrow, ArrowLayer, type ArrowLabel, arrowsOf } from './arrows.tsx';
import { Branches } from './branches.tsx';
import { Editor } from './editor.tsx';
import { EngineBar } from './engine-bar.tsx';
import { Graph } from './graph.tsx';
import { heatOf } from './heat.ts';
import { ImportDialog } from './import-dialog.tsx';
import { LayerButtons, type Layers } from './layer-buttons.tsx';
import { MoveTable } from './move-table.tsx';
import { Notation } from './notation.tsx';
import { NodeActions } from './node-actions.tsx';
import { divergence, forWhite, percentOf, valueText, wholePercents } from './numbers.ts';
import { ReviewPanel, nextJudged } from './review-panel.tsx';
import { lineTo, mainLine, play, playLine, removeFrom } from './tree.ts';
import { useGameTree } from './use-game-tree.ts';
import { useReview } from './use-review.ts';
import { useSearch } from './use-search.ts';
import { WdlBar } from './wdl-bar.tsx';

type Tab = 'moves' | 'tree' | 'review';
type Dialog = 'import' | 'editor' | null;

const ROWS = 6;

export function AnalyseScreen({ route }: ScreenProps) {
  const { tree, node, setNode, setTree, changed, problem } = useGameTree(route.path[1], route.query);
  const [networks, setNetworks] = useState<NetworkSummary[]>([]);
  const [listProblem, setListProblem] = useState<string | null>(null);
  const [network, setNetwork] = useState(route.query.get('net') ?? '');
  const [second, setSecond] = useState<string | null>(route.query.get('net2'));
  const [on, setOn] = useState(false);
  const [budget, setBudget] = useState<number | null>(100_000);
  const [only, setOnly] = useState<string[]>([]);
  const [rows, setRows] = useState(ROWS);
  const [tab, setTab] = useState<Tab>('moves');
  const [dialog, setDialog] = useState<Dialog>(null);
  const [orientation, setOrientation] = useState<Colour>(route.query.get('flip') ? 'black' : 'white');
  const [view, setView] = useState<'white' | 'mover'>('white');
  const [layers, setLayers] = useState<Layers>({ arrows: true, heat: false, threat: false, label: 'visits' });
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
  const wish = { on: on && network !== '', start, moves, budget, only };
  const searchA = useSearch('a', { ...wish, network });
  const searchB = useSearch('b', { ...wish, on: wish.on && second !== null, network: second ?? '' });
  const threatFen = useMemo(() => withoutMove(node.fen), [node.fen]);
  const searchT = useSearch('threat', {
    on: wish.on && layers.threat && threatFen !== null,
    network,
    start: threatFen ?? start,
    moves: [],
    budget: 200,
    only: [],
  });
  const trace = searchA.view?.trace ?? null;
  const other = second === null ? null : (searchB.view?.trace ?? null);
  useEffect(() => {
    setOnly([]);
    setHovered(null);
  }, [node]);

  const line = useMemo(() => mainLine(tree.root), [tree, changed]);
  const mainMoves = useMemo(() => line.slice(1).map((step) => step.uci), [line]);
  const { review, problem: reviewProblem, start: startReview, stop: stopReview } = useReview(`${start} ${mainMoves.join(' ')}`);
  const judgements = useMemo(
    () => new Map<number, Judgement>(review?.points.flatMap((point) => (point.judgement ? [[point.ply, point.judgement]] : [])) ?? []),
    [review],
  );

  const move = useCallback(
    (uci: string) => {
      const next = play(node, uci);
      if (next) setNode(next);
    },
    [node],
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
  const flip = () => setOrientation(orientation === 'white' ? 'black' : 'white');
  const toggleSecond = () => setSecond(second === null ? (networks.find((one) => one.id !== network)?.id ?? network) : null);
  const jump = (kind: 'inaccuracy' | 'mistake' | 'blunder') => {
    const found = review && nextJudged(review, kind, node.ply, orientation, start.split(' ')[1] === 'w');
    const target = found === null || found === undefined ? undefined : line[found + 1];
    if (target) setNode(target);
  };
  const beginReview = () => void startReview({ network, fen: start, moves: mainMoves, nodes: reviewNodes });
  const labels: ArrowLabel[] = ['visits', 'win', 'prior'];
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
    $: last,
    ArrowUp: () => (node.parent && node.parent.children.length > 1 ? sibling(-1) : first()),
    ArrowDown: () => (node.parent && node.parent.children.length > 1 ? sibling(1) : last()),
    f: flip,
    l: () => setOn(!on),
    ' ': () => (on && trace?.moves[0] ? move(trace.moves[0].uci) : setOn(true)),
    a: () => setLayers({ ...layers, arrows: !layers.arrows }),
    h: () => setLayers({ ...layers, heat: !layers.heat }),
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
    if (!layers.arrows) return [];
    const drawn: Arrow[] = [];
    const next = node.children[0];
    if (next) drawn.push({ id: 'played', uci: next.uci, kind: 'played', width: 4 / 64, opacity: 1, label: '' });
    const threat = layers.threat ? searchT.view?.trace?.moves[0] : undefined;
    if (threat) drawn.push({ id: 'threat', uci: threat.uci, kind: 'threat', width: 8 / 64, opacity: 1, label: '!' });
    if (other) drawn.push(...arrowsOf(other.moves, 'net-b', layers.label, hovered));
    if (trace) drawn.push(...arrowsOf(trace.moves, 'net-a', layers.label, hovered));
    return drawn;
  }, [layers, trace, other, searchT.view, hovered, node, changed]);
  const heat = useMemo(() => heatOf(layers.heat ? (trace?.moves ?? []) : []), [layers.heat, trace]);
  const marks: SquareClasses = heat.classes;

  return (
    <BoardScreen
      side={<WdlBar white={whiteWdl} orientation={orientation} />}
      board={
        <Board fen={node.fen} lastMove={node.uci || null} orientation={orientation} movable="both" onMove={move} marks={marks}>
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
          />
          {(problem ?? listProblem) && <p class="problem">{problem ?? listProblem}</p>}
          <Headline trace={trace} other={other} whiteToMove={whiteToMove} view={view} />
          <LayerButtons layers={layers} onChange={setLayers} view={view} onView={setView} />
          {only.length > 0 && (
            <p class="note">
              Only {only.join(', ')} ·{' '}
              <button type="button" class="link" onClick={() => setOnly([])}>
                all moves
              </button>
            </p>
          )}
          {trace && (
            <MoveTable
              moves={trace.moves}
              other={other?.moves ?? null}
              rows={rows}
              onAll={() => setRows(300)}
              whiteToMove={whiteToMove}
              view={view}
              hovered={hovered}
              onHover={setHovered}
              onLine={addLine}
              onOnly={(uci) => setOnly([uci])}
            />
          )}
          <Segments
            label="Below the table"
            hideLabel={true}
            options={[
              ['moves', 'Moves'],
              ['tree', 'Tree'],
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
            />
          )}
          {tab === 'moves' && <Notation root={tree.root} current={node} judgements={judgements} onChoose={setNode} />}
          {tab === 'tree' && <Branches trace={trace} whiteToMove={whiteToMove} onHover={setHovered} onLine={addLine} />}
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
          {dialog === 'import' && (
            <ImportDialog
              onClose={() => setDialog(null)}
              onGame={(game) => {
                setTree(game);
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

interface HeadlineProps {
  trace: SearchTrace | null;
  other: SearchTrace | null;
  whiteToMove: boolean;
  view: 'white' | 'mover';
}

/** Win, draw and loss in words; with a second network, how far the two are apart. */
function Headline({ trace, other, whiteToMove, view }: HeadlineProps) {
  if (!trace?.wdl) return <p class="headline note">Not evaluated</p>;
  const white = forWhite(trace.wdl, whiteToMove);
  const [win, draw, loss] = wholePercents(white);
  const percent = (one: SearchTrace) => {
    if (!one.wdl) return '';
    const own = percentOf(one.wdl);
    return valueText(one.score, view === 'mover' || whiteToMove ? own : 100 - own);
  };
  return (
    <p class="headline figure">
      <b>{percent(trace)}</b> White {win} % · draw {draw} % · Black {loss} %
      {other && (
        <span class="headline-second">
          {' '}
          | B {percent(other)} · {trace.moves[0]?.uci === other.moves[0]?.uci ? 'same move' : 'top move differs'} · KL{' '}
          {divergence(priors(trace), priors(other)).toFixed(2)}
        </span>
      )}
    </p>
  );
}

function priors(trace: SearchTrace): Map<string, number> {
  return new Map(trace.moves.map((move) => [move.uci, move.prior]));
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
