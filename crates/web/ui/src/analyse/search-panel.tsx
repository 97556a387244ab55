/**
 * The engine's results for the position, in the same place and at the same height from the first search on. Before, the table has no
 * place yet, and the tabs have its room.
 */

import { useRef } from 'preact/hooks';
import { EngineBar } from './engine-bar.tsx';
import { Explained } from './explained.tsx';
import { FindBetter } from './find-better.tsx';
import { Headline } from './headline.tsx';
import { MoveTable } from './move-table.tsx';
import { useAnalysis } from './store.tsx';
import { Why } from './why.tsx';

export function SearchPanel() {
  return (
    <section class="search-panel" aria-label="Search">
      <Explained />
      <EngineBar />
      <div class="headline-row">
        <Headline />
      </div>
      <TableSlot />
    </section>
  );
}

/** The place of the table. It does not get smaller again, because a pause and a step must move nothing. */
function TableSlot() {
  const { on } = useAnalysis('engine');
  const { solving } = useAnalysis('solving');
  const { trace } = useAnalysis('search');
  const used = useRef(false);
  used.current ||= on || solving !== null || trace !== null;
  return (
    <div class="table-slot" data-unused={used.current ? undefined : true}>
      <Results />
    </div>
  );
}

/** The table of moves, or what takes its place. */
function Results() {
  const { solving } = useAnalysis('solving');
  const { hidden } = useAnalysis('choices');
  const { trace } = useAnalysis('search');
  if (solving) return <FindBetter solving={solving} />;
  if (hidden) return <p class="note">The engine keeps running; its output is hidden.</p>;
  return trace && trace.moves.length > 0 ? <MoveTable trace={trace} /> : <Why />;
}
