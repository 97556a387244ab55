/** Opening tables: the existing ones, those being made, and the files that can also be read. */

import { useState } from 'preact/hooks';
import { sizeText } from '../networks/facts.tsx';
import { explain, post, sendFile } from '../server/request.ts';
import type { OpeningTable, OpeningsView } from '../server/types.ts';
import { countText, plural } from './numbers.ts';

interface Props {
  view: OpeningsView;
  onView: (view: OpeningsView) => void;
  /** Called with the id of a table that begins to be made, which the reader wants to see. */
  onBegun: (id: string) => void;
}

export function OpeningTables({ view, onView, onBegun }: Props) {
  const [problem, setProblem] = useState('');
  const [sending, setSending] = useState<string | null>(null);
  /** `begun` is the name of the source whose table is to be made. */
  const follow = (answer: Promise<OpeningsView>, begun?: string) => {
    answer.then(
      (now) => {
        onView(now);
        const table = now.tables.find((one) => one.name === begun && !one.problem);
        if (table) onBegun(table.id);
        setProblem('');
        setSending(null);
      },
      (error: unknown) => {
        setProblem(explain(error));
        setSending(null);
      },
    );
  };
  const send = (file: File | undefined) => {
    if (!file) return;
    setSending(file.name);
    follow(sendFile(`/openings/files/${encodeURIComponent(file.name)}`, file), file.name);
  };
  const made = new Set(view.tables.filter((table) => !table.problem).map((table) => table.name));
  const sources = view.sources.filter((source) => !made.has(source.name));
  return (
    <div class="opening-tables">
      {view.tables.length === 0 && <p>Moves played in this position in your games. Read a file once; its table is kept.</p>}
      {view.tables.length > 0 && (
        <ul class="plain-list">
          {view.tables.map((table) => (
            <TableLine key={table.id} table={table} source={view.sources.some((source) => source.name === table.name)} onFollow={follow} />
          ))}
        </ul>
      )}
      {sources.length > 0 && (
        <ul class="plain-list" aria-label="Files that can be read">
          {sources.map((source) => (
            <li key={source.name}>
              <span class="grow">
                {source.name} <span class="note">{source.bytes === null ? 'sample store' : sizeText(source.bytes)}</span>
              </span>
              <button type="button" onClick={() => follow(post('/openings', { source: source.name }), source.name)}>
                Read
              </button>
            </li>
          ))}
        </ul>
      )}
      <label class="button">
        {sending ? `Sending ${sending} ...` : 'Read a file of games or a book ...'}
        <input type="file" class="sr-only" accept=".pgn,.zst,.gz,.bz2,.zip,.bin" disabled={sending !== null} onChange={(event) => send(event.currentTarget.files?.[0])} />
      </label>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <p class="note">
        PGN (also .zst, .gz, .bz2, .zip), sample stores and Polyglot books (.bin). Files in {view.folder} are listed here.
      </p>
    </div>
  );
}

/** Says of a table of an older version that it has no games, and reads its file again. */
export function WithoutGames({ table, view, onView }: Pick<Props, 'view' | 'onView'> & { table: OpeningTable }) {
  const [problem, setProblem] = useState('');
  const read = () => {
    post<OpeningsView>('/openings', { source: table.name }).then(onView, (error: unknown) => setProblem(explain(error)));
  };
  return (
    <p class="note">
      An older version kept no games.{' '}
      {view.sources.some((source) => source.name === table.name) ? (
        <button type="button" class="link" onClick={read}>
          Read the file again
        </button>
      ) : (
        'Read the file again, under "Tables ...",'
      )}{' '}
      to list and filter them. {problem && <span class="problem">{problem}</span>}
    </p>
  );
}

interface LineProps {
  table: OpeningTable;
  /** True if its source still exists, so that it can be read again. */
  source: boolean;
  onFollow: (answer: Promise<OpeningsView>) => void;
}

function TableLine({ table, source, onFollow }: LineProps) {
  const to = (what: string) => post<OpeningsView>(`/openings/${encodeURIComponent(table.id)}/${what}`);
  return (
    <li>
      <span class="grow">
        {table.name} <TableState table={table} />
      </span>
      {table.ready && (table.stale || table.older) && source && (
        <button type="button" onClick={() => onFollow(post('/openings', { source: table.name }))}>
          Read again
        </button>
      )}
      <button type="button" onClick={() => onFollow(to(table.ready ? 'delete' : 'stop'))}>
        {table.ready ? 'Delete' : table.problem ? 'Forget' : 'Stop'}
      </button>
    </li>
  );
}

function TableState({ table }: { table: OpeningTable }) {
  if (table.problem) return <span class="problem">{table.problem}</span>;
  if (table.share !== null) {
    return (
      <span class="note">
        <progress value={table.share} aria-label={`Reading ${table.name}`} /> {Math.floor(100 * table.share)} % · {plural(table.games, 'game')}
        {table.games_per_second ? ` · ${countText(table.games_per_second)}/s` : ''}
      </span>
    );
  }
  const parts = [table.weights ? 'book' : plural(table.games, 'game'), plural(table.positions, 'position')];
  if (table.broken > 0) parts.push(`${countText(table.broken)} broken left out`);
  if (table.stale) parts.push('the file has changed since');
  if (table.older) parts.push('without its games');
  return <span class="note">{parts.join(' · ')}</span>;
}
