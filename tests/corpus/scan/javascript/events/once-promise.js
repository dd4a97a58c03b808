// `events.once` resolves with the arguments of the event.
const { once, EventEmitter } = require("events");
const { exec } = require("child_process");

const emitter = new EventEmitter();

async function run() {
  const [command] = await once(emitter, "command");
  exec(command); // sink: command-injection argv
}

run();
emitter.emit("command", process.argv[2]); // source: argv
