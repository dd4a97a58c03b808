const React = require('react');
const { exec } = require('child_process');

function Button({ onPress }) {
  onPress(process.argv[2]); // source: argv
  return <b>press</b>;
}

module.exports = <Button onPress={(command) => exec(command)} />; // sink: command-injection argv
