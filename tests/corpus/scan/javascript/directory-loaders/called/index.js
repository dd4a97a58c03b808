const name = process.platform;
const command = require(`./commands/${name}.js`);

command.run(process.argv[2]); // source: argv
