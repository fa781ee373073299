/**
 * All the script that the panel has. Every page does its work without it; with it, live parts stay current, times are
 * the reader's own, texts are copied by a button, and browsers that do not know `command` open dialogs all the same.
 */
'use strict';
const all = (selector, within = document) => within.querySelectorAll(selector);
/** Chosen in the profile; else that of the browser. */
const { zone: chosenZone } = document.documentElement.dataset;
const inZone = chosenZone ? { timeZone: chosenZone } : {};
/** In the language of the page, as the browser's own country writes it where that is its language too. */
const { lang } = document.documentElement;
const locale = navigator.language.startsWith(lang.slice(0, 2)) ? undefined : lang;
/** What the page says of these in its language. */
const words = { ...document.currentScript.dataset };

/** Whoever reads the newest of a chat goes on doing so where its room shrinks: by a keyboard, or by what is written. */
const ends = new ResizeObserver((chats) => {
  for (const { target } of chats) {
    const { scrollHeight, scrollTop, clientHeight, heightBefore } = target;
    if (scrollHeight - scrollTop - heightBefore < 80) target.scrollTop = scrollHeight;
    target.heightBefore = clientHeight;
  }
});

function enhance(within) {
  const form = (...parts) => new Intl.DateTimeFormat(locale, Object.assign({}, inZone, ...parts));
  const day = { day: 'numeric', month: 'short' };
  const year = { ...day, year: 'numeric' };
  const minute = { hour: 'numeric', minute: 'numeric' };
  const second = { ...minute, second: 'numeric' };
  /** Of today, of this year, and of another. */
  const forms = (time) => [form(time), form(day, time), form(year, time)];
  const times = {
    second: forms(second),
    minute: forms(minute),
    hour: form(minute),
    clock: form(second),
    day: form(year),
  };
  for (const one of all('[data-local]', within)) {
    const at = one.dateTime ?? one.dataset.at;
    if (one.dateTime) one.title = at;
    one.textContent = worded(one.dataset.local, new Date(at), times);
  }
  // A day begins at the reader's midnight.
  const days = all(':is(.chat-day, .day):has(time)', within);
  for (const one of days) one.remove();
  let last;
  for (const one of all('.bubble-row, .ours, .theirs, .run > li, .entry', within)) {
    const { dateTime } = one.querySelector('[data-local=hour], [data-local=clock]');
    const at = new Date(dateTime);
    if (last === (last = dayOf(at))) continue;
    const day = days[0].cloneNode(true);
    Object.assign(day.querySelector('time'), { dateTime, textContent: worded('day', at, times) });
    one.before(day);
  }
  countDown(within);
  for (const one of all('[data-scroll=end]', within)) ends.observe(one);
  const zone = inZone.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const one of all('[data-zone=""]', within)) one.textContent = one.value = zone;
  for (const button of all('[data-copy]', within)) button.hidden = !navigator.clipboard;
  for (const button of all('[data-reload] button, .compose [value=preview]', within)) button.hidden = true;
  for (const label of all('[data-tick-all]', within)) label.hidden = false;
  for (const one of all('[data-moment][value]:not([value=""])', within))
    one.defaultValue = one.value = inField(new Date(one.getAttribute('value') + 'Z'));
}

const dayOf = (date) => date.toLocaleDateString('en-CA', inZone);
let today = dayOf(new Date());

/** As people name it: a day; of a chat, today's hour or the day; else of today no day, and of this year no year. */
function worded(form, at, times) {
  const days = Math.round((Date.parse(today) - Date.parse(dayOf(at))) / 864e5);
  if (form === 'chat' && days === 0) return times.hour.format(at);
  const isDay = form === 'chat' || form === 'day';
  if (isDay && (days === 0 || days === 1)) return named(-days);
  const isOfYear = today.slice(0, 4) === dayOf(at).slice(0, 4);
  const told = times[form] ?? times.day;
  return (told[days && 2 - isOfYear] ?? told).format(at);
}

/** "Today", "Yesterday". */
function named(days) {
  const word = new Intl.RelativeTimeFormat(lang, { numeric: 'auto' }).format(days, 'day');
  return word[0].toUpperCase() + word.slice(1);
}

