import('./run.mjs').then((shell) => shell.run(process.argv[2])); // source: argv
