/**
 * The search tree as an icicle: the root at the left, one column per ply, each block as high as its share of the root's
 * visits and coloured by its value. A list shows the same to those who cannot see it.
 */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { live } from '../server/live.ts';
import type { TracedBranch, TreeView } from '../server/types.ts';
import { percentOf } from './numbers.ts';

interface Props {
  /** True if a search is running or has run in this position. */
  ready: boolean;
  /** True if the engine is on; otherwise it can be started from here. */
  running: boolean;
  onStart: () => void;
  searchKey: number | null;
  /** The tree of a recorded step, shown instead of the live one. */
  recorded: TreeView | null;
  whiteToMove: boolean;
  onHover: (uci: string | null) => void;
  /** Puts a line on the board. */
  onLine: (line: string[]) => void;
}

interface Block {
  branch: TracedBranch;
  index: number;
  depth: number;
  top: number;
  height: number;
}

const COLUMNS = 8;
/** Blocks below this share of the shown root are left out. */
const LEAST = 0.01;
/** A block names its move from this share upwards. */
const TEXT_FROM = 0.045;

export function Icicle({ ready, running, onStart, searchKey, recorded, whiteToMove, onHover, onLine }: Props) {
  const [tree, setTree] = useState<TreeView | null>(null);
  const [zoom, setZoom] = useState<string[]>([]);
  const [asList, setAsList] = useState(false);
  const frozen = useRef(false);
  useEffect(() => {
    if (!ready) return undefined;
    return live.listen('tree/a', (data) => {
      if (frozen.current || !data || typeof data !== 'object' || 'refused' in data) return;
      setTree(data as TreeView);
    });
  }, [ready]);
  useEffect(() => setZoom([]), [searchKey, recorded]);
  const shown = recorded ?? (tree && tree.key === searchKey ? tree : null);
  const branches = shown?.branches ?? [];
  const top = useMemo(() => find(branches, zoom), [branches, zoom]);
  const blocks = useMemo(() => layOut(branches, top, top === null ? (shown?.visits ?? 0) : (branches[top]?.visits ?? 0)), [branches, top]);
  const white = (branch: TracedBranch) => (whiteToMove ? percentOf(branch.wdl) : 100 - percentOf(branch.wdl));
  const lineTo = (index: number) => {
    const line: string[] = [];
    for (let at: number | null = index; at !== null; at = branches[at]?.parent ?? null) line.unshift(branches[at]?.uci ?? '');
    return line;
  };
  if (blocks.length === 0 && zoom.length === 0) {
    return (
      <p class="note">
        The branches that the engine searches most appear here.{' '}
        {!running && (
          <button type="button" class="link" onClick={onStart}>
            Start the engine (l)
          </button>
        )}
      </p>
    );
  }
  const press = (event: KeyboardEvent, index: number) => {
    if (event.key === 'Enter') onLine(lineTo(index));
    else if (event.key === ' ') setZoom(lineTo(index));
    else if (event.key === 'Backspace') setZoom(zoom.slice(0, -1));
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight' || event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      const next = neighbour(blocks, index, event.key);
      if (next !== null) (event.currentTarget as HTMLElement).parentElement?.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <section class="tree" aria-label="Search tree">
      <div class="button-row">
        <button type="button" disabled={zoom.length === 0} onClick={() => setZoom(zoom.slice(0, -1))}>
          Zoom out
        </button>
        <button type="button" aria-pressed={asList} onClick={() => setAsList(!asList)}>
          As list
        </button>
        <span class="note">{zoom.length > 0 && top !== null ? `below ${sans(branches, top).join(' ')}` : 'click to zoom in; double-click or Enter to play'}</span>
      </div>
      {asList ? (
        <TreeList branches={branches} visits={shown?.visits ?? 0} white={white} onLine={(index) => onLine(lineTo(index))} />
      ) : (
        <div
          class="icicle"
          onPointerEnter={() => {
            frozen.current = true;
          }}
          onPointerLeave={() => {
            frozen.current = false;
            onHover(null);
          }}
        >
          {blocks.length === 0 && <p class="note icicle-empty">Nothing below it has enough visits to show.</p>}
          {blocks.map((block) => (
            <button
              key={lineTo(block.index).join(' ')}
              type="button"
              class="icicle-block"
              data-index={block.index}
              data-value={valueStep(white(block.branch))}
              style={{
                left: `${(100 * block.depth) / COLUMNS}%`,
                top: `${(100 * block.top).toFixed(2)}%`,
                height: `${(100 * block.height).toFixed(2)}%`,
              }}
              aria-label={`${sans(branches, block.index).join(' ')} ${Math.round(white(block.branch))} % for White, ${block.branch.visits} visits`}
              title={`${sans(branches, block.index).join(' ')}\n${block.branch.visits.toLocaleString('en')} visits · ${white(block.branch).toFixed(1)} % for White`}
              onPointerEnter={() => onHover(lineTo(block.index)[0] ?? null)}
              onClick={() => setZoom(lineTo(block.index))}
              onDblClick={() => onLine(lineTo(block.index))}
              onKeyDown={(event) => press(event, block.index)}
            >
              {block.height >= TEXT_FROM && (
                <span>
                  {block.branch.san}{' '}
                  {block.height >= 2 * TEXT_FROM && <small class="figure">{Math.round(white(block.branch))} %</small>}
                </span>
              )}
            </button>
          ))}
        </div>
      )}
    </section>
  );
}

/** The deepest branch of a line that is still among the branches; null for the root, or if the first move is missing. */
function find(branches: readonly TracedBranch[], line: readonly string[]): number | null {
  let at: number | null = null;
  for (const uci of line) {
    const next = branches.findIndex((branch) => branch.parent === at && branch.uci === uci);
    if (next < 0) return at;
    at = next;
  }
  return at;
}

/** Rectangles of the branches below the shown root; shares are relative to the shown root. */
function layOut(branches: readonly TracedBranch[], top: number | null, visits: number): Block[] {
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

function sans(branches: readonly TracedBranch[], index: number): string[] {
  const line: string[] = [];
  for (let at: number | null = index; at !== null; at = branches[at]?.parent ?? null) line.unshift(branches[at]?.san ?? '');
  return line;
}

/** Nine steps of colour, from Black's orange through grey to White's blue. */
function valueStep(percent: number): number {
  return Math.max(0, Math.min(8, Math.floor(percent / 11.12)));
}

interface ListProps {
  branches: readonly TracedBranch[];
  visits: number;
  white: (branch: TracedBranch) => number;
  onLine: (index: number) => void;
}

function TreeList({ branches, visits, white, onLine }: ListProps) {
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
