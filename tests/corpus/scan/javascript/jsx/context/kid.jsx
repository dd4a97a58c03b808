import { useContext } from 'react';
import { Context } from './context';

export const Kid = () => <p dangerouslySetInnerHTML={{ __html: useContext(Context) }} />; // sink: xss hash
