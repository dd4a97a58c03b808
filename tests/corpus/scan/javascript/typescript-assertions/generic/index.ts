import { exec } from 'child_process';
import { identity } from './identity';

exec(identity<string>(<string>process.argv[2])); // source: argv // sink: command-injection argv