/** A time as a field has it, of where the reader is. */
const inField = (at) => at.toLocaleString('sv-SE', inZone).replace(' ', 'T');

/** The time that a field of the reader's means, in UTC. */
function meant(value) {
  const at = new Date(value + 'Z');
  return new Date(2 * at - new Date(inField(at) + 'Z')).toISOString();
}
addEventListener('formdata', (event) => {
  for (const one of all('[data-moment]', event.target))
    if (one.value) event.formData.set(one.name, meant(one.value));
});
addEventListener('change', ({ target }) => {
  if (target.closest('[data-tick-all]'))
    for (const one of all('[name=one]', target.form)) one.checked = target.checked;
  if (target.form) countTicks(target.form);
});

/** How many are ticked, at the buttons that send them, and whether that is all. */
function countTicks(form) {
  const buttons = all('[data-ticked]', form);
  if (!buttons.length) return;
  const count = all('[name=one]:checked', form).length;
  const ofAll = form.querySelector('[data-tick-all] input');
  ofAll.checked = count > 0 && count === all('[name=one]', form).length;
  ofAll.indeterminate = count > 0 && !ofAll.checked;
  for (const button of buttons) {
    button.disabled = !count;
    button.lastElementChild.textContent = count ? `(${count})` : '';
  }
}

function countDown(within) {
  for (const one of all('[data-left]', within)) {
    const until = Math.ceil((new Date(one.dateTime) - Date.now()) / 1000);
    const { left: way } = one.dataset;
    const seconds = Math.abs(until);
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    const short = (minutes ? minutes + '\u00a0min ' : '') + (seconds % 60) + '\u00a0s';
    const left = hours ? hours + '\u00a0h ' + minutes + '\u00a0min' : short;
    const said = until <= 0 && way === 'in' ? words.now : words[way];
    one.textContent = said.replace(' …', '\u00a0…').replace('…', left);
  }
}
setInterval(() => {
  countDown(document);
  // What is told without its day is of yesterday from now on.
  if (today !== (today = dayOf(new Date()))) enhance(document);
}, 1000);

addEventListener('click', async (event) => {
  const button = event.target.closest('button');
  if (!button) return;
  if (button.dataset.copy) {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    const label = button.innerHTML;
    button.textContent = words.copied;
    setTimeout(() => {
      button.innerHTML = label;
    }, 2000);
  }
  const opened = button.getAttribute('commandfor');
  if (opened && !('commandForElement' in button)) {
    const dialog = document.getElementById(opened);
    if (button.getAttribute('command') === 'close') dialog?.close();
    else dialog?.showModal();
  }
});

const SIGNS = { '*': 'strong', _: 'em', '~': 's' };
const MARKED = /(?<![\p{L}\p{N}])(\*\S[^*\n]*\*|_\S[^_\n]*_|~\S[^~\n]*~)(?![\p{L}\p{N}])/u;

/** As a messenger shows it. */
function marked(part, index) {
  if (index % 2 === 0) return part;
  const one = document.createElement(SIGNS[part[0]]);
  one.textContent = part.slice(1, -1);
  return one;
}

