import { exec } from 'node:child_process';

export function convert({ width, height }) {
  exec(`convert in.png -resize ${width}x${height} out.png`); // sink: command-injection body
}
