const React = require('react');

function Note({ text }) {
  const html = { __html: text };
  return <p dangerouslySetInnerHTML={html} />; // sink: xss hash
}

module.exports = <Note text={location.hash.slice(1)} />; // source: hash
