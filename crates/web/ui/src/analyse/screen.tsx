/** Analyse: a game as a tree, live searches of the position shown, and a review of the whole game. */

import type { Key } from '@lichess-org/chessground/types';
import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { ScreenProps } from '../app.tsx';
import { Board } from '../board/board.tsx';
import { MiniBoard } from '../board/mini.tsx';
import { spoken, stationsOf } from '../chess/position.ts';
import { useOpening, useOpeningEnd } from '../chess/use-opening.ts';
import { BoardScreen } from '../play/board-screen.tsx';
import { go } from '../route.ts';
import { explain, getText } from '../server/request.ts';
import type { Colour, TracedMove } from '../server/types.ts';
import { announce } from '../shell/announce.ts';
import { Missing } from '../shell/missing.tsx';
import { useTitle } from '../shell/title.ts';
import { useMedia } from '../shell/use-media.ts';
import { ArrowLayer } from './arrows.tsx';
import { BestLine } from './best-line.tsx';
import { AnalysisDialogs } from './dialogs.tsx';
import { Explained } from './explained.tsx';
import { FindBetter, exercisesOf, isOver, useSolving } from './find-better.tsx';
import { type GameDialog, gameMenu } from './game-menu.ts';
import { GamePanel, TABS, type Tab } from './game-panel.tsx';
import { GraphPanel, lineValues } from './graph-panel.tsx';
import { wdlOf } from './headline.tsx';
import { HumanTab } from './human-tab.tsx';
import { Icicle } from './icicle.tsx';
import { LONGEST_TEXT } from './import-dialog.tsx';
import { Notation } from './notation.tsx';
import { OpeningsTab } from './openings-tab.tsx';
import { type View, forWhite } from './numbers.ts';
import { onPasted } from './paste.ts';
import { PlayerName } from './player-name.tsx';
import { Portrait } from './portrait.tsx';
import { readAnything } from './read.ts';
import { ReplayTab } from './replay-tab.tsx';
import { ReviewPanel } from './review-panel.tsx';
import { DEFAULT_BUDGET, NO_POINTS, type Preview, keepShapes, pathOf, shapesOf, spared, stationAt, useAddressOfChoices } from './screen-parts.ts';
import { SearchPanel } from './search-panel.tsx';
import { useSeenVersion } from './seen.ts';
import { type TreeNode, lineTo, mainLine, play, playLine } from './tree.ts';
import { useDrop } from './use-drop.ts';
import { useEngine } from './use-engine.ts';
import { useGameTree } from './use-game-tree.ts';
import { useDrawing, useLayers } from './use-layers.ts';
import { useReview } from './use-review.ts';
import { useAnalysisKeys, walkOf } from './use-walk.ts';
import { WdlBar } from './wdl-bar.tsx';
import { reasonOf } from './why.tsx';

/** Windows with room for the curve under the board, which is wider than the panel beside it (`styles/board.css`). */
const ROOM_UNDER_BOARD = '(min-width: 1800px) and (min-height: 1040px)';

/** The tree of a recorded step so early that the server had not sent its tree yet. */
const NO_TREE = { key: 0, visits: 0, branches: [] };

