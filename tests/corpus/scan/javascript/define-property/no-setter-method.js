const { exec } = require('child_process');

const state = { shown: 'none' };
state.__defineSetter__('name', function (name) {
  this.shown = name.length;
});
state.__defineGetter__('program', () => 'ls');
state.name = process.argv[2];
exec(state.program); // ok: command-injection
