import { useEffect, useState } from 'react';

const Markup = ({ html }) => <p dangerouslySetInnerHTML={{ __html: html }} />; // sink: xss hash

export function Preview() {
  const [html, setHtml] = useState('');
  useEffect(() => {
    setHtml(decodeURIComponent(window.location.hash.slice(1))); // source: hash
  }, []);
  return <Markup html={html} />;
}
