/** Blocks of the icicle: their places, their names, and the keys that go from one to the next. */

import type { TracedBranch } from '../server/types.ts';
import { LEAST, lineOf, sansOf } from './branches.ts';

export interface Block {
  branch: TracedBranch;
  index: number;
  depth: number;
  top: number;
  height: number;
}

const COLUMNS = 8;
/** A block names its move from this share upwards. */
const TEXT_FROM = 0.045;

interface Props {
  branches: readonly TracedBranch[];
  blocks: readonly Block[];
  /** A branch's value for White in percent. */
  white: (branch: TracedBranch) => number;
  onHover: (uci: string | null) => void;
  /** Shows only what is below a line. */
  onZoom: (line: string[]) => void;
  onZoomOut: () => void;
  /** Puts a line on the board. */
  onLine: (line: string[]) => void;
}

export function Blocks({ branches, blocks, white, onHover, onZoom, onZoomOut, onLine }: Props) {
  const press = (event: KeyboardEvent, index: number) => {
    if (event.key === 'Enter') onLine(lineOf(branches, index));
    else if (event.key === ' ') onZoom(lineOf(branches, index));
    else if (event.key === 'Backspace') onZoomOut();
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight' || event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      const next = neighbour(blocks, index, event.key);
      if (next !== null) (event.currentTarget as HTMLElement).parentElement?.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      {blocks.map(({ branch, index, depth, top, height }) => {
        const line = lineOf(branches, index);
        const name = sansOf(branches, index).join(' ');
        const percent = white(branch);
        return (
          <button
            key={line.join(' ')}
            type="button"
            class="icicle-block"
            data-index={index}
            data-value={valueStep(percent)}
            style={{
              left: `${(100 * depth) / COLUMNS}%`,
              top: `${(100 * top).toFixed(2)}%`,
              height: `${(100 * height).toFixed(2)}%`,
            }}
            aria-label={`${name} ${Math.round(percent)} % for White, ${branch.visits} visits`}
            title={`${name}\n${branch.visits.toLocaleString('en')} visits · ${percent.toFixed(1)} % for White`}
            onPointerEnter={() => onHover(line[0] ?? null)}
            onClick={() => onZoom(line)}
            onDblClick={() => onLine(line)}
            onKeyDown={(event) => press(event, index)}
          >
            {height >= TEXT_FROM && (
              <span>
                {branch.san}{' '}
                {height >= 2 * TEXT_FROM && <small class="figure">{Math.round(percent)} %</small>}
              </span>
            )}
          </button>
        );
      })}
    </>
  );
}

/** Rectangles of the branches below the shown root; shares are relative to the shown root. */
export function layOut(branches: readonly TracedBranch[], top: number | null, visits: number): Block[] {
  if (visits <= 0) return [];
  const blocks: Block[] = [];
  const place = (parent: number | null, depth: number, from: number) => {
    let at = from;
    const children = branches.flatMap((branch, index) => (branch.parent === parent ? [{ branch, index }] : []));
    children.sort((first, second) => second.branch.visits - first.branch.visits);
    for (const { branch, index } of children) {
      const height = branch.visits / visits;
      if (height < LEAST) continue;
      blocks.push({ branch, index, depth, top: at, height });
      if (depth + 1 < COLUMNS) place(index, depth + 1, at);
      at += height;
    }
  };
  place(top, 0, 0);
  return blocks;
}

function neighbour(blocks: readonly Block[], index: number, key: string): number | null {
  const here = blocks.find((block) => block.index === index);
  if (!here) return null;
  if (key === 'ArrowLeft') return here.branch.parent;
  if (key === 'ArrowRight') return blocks.find((block) => block.branch.parent === index)?.index ?? null;
  const column = blocks.filter((block) => block.depth === here.depth).sort((first, second) => first.top - second.top);
  return column[column.indexOf(here) + (key === 'ArrowUp' ? -1 : 1)]?.index ?? null;
}

/** Nine steps of colour, from Black's orange through grey to White's blue. */
function valueStep(percent: number): number {
  return Math.max(0, Math.min(8, Math.floor(percent / 11.12)));
}
