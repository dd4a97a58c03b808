const React = require('react');

function Note({ text }) {
  return <p title={text}>{text}</p>; // ok: xss
}

module.exports = <Note text={location.hash} />;