export function AnalyseScreen({ route }: ScreenProps) {
  const { tree, node, setNode, setTree, changed, problem, missing } = useGameTree(route.path[1], route.query);
  const [all, setAll] = useState(false);
  const [tab, setTab] = useState<Tab>(() => TABS.find(([one]) => one === route.query.get('tab'))?.[0] ?? 'moves');
  const [given, setGiven] = useState<string | undefined>();
  const [hidden, setHidden] = useState(false);
  const [tries, setTries] = useState(0);
  const [selected, setSelected] = useState<Key | null>(null);
  const [preview, setPreview] = useState<Preview | null>(null);
  const [dialog, setDialog] = useState<GameDialog | null>(null);
  const [orientation, setOrientation] = useState<Colour>(route.query.get('flip') ? 'black' : 'white');
  const [view, setView] = useState<View>(route.query.get('pov') === 'turn' ? 'mover' : 'white');
  const [layers, setLayers] = useLayers();
  const [hovered, setHovered] = useState<string | null>(null);
  const [reviewNodes, setReviewNodes] = useState(400);
  const [fileProblem, setFileProblem] = useState<string | null>(null);

  const start = tree.root.fen;
  const moves = useMemo(() => lineTo(node), [node]);
  const whiteToMove = node.fen.split(' ')[1] === 'w';
  const engine = useEngine(route.query, { start, moves, fen: node.fen }, layers.threat);
  const { trace, budget, network, second } = engine;
  // Until the server has listed the networks, the address may name one that does not exist.
  const listed = engine.networks.length > 0 ? network : '';
  useEffect(() => {
    setHovered(null);
    setSelected(null);
    setPreview(null);
  }, [node]);
  useAddressOfChoices({ net: network, net2: second ?? '', nodes: budget === DEFAULT_BUDGET ? '' : String(budget ?? 'none'), pov: view === 'mover' ? 'turn' : '', flip: orientation === 'black' ? '1' : '', tab: tab === 'moves' ? '' : tab });

  const take = useCallback((text: string) => {
    const found = readAnything(text);
    const [one] = found.games;
    if (one && found.games.length === 1 && found.faults.length === 0 && !found.problem) return setTree(one);
    setGiven(text);
    setDialog('import');
  }, []);
  const { over: dropping, problem: dropProblem } = useDrop({ onText: take }, LONGEST_TEXT);
  useLayoutEffect(() => onPasted(take), []);
  const result = route.query.get('result');
  useEffect(() => {
    if (!result) return;
    getText(`/results/${encodeURIComponent(result)}/pgn`).then(take, (error: unknown) => setFileProblem(explain(error)));
  }, [result]);

  const line = useMemo(() => mainLine(tree.root), [tree, changed]);
  const mainMoves = useMemo(() => line.slice(1).map((step) => step.uci), [line]);
  const { review, problem: reviewProblem, start: startReview, stop: stopReview } = useReview(start, mainMoves);
  const points = review?.points ?? NO_POINTS;
  const reviewed = line[node.ply] === node ? (points[node.ply] ?? null) : null;
  const reason = reasonOf(node, line, points);

  const { solving, begin, reveal, next: nextExercise, again, end: endSolving, attempt: tryMove } = useSolving(review, setNode);
  const exercises = useMemo(() => (review?.white ? exercisesOf(review, line, orientation) : []), [review, line, orientation]);
  const quiet = solving !== null || hidden;
  // A reader looking for a better move sees the curve only up to there, and no marks.
  const shownPoints = useMemo(() => (solving ? spared(points, solving.exercises[solving.at]?.node.ply ?? 0) : points), [points, solving]);
  const version = useSeenVersion();
  const values = useMemo(() => lineValues(line, shownPoints).slice(0, solving ? (solving.exercises[solving.at]?.node.ply ?? 0) + 1 : undefined), [line, shownPoints, version, solving]);
  const graphValues = useMemo(() => line.map((_, ply) => values[ply] ?? null), [values, line]);
  const move = useCallback(
    (uci: string) => {
      if (solving && !isOver(solving)) {
        setTries((count) => count + 1);
        void tryMove(uci, stationsOf(node.fen, [uci])[1]?.san ?? uci);
        return;
      }
      const next = play(node, uci);
      if (next) setNode(next);
    },
    [node, solving],
  );
  const walk = walkOf({ tree, node, setNode, line, review, orientation });
  const flip = () => setOrientation(orientation === 'white' ? 'black' : 'white');
  const turnView = () => setView(view === 'white' ? 'mover' : 'white');
  const beginReview = () => void startReview({ network, nodes: reviewNodes });
  const show = (traced: TracedMove, length: number) => setPreview({ uci: traced.uci, length, ...stationAt(node.fen, traced.variation_uci.slice(0, length)) });
  /** `[` and `]` walk the line of the row under the pointer, or of the best move, on the small board. */
  const walkLine = (step: number) => {
    const traced = trace?.moves.find((one) => one.uci === (preview?.uci ?? hovered)) ?? trace?.moves[0];
    if (traced) show(traced, Math.max(1, Math.min(traced.variation_uci.length, (preview?.uci === traced.uci ? preview.length : 0) + step)));
  };
  useAnalysisKeys({
    walk,
    node,
    setNode,
    engine,
    layers,
    setLayers,
    move,
    flip,
    hide: () => setHidden(!hidden),
    turnView,
    review: () => {
      setTab('review');
      if (mainMoves.length > 0) beginReview();
    },
    toggleTree: () => setTab(tab === 'tree' ? 'moves' : 'tree'),
    preview: walkLine,
  });

  useTitle(node.san ? `${Math.ceil(node.ply / 2)}${node.ply % 2 ? '.' : '...'} ${node.san} · Analyse` : 'Analyse');
  useAnnouncedMove(node.ply, node.san, whiteToMove);
  const seen = line[node.ply] === node ? values[node.ply] : null;
  const whiteWdl = trace?.wdl ? forWhite(trace.wdl, whiteToMove) : reviewed ? wdlOf(reviewed) : (seen?.white ?? null);
  const { arrows, heat, badge, problem: heatProblem } = useDrawing({ layers, engine, node, changed, reason: solving ? null : reason, hovered, selected, quiet, view });
  const opening = useOpening(useMemo(() => pathOf(node).map((one) => one.fen), [node]));
  const openingEnd = useOpeningEnd(useMemo(() => line.map((one) => one.fen), [line]));
  const look = (target: TreeNode | null) => setPreview(target && { uci: '', length: 0, fen: target.fen, lastMove: target.uci || null });
  const underBoard = useMedia(ROOM_UNDER_BOARD);
  const graph = <GraphPanel values={graphValues} line={line} node={node} orientation={orientation} openingEnd={openingEnd} onNode={setNode} onPreview={look} />;
  const shapes = useMemo(() => shapesOf(node), [node]);
  const notation = useMemo(() => <Notation root={tree.root} current={node} values={values} onChoose={setNode} />, [tree, changed, node, values]);
  const spotted = selected && trace ? trace.moves.filter((one) => one.uci.startsWith(selected)) : [];
  const said = problem ?? engine.problem ?? fileProblem ?? dropProblem ?? heatProblem;
  const close = () => {
    setGiven(undefined);
    setDialog(null);
  };

  if (missing) return <Missing what={`game ${route.path[1]}`} list={{ href: '/analyse', text: 'To the analysis board' }} />;
  return (
    <BoardScreen
      layout="analysis"
      side={<WdlBar white={quiet ? null : whiteWdl} orientation={orientation} />}
      onStep={(step) => (step > 0 ? walk.forward() : walk.back())}
      board={
        <Board fen={node.fen} lastMove={node.uci || null} orientation={orientation} movable="both" version={tries} onMove={move} marks={heat.classes} shapes={shapes} onShapes={(drawn) => keepShapes(node, drawn)} onSelect={setSelected}>
          <ArrowLayer arrows={arrows} orientation={orientation} figures={heat.figures} badge={badge} />
        </Board>
      }
      top={<PlayerName headers={tree.headers} colour={orientation === 'white' ? 'Black' : 'White'} />}
      bottom={<PlayerName headers={tree.headers} colour={orientation === 'white' ? 'White' : 'Black'} />}
      under={underBoard ? graph : <BestLine trace={quiet ? null : trace} reason={quiet ? null : reason} reviewed={quiet ? null : reviewed} fen={node.fen} whiteToMove={whiteToMove} view={view} />}
      panel={
        <>
          <h1 class="sr-only">Analyse</h1>
          <SearchPanel
            engine={engine}
            node={node}
            reason={reason}
            reviewed={reviewed}
            view={view}
            onView={turnView}
            layers={layers}
            onLayers={setLayers}
            quiet={quiet}
            moves={spotted.length > 0 ? spotted : (trace?.moves ?? [])}
            all={all}
            onAll={() => setAll(!all)}
            hovered={hovered}
            onHover={(uci) => {
              setHovered(uci);
              if (uci === null) setPreview(null);
            }}
            onNode={setNode}
            onLine={(traced, length) => setNode(playLine(node, traced.variation_uci.slice(0, length)))}
            onPreview={show}
            onLook={look}
            explained={
              <Explained
                problem={said}
                dropping={dropping}
                hidden={hidden}
                onShow={() => setHidden(false)}
                engine={engine}
                layers={layers}
                reason={solving ? null : reason}
                reviewed={solving ? null : reviewed}
                opening={opening}
                headers={tree.headers}
                node={node}
                onNode={setNode}
                onPreview={look}
              />
            }
            instead={
              solving ? (
                <FindBetter
                  solving={solving}
                  onAgain={again}
                  onReveal={reveal}
                  onNext={nextExercise}
                  onEnd={endSolving}
                />
              ) : hidden ? (
                <p class="note">The engine keeps running; its output is hidden.</p>
              ) : null
            }
          />
          {!underBoard && graph}
          <GamePanel
            tab={tab}
            onTab={setTab}
            node={node}
            walk={walk}
            onFlip={flip}
            menu={(say) => gameMenu(tree, node, { onTree: setTree, onNode: setNode, onDialog: setDialog, onPlay: () => go(`/?fen=${encodeURIComponent(node.fen)}`), onPlanes: () => go(`/networks/${encodeURIComponent(network)}?fen=${encodeURIComponent(start)}&moves=${moves.join(',')}#sees`), onFlip: flip, onSaid: say })}
          >
            {tab === 'moves' && notation}
            {tab === 'tree' && (
              <Icicle
                ready={engine.search.view !== null}
                running={engine.on}
                onStart={() => engine.setOn(true)}
                searchKey={engine.search.view?.key ?? null}
                recorded={engine.replay.shown && (engine.replay.shown.tree ?? NO_TREE)}
                whiteToMove={whiteToMove}
                onHover={setHovered}
                onLine={(uciLine) => setNode(playLine(node, uciLine))}
              />
            )}
            {tab === 'replay' && <ReplayTab replay={engine.replay} ready={engine.networks.length > 0} whiteToMove={whiteToMove} />}
            {tab === 'human' && <HumanTab rating={ratingOf(tree.headers, whiteToMove)} opponent={ratingOf(tree.headers, !whiteToMove)} network={network} whiteToMove={whiteToMove} view={view} networks={engine.networks} start={start} moves={moves} traced={trace?.moves ?? null} onHover={setHovered} onMove={move} />}
            {tab === 'openings' && <OpeningsTab fen={node.fen} network={listed} onHover={setHovered} onMove={move} />}
            {tab === 'review' && solving && <p class="note">The counts return after the exercises.</p>}
            {tab === 'review' && !solving && (
              <ReviewPanel
                review={review}
                problem={reviewProblem}
                canReview={mainMoves.length > 0}
                nodes={reviewNodes}
                onNodes={setReviewNodes}
                onStart={beginReview}
                onStop={stopReview}
                onJump={walk.jump}
                exercises={exercises.length}
                onSolve={() => begin(exercises)}
              />
            )}
            {tab === 'review' && !solving && line.length > 1 && <Portrait line={line} points={points} network={listed} second={second} ply={line[node.ply] === node ? node.ply : 0} onNode={setNode} />}
          </GamePanel>
          {preview && (
            <div class="preview">
              <MiniBoard fen={preview.fen} lastMove={preview.lastMove} orientation={orientation} label="The position of the line" />
            </div>
          )}
          <AnalysisDialogs
            dialog={dialog}
            given={given}
            tree={tree}
            node={node}
            review={review}
            onClose={close}
            onGame={(game) => {
              setTree(game);
              close();
            }}
            onNode={setNode}
          />
        </>
      }
    />
  );
}

/** The rating of the side to move, if the game has one. */
function ratingOf(headers: ReadonlyMap<string, string>, whiteToMove: boolean): number | null {
  return Number(headers.get(whiteToMove ? 'WhiteElo' : 'BlackElo')) || null;
}

/** Announces each move that comes onto the board. */
function useAnnouncedMove(ply: number, san: string, whiteToMove: boolean): void {
  const [first] = useState(ply);
  useEffect(() => {
    if (san) announce(`${whiteToMove ? 'Black' : 'White'}: ${spoken(san)}`);
    else if (ply !== first) announce('Start of the game');
  }, [ply, san]);
}
