const run = process.platform === 'win32' ? require('./windows') : require('./posix');

run(process.argv[2]); // source: argv
