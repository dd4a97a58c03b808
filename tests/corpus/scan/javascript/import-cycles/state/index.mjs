import { state } from './state.mjs';
import { run } from './run.mjs';

state.command = process.argv[2]; // source: argv
run();
