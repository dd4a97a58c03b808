const { exec } = await import('node:child_process');

exec(process.argv[2]); // source: argv // sink: command-injection argv
