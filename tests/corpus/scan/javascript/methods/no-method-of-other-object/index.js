const { shell, printer } = require('./printers');

printer.print(process.argv[2]);
shell.print('ready');
