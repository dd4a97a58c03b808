const { execSync } = require('child_process');

const TOOLS = ['git', 'make'];

exports.start = (tool) => {
  const text = String(execSync(`${tool} --version`)); // sink: command-injection argv
  if (!TOOLS.includes(tool)) throw new Error('unknown tool');
  return text;
};
