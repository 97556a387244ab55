/** Input planes of a network: each channel as a small board. */

import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { MiniBoard } from '../board/mini.tsx';
import { INITIAL_FEN, positionOf, stationsOf } from '../chess/position.ts';
import { explain, get } from '../server/request.ts';
import type { PlaneView, PlanesView } from '../server/types.ts';
import { useMedia } from '../shell/use-media.ts';
import { PROBES } from './probes.tsx';

interface Props {
  network: string;
  /** The position that the address asks for, as the analysis board links to it. */
  fen: string | null;
  moves: string[];
}

export function Planes({ network, fen: given, moves: givenMoves }: Props) {
  const [fen, setFen] = useState(given ?? INITIAL_FEN);
  const [moves, setMoves] = useState(givenMoves);
  const section = useRef<HTMLElement>(null);
  // A reader who comes from the analysis board came for this.
  useEffect(() => {
    if (given) section.current?.scrollIntoView();
  }, []);
  const { planes, problem } = usePlanes(network, fen, moves);
  const show = (next: string) => {
    setFen(next);
    setMoves([]);
  };
  const station = stationsOf(fen, moves).at(-1);
  return (
    <section class="planes" aria-label="What it sees" ref={section}>
      <p class="note">The input of the network, channel by channel.</p>
      <div class="planes-head">
        <MiniBoard fen={station?.fen ?? fen} lastMove={station?.uci ?? null} label="The position whose input is shown" />
        <div class="form">
          <PositionFields fen={fen} moved={moves.length > 0} onFen={show} />
          {planes && (
            <p class="note">
              {planes.encoding}: {planes.boards.length + planes.empty.length + planes.numbers.length} channels, seen by {planes.view === 'white' ? 'White' : 'Black, whose first rank is at the bottom'}.
            </p>
          )}
        </div>
      </div>
      {problem && <p class="problem">{problem}</p>}
      {planes && <Channels planes={planes} wanted={given !== null} />}
    </section>
  );
}

function usePlanes(network: string, fen: string, moves: readonly string[]) {
  const [planes, setPlanes] = useState<PlanesView | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const query = new URLSearchParams({ fen, moves: moves.join(',') }).toString();
  useEffect(() => {
    let replaced = false;
    get<PlanesView | null>(`/networks/${encodeURIComponent(network)}/planes?${query}`).then(
      (found) => {
        if (replaced) return;
        setPlanes(found);
        setProblem(null);
      },
      (error: unknown) => {
        if (!replaced) setProblem(explain(error));
      },
    );
    return () => {
      replaced = true;
    };
  }, [network, query]);
  return { planes, problem };
}

/** The position by name or as a FEN. `moved` is true if it is the end of a line from the analysis board. */
function PositionFields({ fen, moved, onFen }: { fen: string; moved: boolean; onFen: (fen: string) => void }) {
  const [text, setText] = useState('');
  const name = useId();
  const typed = text.trim() ? positionOf(text) : null;
  const named = !moved && PROBES.some((probe) => probe.fen === fen);
  return (
    <>
      <label class="field">
        <span>Position</span>
        <select value={moved ? '' : fen} onChange={(event) => event.currentTarget.value && onFen(event.currentTarget.value)}>
          {!named && <option value={moved ? '' : fen}>{moved ? 'from the analysis board' : 'another position'}</option>}
          {PROBES.map((probe) => (
            <option key={probe.name} value={probe.fen}>
              {probe.name}
            </option>
          ))}
        </select>
      </label>
      <label class="field" for={name}>
        <span>or a FEN</span>
        <input
          id={name}
          class="mono"
          value={text}
          spellcheck={false}
          onInput={(event) => {
            const next = event.currentTarget.value;
            setText(next);
            if (next.trim() && 'position' in positionOf(next)) onFen(next.trim());
          }}
        />
      </label>
      {typed && 'problem' in typed && <p class="problem">{typed.problem}</p>}
    </>
  );
}

/** Windows in which a hundred channels are a few rows; on a phone they would be most of the page. */
const ROOM_FOR_CHANNELS = '(min-width: 640px)';

/** The channels: boards, then numbers that are the same on every square, then the names of the empty ones. */
function Channels({ planes: { boards, numbers, empty }, wanted }: { planes: PlanesView; wanted: boolean }) {
  const open = useMedia(ROOM_FOR_CHANNELS) || wanted;
  return (
    <details open={open}>
      <summary>{boards.length + numbers.length + empty.length} channels</summary>
      <div class="plane-boards">
        {boards.map((plane) => (
          <Plane key={plane.channel} plane={plane} />
        ))}
      </div>
      {numbers.length > 0 && (
        <p class="figure">
          {numbers.map(({ channel, name, value }) => (
            <span key={channel} class="plane-number">
              {name} <b>{valueText(value)}</b>
            </span>
          ))}
        </p>
      )}
      {empty.length > 0 && (
        <p class="note">
          <b>Zero everywhere:</b> {empty.join(', ')}.
        </p>
      )}
    </details>
  );
}

/** A channel: blue squares where it is positive, orange where it is negative, as strong as their share of the largest. */
function Plane({ plane: { name, squares } }: { plane: PlaneView }) {
  const [first = 0] = squares;
  const constant = squares.every((value) => value === first);
  const most = Math.max(...squares.map(Math.abs));
  const filled = squares.filter((value) => value !== 0).length;
  const whole = constant || squares.every((value) => value === 0 || value === 1);
  const text = constant ? `${valueText(first)} everywhere` : filled === 1 ? '1 square' : `${filled} squares`;
  return (
    <figure>
      <svg class="plane" viewBox="0 0 8 8" role="img" aria-label={`${name}: ${text}`}>
        <rect class="plane-board" width="8" height="8" />
        {constant ? (
          <rect class={first < 0 ? 'negative' : 'positive'} width="8" height="8" />
        ) : (
          squares.map((value, at) => value !== 0 && <rect key={at} class={value < 0 ? 'negative' : 'positive'} x={at % 8} y={Math.floor(at / 8)} width="1" height="1" opacity={0.25 + (0.75 * Math.abs(value)) / most} />)
        )}
        <path class="plane-grid" d={GRID} />
        {!whole && squares.map((value, at) => value !== 0 && <text key={at} x={(at % 8) + 0.5} y={Math.floor(at / 8) + 0.72}>{valueText(value)}</text>)}
      </svg>
      <figcaption>
        {name}
        {constant && <b class="figure"> {valueText(first)}</b>}
      </figcaption>
    </figure>
  );
}

const GRID = Array.from({ length: 9 }, (_, at) => `M${at} 0V8M0 ${at}H8`).join('');

function valueText(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}
