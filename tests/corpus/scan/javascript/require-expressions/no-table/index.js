const table = { quiet: require('./quiet'), shell: require('./shell') };

table.quiet(process.argv[2]);
table.shell('ls');