/** What is typed shows in the preview beside it. */
addEventListener('input', ({ target }) => {
  for (const one of all('[data-shows]')) {
    if (one.dataset.shows !== target.id) continue;
    const text = target.value || one.dataset.empty;
    one.replaceChildren(...('marked' in one.dataset ? text.split(MARKED).map(marked) : [text]));
  }
});
// Another contact may be written to freely, or not.
addEventListener('change', async ({ target }) => {
  if (!target.matches('.compose [name=to]')) return;
  const page = await fetch(`${location.pathname}?to=${encodeURIComponent(target.value)}`);
  const there = new DOMParser().parseFromString(await page.text(), 'text/html').getElementById('window');
  if (there) replace(document.getElementById('window'), there.innerHTML);
});
// Another template has other fields, another line another page. Arrow keys go through those that come before what is
// meant: that is what stands there when Enter is pressed, or the list is left. A list that is open tells of that alone;
// where arrow keys open it, as Apple has it, there is no other.
const OPENS = /^(Mac|iP)/.test(navigator.platform);
let walked;
let isWalking = false;
function reload(target) {
  const around = target.closest('[data-reload]');
  if (around) target.form.requestSubmit(around.querySelector('button'));
}
addEventListener('change', ({ target }) => {
  if (isWalking) walked = target;
  else reload(target);
});
addEventListener('pointerdown', () => (isWalking = false));
addEventListener('keydown', (event) => {
  const { target, key, altKey } = event;
  const isStep = /^(Arrow|Home|End|Page|\S$)/.test(key) && !altKey;
  isWalking = isStep && !OPENS && target.matches('[data-reload] select');
  if (isWalking || key !== 'Enter' || target !== walked) return;
  event.preventDefault();
  target.blur();
});
addEventListener('focusout', ({ target }) => {
  if (target !== walked) return;
  walked = null;
  reload(target);
});

addEventListener('submit', (event) => {
  // What is saved as a file leaves its page as it is.
  if (event.target.method !== 'post' || event.submitter?.dataset.file !== undefined) return;
  if (event.target.dataset.sent) return event.preventDefault();
  event.target.dataset.sent = 'yes';
  sessionStorage.pressed = JSON.stringify([
    location.pathname,
    event.target.action,
    event.submitter?.textContent,
  ]);
});
/** Whoever pressed a button that leads back to its page goes on from there. */
function goOn() {
  const [path, action, label] = JSON.parse(sessionStorage.pressed ?? '[]');
  delete sessionStorage.pressed;
  if (path !== location.pathname || document.querySelector('[data-type-here]')) return;
  [...all('button')].find((one) => one.form?.action === action && one.textContent === label)?.focus();
}
// Nothing is wrong any more with what is corrected.
addEventListener('input', ({ target }) => {
  const { id, name, ariaInvalid } = target;
  if (!ariaInvalid) return;
  target.ariaInvalid = null;
  target.removeAttribute('aria-describedby');
  const issue = document.querySelector(`.notice a[href="#${id}"]`)?.parentElement;
  (issue?.parentElement.children.length > 1 ? issue : issue?.closest('.notice'))?.remove();
  const hint = document.getElementById('hint-' + name);
  if (hint) target.setAttribute('aria-describedby', hint.id);
  document.getElementById('fault-' + name)?.remove();
});
addEventListener('pageshow', () => {
  for (const form of all('form')) delete form.dataset.sent;
});

// What it offers is seen, wherever in the chat it is.
addEventListener(
  'toggle',
  ({ target }) =>
    target.matches('.doings[open]') && target.lastElementChild.scrollIntoView({ block: 'nearest' }),
  true,
);

// A menu closes with a press beside it, and with Escape.
addEventListener('click', ({ target }) => {
  for (const one of all('.doings[open]')) if (!one.contains(target)) one.open = false;
});
addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape' || document.querySelector('dialog[open]')) return;
  const held = document.activeElement;
  for (const one of all(':is(.doings, .attach)[open]')) {
    if (one.contains(held)) one.firstElementChild.focus();
    one.open = false;
  }
  // Out of where one writes, for the keys that lead through lists.
  if (held.matches('[data-type-here]')) held.blur();
});

