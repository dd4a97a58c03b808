import { useState } from 'react';

const Markup = ({ html }) => <p dangerouslySetInnerHTML={{ __html: html }} />; // ok: xss

export function Preview() {
  const [html, setHtml] = useState('<b>');
  const [title, setTitle] = useState('');
  setTitle(window.location.hash);
  setHtml('<i>' + title.length);
  return <Markup html={html} />;
}
