const React = require('react');
const { exec } = require('child_process');

function Task(props) {
  exec(props.command); // sink: command-injection argv
  return <b>{props.name}</b>;
}

const props = { name: 'x', command: process.argv[2] }; // source: argv
module.exports = <Task {...props} />;
