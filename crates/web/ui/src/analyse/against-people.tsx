/** Practical chances: the best move against people of a given rating, next to the best against the strongest reply. */

import { useEffect, useState } from 'preact/hooks';
import { explain } from '../server/request.ts';
import type { NetworkSummary } from '../server/types.ts';
import { remember, remembered, useSettings } from '../settings.ts';
import { CANDIDATES, type Practical, againstPeople, recent } from './against.ts';
import { type View, nameOf, percentOf, told, toldText } from './numbers.ts';

interface Props {
  /** The networks of one family that play like people, by rating. */
  people: readonly NetworkSummary[];
  /** The network whose values are used. */
  network: string;
  /** Rating of the side that replies, if the game's headers have it. */
  opponent: number | null;
  start: string;
  moves: readonly string[];
  /** Moves worth comparing, the best known first. */
  candidates: readonly { uci: string; san: string }[];
  whiteToMove: boolean;
  view: View;
  onHover: (uci: string | null) => void;
  onMove: (uci: string) => void;
}

const KEY = 'tabiya.against';
/** A club player's rating, used if the game does not give the opponent's. */
const USUAL = 1500;

export function AgainstPeople({ people, network, opponent, start, moves, candidates, whiteToMove, view, onHover, onMove }: Props) {
  const { unit } = useSettings();
  const [on, setOn] = useState(() => remembered(KEY, { on: false }).on);
  const [chosen, setChosen] = useState<string | null>(null);
  const [state, setState] = useState<{ key: string; found: Practical[]; problem: string | null } | null>(null);
  const rated = people.filter((one) => one.rating !== null);
  const against = rated.find((one) => one.id === chosen) ?? nearest(rated, opponent ?? USUAL);
  const compared = candidates.slice(0, CANDIDATES).map(({ uci, san }) => ({ uci, san }));
  const key = on && against && compared.length > 0 ? JSON.stringify([network, against.id, start, moves, compared.map((one) => one.uci).sort()]) : '';
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
  if (!against) return null;
  const current = state?.key === key ? state : null;
  const text = (wdl: Practical['people']) => toldText(told(wdl, whiteToMove, view), unit);
  const found = current?.found ?? [];
  const [first] = found;
  const strongest = found.reduce<Practical | null>((best, one) => (best && percentOf(best.best) >= percentOf(one.best) ? best : one), null);
  return (
    <section class="against" aria-label="Best against people">
      <div class="button-row">
        <button
          type="button"
          aria-pressed={on}
          onClick={() => {
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
      {on && current?.problem && <p class="problem">{current.problem}</p>}
      {on && first && strongest && (
        <>
          <p>
            Against {against.rating}: <b>{first.san}</b>, {text(first.people)}.{' '}
            {first.uci === strongest.uci ? 'It is also best against the strongest reply.' : `Against the strongest reply: ${strongest.san}, ${text(strongest.best)}.`}
          </p>
          <div class="table-scroll" tabIndex={0} role="region" aria-label="Moves against people">
            <table class="against-table">
              <thead>
                <tr>
                  <th scope="col">Move</th>
                  <th scope="col" class="number" title={`Value for ${nameOf(told(first.people, whiteToMove, view).side)} after the replies of people of this rating, by their shares`}>
                    against {against.rating}
                  </th>
                  <th scope="col" class="number" title="Value after the strongest reply">
                    strongest reply
                  </th>
                  <th scope="col">they play</th>
                </tr>
              </thead>
              <tbody onPointerLeave={() => onHover(null)}>
                {found.map((one) => (
                  <tr key={one.uci} onPointerEnter={() => onHover(one.uci)}>
                    <th scope="row">
                      <button type="button" class="move" onClick={() => onMove(one.uci)} onFocus={() => onHover(one.uci)} onBlur={() => onHover(null)}>
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
      )}
      {on && !current && key && <p class="note" role="status">Asking for people's replies ...</p>}
      {on && !key && <p class="note">The game is over here.</p>}
      {on && <p class="note">Values at first sight one reply later, without a search; rare replies are left out.</p>}
    </section>
  );
}

function nearest(people: readonly NetworkSummary[], rating: number): NetworkSummary | undefined {
  const distance = (one: NetworkSummary) => Math.abs((one.rating ?? 0) - rating);
  return people.reduce<NetworkSummary | undefined>((best, one) => (best && distance(best) <= distance(one) ? best : one), undefined);
}
