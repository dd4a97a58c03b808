const name = 'run';
const shell = await import(`./${name}.mjs`);
shell.default(process.argv[2]); // source: argv
