import { Shell } from './shell';

new Shell().run(process.argv[2]); // source: argv
