import React from 'react';
import DOMPurify from 'dompurify';

export function Markup({ source }) {
  const clean = DOMPurify.sanitize(source, { USE_PROFILES: { html: true } });
  return <div dangerouslySetInnerHTML={{ __html: clean }} />; // ok: xss
}
