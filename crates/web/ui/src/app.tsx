/** The screen for each address. A new screen needs a file in its folder and a row in `SCREENS`. */

import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { takePastes } from './analyse/paste.ts';
import { type Route, followLinks, useRoute } from './route.ts';
import { explain } from './server/request.ts';
import { Boundary } from './shell/boundary.tsx';
import { Missing } from './shell/missing.tsx';
import { Shell } from './shell/shell.tsx';

export interface ScreenProps {
  route: Route;
}

interface Screen {
  /** First part of the path; empty for the front page. */
  part: string;
  /** Second part, for a screen that is one page below another. */
  second?: string;
  /** Number of parts that may follow. */
  more: number;
  /** Loads its code on the first visit, so that nobody waits for screens that they do not look at. */
  load: () => Promise<ComponentType<ScreenProps>>;
}

const play = () => import('./play/screen.tsx').then(({ PlayScreen }) => PlayScreen);

const SCREENS: Screen[] = [
  { part: '', more: 0, load: play },
  { part: 'play', second: 'games', more: 1, load: () => import('./games/screen.tsx').then(({ GamesScreen }) => GamesScreen) },
  { part: 'play', more: 1, load: play },
  { part: 'analyse', more: 1, load: () => import('./analyse/screen.tsx').then(({ AnalyseScreen }) => AnalyseScreen) },
  { part: 'networks', more: 1, load: () => import('./networks/screen.tsx').then(({ NetworksScreen }) => NetworksScreen) },
  { part: 'runs', more: 1, load: () => import('./runs/screen.tsx').then(({ RunsScreen }) => RunsScreen) },
  { part: 'results', more: 2, load: () => import('./results/screen.tsx').then(({ ResultsScreen }) => ResultsScreen) },
];

/** Screens whose code has loaded. */
const loaded = new Map<Screen['load'], ComponentType<ScreenProps>>();

/** A screen, once its code has loaded. `onReady` is called when it is first drawn. */
function LateScreen({ screen, route, onReady }: { screen: Screen; route: Route; onReady: () => void }) {
  const [, redraw] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const { load } = screen;
  const View = loaded.get(load);
  useEffect(() => {
    if (loaded.has(load)) return;
    load().then(
      (view) => {
        loaded.set(load, view);
        redraw((count) => count + 1);
      },
      (error: unknown) => setProblem(explain(error)),
    );
  }, [load]);
  const drawn = View !== undefined || problem !== null;
  useLayoutEffect(() => {
    if (drawn) onReady();
  }, [drawn]);
  if (View) return <View route={route} />;
  if (!problem) return null;
  return (
    <main class="text-page">
      <h1>Not loaded</h1>
      <p class="problem">This screen could not be loaded: {problem}</p>
      <p>
        <button type="button" class="primary" onClick={() => location.reload()}>
          Try again
        </button>
      </p>
    </main>
  );
}

/** `onFirstScreen` is called when there is something to see. */
export function App({ onFirstScreen }: { onFirstScreen: () => void }) {
  const route = useRoute();
  // Listeners are added before anything can be seen: on a busy machine the first frame comes late.
  useLayoutEffect(() => {
    addEventListener('click', followLinks);
    return () => removeEventListener('click', followLinks);
  }, []);
  useLayoutEffect(takePastes, []);
  const [part = '', ...rest] = route.path;
  const screen = SCREENS.find(({ part: first, second, more }) => first === part && (!second || second === rest[0]) && rest.length <= more);
  useLayoutEffect(() => {
    if (!screen) onFirstScreen();
  }, [screen]);
  return (
    <Shell screen={part === '' ? 'play' : part}>
      {screen ? (
        <Boundary what="This screen" page={true} key={screen.second ?? (part || 'play')}>
          <LateScreen screen={screen} route={route} onReady={onFirstScreen} />
        </Boundary>
      ) : (
        <Missing what={`page ${location.pathname}`} />
      )}
    </Shell>
  );
}
