import React from 'react';

class Panel extends React.Component {
  render() {
    return <div>{this.props.html}</div>; // ok: xss
  }
}

export default () => <Panel html={window.name} />;
