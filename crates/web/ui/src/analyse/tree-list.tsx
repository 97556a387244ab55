/** The search tree as a list with levels. */

import type { TracedBranch } from '../server/types.ts';
import { LEAST } from './branches.ts';

interface Props {
  branches: readonly TracedBranch[];
  visits: number;
  white: (branch: TracedBranch) => number;
  onLine: (index: number) => void;
}

export function TreeList({ branches, visits, white, onLine }: Props) {
  const rows: { branch: TracedBranch; index: number; level: number }[] = [];
  const walk = (parent: number | null, level: number) => {
    for (const [index, branch] of branches.entries()) {
      if (branch.parent !== parent || branch.visits < LEAST * visits) continue;
      rows.push({ branch, index, level });
      walk(index, level + 1);
    }
  };
  walk(null, 1);
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Search tree as a list">
      <table role="treegrid" class="tree-list" aria-label="Search tree">
        <thead>
          <tr>
            <th scope="col">Move</th>
            <th scope="col" class="number">
              Visits
            </th>
            <th scope="col" class="number">
              White win%
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ branch, index, level }) => (
            <tr key={index} aria-level={level}>
              <th scope="row" style={{ paddingLeft: `${level * 14}px` }}>
                <button type="button" class="move" onClick={() => onLine(index)}>
                  {branch.san}
                </button>
              </th>
              <td class="number">
                {branch.visits.toLocaleString('en')} ({Math.round((100 * branch.visits) / Math.max(1, visits))} %)
              </td>
              <td class="number">{white(branch).toFixed(1)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
