/** Calibration of a network's values in the games played here. */

import { useEffect, useState } from 'preact/hooks';
import { plural } from '../analyse/numbers.ts';
import { ValueDetail } from '../results/metrics.tsx';
import { explain, get } from '../server/request.ts';
import type { CalibrationView } from '../server/types.ts';

export function OwnGames({ network }: { network: string }) {
  const [view, setView] = useState<CalibrationView | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    get<CalibrationView>(`/networks/${encodeURIComponent(network)}/calibration`).then(setView, (error: unknown) => setProblem(explain(error)));
  }, [network]);
  if (problem) return <p class="problem">{problem}</p>;
  if (!view) return null;
  const [calibration, ...baselines] = view.curves;
  if (!calibration) return <p class="note">After games against it here, its values are compared with the results: what share of the points did it score where its value was 70 %?</p>;
  return (
    <>
      <p class="note">
        What it expected before each of its moves, and what it then scored: {plural(view.games, 'game')} without help{view.unreadable > 0 && ` (${plural(view.unreadable, 'game')} cannot be read and may be missing)`}. Games, not positions, count as independent; a handful says little.
      </p>
      <ValueDetail report={{ calibration, baselines }} />
    </>
  );
}
