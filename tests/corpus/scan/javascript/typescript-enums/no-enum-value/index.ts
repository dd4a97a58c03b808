import { exec } from 'child_process';
import { Command } from './command';

const given = process.argv[2];
exec(given === 'x' ? Command.List : Command.Where); // ok: command-injection
