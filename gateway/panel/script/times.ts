import { all, find, inZone, lang, locale, words } from './page';

/** Shows times in the reader's zone and format. */

const form = (parts: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(locale, { ...inZone, ...parts });

const DAY = { day: 'numeric', month: 'short' } as const;
const YEAR = { ...DAY, year: 'numeric' } as const;
const MINUTE = { hour: 'numeric', minute: 'numeric' } as const;
const SECOND = { ...MINUTE, second: 'numeric' } as const;

const forms = (time: Intl.DateTimeFormatOptions) => [
  form(time),
  form({ ...DAY, ...time }),
  form({ ...YEAR, ...time }),
];

/** Formats by name: for times of today, of this year, and of other years; or one format for all. */
const FORMATS: Record<string, Intl.DateTimeFormat[]> = {
  second: forms(SECOND),
  minute: forms(MINUTE),
  hour: [form(MINUTE)],
  clock: [form(SECOND)],
  day: [form(YEAR)],
};

const dayOf = (date: Date): string => date.toLocaleDateString('en-CA', inZone);
let today = dayOf(new Date());

/** @param asked a name in `FORMATS`; or `chat`: the time for today, the date for other days */
function worded(asked: string | undefined, at: Date): string {
  const days = Math.round((Date.parse(today) - Date.parse(dayOf(at))) / 864e5);
  const isChat = asked === 'chat';
  if ((isChat || asked === 'day') && (days === 0 || days === 1)) {
    return isChat && !days ? FORMATS.hour[0].format(at) : named(-days);
  }
  const isOfYear = today.slice(0, 4) === dayOf(at).slice(0, 4);
  const told = FORMATS[asked as string] ?? FORMATS.day;
  return (told[days && (isOfYear ? 1 : 2)] ?? told[0]).format(at);
}

/** "Today" or "Yesterday". */
function named(days: number): string {
  const word = new Intl.RelativeTimeFormat(lang, { numeric: 'auto' }).format(days, 'day');
  return word[0].toUpperCase() + word.slice(1);
}

export function localize(within: ParentNode): void {
  for (const one of all<HTMLTimeElement>('[data-local]', within)) {
    const at = one.dateTime ?? one.dataset.at;
    if (one.dateTime) one.title = at;
    one.textContent = worded(one.dataset.local, new Date(at));
  }
  headDays(within);
  countDown(within);
}

/** Inserts day headings anew, because days start at the reader's midnight. */
function headDays(within: ParentNode): void {
  const headings = all(':is(.chat-day, .group):has(time)', within);
  for (const one of headings) one.remove();
  let last: string | undefined;
  for (const one of all('.bubble-row, .ours, .theirs, .run > li, .entry', within)) {
    const { dateTime } = find<HTMLTimeElement>('[data-local=hour], [data-local=clock]', one);
    const at = new Date(dateTime);
    if (last === (last = dayOf(at))) continue;
    const heading = headings[0].cloneNode(true) as HTMLElement;
    Object.assign(find('time', heading), { dateTime, textContent: worded('day', at) });
    one.before(heading);
  }
}

/** Updates all texts such as "in 2 min" and "12 s ago". */
export function countDown(within: ParentNode): void {
  for (const one of all<HTMLTimeElement>('[data-left]', within)) {
    const until = Math.ceil((Date.parse(one.dateTime) - Date.now()) / 1000);
    const way = one.dataset.left as string;
    const seconds = Math.abs(until);
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    const short = (minutes ? minutes + '\u00a0min ' : '') + (seconds % 60) + '\u00a0s';
    const left = hours ? hours + '\u00a0h ' + minutes + '\u00a0min' : short;
    const sentence = until <= 0 && way === 'in' ? words.now : words[way];
    one.textContent = sentence.replace(' …', '\u00a0…').replace('…', left);
  }
}

/** Whether a new day began since the last call. */
export const isNewDay = (): boolean => today !== (today = dayOf(new Date()));
