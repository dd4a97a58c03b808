// Start: views are connected, the theme and the address are read.

const THEMES = ['auto', 'light', 'dark'];

/** Address of a finding and a step: `#FINGERPRINT/STEP`. */
function readAddress() {
  const [fingerprint, step] = location.hash.slice(1).split('/');
  const finding = findings.find((candidate) => candidate.fingerprint === fingerprint);
  return finding && { finding, step: Math.max(0, (Number.parseInt(step, 10) || 1) - 1) };
}

function createTheme() {
  // Pages of files may have no storage.
  const stored = () => {
    try {
      return localStorage.getItem('vyre-theme');
    } catch {
      return null;
    }
  };
  let theme = THEMES.includes(stored()) ? stored() : 'auto';
  function apply() {
    document.documentElement.dataset.theme = theme;
    byId('theme').textContent = 'Theme: ' + theme;
    try {
      localStorage.setItem('vyre-theme', theme);
    } catch {
      // The choice lasts as long as the page.
    }
  }
  apply();
  return () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    apply();
  };
}

function start() {
  const root = document.documentElement;
  const isNarrow = () => matchMedia('(max-width: 800px)').matches;
  const showPane = (name) => {
    root.dataset.pane = name;
  };
  const detail = createDetail((finding, step) => {
    history.replaceState(null, '', '#' + finding.fingerprint + '/' + (step + 1));
  });
  const list = createList((finding, isOpened) => {
    detail.show(finding, 0);
    if (isOpened && isNarrow()) {
      showPane('detail');
      byId('finding-title').focus({ preventScroll: false });
      window.scrollTo(0, 0);
    }
  });
  const filters = createFilters((selected) => list.show(selected, detail.shown()));
  const nextTheme = createTheme();

  showSummary();
  filters.apply();
  byId('no-findings').hidden = openCount > 0;
  byId('back').addEventListener('click', () => {
    showPane('list');
    byId('list').focus();
  });
  byId('theme').addEventListener('click', nextTheme);
  const address = readAddress();
  showPane(address ? 'detail' : 'list');
  if (address) {
    detail.show(address.finding, address.step);
    list.mark(address.finding);
  } else if (list.first()) {
    detail.show(list.first(), 0);
    list.mark(list.first());
  }
  window.addEventListener('hashchange', () => {
    const next = readAddress();
    if (next) {
      detail.show(next.finding, next.step);
      list.mark(next.finding);
    }
  });
  createKeys({ list, detail, filters, nextTheme, showPane });
}

start();
