/** The bar of every screen: links, the state of the connection, settings, help on keys. */

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from '../icons.tsx';
import { useKeys } from '../keys.ts';
import { go } from '../route.ts';
import { setRegion } from './announce.ts';
import { KeyHelp } from './key-help.tsx';
import { SettingsDialog } from './settings-dialog.tsx';
import { StatusChip, useServer } from './status-chip.tsx';
import { currentTheme, setTheme } from '../settings.ts';

interface Entry {
  screen: string;
  href: string;
  text: string;
  key: string;
  icon: IconName;
}

const ENTRIES: Entry[] = [
  { screen: 'play', href: '/', text: 'Play', key: 'p', icon: 'play' },
  { screen: 'analyse', href: '/analyse', text: 'Analyse', key: 'a', icon: 'review' },
  { screen: 'networks', href: '/networks', text: 'Networks', key: 'n', icon: 'tree' },
  { screen: 'runs', href: '/runs', text: 'Runs', key: 'r', icon: 'graph' },
  { screen: 'results', href: '/results', text: 'Results', key: 's', icon: 'check' },
];

type Dialog = 'settings' | 'keys' | null;

export function Shell({ screen, children }: { screen: string; children: ComponentChildren }) {
  const [dialog, setDialog] = useState<Dialog>(null);
  const { link, server, away } = useServer();
  const build = document.documentElement.dataset['build'];
  const stale = server !== null && build !== undefined && server.build !== build;
  const going = useRef(false);
  const jump = (entry: Entry) => () => {
    if (!going.current) return;
    going.current = false;
    go(entry.href);
  };
  useKeys({
    '?': () => setDialog('keys'),
    g: () => {
      going.current = true;
      setTimeout(() => {
        going.current = false;
      }, 1500);
    },
  });
  // The second key of a pair such as `g p`; it does not reach a screen's own key of that name.
  useLayoutEffect(() => {
    const second = (event: KeyboardEvent) => {
      if (!going.current || event.key === 'g') return;
      const entry = ENTRIES.find(({ key }) => key === event.key);
      if (!entry) return;
      event.preventDefault();
      event.stopPropagation();
      jump(entry)();
    };
    addEventListener('keydown', second, true);
    return () => removeEventListener('keydown', second, true);
  }, []);
  return (
    <>
      <header class="bar">
        <a class="wordmark" href="/">
          tabiya
        </a>
        <nav class="bar-links" aria-label="Screens">
          {ENTRIES.map((entry) => (
            <a key={entry.screen} href={entry.href} aria-current={entry.screen === screen ? 'page' : undefined}>
              <Icon name={entry.icon} />
              <span>{entry.text}</span>
            </a>
          ))}
        </nav>
        <StatusChip link={link} server={server} />
        <button type="button" class="icon-button wide-only" aria-label="Light or dark" title="Light or dark" onClick={() => setTheme(looksDark() ? 'light' : 'dark')}>
          <Icon name="theme" />
        </button>
        <button type="button" class="icon-button" aria-label="Settings" title="Settings" onClick={() => setDialog('settings')}>
          <Icon name="gear" />
        </button>
        <button type="button" class="icon-button wide-only" aria-label="Keys" title="Keys (?)" onClick={() => setDialog('keys')}>
          <Icon name="keys" />
        </button>
      </header>
      {away && (
        <p class="banner" role="status">
          The server is not answering. Start <code>tabiya play</code> again.
        </p>
      )}
      {stale && (
        <p class="banner" role="status">
          Tabiya was updated.{' '}
          <button type="button" onClick={() => location.reload()}>
            Reload
          </button>
        </p>
      )}
      {children}
      <div class="sr-only" role="status" aria-live="polite" ref={setRegion} />
      {dialog === 'settings' && <SettingsDialog onClose={() => setDialog(null)} />}
      {dialog === 'keys' && <KeyHelp onClose={() => setDialog(null)} />}
    </>
  );
}

/** True if the page is dark now, by choice or because the system is. */
function looksDark(): boolean {
  const theme = currentTheme();
  return theme === 'dark' || (theme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
}
