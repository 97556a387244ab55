/** Notes that people write about a run, kept in the run's folder as `notes.txt`. */

import { useEffect, useState } from 'preact/hooks';
import { explain, post } from '../server/request.ts';
import type { RunDetail } from '../server/types.ts';

export function RunNotes({ detail }: { detail: RunDetail }) {
  const [kept, setKept] = useState(detail.notes);
  const [text, setText] = useState(detail.notes);
  const [said, setSaid] = useState('');
  useEffect(() => {
    setKept(detail.notes);
    setText(detail.notes);
    setSaid('');
  }, [detail.name]);
  const save = () => {
    post<RunDetail>(`/runs/${encodeURIComponent(detail.name)}/notes`, { text }).then(
      (now) => {
        setKept(now.notes);
        setSaid('Saved.');
      },
      (error: unknown) => setSaid(explain(error)),
    );
  };
  return (
    <div class="field run-notes">
      <label>
        Notes
        <textarea rows={3} value={text} placeholder="Purpose and outcome of this run" onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <div class="button-row">
        <button type="button" disabled={text === kept} onClick={save}>
          Save notes
        </button>
        <span class="note" role="status">
          {said}
        </span>
      </div>
    </div>
  );
}
