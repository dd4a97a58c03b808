const Raw = ({ children }) => <p dangerouslySetInnerHTML={{ __html: children }} />; // sink: xss hash

export const Page = () => <Raw>{window.location.hash}</Raw>; // source: hash
