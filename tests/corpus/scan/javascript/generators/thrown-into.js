// `throw` of an iterator raises the error inside the generator.
const { exec } = require("child_process");

function* worker() {
  try {
    yield 1;
  } catch (error) {
    exec(error.message); // sink: command-injection argv
  }
}

const iterator = worker();
iterator.next();
iterator.throw(new Error(process.argv[2])); // source: argv
