/** A person's choices for the next game, remembered by the browser. */

import { type Family, compareFamilies, familyOf } from '../networks/family.ts';
import { remember, remembered } from '../settings.ts';
import type { Colour, GameSummary, Level, NetworkSummary, NewGame } from '../server/types.ts';
import { type OwnStrength, nearestLevel, ownStrength } from './own-strength.ts';

export interface Choices {
  strength: 'level' | 'people' | 'system' | 'nodes' | 'time';
  level: number;
  /** True if the level is the one nearest to the person's own strength. */
  follow: boolean;
  /** The network that plays like people; empty for the first one. */
  people: string;
  /** The network of a reproduced system; empty for the first one. */
  system: string;
  /** True if the system's network plays with our search instead of its own. */
  withSearch: boolean;
  nodes: number;
  seconds: number;
  network: string;
  /** Randomness of the engine's choice if the opponent is not a level; 0 plays the best move found. */
  temperature: number;
  colour: Colour | 'random';
  clock: string;
  minutes: number;
  increment: number;
  /** True if an engine that plays like people also takes as long as they do. */
  humanTime: boolean;
  claims: boolean;
  fen: string;
}

const KEY = 'tabiya.choices';
const DEFAULTS: Choices = {
  strength: 'level',
  level: 2,
  follow: false,
  people: '',
  system: '',
  withSearch: false,
  nodes: 400,
  seconds: 1,
  network: '',
  temperature: 0,
  colour: 'white',
  clock: 'none',
  minutes: 20,
  increment: 10,
  humanTime: false,
  claims: false,
  fen: '',
};

/** Clocks by name: minutes and seconds per move. */
export const CLOCKS: [string, string][] = [
  ['none', 'No clock'],
  ['1+1', '1+1'],
  ['3+2', '3+2'],
  ['5+3', '5+3'],
  ['10+5', '10+5'],
  ['15+10', '15+10'],
  ['own', 'Own'],
];

export const NODE_STOPS = [1, 10, 20, 50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800];
export const SECOND_STOPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 30];
export const TEMPERATURE_STOPS = [0, 0.2, 0.4, 0.6, 0.8, 1, 1.5, 2, 5];

export function loadChoices(): Choices {
  // The position belongs to one visit; the other choices are habits.
  return { ...remembered(KEY, DEFAULTS), fen: '' };
}

export function saveChoices(choices: Choices): void {
  remember(KEY, choices);
}

/**
 * Opponents offered by name: levels of the engine, weakest first, of which the low ones may play people's moves; networks that
 * play like people, by family and then by rating; and the networks of reproduced systems.
 */
export interface Offers {
  levels: Level[];
  people: { level: Level; rating: number | null; family: Family }[];
  systems: Level[];
  /** The same networks with our search, those that have a value. */
  searching: Level[];
  /** The networks that play like people. */
  human: ReadonlySet<string>;
  /** The strength of the person who plays, once it is known. */
  own: OwnStrength | null;
}

/** The ending of the id of a system's network that plays with our search. */
const WITH_SEARCH = '-search';

export function offersOf(levels: readonly Level[], networks: readonly NetworkSummary[], games: readonly GameSummary[] = []): Offers {
  const human = networks.filter((network) => network.kind === 'human');
  const files = new Set(human.filter((network) => network.file).map((network) => network.id));
  const people = human.map((network) => ({
    level: (network.file && levels.find((level) => level.network === network.id)) || drawnFrom(network),
    rating: network.rating,
    family: familyOf(network),
  }));
  const systems = new Set(networks.filter((network) => network.kind === 'system').map((network) => network.id));
  const searches = ({ network }: Level) => network.endsWith(WITH_SEARCH) && systems.has(network.slice(0, -WITH_SEARCH.length));
  return {
    levels: levels.filter((level) => !files.has(level.network) && !systems.has(level.network) && !searches(level)),
    systems: levels.filter((level) => systems.has(level.network)),
    searching: levels.filter(searches),
    people: people.sort((one, other) => compareFamilies(one.family, other.family) || (one.rating ?? 0) - (other.rating ?? 0)),
    human: new Set(human.map((network) => network.id)),
    own: ownStrength(games, levels),
  };
}

/** A level that draws each move as often as the network expects it of people. */
function drawnFrom(network: NetworkSummary): Level {
  return { name: network.name, network: network.id, nodes: 1, temperature: 1, measurement: null };
}

/** Whose moves a level plays, and why that is another number than its rating; empty for levels of other networks. */
export function imitationText({ measurement }: Level): string {
  const setting = measurement?.setting ?? '';
  return setting.startsWith('moves of people') ? `${setting} (ratings of people and of engines are different scales)` : '';
}

/** The chosen level; undefined if strength is given in nodes or seconds, or if there is no level of the kind. */
export function chosenLevel(choices: Choices, offers: Offers): Level | undefined {
  if (choices.strength === 'level') return offers.levels[levelIndex(choices, offers)];
  if (choices.strength === 'system') {
    const own = chosenSystem(choices, offers);
    return (choices.withSearch && own && withSearch(own, offers)) || own;
  }
  if (choices.strength !== 'people') return undefined;
  return (offers.people.find(({ level }) => level.network === choices.people) ?? offers.people[0])?.level;
}

/** The place of the chosen level in the list; 0 if there is none. */
export function levelIndex({ level, follow }: Choices, { levels, own }: Offers): number {
  const followed = follow && own ? nearestLevel(levels, own.elo) : null;
  return followed ?? Math.max(0, Math.min(level, levels.length - 1));
}

/** The chosen system as it plays by its recipe. */
export function chosenSystem(choices: Choices, offers: Offers): Level | undefined {
  return offers.systems.find((level) => level.network === choices.system) ?? offers.systems[0];
}

/** A system's network with our search; undefined if it has no value to search by. */
export function withSearch(system: Level, offers: Offers): Level | undefined {
  return offers.searching.find((level) => level.network === system.network + WITH_SEARCH);
}

/** True if the engine will play people's moves, so that a person's pace suits them. */
export function playsLikePeople(choices: Choices, offers: Offers): boolean {
  const level = chosenLevel(choices, offers);
  return level !== undefined && offers.human.has(level.network);
}

/** The request that starts the game. */
export function newGame(choices: Choices, offers: Offers, fen: string | undefined): NewGame {
  const request: NewGame = { color: choices.colour };
  const level = chosenLevel(choices, offers);
  if (level) {
    Object.assign(request, {
      network: level.network,
      nodes: level.nodes,
      temperature: level.temperature,
      level: level.name,
    });
  } else {
    if (choices.network) request.network = choices.network;
    if (choices.strength === 'time') request.move_time_ms = Math.round(choices.seconds * 1000);
    else request.nodes = choices.nodes;
    if (choices.temperature > 0) request.temperature = choices.temperature;
  }
  const [minutes, seconds] = choices.clock === 'own' ? [choices.minutes, choices.increment] : choices.clock.split('+').map(Number);
  if (minutes && seconds !== undefined) {
    request.clock = { initial_ms: minutes * 60_000, increment_ms: seconds * 1000 };
    if (choices.humanTime && playsLikePeople(choices, offers)) request.human_time = true;
  }
  if (choices.claims) request.draws_by_claim = true;
  if (fen) request.fen = fen;
  return request;
}
