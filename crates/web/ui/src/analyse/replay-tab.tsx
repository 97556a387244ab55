/** Replay of a search's opinion: a slider from the first visit to the last, with everything else following it. */

import { useId } from 'preact/hooks';
import { Icon } from '../icons.tsx';
import type { TracedMove } from '../server/types.ts';
import { countText, percentOf, plural } from './numbers.ts';
import { useAnalysis } from './store.tsx';
import { type Frame, STEPS } from './use-replay.ts';

/** Number of moves that get a line in the picture. */
const LINES = 5;
const SIZE = { width: 560, height: 150, left: 44, bottom: 18 };

export function ReplayTab() {
  const { whiteToMove } = useAnalysis('game');
  const { networks } = useAnalysis('engine');
  const { replay } = useAnalysis('search');
  const { step, frames, index, shown } = replay;
  const name = useId();
  if (frames.length === 0 && step === null) {
    return (
      <div class="replay">
        <p>Watch the search make up its mind: it is recorded from 1 to {countText(STEPS.at(-1) ?? 0)} visits, and arrows, table and tree show its state at each step.</p>
        <button type="button" disabled={networks.length === 0} onClick={replay.record}>
          <Icon name="play" /> Record the search
        </button>
      </div>
    );
  }
  const at = index ?? frames.length - 1;
  return (
    <div class="replay">
      <div class="button-row">
        <button type="button" disabled={frames.length < 2} onClick={() => replay.play(!replay.playing)}>
          <Icon name={replay.playing ? 'pause' : 'play'} /> {replay.playing ? 'Halt' : 'Replay'}
        </button>
        {step !== null ? (
          <button type="button" onClick={replay.stop}>
            Stop recording
          </button>
        ) : (
          <button type="button" onClick={replay.record}>
            Record again
          </button>
        )}
        {index !== null && (
          <button type="button" onClick={() => replay.show(null)}>
            Back to the live search
          </button>
        )}
      </div>
      <label class="replay-slider" for={name}>
        <span class="figure" role="status">
          {shown ? plural(shown.visits, 'visit') : step === null ? `${frames.length} steps recorded` : `recording ${countText(STEPS[step] ?? 0)}`}
        </span>
        <input
          id={name}
          type="range"
          aria-label="Visits"
          min={0}
          max={Math.max(1, frames.length - 1)}
          value={at}
          aria-valuetext={plural(frames[at]?.visits ?? 0, 'visit')}
          onInput={(event) => replay.show(Number(event.currentTarget.value))}
        />
      </label>
      {frames.length > 1 && <Shares frames={frames} at={at} whiteToMove={whiteToMove} />}
    </div>
  );
}

/** The shares of the moves that lead at the end, over the visits on a logarithmic axis. */
function Shares({ frames, at, whiteToMove }: { frames: Frame[]; at: number; whiteToMove: boolean }) {
  const last = frames.at(-1);
  if (!last) return null;
  const named = [...last.trace.moves].sort((first, second) => second.visits - first.visits).slice(0, LINES);
  const [low, high] = [Math.log(frames[0]?.visits ?? 1), Math.log(last.visits)];
  const x = (frame: Frame) => SIZE.left + ((SIZE.width - SIZE.left - 60) * (Math.log(frame.visits) - low)) / Math.max(1e-9, high - low);
  const y = (share: number) => 6 + (SIZE.height - SIZE.bottom - 6) * (1 - share);
  const cursor = frames[at] ? x(frames[at]) : 0;
  const value = frames[at]?.trace.wdl;
  const white = value ? (whiteToMove ? percentOf(value) : 100 - percentOf(value)) : null;
  return (
    <figure class="replay-shares">
      <svg viewBox={`0 0 ${SIZE.width} ${SIZE.height}`} role="img" aria-label="Share of the visits of each move over the visits; the table has the figures">
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line class="plot-rule" x1={SIZE.left} x2={SIZE.width - 60} y1={y(share)} y2={y(share)} />
            <text x={SIZE.left - 4} y={y(share) + 4} text-anchor="end">
              {100 * share} %
            </text>
          </g>
        ))}
        {[1, 100, 10_000].filter((visits) => visits <= last.visits).map((visits) => (
          <text key={visits} x={x({ ...last, visits })} y={SIZE.height - 4} text-anchor="middle">
            {countText(visits)}
          </text>
        ))}
        <line class="graph-cursor" x1={cursor} x2={cursor} y1={y(1)} y2={y(0)} />
        {named.map((move, row) => (
          <g key={move.uci} class={`series-${row + 1}`}>
            <polyline points={frames.map((frame) => `${x(frame).toFixed(1)},${y(shareOf(frame, move)).toFixed(1)}`).join(' ')} />
            <text x={SIZE.width - 56} y={12 + row * 15}>
              {move.san}
            </text>
          </g>
        ))}
      </svg>
      <figcaption class="note figure">{white === null ? '' : `${white.toFixed(1)} % for White`}</figcaption>
    </figure>
  );
}

/** Before there are visits below the root, a move's share is the network's prior at first sight. */
function shareOf(frame: Frame, move: TracedMove): number {
  const total = frame.trace.moves.reduce((sum, one) => sum + one.visits, 0);
  const own = frame.trace.moves.find((one) => one.uci === move.uci);
  return own ? (total > 0 ? own.visits / total : (own.prior ?? 0)) : 0;
}
