/** The settings of a new game: opponent, colour, clock and start position. */

import { NoPeople } from '../analyse/no-people.tsx';
import { plural } from '../analyse/numbers.ts';
import { Segments } from '../shell/segments.tsx';
import { ShortHashes } from '../shell/short-hash.tsx';
import { LevelStrip } from './level-strip.tsx';
import { rangeOf } from './own-strength.ts';
import { type Family, familiesOf, fileOf } from '../networks/family.ts';
import type { Level, NetworkKind, NetworkSummary } from '../server/types.ts';
import { CLOCKS, type Choices, NODE_STOPS, type Offers, SECOND_STOPS, TEMPERATURE_STOPS, chosenLevel, chosenSystem, imitationText, levelIndex, playsLikePeople, withSearch } from './choices.ts';

interface Props {
  choices: Choices;
  networks: NetworkSummary[];
  offers: Offers;
  fenProblem: string | null;
  /** True while it is not known whom one can play. */
  awaited: boolean;
  onChange: (changes: Partial<Choices>) => void;
}

export function StartForm({ choices, networks, offers, fenProblem, awaited, onChange }: Props) {
  const kind = (
    <Segments
      label="Opponent"
      options={[
        ['level', 'Level'],
        ['people', 'Human-like'],
        ['system', 'Systems'],
        ['network', 'Network'],
      ]}
      value={choices.strength === 'nodes' || choices.strength === 'time' ? 'network' : choices.strength}
      onChange={(next) => onChange({ strength: next === 'network' ? 'nodes' : next })}
    />
  );
  // Names of people and systems take as many lines as there are: until they are known nothing stands below them, which they would move.
  if (awaited && (choices.strength === 'people' || choices.strength === 'system')) {
    return (
      <form class="form" onSubmit={(event) => event.preventDefault()}>
        {kind}
        <p class="note">asking the server</p>
      </form>
    );
  }
  return (
    <form class="form" onSubmit={(event) => event.preventDefault()}>
      {kind}
      {choices.strength === 'level' ? (
        <LevelChoice choices={choices} offers={offers} onChange={onChange} />
      ) : choices.strength === 'people' ? (
        <PeopleChoice choices={choices} offers={offers} onChange={onChange} />
      ) : choices.strength === 'system' ? (
        <SystemChoice choices={choices} offers={offers} onChange={onChange} />
      ) : (
        <NetworkChoice choices={choices} networks={networks} onChange={onChange} />
      )}
      <Segments
        label="Your colour"
        options={[
          ['white', 'White'],
          ['black', 'Black'],
          ['random', 'Random'],
        ]}
        value={choices.colour}
        onChange={(colour) => onChange({ colour })}
      />
      <Segments
        label="Clock (minutes + seconds per move)"
        options={CLOCKS}
        value={choices.clock}
        onChange={(clock) => onChange({ clock })}
      />
      {choices.clock === 'own' && (
        <div class="button-row">
          <NumberField label="Minutes" value={choices.minutes} least={1} most={180} onChange={(minutes) => onChange({ minutes })} />
          <NumberField label="Seconds per move" value={choices.increment} least={0} most={60} onChange={(increment) => onChange({ increment })} />
        </div>
      )}
      {playsLikePeople(choices, offers) && (
        <label class="check">
          <input type="checkbox" checked={choices.humanTime && choices.clock !== 'none'} disabled={choices.clock === 'none'} onChange={(event) => onChange({ humanTime: event.currentTarget.checked })} />
          <span>
            Moves at a person's pace
            {choices.clock === 'none' && <span class="note"> (needs a clock)</span>}
          </span>
        </label>
      )}
      <details class="more-options" open={choices.fen !== '' || choices.claims}>
        <summary>Start position and draws</summary>
        <label class="field">
          <span>Start position (FEN; empty for the usual one)</span>
          <input
            type="text"
            class="mono"
            spellcheck={false}
            value={choices.fen}
            aria-invalid={fenProblem !== null}
            aria-describedby="fen-problem"
            onInput={(event) => onChange({ fen: event.currentTarget.value })}
          />
          <span class="problem" id="fen-problem">
            {fenProblem}
          </span>
        </label>
        <label class="check">
          <input type="checkbox" checked={choices.claims} onChange={(event) => onChange({ claims: event.currentTarget.checked })} />
          Repetition and fifty moves are draws only when claimed
        </label>
      </details>
    </form>
  );
}

