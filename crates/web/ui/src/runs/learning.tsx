/** Watch it learn: the network's opinion of a few positions at each validation, from the first to the last. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { SightBoard } from '../networks/probes.tsx';
import { explain, get } from '../server/request.ts';
import type { ProbeMoment } from '../server/types.ts';
import { learnedSentence } from './learned.ts';

/** Time between two moments during playback. */
const STEP_MS = 250;

interface Props {
  name: string;
  /** Changes when the run's log grows. */
  version: number;
  /** Called once it is known whether there is something to see. */
  onKnown: () => void;
}

export function Learning({ name, version, onKnown }: Props) {
  const [moments, setMoments] = useState<ProbeMoment[]>([]);
  const [problem, setProblem] = useState('');
  /** Null follows the newest. */
  const [at, setAt] = useState<number | null>(null);
  const [playing, setPlaying] = useState(false);
  const gone = useRef(false);
  /** The numbers of the last request and of the one whose answer is shown. */
  const [asked, answered] = [useRef(0), useRef(0)];
  useEffect(
    () => () => {
      gone.current = true;
    },
    [],
  );
  // On a slow connection a log grows faster than its answers arrive: one that was overtaken by a request is still news.
  useEffect(() => {
    asked.current += 1;
    const mine = asked.current;
    get<ProbeMoment[]>(`/runs/${encodeURIComponent(name)}/probes`)
      .then(
        (found) => {
          if (gone.current || mine < answered.current) return;
          answered.current = mine;
          setMoments(found);
        },
        (error: unknown) => !gone.current && setProblem(explain(error)),
      )
      .finally(() => !gone.current && onKnown());
  }, [name, version]);
  const last = moments.length - 1;
  const shown = Math.min(at ?? last, last);
  useEffect(() => {
    if (!playing) return undefined;
    const timer = setTimeout(() => (shown < last ? setAt(shown + 1) : setPlaying(false)), STEP_MS);
    return () => clearTimeout(timer);
  }, [playing, shown, last]);
  if (problem) return <p class="problem">{problem}</p>;
  const moment = moments[shown];
  if (!moment) return null;
  return (
    <details class="learning" open>
      <summary>Watch it learn</summary>
      <div class="button-row">
        <button
          type="button"
          disabled={last === 0}
          onClick={() => {
            if (!playing && shown === last) setAt(0);
            setPlaying(!playing);
          }}
        >
          {playing ? 'Stop' : 'Play'}
        </button>
        <input
          type="range"
          class="grow"
          aria-label="Moment of the training"
          aria-valuetext={`after ${moment.step} steps`}
          min={0}
          max={last}
          value={shown}
          onInput={(event) => {
            const chosen = Number(event.currentTarget.value);
            setPlaying(false);
            setAt(chosen === last ? null : chosen);
          }}
        />
        <span class="figure learning-step">step {moment.step.toLocaleString('en')}</span>
        <button
          type="button"
          title="An animated SVG, which plays in any browser"
          onClick={() => void import('./save-film.tsx').then(({ saveFilm }) => saveFilm(name, moments), (error: unknown) => setProblem(explain(error)))}
        >
          Save as a film
        </button>
      </div>
      <div class="probes">
        {moment.positions.map((sight) => (
          <SightBoard key={sight.name} name={sight.name} fen={sight.fen} wdl={sight.wdl} moves={sight.moves.map(([uci, prior]) => ({ uci, san: uci, prior }))} sentence={learnedSentence(moments, shown, sight.name)} />
        ))}
      </div>
      <p class="note">Arrows: the network's policy in percent; a tick marks the right move where it is known. Below: White wins, draws, loses. No search.</p>
    </details>
  );
}
