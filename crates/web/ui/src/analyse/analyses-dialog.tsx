/** The last analyses that the server has, each with a small board; a click opens one where it was left. */

import { useEffect, useState } from 'preact/hooks';
import { MiniBoard } from '../board/mini.tsx';
import { Icon } from '../icons.tsx';
import { explain, get, post } from '../server/request.ts';
import type { AnalysisList, AnalysisSummary } from '../server/types.ts';
import { Dialog } from '../shell/dialog.tsx';
import { lengthText } from './game-row.ts';
import { openingAddress } from './place.ts';

/** Number of analyses that are listed. */
const LISTED = 10;

export function AnalysesDialog({ onClose }: { onClose: () => void }) {
  const [list, setList] = useState<AnalysisList | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const fail = (error: unknown) => setProblem(explain(error));
  useEffect(() => {
    get<AnalysisList>('/analyses').then(setList, fail);
  }, []);
  return (
    <Dialog title="Analyses" onClose={onClose} wide={true}>
      {list?.analyses.length === 0 && <p class="note">None yet. A game is kept here as soon as a move, a comment or a PGN is added on this board.</p>}
      <ul class="analyses-list">
        {list?.analyses.slice(0, LISTED).map((analysis) => (
          <Row key={analysis.id} analysis={analysis} onOpen={onClose} onDelete={() => post<AnalysisList>(`/analyses/${analysis.id}/delete`).then(setList, fail)} />
        ))}
      </ul>
      {[...(list?.problems ?? []), ...(problem ? [problem] : [])].map((one) => (
        <p key={one} class="problem">
          {one}
        </p>
      ))}
    </Dialog>
  );
}

function Row({ analysis, onOpen, onDelete }: { analysis: AnalysisSummary; onOpen: () => void; onDelete: () => void }) {
  const { id, changed, title } = analysis;
  const name = title.players || 'A position';
  return (
    <li>
      <a href={openingAddress(id)} onClick={onOpen}>
        <MiniBoard fen={title.fen} label="The position" />
        <span class="analysis-players">{name}</span>
        <span class="note">{[title.result, lengthText(title.plies), new Date(changed).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })].filter(Boolean).join(' · ')}</span>
      </a>
      <button type="button" class="icon-button" aria-label={`Delete ${name}`} title="Delete" onClick={onDelete}>
        <Icon name="close" />
      </button>
    </li>
  );
}
