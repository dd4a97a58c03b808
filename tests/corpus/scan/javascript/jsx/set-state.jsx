import React from 'react';

export class Page extends React.Component {
  state = { html: '' };
  componentDidMount() {
    this.setState({ html: window.location.hash }); // source: hash
  }
  render() {
    return <p dangerouslySetInnerHTML={{ __html: this.state.html }} />; // sink: xss hash
  }
}
