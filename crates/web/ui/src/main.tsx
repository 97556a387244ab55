import { render } from 'preact';
import { App } from './app.tsx';
import { applyBoard } from './settings.ts';

applyBoard();
render(<App />, document.getElementById('page') as HTMLElement);
