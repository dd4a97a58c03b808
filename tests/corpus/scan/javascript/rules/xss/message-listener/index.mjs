import { connect } from './channel.mjs';

connect((message) => {
  document.querySelector('#status').innerHTML = message.status; // sink: xss message
});
