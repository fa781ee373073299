import { type SpokenNotice } from '../notice';
import { WRITTEN } from '../../wording/language';
import { noticeWords, sayingKit } from '../../wording/say';
import { actionOf, costOf, timesOf, urgencyOf } from '../words';

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The color of the band at the top: dark enough for white text in light and dark mode. */
const COLOURS = { critical: '#b3261e', warning: '#8a5200', info: '#1f5fa8', over: '#1b6e3c' };

const line = (text: string, style = ''): string =>
  text ? `<p style="margin:0 0 12px;${style}">${escaped(text)}</p>` : '';

/** Mail clients support little CSS: tables, inline styles, and colours that `prefers-color-scheme` may change. */
export function emailHtml(notice: SpokenNotice): string {
  const colour = COLOURS[notice.what === 'recovered' ? 'over' : notice.severity];
  const more = notice.incidents.length > 1 ? notice.incidents : [];
  const left = notice.count - notice.incidents.length;
  const words = noticeWords(notice.language);
  const { number } = sayingKit(notice.language);
  return `<!doctype html>
<html lang="${WRITTEN[notice.language].tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(notice.title)}</title>
<style>
@media (prefers-color-scheme: dark) {
  .ground { background: #16181c !important }
  .card { background: #22252b !important; color: #e8eaed !important }
  .quiet { color: #a9b0ba !important }
}
</style>
</head>
<body class="ground" style="margin:0;background:#f1f3f5">
<table class="ground" role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:#f1f3f5">
<tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px">
<tr><td style="background:${colour};color:#ffffff;padding:20px 24px;border-radius:10px 10px 0 0;font:14px/1.5 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif">
<p style="margin:0;font-weight:600">${escaped(urgencyOf(notice))}</p>
<h1 style="margin:4px 0 0;font-size:20px;line-height:1.3;overflow-wrap:anywhere">${escaped(notice.title)}</h1>
</td></tr>
<tr><td class="card" style="background:#ffffff;color:#1c1f23;padding:20px 24px;border-radius:0 0 10px 10px;font:16px/1.5 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;overflow-wrap:anywhere">
${line(notice.text)}${line(timesOf(notice))}${line(costOf(notice), 'font-weight:600;')}${line(actionOf(notice))}
${more.length ? `<ul style="margin:0 0 12px;padding-left:20px">${more.map(({ title }) => `<li>${escaped(title)}</li>`).join('')}${left > 0 ? `<li>${escaped(words.andMore(number(left)))}</li>` : ''}</ul>` : ''}
${notice.url === null ? '' : `<p style="margin:16px 0 4px"><a href="${escaped(notice.url)}" style="display:inline-block;background:#1f5fa8;color:#ffffff;text-decoration:none;padding:10px 18px;border-radius:8px;font-weight:600">${escaped(words.openPanel)}</a></p>`}
</td></tr>
<tr><td class="quiet" style="padding:14px 24px;color:#5b6470;font:13px/1.5 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif">
${escaped(words.foot(notice.gateway))}
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}
