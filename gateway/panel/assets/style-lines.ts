/** Lines with their destinations, and templates as the recipient sees them. */
export const LINES = `@media (min-width: 721px) {
  #lines .table th, #lines .table td, #tokens .table th, #tokens .table td { padding-inline: 14px; }
  #lines .heading { min-width: 150px; }
  #lines .table th, #lines .table td { padding-inline: 12px; }
  #lines time, #tokens time { white-space: normal; }
  #lines .row-actions, #tokens .row-actions { white-space: nowrap; }
  #tokens .row-actions > div { flex-wrap: nowrap; }
  #tokens .heading { white-space: nowrap; }
}
.destinations { display: grid; gap: 20px; }
.destination { display: grid; gap: 12px; min-width: 0; }
.destinations > .destination + .destination { padding-top: 20px; border-top: 1px solid var(--line); }
.destination-url { font-size: 15px; font-weight: 600; }
.switches { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 14px 24px; align-items: center; }
@media (max-width: 720px) { .switches { grid-template-columns: minmax(0, 1fr); } .switches > p { margin-top: 4px; } }

.templates { display: grid; gap: 20px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 310px), 1fr)); align-items: start; }
.template { display: grid; grid-template-columns: minmax(0, 1fr); grid-template-rows: auto 1fr auto; gap: 14px; height: 100%; }
.template h2 { font-size: 15px; }
.template-head { display: grid; gap: 8px; }
.template-chat { display: grid; grid-template-columns: minmax(0, 1fr); min-width: 0; align-content: start; padding: 16px; border-radius: var(--radius-small); background: var(--raised); }
.template-bubble { display: grid; gap: 6px; max-width: 340px; padding: 10px 12px; border: 1px solid var(--line); border-radius: 4px 14px 14px 14px; background: var(--surface); font-size: 14px; line-height: 1.45; }
.template-bubble > p { white-space: pre-wrap; overflow-wrap: anywhere; }
.template-header { font-weight: 650; }
.template-media { display: grid; place-items: center; min-height: 96px; border-radius: 8px; background: var(--idle-soft); color: var(--idle); font-weight: 600; font-size: 13px; text-transform: capitalize; }
.template-footer { color: var(--text-quiet); font-size: 13px; }
.template-buttons { display: grid; gap: 6px; max-width: 340px; margin-top: 6px; padding: 0; list-style: none; }
.template-buttons > li { padding: 8px 12px; border: 1px solid var(--line); border-radius: 10px; background: var(--surface); color: var(--accent); font-size: 14px; font-weight: 600; text-align: center; overflow-wrap: anywhere; }
.template-buttons .quiet { font-weight: 400; }
.template-value { padding: 0 4px; border-radius: 4px; background: var(--warn-soft); color: var(--warn); font-family: var(--mono); font-size: 0.92em; font-weight: 600; }
`;
