import { run } from './run.mjs';

export const state = { command: 'ls', again: () => run() };
