// scan: sources=library
import { exec } from 'child_process';

export default async function list({ directory, title }) { // source: directory
  exec(`ls ${directory}`); // sink: command-injection directory
  return title;
}
