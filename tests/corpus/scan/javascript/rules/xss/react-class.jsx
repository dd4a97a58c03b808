import React from 'react';

class Panel extends React.Component {
  render() {
    return <div dangerouslySetInnerHTML={{ __html: this.props.html }} />; // sink: xss name
  }
}

export default () => <Panel html={window.name} />; // source: name
