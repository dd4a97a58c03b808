import React from 'react';
import { Note } from './note';

export default <Note title={location.hash} body="<b>hello</b>" />;
