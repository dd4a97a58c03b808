import React from 'react';
import { Note } from './note';

const text = decodeURIComponent(location.search); // source: search
export default <Note body={'<b>' + text + '</b>'} />;
