/** Imports PGN, a FEN or moves, pasted or from a file. Readable parts are kept; faults are named with their place. */

import { useState } from 'preact/hooks';
import { Dialog } from '../shell/dialog.tsx';
import { GameChoice } from './game-choice.tsx';
import { faultText } from './pgn-faults.ts';
import { LONGEST_TEXT, readAnything } from './read.ts';
import type { GameTree } from './tree.ts';

interface Props {
  /** Text dropped on the screen. */
  given?: string | undefined;
  onClose: () => void;
  onGame: (game: GameTree) => void;
}

export function ImportDialog({ given, onClose, onGame }: Props) {
  const [text, setText] = useState(given ?? '');
  const [found, setFound] = useState<ReturnType<typeof readAnything> | null>(() => (given ? readAnything(given) : null));
  const [filter, setFilter] = useState('');
  const read = (given: string) => {
    if (given.length > LONGEST_TEXT) {
      setFound({ games: [], faults: [], problem: `The text has ${given.length} characters; expected at most ${LONGEST_TEXT}.` });
      return;
    }
    const result = readAnything(given);
    setFound(result);
    const [only] = result.games;
    if (only && result.games.length === 1 && result.faults.length === 0 && !result.problem) onGame(only);
  };
  return (
    <Dialog title="Import" onClose={onClose} wide={true}>
      <label class="field">
        <span>PGN, a FEN, or moves such as e2e4 e7e5</span>
        <textarea class="mono" rows={10} spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <div class="button-row">
        <button type="button" class="primary" disabled={!text.trim()} onClick={() => read(text)}>
          Import
        </button>
        <label class="file-field">
          <span>or a file</span>
          <input
            type="file"
            accept=".pgn,.fen,.txt"
            onChange={async (event) => {
              const [file] = event.currentTarget.files ?? [];
              if (!file) return;
              if (file.size > LONGEST_TEXT) return setFound({ games: [], faults: [], problem: `${file.name} has ${file.size} bytes; expected at most ${LONGEST_TEXT}.` });
              const content = await file.text();
              setText(content);
              read(content);
            }}
          />
        </label>
      </div>
      {found?.problem && <p class="problem">{found.problem}</p>}
      {found?.faults.map((fault) => (
        <p key={`${fault.game}-${fault.line}-${fault.column}`} class="problem">
          {faultText(fault)}
        </p>
      ))}
      {found && found.games.length > 8 && (
        <label class="inline-field">
          <span>Filter</span>
          <input type="search" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
        </label>
      )}
      {found && found.games.length > 0 && <GameChoice games={found.games} filter={filter} onGame={onGame} rest={found.faults.length > 0 || found.problem !== undefined} />}
    </Dialog>
  );
}
