import { flash } from './flash.mjs';

const parameters = new URLSearchParams(location.search); // source: search
if (parameters.has('error')) flash('error', parameters.get('error'));
