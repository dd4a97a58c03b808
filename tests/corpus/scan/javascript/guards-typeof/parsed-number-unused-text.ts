import { execSync } from 'child_process';

interface Port { value: number; text: string }

function parsePort(text: string): Port {
  const value = Number.parseInt(text, 10);
  if (Number.isNaN(value)) throw new RangeError('port');
  return { value, text };
}

// `parseInt` reads the beginning only.
const port = parsePort(process.argv[2]); // source: argv
execSync(`fuser -k ${port.text}/tcp`); // sink: command-injection argv
