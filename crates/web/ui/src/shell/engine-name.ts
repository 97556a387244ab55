/** Short names of engines: `toy · 50 nodes` for `net=runs/toy/network.tabiya,nodes=50`. */

interface Parts {
  /** Network, engine or other player, in a word; the whole text if it does not name an engine. */
  subject: string;
  /** The name that somebody gave it. */
  given: string | null;
  budget: string;
  /** What else its text says. */
  rest: string[];
}

/** Limits of a move in the text of a player, and how they are written. */
const LIMITS: Record<string, (value: string) => string> = {
  nodes: (value) => `${Number(value).toLocaleString('en')} ${value === '1' ? 'node' : 'nodes'}`,
  depth: (value) => `depth ${value}`,
  movetime: (value) => `${value} ms`,
};

/** Names of files that say nothing of the network in them: its folder does. */
const NAMELESS = new Set(['network', 'best', 'latest', 'model']);

function partsOf(text: string): Parts {
  const [first = '', ...keys] = text.split(',');
  const [, kind, value = ''] = /^(net|uci)=(.+)$/.exec(first) ?? [];
  if (!kind && !(keys.length > 0 && keys.every((key) => /^[\w.]+=/.test(key)))) return { subject: text, given: null, budget: '', rest: [] };
  const parts: Parts = { subject: kind === 'net' ? networkName(value) : kind === 'uci' ? fileName(value.split(' ')[0] ?? '') : first, given: null, budget: '', rest: [] };
  const limits: string[] = [];
  for (const key of keys) {
    const [name = '', ...values] = key.split('=');
    const limit = LIMITS[name];
    if (limit) limits.push(limit(values.join('=')));
    else if (name === 'name') parts.given = values.join('=');
    else parts.rest.push(key);
  }
  return { ...parts, budget: limits.join(', ') };
}

function fileName(path: string): string {
  return /([^/]+)\/*$/.exec(path)?.[1] ?? path;
}

/** The name of a file of weights without its ending; that of its folder if all such files have one name. */
function networkName(path: string): string {
  const bare = fileName(path).replace(/\.(tabiya|onnx|safetensors|pb(\.gz)?)$/, '');
  const folder = /([^/]+)\/+[^/]+$/.exec(path)?.[1];
  return NAMELESS.has(bare) && folder ? folder : bare;
}

/** A player of a report: its text, the name it gave itself, and its limits in words. */
export interface NamedPlayer {
  name: string;
  pace?: string;
  specification?: string;
}

function textOf(player: Partial<NamedPlayer> | null): string {
  return String(player?.specification ?? player?.name ?? '?');
}

function shortName(player: NamedPlayer): string {
  const { subject, given, budget } = partsOf(textOf(player));
  const pace = player?.pace && player.pace !== 'no limit' ? player.pace.replaceAll(/\d{4,}/g, (digits) => Number(digits).toLocaleString('en')) : '';
  return [given ?? subject, budget || pace].filter(Boolean).join(' · ');
}

/**
 * Names of the players of one result. Those that would be called alike have the further parts of their texts that differ. A file
 * may lack what its kind should have: then there is no name, or a question mark, and the other results are shown.
 */
export function playerNames(players: readonly NamedPlayer[] | undefined): string[] {
  if (!Array.isArray(players)) return [];
  const names = players.map(shortName);
  const texts = players.map(textOf);
  return names.map((name, index) => {
    const alike = texts.filter((_, other) => other !== index && names[other] === name).map((text) => partsOf(text).rest);
    const own = alike.length > 0 ? partsOf(texts[index] ?? '').rest.filter((part) => alike.some((rest) => !rest.includes(part))) : [];
    return [name, ...own].join(' · ');
  });
}

/** The name of one engine by its text; any other text stays as it is. */
export function engineName(text: string): string {
  return shortName({ name: text });
}

/** The network that a text names, as the server finds it: by its id, by the name that lists show if no other has it, or by the path of its file, which `--net` takes. */
export function networkNamed<T extends { id: string; name: string; file: string | null }>(networks: readonly T[], text: string): T | undefined {
  const named = networks.filter((one) => one.name === text);
  return networks.find((one) => one.id === text) ?? (named.length === 1 ? named[0] : networks.find((one) => one.file === text));
}
