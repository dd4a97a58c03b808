import { execSync } from 'node:child_process';

function summarise(words) {
  const summary = { tool: 'wc', words: [] };
  words.forEach((word) => {
    summary.words.push(word);
    summary.last = word;
  });
  return summary;
}

const summary = summarise(process.argv.slice(2));
execSync(`${summary.tool} --version`); // ok: command-injection
export default summary.last;