function replace(part, html) {
  const held = document.activeElement;
  const isTyping =
    part.contains(held) && /^(INPUT|TEXTAREA|SELECT)$/.test(held.tagName) && held.type !== 'checkbox';
  // A press whose button is gone before it ends would do nothing.
  if (isTyping || part.matches(':active') || part.querySelector('dialog[open]')) return false;
  const opened = [...all('details', part)].map((one) => one.open);
  const pressed = () => [...all('a, button, summary', part)];
  const focused = pressed().indexOf(held);
  const isHeld = (one) => (held.href ? one.href === held.href : one.textContent === held.textContent);
  const ticks = [...all(':checked[name=one]', part)].map((one) => one.value);
  const tickHeld = part.contains(held) && held.name === 'one' ? held.value : null;
  const scrolled = [...all('[data-scroll]', part)].map((one) => ({
    top: one.scrollTop,
    isAtEnd: one.scrollHeight - one.scrollTop - one.clientHeight < 80,
  }));
  const topOf = (one) => one.getBoundingClientRect().top;
  const tops = () => new Map([...all('a[href]', part)].map((one) => [one.href, topOf(one)]));
  const were = topOf(part) >= 0 ? new Map() : tops();
  part.innerHTML = html;
  all('details', part).forEach((one, index) => {
    if (opened[index] !== undefined) one.open = opened[index];
  });
  all('[data-scroll]', part).forEach((one, index) => {
    const { top, isAtEnd } = scrolled[index] ?? { top: 0, isAtEnd: true };
    one.scrollTop = one.dataset.scroll === 'end' && isAtEnd ? one.scrollHeight : top;
  });
  for (const one of all('[name=one]', part)) {
    one.checked = ticks.includes(one.value);
    if (one.value === tickHeld) one.focus();
  }
  for (const form of all('form.ticking', part)) countTicks(form);
  // Rows may have moved; what is there several times is known by its place.
  if (focused >= 0) {
    const alike = pressed().filter(isHeld);
    (alike.length === 1 ? alike[0] : pressed()[focused])?.focus();
  }
  enhance(part);
  // What is read stays where it is, whatever came above it.
  const are = were.size ? tops() : were;
  const read = [...were.keys()].find((href) => were.get(href) > 0 && are.has(href));
  if (read) scrollBy(0, are.get(read) - were.get(read));
  return true;
}

/** The reference of the API asks for the token that is shown here, to try each operation with it. */
function giveToken() {
  const token = document.querySelector('#token, #demo-token');
  if (!token) return;
  const tokens = new BroadcastChannel('token');
  tokens.onmessage = ({ data }) => data || tokens.postMessage(token.textContent);
}

const isTyped = () => [...all('input, textarea')].some((one) => one.value !== one.defaultValue);

function watch() {
  const parts = [...all('[data-live]')];
  if (!parts.length) return;
  /** What is there already need not come again. */
  let shown = parts.map(({ id, dataset }) => id + '.' + dataset.live).join();
  const waiting = new Map();
  let source = null;
  // A browser keeps six connections to a host: the windows that were looked at last hold one each, the others ask now and then.
  const windows = new BroadcastChannel('live');
  const me = Math.random();
  /** Those that were looked at since this one was. */
  const later = new Set();
  windows.onmessage = ({ data: { id, isGone } }) => {
    later[isGone ? 'delete' : 'add'](id);
    follow();
  };
  function look() {
    later.clear();
    windows.postMessage({ id: me, isGone: document.hidden });
    follow();
  }
  function follow() {
    if (!document.hidden && later.size < 4) return open();
    source?.close();
    source = null;
  }
  function open() {
    if (source) return;
    const { pathname, search } = location;
    source = new EventSource(`${pathname}${search || '?'}${shown && `&shown=${shown}`}`);
    shown = '';
    source.addEventListener('part', (event) => {
      const { id, html } = JSON.parse(event.data);
      waiting.set(id, html);
      settle();
    });
    // What somebody has typed is not thrown away: it is kept while he logs in again.
    source.addEventListener('end', () => {
      source.close();
      if (!isTyped()) location.reload();
    });
  }
  function settle() {
    for (const [id, html] of waiting) {
      const part = document.getElementById(id);
      if (!part || replace(part, html)) waiting.delete(id);
    }
  }
  addEventListener('visibilitychange', look);
  addEventListener('focus', look);
  addEventListener('pagehide', () => windows.postMessage({ id: me, isGone: true }));
  look();
  setInterval(settle, 1000);
  setInterval(() => {
    if (document.hidden || source) return;
    open();
    source.onopen = () => setTimeout(follow, 2000);
  }, 10_000);
}

// In a chat, a line of its own is asked for with Shift.
addEventListener('keydown', (event) => {
  const { target, key, shiftKey, isComposing } = event;
  if (target.enterKeyHint !== 'send' || key !== 'Enter' || shiftKey || isComposing) return;
  event.preventDefault();
  target.form.requestSubmit();
});

