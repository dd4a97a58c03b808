setTimeout(eval, 1, process.argv[2]); // source: argv // sink: code-injection argv
