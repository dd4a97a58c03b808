const input = process.argv[2]; // source: argv
setTimeout('run(' + input + ')', 100); // sink: code-injection argv
