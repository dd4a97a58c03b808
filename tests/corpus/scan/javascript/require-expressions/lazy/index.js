function shell() {
  return require('./shell');
}

shell().run(process.argv[2]); // source: argv
