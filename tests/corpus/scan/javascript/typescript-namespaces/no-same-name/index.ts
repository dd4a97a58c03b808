import { Quiet, Shell } from './tools';

Quiet.run(process.argv[2]);
Shell.run('ls');
