const { exec } = require('child_process');
const { useSetting } = require('./setting');

const [editor, setEditor] = useSetting('vi');

setEditor(process.argv[2]); // source: argv
const [current] = useSetting();
exec(`${current} notes.txt`); // sink: command-injection argv
module.exports = editor;
