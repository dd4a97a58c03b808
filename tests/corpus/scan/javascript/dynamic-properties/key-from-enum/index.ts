import { execSync } from 'child_process';
import { Option, type Options } from './option';

export function parse(words: string[]): Options {
  const options: Options = {};
  options[Option.Command] = words[0];
  options[Option.Title] = 'job';
  return options;
}

const options = parse(process.argv.slice(2)); // source: argv
execSync(options[Option.Command] ?? 'true'); // sink: command-injection argv
execSync(`echo ${options[Option.Title]}`); // ok: command-injection
