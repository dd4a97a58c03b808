import { Context } from './context';
import { Kid } from './kid';

export const Page = () => {
  const hash = window.location.hash; // source: hash
  return (
    <Context.Provider value={hash}>
      <Kid />
    </Context.Provider>
  );
};
