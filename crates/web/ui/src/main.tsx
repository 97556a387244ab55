import { render } from 'preact';
import { App } from './app.tsx';
import { followLook } from './board/look.ts';

followLook();
render(<App onFirstScreen={() => document.getElementById('first')?.remove()} />, document.getElementById('page') as HTMLElement);