interface NumberProps {
  label: string;
  value: number;
  least: number;
  most: number;
  onChange: (value: number) => void;
}

function NumberField({ label, value, least, most, onChange }: NumberProps) {
  return (
    <label class="inline-field">
      <span>{label}</span>
      <input
        type="number"
        min={least}
        max={most}
        value={value}
        onChange={(event) => onChange(Math.max(least, Math.min(most, Math.round(Number(event.currentTarget.value)) || least)))}
      />
    </label>
  );
}

/** Labels of the groups of networks that play like people. */
function labelOf(family: Family): string {
  if (family === 'built in') return 'Plays like people rated';
  if (family === 'personal') return 'Plays like one person, trained on their games';
  return `Plays like people rated, from ${fileOf(family) ?? 'files'}`;
}

/** Networks that play like people, by the rating of those they imitate, or by the name of the one person they were trained on. */
function PeopleChoice({ choices, offers, onChange }: Pick<Props, 'choices' | 'offers' | 'onChange'>) {
  const level = chosenLevel(choices, offers);
  if (!level) return <NoPeople />;
  return (
    <div class="field people-families">
      {familiesOf(offers.people.map((one) => one.family)).map((family) => {
        const members = offers.people.filter((one) => one.family === family);
        return (
          <Segments
            key={family}
            label={labelOf(family)}
            options={members.map((one) => [one.level.network, one.rating === null ? one.level.name : String(one.rating)] as const)}
            value={level.network}
            onChange={(people) => onChange({ people })}
          />
        );
      })}
      <p class="note">
        {level.name}: {describe(level)}
      </p>
    </div>
  );
}

/** The student systems that are reproduced here, each with its own network, and its own search or ours. */
function SystemChoice({ choices, offers, onChange }: Pick<Props, 'choices' | 'offers' | 'onChange'>) {
  const own = chosenSystem(choices, offers);
  const level = chosenLevel(choices, offers);
  if (!own || !level) return null;
  const canSearch = withSearch(own, offers) !== undefined;
  return (
    <div class="field">
      <Segments
        label="System"
        options={offers.systems.map(({ network, name }) => [network, name] as const)}
        value={own.network}
        onChange={(system) => onChange({ system })}
      />
      <label class="check">
        <input type="checkbox" checked={choices.withSearch && canSearch} disabled={!canSearch} onChange={(event) => onChange({ withSearch: event.currentTarget.checked })} />
        <span>
          With a search
          {!canSearch && <span class="note"> (its network has no value to search by)</span>}
        </span>
      </label>
      <p class="note">
        {own.name}: a student system, trained again by recipes/{own.network} and {level === own ? 'searching as it did' : 'searching as Tabiya does'}; {describe(level)}
      </p>
    </div>
  );
}

function LevelChoice({ choices, offers, onChange }: Pick<Props, 'choices' | 'offers' | 'onChange'>) {
  const { levels } = offers;
  const index = levelIndex(choices, offers);
  const level = levels[index];
  return (
    <div class="field level-field">
      <p class="level-name">
        <b>{level?.name ?? '...'}</b>
      </p>
      <LevelStrip levels={levels} chosen={index} text={level ? `${level.name}, ${ratingOf(level)}` : ''} onChoose={(next) => onChange({ level: next, follow: false })} />
      <Follow choices={choices} offers={offers} onChange={onChange} />
      <div class="level-note note figure">
        {level ? (
          <details>
            <summary>
              {ratingOf(level)} · <u>{level.measurement ? 'how measured' : 'how it plays'}</u>
            </summary>
            <ShortHashes text={describe(level)} />
          </details>
        ) : (
          'asking the server'
        )}
      </div>
    </div>
  );
}

