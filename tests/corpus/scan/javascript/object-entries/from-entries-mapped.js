const { exec } = require('child_process');

const raw = { tool: process.argv[2] }; // source: argv
const trimmed = Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, value.trim()]));
exec(trimmed.tool); // sink: command-injection argv
