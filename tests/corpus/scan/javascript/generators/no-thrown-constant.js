const { exec } = require('child_process');

function* worker() {
  try {
    yield 1;
  } catch (error) {
    exec(error.message); // ok: command-injection
  }
}

const iterator = worker();
iterator.next(process.argv[2]);
iterator.throw(new Error('ls'));
