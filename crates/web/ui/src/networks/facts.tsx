/** Small parts of the screens about networks. */

import type { NetworkSummary } from '../server/types.ts';
import { ShortHashes } from '../shell/short-hash.tsx';
import { familyOf } from './family.ts';

export function Fact({ name, text }: { name: string; text: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="figure">
        <ShortHashes text={text} />
      </dd>
    </div>
  );
}

export function sizeText(bytes: number): string {
  return bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.ceil(bytes / 1e3)} kB`;
}

/** The strongest measured level, or "not measured". */
export function Strength({ network }: { network: NetworkSummary }) {
  const [best] = network.measurements;
  if (!best) return <span class="note">not measured</span>;
  return (
    <span class="figure" title={`${best.setting}, ${best.conditions}`}>
      {Math.round(best.elo)}{' '}
      <span class="interval-text">
        ({Math.round(best.low)} to {Math.round(best.high)})
      </span>
    </span>
  );
}

/** Separates the thousands of a number of five or more digits; seeds and hashes, which are not counts, stay as they are. */
export function factText(name: string, text: string): string {
  return COUNTED.has(name) && /^\d{5,15}$/.test(text) ? Number(text).toLocaleString('en') : text;
}

/** Facts that are counts. */
const COUNTED = new Set(['Steps', 'Positions seen', 'Parameters']);

/** What `--net` takes for a network. One that is given a rating has one name for all of them, and the rating is an option. */
export function netText(network: Pick<NetworkSummary, 'id' | 'file' | 'kind' | 'rating'>): string {
  const { id, file, kind, rating } = network;
  const family = kind === 'human' ? familyOf(network) : null;
  if (family !== 'built in' && !family?.startsWith('file ')) return file ?? id;
  return `${file ?? id.replace(/-\d+$/, '')} --option PlayerRating=${rating}`;
}

/** Everything a list says about a network, as pairs. */
export function basicFacts(network: NetworkSummary): [string, string][] {
  const facts: [string, string][] = [['Kind', network.kind]];
  if (network.rating !== null) facts.push(['Plays like people rated', String(network.rating)]);
  if (network.shape) facts.push(['Shape', network.shape]);
  if (network.parameters !== null) facts.push(['Parameters', network.parameters.toLocaleString('en')]);
  facts.push(['Value for --net', netText(network)]);
  if (network.bytes !== null) facts.push(['Size', sizeText(network.bytes)]);
  return facts;
}
