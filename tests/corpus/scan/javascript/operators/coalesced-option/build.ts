import { execSync } from 'child_process';

interface Options { target?: string; tool?: string }

const firstOf = (...values: (string | undefined)[]) => values[0] ?? values[1] ?? '';

export function build(options: Options): void {
  options.tool ||= 'make';
  const line = firstOf(options.target, 'all');
  execSync(options.tool + ' ' + (line && line.trim())); // sink: command-injection env
}
