import { Tools } from './tools.mjs';

new Tools().run(process.argv[2]);
