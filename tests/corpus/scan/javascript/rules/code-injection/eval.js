const input = process.argv[2]; // source: argv
eval(input); // sink: code-injection argv
