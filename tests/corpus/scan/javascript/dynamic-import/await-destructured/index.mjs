const { run } = await import('./run.mjs');
run(process.argv[2]); // source: argv
