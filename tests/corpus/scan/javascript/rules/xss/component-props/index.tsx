import React from 'react';
import { Article } from './article';

export function App(): React.ReactElement {
  const preview = new URLSearchParams(window.location.search).get('preview') ?? ''; // source: search
  return <Article title="Preview" content={{ markup: preview }} />;
}
