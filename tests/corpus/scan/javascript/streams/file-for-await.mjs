import { createReadStream } from 'fs';

async function load(stream) {
  let text = '';
  for await (const chunk of stream) text += chunk; // source: file
  return text;
}

eval(await load(createReadStream('tasks.js'))); // sink: code-injection file
