/** Which screen an address shows. A new screen is a file in its folder and a row in `SCREENS`. */

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { AnalyseScreen } from './analyse/screen.tsx';
import { NetworksScreen } from './networks/screen.tsx';
import { PlayScreen } from './play/screen.tsx';
import { ResultsScreen } from './results/screen.tsx';
import { type Route, followLinks, useRoute } from './route.ts';
import { Boundary } from './shell/boundary.tsx';
import { Missing } from './shell/missing.tsx';
import { Shell } from './shell/shell.tsx';

export interface ScreenProps {
  route: Route;
}

interface Screen {
  /** First part of the path; empty for the front page. */
  part: string;
  /** Parts that may follow. */
  more: number;
  view: ComponentType<ScreenProps>;
}

const SCREENS: Screen[] = [
  { part: '', more: 0, view: PlayScreen },
  { part: 'play', more: 1, view: PlayScreen },
  { part: 'analyse', more: 1, view: AnalyseScreen },
  { part: 'networks', more: 1, view: NetworksScreen },
  { part: 'runs', more: 1, view: LateRunsScreen },
  { part: 'results', more: 2, view: ResultsScreen },
];

/** The charts and their library come with the first visit to a screen that draws them. */
function LateRunsScreen(props: ScreenProps) {
  const [view, setView] = useState<{ View: ComponentType<ScreenProps> } | null>(null);
  useEffect(() => {
    void import('./runs/screen.tsx').then(({ RunsScreen }) => setView({ View: RunsScreen }));
  }, []);
  return view ? <view.View {...props} /> : <main class="runs-page" />;
}

export function App() {
  const route = useRoute();
  useEffect(() => {
    addEventListener('click', followLinks);
    return () => removeEventListener('click', followLinks);
  }, []);
  const [part = '', ...rest] = route.path;
  const screen = SCREENS.find((screen) => screen.part === part && rest.length <= screen.more);
  const View = screen?.view;
  return (
    <Shell screen={part === '' ? 'play' : part}>
      {View ? (
        <Boundary what="This screen" key={part || 'play'}>
          <View route={route} />
        </Boundary>
      ) : (
        <Missing what={`page ${location.pathname}`} />
      )}
    </Shell>
  );
}
