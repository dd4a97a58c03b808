import { exec } from 'child_process';

function pick(text: string): number;
function pick(text: string, fallback: string): string;
function pick(text: string, fallback?: string): number | string {
  return fallback ?? text.length;
}

exec('head -n ' + pick(process.argv[2], '3')); // ok: command-injection
