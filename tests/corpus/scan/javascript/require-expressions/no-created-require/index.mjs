import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { run } = require('./run.cjs');

run(process.argv[2]);
