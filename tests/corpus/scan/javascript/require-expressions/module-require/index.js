const { run } = module.require('./run');

run(process.argv[2]); // source: argv
