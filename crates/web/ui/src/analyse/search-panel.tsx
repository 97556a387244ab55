/** The engine's results for the position: always in the same place and at the same height, whether it searches or not. */

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
      <div class="table-slot">
        <Results />
      </div>
    </section>
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
