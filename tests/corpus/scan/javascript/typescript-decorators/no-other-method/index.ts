import { Shell } from './shell';

new Shell().size(process.argv[2]);
new Shell().run('ls');
