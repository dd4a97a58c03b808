// scan: sources=library
import stamp from 'stamp-maker';
import { exec } from 'child_process';

export default stamp({
  methods: {
    open(file) { // source: file
      exec('open ' + file); // sink: command-injection file
    },
  },
});
