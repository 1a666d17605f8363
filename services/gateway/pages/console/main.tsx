import { render } from 'preact';
import { App } from './app.tsx';
import { keepFocus } from './parts/focus.ts';

keepFocus();
render(<App />, document.getElementById('console')!);
