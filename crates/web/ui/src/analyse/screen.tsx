/** Analyse: a game as a tree, live searches of the position shown, and a review of the whole game. */

import { useEffect, useState } from 'preact/hooks';
import type { ScreenProps } from '../app.tsx';
import { spoken } from '../chess/position.ts';
import { BoardScreen } from '../play/board-screen.tsx';
import { announce } from '../shell/announce.ts';
import { Missing } from '../shell/missing.tsx';
import { useTitle } from '../shell/title.ts';
import { useMedia } from '../shell/use-media.ts';
import { BestLine } from './best-line.tsx';
import { AnalysisBoard, PlayerAt, PreviewBoard, ValueBar } from './board-parts.tsx';
import { AnalysisDialogs } from './dialogs.tsx';
import { GamePanel } from './game-panel.tsx';
import { GraphPanel } from './graph-panel.tsx';
import { AnalysisKeys } from './keys.ts';
import { SearchPanel } from './search-panel.tsx';
import { AnalysisStore, useAnalysis } from './store.tsx';

/** Windows with room for the curve under the board, which is wider than the panel beside it (`styles/board.css`). */
const ROOM_UNDER_BOARD = '(min-width: 1800px) and (min-height: 1040px)';

export function AnalyseScreen({ route }: ScreenProps) {
  return (
    <AnalysisStore route={route}>
      <AnalysisKeys />
      <Panels />
    </AnalysisStore>
  );
}

function Panels() {
  const { id, missing, node, whiteToMove } = useAnalysis('game');
  const walk = useAnalysis('walk');
  const underBoard = useMedia(ROOM_UNDER_BOARD);
  useTitle(node.san ? `${Math.ceil(node.ply / 2)}${node.ply % 2 ? '.' : '...'} ${node.san} · Analyse` : 'Analyse');
  useAnnouncedMove(node.ply, node.san, whiteToMove);
  if (missing) return <Missing what={`game ${id}`} list={{ href: '/analyse', text: 'To the analysis board' }} />;
  return (
    <BoardScreen
      layout="analysis"
      side={<ValueBar />}
      onStep={(step) => (step > 0 ? walk.forward() : walk.back())}
      board={<AnalysisBoard />}
      top={<PlayerAt end="top" />}
      bottom={<PlayerAt end="bottom" />}
      under={underBoard ? <GraphPanel /> : <BestLine />}
      panel={
        <>
          <h1 class="sr-only">Analyse</h1>
          <SearchPanel />
          {!underBoard && <GraphPanel />}
          <GamePanel />
          <PreviewBoard />
          <AnalysisDialogs />
        </>
      }
    />
  );
}

/** Announces each move that comes onto the board. */
function useAnnouncedMove(ply: number, san: string, whiteToMove: boolean): void {
  const [first] = useState(ply);
  useEffect(() => {
    if (san) announce(`${whiteToMove ? 'Black' : 'White'}: ${spoken(san)}`);
    else if (ply !== first) announce('Start of the game');
  }, [ply, san]);
}
