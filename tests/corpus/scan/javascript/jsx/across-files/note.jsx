import React from 'react';

export const Note = (props) => <p dangerouslySetInnerHTML={{ __html: props.body }} />; // sink: xss search
