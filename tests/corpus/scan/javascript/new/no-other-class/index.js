const { Quiet, Shell } = require('./kinds');

new Quiet(process.argv[2]).start();
new Shell('ls').start();
