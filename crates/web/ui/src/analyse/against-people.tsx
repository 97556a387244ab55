/** Practical chances: the best move against people of a given rating, next to the best against the strongest reply. */

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { explain } from '../server/request.ts';
import type { NetworkSummary } from '../server/types.ts';
import { remember, remembered, useSettings } from '../settings.ts';
import { CANDIDATES, type Practical, againstPeople, recent } from './against.ts';
import { nameOf, percentOf, told, toldText } from './numbers.ts';
import { useAnalysis } from './store.tsx';

interface Props {
  /** The networks of one family that play like people, by rating. */
  people: readonly NetworkSummary[];
  /** Rating of the side that replies, if the game's headers have it. */
  opponent: number | null;
  /** Moves worth comparing, the best known first; null while they are not known. */
  candidates: readonly { uci: string; san: string }[] | null;
}

const KEY = 'tabiya.against';
/** A club player's rating, used if the game does not give the opponent's. */
const USUAL = 1500;

export function AgainstPeople({ people, opponent, candidates }: Props) {
  const [on, setOn] = useState(() => remembered(KEY, { on: false }).on);
  const [chosen, setChosen] = useState<string | null>(null);
  const rated = people.filter((one) => one.rating !== null);
  const against = rated.find((one) => one.id === chosen) ?? nearest(rated, opponent ?? USUAL);
  const { asked, found, problem } = usePractical(on ? against : undefined, candidates);
  const section = useRef<HTMLElement>(null);
  /** True from the press of the button until its answer is shown, which may be below the edge of the tab. */
  const pressed = useRef(false);
  useLayoutEffect(() => {
    if (!pressed.current || !found) return;
    pressed.current = false;
    section.current?.scrollIntoView({ block: 'nearest' });
  }, [found]);
  if (!against) return null;
  const [first] = found ?? [];
  return (
    <section class="against" aria-label="Best against people" data-on={on || undefined} ref={section}>
      <div class="button-row">
        <button
          type="button"
          aria-pressed={on}
          onClick={() => {
            pressed.current = !on;
            setOn(!on);
            remember(KEY, { on: !on });
          }}
        >
          Best against people
        </button>
        <label class="inline-field">
          <span>rated</span>
          <select value={against.id} onChange={(event) => setChosen(event.currentTarget.value)}>
            {rated.map((one) => (
              <option key={one.id} value={one.id}>
                {one.rating}
              </option>
            ))}
          </select>
        </label>
      </div>
      {on && problem && <p class="problem">{problem}</p>}
      {on && found && first && <Comparison found={found} first={first} rating={against.rating} />}
      {on && !found && (asked || !candidates) && <p class="note" role="status">Loading people's replies ...</p>}
      {on && !asked && candidates && <p class="note">The game is over here.</p>}
      {on && <p class="note">The network's values after one reply, without a search; rare replies are left out.</p>}
    </section>
  );
}

/** What each candidate is worth against people. `asked` is false if there is nothing to ask, `found` null until the answer is there. */
function usePractical(against: NetworkSummary | undefined, candidates: Props['candidates']) {
  const { start, moves } = useAnalysis('game');
  const { network } = useAnalysis('engine');
  const [state, setState] = useState<{ key: string; found: Practical[]; problem: string | null } | null>(null);
  const compared = (candidates ?? []).slice(0, CANDIDATES).map(({ uci, san }) => ({ uci, san }));
  const key = against && compared.length > 0 ? JSON.stringify([network, against.id, start, moves, compared.map((one) => one.uci).sort()]) : '';
  useEffect(() => {
    if (!key || !against) return undefined;
    let replaced = false;
    const done = (found: Practical[], problem: string | null) => {
      if (!replaced) setState({ key, found, problem });
    };
    againstPeople(network, against.id, recent(start, moves), compared).then(
      (found) => done(found, null),
      (error: unknown) => done([], explain(error)),
    );
    return () => {
      replaced = true;
    };
  }, [key]);
  const current = state?.key === key ? state : null;
  return { asked: key !== '', found: current?.found ?? null, problem: current?.problem ?? null };
}

/** The best move against people and the best against the strongest reply, and a table of all that were compared. */
function Comparison({ found, first, rating }: { found: readonly Practical[]; first: Practical; rating: number | null }) {
  const { whiteToMove } = useAnalysis('game');
  const { view } = useAnalysis('choices');
  const { hover } = useAnalysis('point');
  const { move } = useAnalysis('solving');
  const { unit } = useSettings();
  const text = (wdl: Practical['people']) => toldText(told(wdl, whiteToMove, view), unit);
  const strongest = found.reduce((best, one) => (percentOf(best.best) >= percentOf(one.best) ? best : one), first);
  return (
    <>
      <p>
        Against {rating}: <b>{first.san}</b>, {text(first.people)}.{' '}
        {first.uci === strongest.uci ? 'It is also best against the strongest reply.' : `Against the strongest reply: ${strongest.san}, ${text(strongest.best)}.`}
      </p>
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Moves against people">
        <table class="against-table">
          <thead>
            <tr>
              <th scope="col">Move</th>
              <th scope="col" class="number" title={`Value for ${nameOf(told(first.people, whiteToMove, view).side)} after the replies of people of this rating, by their shares`}>
                against {rating}
              </th>
              <th scope="col" class="number" title="Value after the strongest reply">
                strongest reply
              </th>
              <th scope="col">they play</th>
            </tr>
          </thead>
          <tbody onPointerLeave={() => hover(null)}>
            {found.map((one) => (
              <tr key={one.uci} onPointerEnter={() => hover(one.uci)}>
                <th scope="row">
                  <button type="button" class="move" onClick={() => move(one.uci)} onFocus={() => hover(one.uci)} onBlur={() => hover(null)}>
                    {one.san}
                  </button>
                </th>
                <td class="number">{text(one.people)}</td>
                <td class="number">
                  {text(one.best)} {one.strongest && <span class="note">{one.strongest}</span>}
                </td>
                <td>{one.likeliest && `${one.likeliest.san} ${Math.round(100 * one.likeliest.share)} %`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function nearest(people: readonly NetworkSummary[], rating: number): NetworkSummary | undefined {
  const distance = (one: NetworkSummary) => Math.abs((one.rating ?? 0) - rating);
  return people.reduce<NetworkSummary | undefined>((best, one) => (best && distance(best) <= distance(one) ? best : one), undefined);
}
