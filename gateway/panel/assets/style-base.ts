/** Colours, type, the frame of a page. Everything takes its colours from these properties, light or dark. */
export const BASE = `:root {
  color-scheme: light dark;
  --ground: #f7f8f8;
  --surface: #ffffff;
  --raised: #f1f3f3;
  --line: #dfe3e3;
  --line-strong: #868f8f;
  --text: #182020;
  --text-quiet: #566161;
  --accent: #0f766e;
  --accent-strong: #0b5f59;
  --accent-soft: #e3f3f0;
  --on-accent: #ffffff;
  --good: #166534; --good-soft: #e4f5e9;
  --warn: #854d0e; --warn-soft: #fdf3d7;
  --bad: #b42318; --bad-soft: #fdeceb;
  --info: #1d4f91; --info-soft: #e7f0fb;
  --idle: #4b5555; --idle-soft: #eceff0;
  --shadow: 0 1px 2px rgb(16 32 32 / 6%);
  --radius: 12px;
  --radius-small: 8px;
  --step: 8px;
  --font: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, sans-serif;
  --mono: ui-monospace, 'SF Mono', Menlo, Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0e1414;
    --surface: #151d1d;
    --raised: #1d2727;
    --line: #2b3838;
    --line-strong: #708080;
    --text: #e9efee;
    --text-quiet: #a3b1b0;
    --accent: #4fd1c0;
    --accent-strong: #86e3d6;
    --accent-soft: #14312e;
    --on-accent: #06201d;
    --good: #7fdc9c; --good-soft: #12301e;
    --warn: #f3c969; --warn-soft: #33280d;
    --bad: #ff9d92; --bad-soft: #3a1915;
    --info: #93c3ff; --info-soft: #14283f;
    --idle: #b3bfbf; --idle-soft: #232e2e;
    --shadow: none;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0;
  background: var(--ground);
  color: var(--text);
  font: 400 15px/1.55 var(--font);
  overflow-wrap: break-word;
}
.long { overflow-wrap: anywhere; }
h1, h2, h3, p, ul, ol, dl, dd, pre, figure, fieldset { margin: 0; padding: 0; }
fieldset { border: 0; min-width: 0; }
ul, ol { padding-left: 1.25em; }
h1 { font-size: 26px; line-height: 1.25; font-weight: 650; letter-spacing: -0.015em; }
h2 { font-size: 17px; line-height: 1.35; font-weight: 620; letter-spacing: -0.005em; }
h3 { font-size: 15px; line-height: 1.4; font-weight: 620; }
a { color: var(--accent); text-underline-offset: 3px; text-decoration-thickness: 1px; }
a:hover { color: var(--accent-strong); text-decoration-thickness: 2px; }
code, pre, kbd { font-family: var(--mono); font-size: 0.92em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
main:focus { outline: none; }
[hidden] { display: none !important; }
svg { display: block; }
.sr-only {
  position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap;
}
.quiet { color: var(--text-quiet); }
.small { font-size: 13px; }
.number { font-variant-numeric: tabular-nums; }
.skip {
  position: absolute; left: 12px; top: -60px; z-index: 10; padding: 12px 16px;
  background: var(--surface); border: 1px solid var(--line-strong); border-radius: var(--radius-small);
}
.skip:focus { top: 12px; }

/* The frame */
.shell { display: grid; grid-template-columns: 260px minmax(0, 1fr); min-height: 100vh; }
.side {
  position: sticky; top: 0; height: 100vh; display: flex; flex-direction: column; overflow-y: auto;
  padding: 20px 14px; border-right: 1px solid var(--line); background: var(--surface);
}
.brand {
  display: flex; align-items: center; gap: 10px; min-height: 44px; padding: 0 8px;
  color: var(--text); font-weight: 650; letter-spacing: -0.015em; text-decoration: none; white-space: nowrap;
}
.brand:hover { color: var(--text); }
.mark-ground { fill: var(--accent); }
.mark-sign {
  fill: none; stroke: var(--on-accent); stroke-width: 2.4; stroke-linecap: round; stroke-linejoin: round;
}
.side-places { display: flex; flex: 1; }
.places { display: flex; flex: 1; flex-direction: column; justify-content: space-between; gap: 24px; }
.place-group { margin-top: 18px; }
.place-title { padding: 0 10px 4px; color: var(--text-quiet); font-size: 12px; font-weight: 600; }
.places ul { list-style: none; padding: 0; display: grid; gap: 2px; }
.places li a {
  display: flex; align-items: center; min-height: 44px; padding: 0 10px; border-radius: var(--radius-small);
  color: var(--text); text-decoration: none; font-weight: 500;
}
.places li a:hover { background: var(--raised); }
.places a[aria-current=page] { background: var(--accent-soft); color: var(--accent-strong); }
.whoami {
  display: flex; align-items: center; justify-content: space-between; gap: 8px;
  padding-top: 12px; border-top: 1px solid var(--line);
}
.whoami a {
  display: grid; align-content: center; min-height: 44px; padding: 2px 10px; border-radius: var(--radius-small);
  color: var(--text); text-decoration: none; line-height: 1.3;
}
.whoami a:hover { background: var(--raised); }
.whoami-name { font-weight: 600; }
.whoami-role { color: var(--text-quiet); font-size: 13px; }
.whoami a[aria-current=page] .whoami-role { color: inherit; }
.menu { display: none; }
.page { display: grid; align-content: start; gap: 24px; width: 100%; max-width: 1120px; padding: 36px 40px 80px; margin: 0 auto; }
.page > *, .stack > * { min-width: 0; }
.page-head { display: flex; align-items: flex-end; justify-content: space-between; gap: 16px 24px; flex-wrap: wrap; }
.page-head > div:first-child { display: grid; gap: 6px; min-width: 0; }
.lead { color: var(--text-quiet); max-width: 68ch; }
.back { display: inline-flex; align-items: center; min-height: 24px; width: fit-content; font-size: 14px; text-decoration: none; }
.actions { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; }
.narrow main { display: grid; gap: 16px; width: min(100% - 32px, 440px); margin: 9vh auto 64px; }
.narrow .card { padding: 28px; }

@media (max-width: 860px) {
  .shell { display: block; }
  .side {
    position: relative; height: auto; flex-direction: row; flex-wrap: wrap; align-items: center; justify-content: space-between;
    padding: 8px 16px; border-right: 0; border-bottom: 1px solid var(--line); overflow: visible;
  }
  .side-places { display: none; }
  .menu { display: block; }
  .menu[open] { flex-basis: 100%; }
  .menu > summary { position: absolute; top: 8px; right: 16px; }
  .page { padding: 24px 16px 64px; gap: 20px; }
  h1 { font-size: 23px; }
  .narrow main { margin-top: 24px; }
  .narrow .card { padding: 20px; }
}
@media (prefers-reduced-motion: no-preference) {
  .button:hover, .places a:hover { transition: background-color 0.12s; }
}
`;
