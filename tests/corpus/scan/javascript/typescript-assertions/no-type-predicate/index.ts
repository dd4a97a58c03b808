import { exec } from 'child_process';
import { isCommand } from './is-command';

const given: string = process.argv[2];
if (isCommand(given)) exec(given); // ok: command-injection
