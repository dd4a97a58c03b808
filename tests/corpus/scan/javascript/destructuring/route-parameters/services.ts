import { exec } from 'child_process';
import { promisify } from 'util';

const run = promisify(exec);

export async function restart({ unit, reason = 'manual' }: { unit: string; reason?: string }) {
  const [{ stdout }, count] = [await run(`systemctl restart ${unit}`), 1]; // sink: command-injection body
  return { stdout, count, reason };
}
