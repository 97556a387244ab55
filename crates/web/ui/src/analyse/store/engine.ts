/** What the engine is to do: its networks, its budget, whether it searches, and the moves it is restricted to. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { explain, get } from '../../server/request.ts';
import type { NetworkSummary } from '../../server/types.ts';
import { remember, remembered } from '../../settings.ts';
import { networkNamed } from '../../shell/engine-name.ts';
import { budgetOf } from './address.ts';
import type { Game } from './game.ts';

const KEY = 'tabiya.engine';
const EVERY_MOVE: string[] = [];

export type Engine = ReturnType<typeof useEngine>;

export function useEngine(query: URLSearchParams, { start, moves }: Game) {
  const { networks, network, second, problem, setNetwork, setSecond } = useNetworks(query);
  const [on, setRunning] = useState(() => remembered(KEY, { on: false }).on);
  const [asked] = useState(() => budgetOf(query.get('nodes')));
  const [budget, setBudget] = useState<number | null>(asked.budget);
  const [wrong, setWrong] = useState(asked.problem);
  const [attempt, setAttempt] = useState(0);
  const [only, setOnly] = useState(EVERY_MOVE);
  const position = `${start} ${moves.join(' ')} ${network}`;
  useEffect(() => setOnly(EVERY_MOVE), [position]);
  return useMemo(
    () => ({
      networks,
      problem: problem ?? wrong,
      network,
      /** Until the server has listed the networks, the address may name one that does not exist: empty until then. */
      listed: networks.length > 0 ? network : '',
      setNetwork,
      second,
      setSecond,
      toggleSecond: () => setSecond(second === null ? otherThan(network, networks) : null),
      on,
      setOn: (next: boolean) => {
        setRunning(next);
        remember(KEY, { on: next });
      },
      budget,
      setBudget: (next: number | null) => {
        // A choice is the answer to an address that named a wrong one.
        setWrong(null);
        setBudget(next);
      },
      /** Incremented when the search should be tried again. */
      attempt,
      retry: () => setAttempt(attempt + 1),
      only,
      clearOnly: () => setOnly(EVERY_MOVE),
      toggleOnly: (uci: string) => setOnly(only.includes(uci) ? only.filter((one) => one !== uci) : [...only, uci]),
      /** Names the position on the board and the network, to which a recording and a restriction belong. */
      position,
    }),
    [networks, problem, wrong, network, second, on, budget, attempt, only, position],
  );
}

/** The networks that can be used, and the one or two chosen. */
function useNetworks(query: URLSearchParams) {
  const [networks, setNetworks] = useState<NetworkSummary[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const [network, setNetwork] = useState(query.get('net') ?? '');
  const [second, setSecond] = useState<string | null>(query.get('net2'));
  useEffect(() => {
    get<NetworkSummary[]>('/networks').then(
      (all) => {
        const usable = all.filter((one) => !one.problem);
        const idOf = (text: string | null) => (text === null ? null : (networkNamed(usable, text)?.id ?? null));
        const first = usable[0]?.id ?? '';
        const missing = [query.get('net'), query.get('net2')].filter((text) => text !== null && idOf(text) === null);
        if (missing.length > 0) setProblem(`There is no network ${missing.join(' or ')}; the address named it.`);
        setNetworks(usable);
        setNetwork((chosen) => idOf(chosen) ?? first);
        // A second network may have been asked for before there was a list to choose from.
        setSecond((chosen) => (chosen === '' ? ((usable.slice(1).find((one) => one.kind !== 'human') ?? usable[1])?.id ?? first) : idOf(chosen)));
      },
      (error: unknown) => setProblem(explain(error)),
    );
  }, []);
  /** A choice is the answer to an address that named a wrong one. */
  const chosen =
    <T>(choose: (id: T) => void) =>
    (id: T) => {
      setProblem(null);
      choose(id);
    };
  return { networks, network, second, problem, setNetwork: chosen<string>(setNetwork), setSecond: chosen<string | null>(setSecond) };
}

/**
 * The network to add to one. Networks that play like people answer another question than which move is best, and those of
 * reproduced systems are weak; they come second only by choice.
 */
function otherThan(network: string, networks: readonly NetworkSummary[]): string {
  const others = networks.filter((one) => one.id !== network);
  return (others.find((one) => !['human', 'system', 'baseline'].includes(one.kind)) ?? others[0])?.id ?? network;
}
