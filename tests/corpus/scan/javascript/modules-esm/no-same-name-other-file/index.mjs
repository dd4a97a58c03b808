import { run } from './quiet.mjs';
import { run as start } from './run.mjs';

run(process.argv[2]);
start('ls');
