import { exec } from 'child_process';

function first(list: string[]): string | undefined {
  return list[0];
}

exec(first(process.argv.slice(2))!.trim()); // source: argv // sink: command-injection argv
