import React from 'react';

interface Props { title: string; content: { markup: string } }

const render = (html: string) => <div dangerouslySetInnerHTML={{ __html: html }} />; // sink: xss search

export const Article: React.FC<Props> = ({ title, content }) => {
  const html = React.useMemo(() => content.markup.trim(), [content]);
  return (
    <article>
      <h1>{title}</h1>
      {render(html)}
    </article>
  );
};
