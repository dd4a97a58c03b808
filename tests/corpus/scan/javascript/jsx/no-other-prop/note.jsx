import React from 'react';

export const Note = ({ title, body }) => (
  <p title={title} dangerouslySetInnerHTML={{ __html: body }} /> // ok: xss
);
