import { createContext, useContext } from 'react';

const Address = createContext('');
const Markup = createContext();

const Kid = () => <p dangerouslySetInnerHTML={{ __html: useContext(Markup) }} />; // ok: xss

export const Page = () => (
  <Address.Provider value={window.location.hash}>
    <Markup.Provider value="<b>">
      <Kid />
    </Markup.Provider>
  </Address.Provider>
);
