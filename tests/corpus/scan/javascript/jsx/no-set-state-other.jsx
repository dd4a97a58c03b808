import React from 'react';

export class Page extends React.Component {
  state = { html: '', hash: '' };
  componentDidMount() {
    this.setState({ html: '<b>', hash: window.location.hash });
  }
  render() {
    return <p dangerouslySetInnerHTML={{ __html: this.state.html }} />; // ok: xss
  }
}
