import { promises as fs } from 'fs';
import path from 'path';

export async function load(name) {
  const file = path.resolve('/data', name);
  return fs.readFile(file, 'utf8'); // sink: path-traversal argv
}