/** A list of what is found lies beneath the search field while it is typed in. */
function suggest(field) {
  const { form } = field;
  let asked;
  field.role = 'combobox';
  field.ariaAutoComplete = 'list';
  field.setAttribute('aria-controls', 'found');
  const marked = () => form.querySelector('[aria-selected]');
  function mark(option) {
    marked()?.removeAttribute('aria-selected');
    field.setAttribute('aria-activedescendant', option?.id ?? '');
    if (!option) return;
    option.ariaSelected = 'true';
    option.scrollIntoView({ block: 'nearest' });
  }
  function close() {
    clearTimeout(asked);
    asked = 0;
    mark();
    form.querySelector('.found')?.remove();
    field.ariaExpanded = 'false';
  }
  async function ask() {
    const own = asked;
    const address = `${form.action}/quick?q=${encodeURIComponent(field.value)}`;
    const answer = await fetch(address).catch(() => ({}));
    const html = answer.ok && !answer.redirected && (await answer.text());
    // Something else was typed since, or the list closed.
    if (own !== asked) return;
    close();
    if (!html) return;
    form.insertAdjacentHTML('beforeend', html);
    field.ariaExpanded = 'true';
  }
  field.addEventListener('input', () => {
    mark();
    clearTimeout(asked);
    if (field.value.trim().length < 2) close();
    else asked = setTimeout(ask, 150);
  });
  field.addEventListener('keydown', (event) => {
    const options = [...all('[role=option]', form)];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!options.length || event.isComposing) return;
    if (step) mark([...options, null].at(options.indexOf(marked()) + step));
    else if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && marked()) marked().click();
    else return;
    event.preventDefault();
  });
  // A press on what was found leaves the field no earlier than its page.
  form.addEventListener('mousedown', (event) => event.target !== field && event.preventDefault());
  field.addEventListener('blur', close);
  close();
  addEventListener('pagehide', close);
}
for (const field of all('#find')) suggest(field);
addEventListener('keydown', (event) => {
  const { key, altKey, ctrlKey, metaKey, target } = event;
  const step = { j: 1, k: -1 }[key] ?? (altKey && { ArrowDown: 1, ArrowUp: -1 }[key]);
  const isText = !altKey && target.closest('input, textarea, select');
  if (ctrlKey || metaKey || isText || document.querySelector('dialog[open]')) return;
  const field = key === '/' && document.getElementById('find');
  if (step) stepBy(step);
  else if (field) field.select();
  else return;
  event.preventDefault();
});

/** To what stands next in the list: beside a page of one of it that is opened, else its row is gone to. */
function stepBy(step) {
  const beside = [...all('.pane li > a')];
  const rows = [...all('main .row-link')];
  if (beside.length) beside[beside.findIndex((one) => one.ariaCurrent) + step]?.click();
  else rows[rows.indexOf(document.activeElement) + step]?.focus();
}

enhance(document);
for (const form of all('form.ticking')) countTicks(form);
for (const list of all('#zones'))
  list.append(...Intl.supportedValuesOf('timeZone').map((zone) => new Option(zone.replaceAll('_', ' '))));
for (const one of all(':is(.tabs, .presets) [aria-current]'))
  one.scrollIntoView({ block: 'nearest', inline: 'center' });
// Those on both sides of it are next.
for (const one of all('.pane [aria-current]')) one.scrollIntoView({ block: 'center' });
for (const one of all('[data-scroll=end]')) one.scrollTop = one.scrollHeight;
goOn();
[...all('[data-focus]')].find((one) => one.getClientRects().length)?.focus();
// Where a keyboard would not come up over half of the page, and without scrolling to it; not before the browser is where
// the address leads, and not away from where somebody is by then.
if (matchMedia('(min-width: 801px) and (hover: hover)').matches)
  addEventListener('load', () => {
    if (document.activeElement === document.body)
      document.querySelector('[data-type-here]')?.focus({ preventScroll: true });
  });
giveToken();
watch();
