const React = require('react');
const { exec } = require('child_process');

function Task(props) {
  exec(props.command); // ok: command-injection
  return <b>{props.name}</b>;
}

module.exports = <Task name={process.argv[2]} command="ls" />;
