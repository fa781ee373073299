/** Events, messages and the overview. */
export const TRAFFIC = `/* Events */
details.more > summary::before { content: '▸'; width: 18px; flex: none; }
details.more[open] > summary::before { content: '▾'; }
.table .heading .small { font-weight: 400; }
.row-link { display: inline-flex; align-items: center; min-height: 24px; }
.troubled, .attempts, .attention { list-style: none; padding: 0; display: grid; }
.troubled > li, .attention > li {
  display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 12px 24px;
  padding: 16px 20px; border-bottom: 1px solid var(--line);
}
.troubled > li:last-child, .attention > li:last-child { border-bottom: 0; }
.troubled .stack, .attention .stack { flex: 1 1 320px; min-width: 0; justify-items: start; }
.attempts > li { padding: 12px 0; border-top: 1px solid var(--line); min-width: 0; }
progress { width: 100%; height: 8px; accent-color: var(--accent); }

/* Messages */
.way { list-style: none; padding: 0; display: grid; }
.way > li { position: relative; display: grid; gap: 2px; padding: 0 0 18px 26px; }
.way > li:last-child { padding-bottom: 0; }
.way > li::before {
  content: ''; position: absolute; left: 2px; top: 6px; width: 10px; height: 10px; border-radius: 50%; background: var(--good);
}
.way > [data-tone=bad]::before { background: var(--bad); }
.way > li:not(:last-child)::after {
  content: ''; position: absolute; left: 6px; top: 20px; bottom: -2px; width: 2px; background: var(--line);
}
.conversation { list-style: none; padding: 0; display: grid; gap: 10px; }
.conversation > li { display: flex; min-width: 0; }
.conversation > .ours { justify-content: flex-end; }
.bubble {
  display: grid; gap: 6px; justify-items: start; max-width: min(86%, 560px); min-width: 0; padding: 10px 14px;
  border: 1px solid var(--line); border-radius: var(--radius); background: var(--raised);
}
.ours > .bubble { background: var(--accent-soft); border-color: transparent; }
.ours > .bubble a { color: var(--accent-strong); }
.bubble[data-this] { outline: 2px solid var(--accent); }
.said { white-space: pre-wrap; overflow-wrap: anywhere; max-width: 100%; }

/* Charts */
.tile.figure { color: inherit; text-decoration: none; }
.tile.figure:hover { border-color: var(--line-strong); }
.charts { display: grid; gap: 20px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); }
.chart { width: 100%; height: auto; }
.chart text { fill: var(--text-quiet); font: 400 12px/1 var(--font); }
@media (max-width: 560px) { .chart text { font-size: 18px; } }
.charts > .card { align-content: start; }
.chart .grid-line { stroke: var(--line); stroke-width: 1; }
.chart .bar { fill: var(--accent); }
.chart .bar.bad { fill: var(--bad); }
.chart .curve { fill: none; stroke: var(--accent); stroke-width: 2; stroke-linejoin: round; }
.chart .curve.second { stroke: var(--warn); stroke-dasharray: 4 3; }
.chart .area { fill: var(--accent-soft); }
.key { display: flex; flex-wrap: wrap; gap: 4px 16px; }
.key span { display: inline-flex; align-items: center; gap: 6px; }
.key i { width: 12px; height: 3px; border-radius: 2px; background: var(--accent); }
.key .second i { background: var(--warn); }
.chart-table { width: 100%; border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
.chart-table th, .chart-table td { padding: 4px 8px; text-align: right; border-bottom: 1px solid var(--line); font-weight: 400; }
.chart-table th:first-child { text-align: left; }
.chart-table thead th { color: var(--text-quiet); font-weight: 600; }
.scrolls { max-height: 320px; overflow: auto; }
`;
