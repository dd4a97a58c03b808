import { Router } from './router.mjs';
import { showSearch } from './search.mjs';

const router = new Router();
router.add('search', showSearch);
window.addEventListener('hashchange', () => router.follow(window.location.hash)); // source: hash
