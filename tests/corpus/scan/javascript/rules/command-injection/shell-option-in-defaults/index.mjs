import { start } from './start.mjs';

start('convert', [process.argv[2], 'out.png']); // source: argv
