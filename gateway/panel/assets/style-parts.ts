/** What pages are made of: cards, buttons, fields, badges, notices, tables, lists of facts. */
export const PARTS = `/* Layout */
[data-live]:empty { display: none; }
.stack { display: grid; gap: 16px; }
.stack.close { gap: 8px; }
.cluster { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 12px; }
.columns { display: grid; gap: 20px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 320px), 1fr)); align-items: start; }
.tiles { display: grid; gap: 12px; grid-template-columns: repeat(auto-fit, minmax(140px, 1fr)); }
.card {
  display: grid; gap: 16px; padding: 20px; min-width: 0;
  background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); box-shadow: var(--shadow);
}
.card.flush { padding: 0; gap: 0; overflow: hidden; }
.card.flush > .card-head { padding: 16px 20px; border-bottom: 1px solid var(--line); }
.card-head { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 8px 16px; }
.tile { display: grid; align-content: start; gap: 2px; padding: 16px 18px; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); }
.tile-label { color: var(--text-quiet); font-size: 13px; }
.tile-value { font-size: 24px; font-weight: 620; letter-spacing: -0.02em; font-variant-numeric: tabular-nums; }
.tile-more { color: var(--text-quiet); font-size: 13px; }

/* Buttons */
.button, summary.button, .menu > summary {
  display: inline-flex; align-items: center; justify-content: center; gap: 6px; min-height: 44px; padding: 0 16px;
  border: 1px solid transparent; border-radius: var(--radius-small); background: transparent; color: var(--text);
  font: 600 14px/1.2 var(--font); text-decoration: none; cursor: pointer; list-style: none;
}
.button.small { padding: 0 12px; font-size: 13px; }
.button.primary { background: var(--accent); color: var(--on-accent); }
.button.primary:hover { background: var(--accent-strong); color: var(--on-accent); }
.button.plain, .menu > summary { border-color: var(--line-strong); background: var(--surface); }
.button.plain:hover, .menu > summary:hover { background: var(--raised); color: var(--text); }
.button.quiet:hover { background: var(--raised); color: var(--text); }
.button.danger { border-color: var(--bad); color: var(--bad); background: var(--surface); }
.button.danger:hover { background: var(--bad-soft); }
.button:disabled { opacity: 0.55; cursor: not-allowed; }
form.inline { display: inline-flex; gap: 8px; }
summary { cursor: pointer; }
details.more > summary { display: flex; align-items: center; min-height: 44px; width: fit-content; color: var(--accent); font-weight: 600; font-size: 14px; }
details.more > :not(summary) { margin-top: 8px; }

/* Fields */
.form { display: grid; gap: 18px; max-width: 600px; }
.form.wide { max-width: none; }
.filter { display: flex; flex-wrap: wrap; align-items: flex-end; gap: 12px; }
.filter .field { flex: 1 1 170px; min-width: 0; }
.field { display: grid; gap: 6px; min-width: 0; }
label, legend { font-weight: 600; font-size: 14px; padding: 0; }
.optional { color: var(--text-quiet); font-weight: 400; }
.hint { color: var(--text-quiet); font-size: 13.5px; font-weight: 400; line-height: 1.45; }
.fault { color: var(--bad); font-size: 13.5px; font-weight: 500; line-height: 1.45; }
input:not([type=checkbox], [type=radio], [type=file], [type=hidden]), select, textarea {
  width: 100%; min-height: 44px; padding: 9px 12px; border: 1px solid var(--line-strong); border-radius: var(--radius-small);
  background: var(--surface); color: var(--text); font: 400 15px/1.45 var(--font);
}
textarea { resize: vertical; }
input.code { font-family: var(--mono); }
input:hover, select:hover, textarea:hover { border-color: var(--text-quiet); }
input:focus-visible, select:focus-visible, textarea:focus-visible { outline: 3px solid var(--accent); outline-offset: 0; border-color: transparent; border-radius: var(--radius-small); }
[aria-invalid=true] { border-color: var(--bad) !important; }
input::placeholder { color: var(--text-quiet); opacity: 1; }
input[type=file] { min-height: 44px; padding: 8px 0; max-width: 100%; font: inherit; }
input[type=checkbox], input[type=radio] { flex: none; width: 20px; height: 20px; margin: 2px 0 0; accent-color: var(--accent); }
.choice { display: flex; align-items: flex-start; gap: 10px; min-height: 44px; padding: 10px 0; font-weight: 500; cursor: pointer; }
.choice .hint { display: block; }
.choices { gap: 2px; }

/* States */
.badge {
  display: inline-flex; align-items: center; gap: 6px; padding: 2px 10px; border-radius: 999px; white-space: nowrap;
  font-size: 13px; font-weight: 600; line-height: 1.5; background: var(--idle-soft); color: var(--idle);
}
.badge::before { content: ''; width: 7px; height: 7px; border-radius: 50%; background: currentcolor; }
[data-tone=good].badge { background: var(--good-soft); color: var(--good); }
[data-tone=warn].badge { background: var(--warn-soft); color: var(--warn); }
[data-tone=bad].badge { background: var(--bad-soft); color: var(--bad); }
[data-tone=info].badge { background: var(--info-soft); color: var(--info); }
.notice {
  display: grid; gap: 8px; padding: 14px 16px; border: 1px solid var(--line); border-left: 4px solid var(--idle);
  border-radius: var(--radius-small); background: var(--idle-soft);
}
.notice[data-tone=good] { border-left-color: var(--good); background: var(--good-soft); }
.notice[data-tone=warn] { border-left-color: var(--warn); background: var(--warn-soft); }
.notice[data-tone=bad] { border-left-color: var(--bad); background: var(--bad-soft); }
.notice[data-tone=info] { border-left-color: var(--info); background: var(--info-soft); }
.notice a { color: inherit; }
.notice .copy pre { background: var(--surface); }
.empty { display: grid; justify-items: center; gap: 10px; padding: 44px 20px; text-align: center; }
.empty-title { font-size: 17px; font-weight: 620; }
.empty-text { display: grid; justify-items: center; gap: 14px; color: var(--text-quiet); max-width: 52ch; }

/* Tables */
.table-frame { overflow-x: auto; }
.table { width: 100%; border-collapse: collapse; font-size: 14px; }
.table th, .table td { padding: 12px 20px; text-align: left; vertical-align: middle; border-bottom: 1px solid var(--line); font-weight: 400; }
.table thead th { padding-block: 10px; color: var(--text-quiet); font-size: 13px; font-weight: 600; white-space: nowrap; background: var(--raised); }
.table tbody tr:last-child > * { border-bottom: 0; }
.table tbody tr:hover { background: color-mix(in srgb, var(--raised) 55%, transparent); }
.table .heading { font-weight: 600; }
.table .numeric { text-align: right; font-variant-numeric: tabular-nums; }
.table .row-actions > div { display: flex; flex-wrap: wrap; justify-content: flex-end; gap: 8px; }
.table time { white-space: nowrap; }
.table .button { padding: 0 12px; font-size: 13px; white-space: nowrap; }
.table td .long { display: inline-block; min-width: 200px; }
.table .heading > div { min-width: 160px; overflow-wrap: anywhere; }
@media (max-width: 720px) {
  .table thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  .table, .table tbody, .table tr, .table th, .table td { display: block; }
  .table tr { padding: 14px 16px; border-bottom: 1px solid var(--line); }
  .table tr:last-child { border-bottom: 0; }
  .table tbody th, .table td { padding: 3px 0; border: 0; }
  .table td { display: grid; grid-template-columns: 116px minmax(0, 1fr); gap: 12px; }
  .table td::before { content: attr(data-label); color: var(--text-quiet); font-size: 13px; }
  .table .heading { font-size: 15px; padding-bottom: 6px; }
  .table .numeric { text-align: left; }
  .table .row-actions { display: block; padding-top: 10px; }
  .table .row-actions::before { display: none; }
  .table .row-actions > div { justify-content: flex-start; }
  .table time { white-space: normal; }
  .table { overflow-wrap: anywhere; }
  .table td .long, .table .heading > div { min-width: 0; }
}
.facts { display: grid; gap: 0; }
.facts > div { display: grid; grid-template-columns: minmax(120px, 220px) minmax(0, 1fr); gap: 4px 16px; padding: 9px 0; border-bottom: 1px solid var(--line); }
.facts > div:last-child { border-bottom: 0; }
.facts dd { min-width: 0; overflow-wrap: anywhere; }
.facts dt { color: var(--text-quiet); font-size: 14px; }
@media (max-width: 560px) { .facts > div { grid-template-columns: minmax(0, 1fr); } }
.pager { display: flex; justify-content: space-between; gap: 12px; padding: 12px 16px; border-top: 1px solid var(--line); }

/* Text to copy */
.copy { display: flex; align-items: flex-start; gap: 8px; min-width: 0; }
.copy pre, pre.code {
  flex: 1; min-width: 0; max-height: 360px; overflow: auto; padding: 11px 14px; line-height: 1.5; white-space: pre-wrap; overflow-wrap: anywhere;
  background: var(--raised); border: 1px solid var(--line); border-radius: var(--radius-small);
}

/* Dialogs */
.dialog {
  width: min(100vw - 32px, 480px); padding: 24px; border: 1px solid var(--line); border-radius: var(--radius);
  background: var(--surface); color: var(--text); box-shadow: 0 18px 50px rgb(0 0 0 / 28%);
}
.dialog[open] { display: grid; gap: 14px; }
.dialog::backdrop { background: rgb(8 16 16 / 50%); }
.dialog-actions { display: flex; flex-wrap: wrap; justify-content: flex-end; gap: 8px; margin-top: 4px; }

/* Steps */
.steps { display: grid; gap: 0; list-style: none; padding: 0; counter-reset: step; }
.steps > li { position: relative; display: grid; grid-template-columns: 32px minmax(0, 1fr); gap: 6px 16px; padding: 20px; border-bottom: 1px solid var(--line); }
.steps > li:last-child { border-bottom: 0; }
.step-sign {
  display: grid; place-items: center; width: 32px; height: 32px; border-radius: 50%;
  border: 1px solid var(--line-strong); color: var(--text-quiet); font-weight: 650; font-size: 14px;
}
.steps > [data-state=done] .step-sign { background: var(--good-soft); border-color: transparent; color: var(--good); }
.steps > [data-state=next] .step-sign { background: var(--accent); border-color: transparent; color: var(--on-accent); }
.step-body { display: grid; gap: 8px; min-width: 0; padding-top: 3px; }
.step-body > p { color: var(--text-quiet); max-width: 64ch; }
.qr { width: 208px; max-width: 100%; padding: 12px; background: #ffffff; border: 1px solid var(--line); border-radius: var(--radius-small); }
.qr path { fill: #000000; }
`;
