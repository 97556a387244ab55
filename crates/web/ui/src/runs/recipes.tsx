/** The recipe of a run with its notes, and the differences between the recipes of several. */

import { useEffect, useState } from 'preact/hooks';
import { get } from '../server/request.ts';
import type { RunDetail } from '../server/types.ts';
import { keysOf } from './recipe-keys.ts';
import { RunNotes } from './run-notes.tsx';

export function RunFacts({ name, status }: { name: string; status: string }) {
  const [detail, setDetail] = useState<RunDetail | null>(null);
  useEffect(() => {
    get<RunDetail>(`/runs/${encodeURIComponent(name)}`).then(setDetail, () => setDetail(null));
  }, [name, status]);
  if (!detail) return null;
  return (
    <>
      <RunNotes detail={detail} />
      {detail.recipe && (
        <details>
          <summary>The resolved recipe</summary>
          <pre class="mono" tabIndex={0}>
            {detail.recipe}
          </pre>
        </details>
      )}
    </>
  );
}

/** The lines in which the recipes differ. */
export function Differences({ names }: { names: string[] }) {
  const [recipes, setRecipes] = useState<Map<string, string>>(new Map());
  useEffect(() => {
    for (const name of names) {
      get<RunDetail>(`/runs/${encodeURIComponent(name)}`).then(
        (detail) => setRecipes((known) => new Map(known).set(name, detail.recipe)),
        () => undefined,
      );
    }
  }, [names.join(' ')]);
  const tables = names.map((name) => keysOf(recipes.get(name) ?? ''));
  const keys = [...new Set(tables.flatMap((table) => [...table.keys()]))].filter((key) => new Set(tables.map((table) => table.get(key))).size > 1);
  if (keys.length === 0) return <p class="note">The recipes are the same.</p>;
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="How the recipes differ">
      <table>
        <thead>
          <tr>
            <th scope="col">Recipe</th>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key}>
              <th scope="row">{key}</th>
              {tables.map((table, index) => (
                <td key={names[index]} class="wrap">
                  {table.get(key) ?? ''}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