/** The choice of whatever level is nearest to the person's own strength. */
function Follow({ choices, offers: { own }, onChange }: Pick<Props, 'choices' | 'offers' | 'onChange'>) {
  const [low, high] = own ? rangeOf(own).map(Math.round) : [];
  const known = own && `you: about ${Math.round(own.elo)} (95 %: ${low} to ${high}) after ${plural(own.games, 'game')}`;
  return (
    <label class="check">
      <input type="checkbox" checked={choices.follow && own !== null} disabled={!own} onChange={(event) => onChange({ follow: event.currentTarget.checked })} />
      <span>
        Follow my strength <span class="note">({known ?? 'after a game against a level with a rating'})</span>
      </span>
    </label>
  );
}

/** The rating of a level with its 95 % interval, if it was measured. */
function ratingOf({ measurement }: Level): string {
  if (!measurement) return 'not measured';
  return `${Math.round(measurement.elo)} (${Math.round(measurement.low)}-${Math.round(measurement.high)})`;
}

/** Description of a level: with a rating only if one was measured. */
function describe(level: Level): string {
  const nodes = level.nodes === 1 ? 'plays by first sight (1 node)' : `${level.nodes} nodes a move`;
  const chance = level.temperature > 0 ? `, chooses at temperature ${level.temperature}` : '';
  const { measurement } = level;
  if (!measurement) return `${nodes}${chance} · strength not measured`;
  const { elo, low, high, games, conditions } = measurement;
  const imitation = imitationText(level);
  return `${nodes}${imitation && `: ${imitation}`} · ${elo} (95 %: ${low} to ${high}), ${games} games: ${conditions}`;
}

/** Groups of the list of networks, in the order of the list. */
const KIND_LABELS: Record<NetworkKind, string> = {
  bundled: 'Built in',
  own: 'Trained here',
  lc0: 'Lc0',
  human: 'Human-like',
  system: 'Reproduced systems',
  baseline: 'Baselines',
};

/** Choice of any network by its name, with a number of nodes or a time per move. */
function NetworkChoice({ choices, networks, onChange }: Pick<Props, 'choices' | 'networks' | 'onChange'>) {
  const byTime = choices.strength === 'time';
  const stops = byTime ? SECOND_STOPS : NODE_STOPS;
  const value = byTime ? choices.seconds : choices.nodes;
  const index = Math.max(0, stops.indexOf(value));
  const kinds = [...new Set(networks.map((network) => network.kind))];
  return (
    <>
      <label class="field">
        <span>Network</span>
        <select value={choices.network || networks[0]?.id} onChange={(event) => onChange({ network: event.currentTarget.value })}>
          {kinds.map((kind) => (
            <optgroup key={kind} label={KIND_LABELS[kind]}>
              {networks
                .filter((network) => network.kind === kind)
                .map((network) => (
                  <option key={network.id} value={network.id}>
                    {network.name}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
      </label>
      <Segments
        label="Limited by"
        options={[
          ['nodes', 'Nodes'],
          ['time', 'Time'],
        ]}
        value={byTime ? 'time' : 'nodes'}
        onChange={(strength) => onChange({ strength })}
      />
      <label class="field">
        <span>
          {byTime ? 'Seconds per move' : 'Nodes per move'}: <b class="figure">{value.toLocaleString('en')}</b>
        </span>
        <input
          type="range"
          min={0}
          max={stops.length - 1}
          value={index}
          aria-valuetext={String(value)}
          onInput={(event) => {
            const stop = stops[Number(event.currentTarget.value)] ?? value;
            onChange(byTime ? { seconds: stop } : { nodes: stop });
          }}
        />
      </label>
      <label class="field">
        <span>
          Temperature: <b class="figure">{choices.temperature}</b>
        </span>
        <input
          type="range"
          min={0}
          max={TEMPERATURE_STOPS.length - 1}
          value={Math.max(0, TEMPERATURE_STOPS.indexOf(choices.temperature))}
          aria-valuetext={String(choices.temperature)}
          onInput={(event) => onChange({ temperature: TEMPERATURE_STOPS[Number(event.currentTarget.value)] ?? 0 })}
        />
        <span class="note">{choices.temperature > 0 ? 'chooses randomly among good moves' : 'plays the best move found'}</span>
      </label>
    </>
  );
}
