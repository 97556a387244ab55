import { render } from 'preact';
import { App } from './app.tsx';
import { applyBoard } from './settings.ts';

applyBoard();
render(<App onFirstScreen={() => document.getElementById('first')?.remove()} />, document.getElementById('page') as HTMLElement);
