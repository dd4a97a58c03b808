import { Readable } from 'stream';
import { exec } from 'child_process';

for await (const chunk of Readable.from([process.argv[2]])) { // source: argv
  exec(chunk); // sink: command-injection argv
}
