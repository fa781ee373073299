/** The sandbox phone: contacts, the phone with its chat, and the switches beside it. */
export const PHONE = `/* The sandbox phone */
.phone-page {
  --own: var(--accent-soft);
  --wall: #edf1ef;
  --wall-dot: #e1e8e5;
  --seen: #0b6bcb;
  display: grid; gap: 20px; align-items: start;
  grid-template: 'contacts phone switches' auto / 200px minmax(340px, 400px) minmax(240px, 1fr);
}
@media (prefers-color-scheme: dark) {
  .phone-page { --wall: #0c1312; --wall-dot: #151e1d; --own: #12403a; --seen: #7cc0ff; }
}
.phone { grid-area: phone; }
.contacts { grid-area: contacts; }
.phone-switches { grid-area: switches; }
.page:has(> .phone-page) { max-width: 1280px; gap: 16px; padding-top: 20px; }

.phone {
  position: sticky; top: 16px; display: flex; flex-direction: column; height: min(760px, 100dvh - 148px); min-height: 400px;
  border: 1px solid var(--line-strong); border-radius: 28px; overflow: hidden; background: var(--surface);
  box-shadow: 0 0 0 6px var(--raised), 0 18px 40px rgb(8 24 22 / 14%); margin: 6px;
}
#chat { flex: 1; min-height: 0; display: grid; }
#away .notice { border-radius: 0; }
.phone-head { display: flex; align-items: center; gap: 12px; padding: 14px 18px; border-bottom: 1px solid var(--line); }
.phone-who { flex: 1; min-width: 0; }
.phone-who h2, .contact-name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.phone-who h2 { font-size: 16px; }
.phone-who p { color: var(--text-quiet); font-size: 13px; line-height: 1.3; }
.phone-others { display: none; align-items: center; min-height: 44px; font-size: 14px; font-weight: 600; text-decoration: none; }
.avatar {
  display: grid; flex: none; place-items: center; width: 40px; height: 40px; border-radius: 50%;
  background: var(--accent); color: var(--on-accent); font-weight: 650; font-size: 16px;
}

/* The chat */
.chat {
  display: flex; flex-direction: column; gap: 6px; padding: 14px 14px 10px; overflow-y: auto; min-height: 0; overscroll-behavior: contain;
  background: radial-gradient(var(--wall-dot) 1.5px, transparent 1.6px) 0 0 / 18px 18px, var(--wall);
}
.chat:focus-visible { outline-offset: -3px; }
.chat > :first-child { margin-top: auto; }
.chat-day, .chat-window, .chat-earlier {
  align-self: center; margin: 6px 0; padding: 4px 12px; border-radius: 999px; max-width: 92%; text-align: center;
  background: var(--surface); border: 1px solid var(--line); color: var(--text-quiet); font-size: 12.5px; line-height: 1.4;
}
.chat-window { border-radius: 12px; margin-top: 10px; }
.chat-window[data-open] { background: var(--good-soft); border-color: transparent; color: var(--good); }
.chat-window:not([data-open]) { background: var(--warn-soft); border-color: transparent; color: var(--warn); }
.chat-earlier { min-height: 32px; display: flex; align-items: center; color: var(--accent); }
.bubble-row { display: grid; justify-items: start; gap: 4px; max-width: 86%; }
.bubble-row[data-side=own] { align-self: flex-end; justify-items: end; }
.phone-bubble {
  position: relative; display: grid; gap: 4px; max-width: 100%; min-width: 92px; padding: 7px 10px 5px; border-radius: 4px 14px 14px 14px;
  background: var(--surface); box-shadow: 0 1px 1px rgb(8 24 22 / 10%); overflow-wrap: anywhere;
}
[data-side=own] > .phone-bubble { background: var(--own); border-radius: 14px 4px 14px 14px; }
.phone-bubble[data-lost] { background: transparent; border: 1.5px dashed var(--line-strong); box-shadow: none; }
.phone-bubble[data-lost] > * { color: var(--text-quiet); }
.chat-text { white-space: pre-wrap; line-height: 1.42; }
.chat-mono { padding: 1px 4px; border-radius: 4px; background: var(--raised); white-space: pre-wrap; }
[data-side=own] .chat-mono { background: var(--surface); }
.chat-kind { font-style: italic; color: var(--text-quiet); }
[data-side=own] .chat-kind, [data-side=own] .chat-detail, [data-side=own] .bubble-foot, [data-side=own] .quote { color: var(--text); }
.chat-header { font-size: 15.5px; }
.chat-footer { color: var(--text-quiet); font-size: 13px; }
.chat-detail { display: block; color: var(--text-quiet); font-size: 12.5px; line-height: 1.4; overflow-wrap: anywhere; }
.bubble-foot { display: flex; justify-content: flex-end; align-items: center; gap: 5px; color: var(--text-quiet); font-size: 11.5px; line-height: 1.3; }
.quote {
  padding: 5px 9px; border-left: 3px solid var(--accent); border-radius: 6px; background: var(--raised); color: var(--text-quiet);
  font-size: 13px; line-height: 1.4; overflow: hidden; overflow-wrap: anywhere;
}
[data-side=own] .quote { background: color-mix(in srgb, var(--surface) 55%, var(--own)); }
.quote-who { display: block; color: var(--accent); font-weight: 600; }
.reactions { display: flex; gap: 4px; position: absolute; left: 8px; bottom: -14px; z-index: 1; }
.phone-bubble:has(> .reactions) { margin-bottom: 12px; }
.bubble-row:has(> .taps) > .phone-bubble { width: 100%; }
.reactions span:not(.sr-only) { padding: 1px 7px; border: 1px solid var(--line); border-radius: 999px; background: var(--surface); font-size: 14px; line-height: 1.5; }
.tick { fill: none; stroke: currentcolor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
.tick[data-tick=read], .tick[data-tick=played] { stroke: var(--seen); }
.bubble-below { display: flex; align-items: center; gap: 6px; min-height: 28px; max-width: 100%; }
.bubble-row[data-side=own] > .bubble-below { justify-content: flex-end; }
.told { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 5px; color: var(--text-quiet); font-size: 12px; line-height: 1.4; padding-left: 4px; }
.told[data-tick=failed] { color: var(--bad); }
.doings { position: relative; font-size: 13px; }
.doings > summary {
  display: grid; place-items: center; width: 32px; min-height: 28px; border-radius: 8px; color: var(--text-quiet);
  font-size: 11px; letter-spacing: 1px; list-style: none;
}
.doings > summary::-webkit-details-marker, .attach > summary::-webkit-details-marker { display: none; }
.doings > summary:hover, .doings[open] > summary { background: var(--surface); color: var(--text); }
.doings[open] { flex-basis: 100%; }
.bubble-below:has(.doings[open]) { flex-wrap: wrap; }
.doings-list { display: flex; flex-wrap: wrap; align-items: center; gap: 2px; margin: 4px 0; padding: 4px; border: 1px solid var(--line); border-radius: 14px; background: var(--surface); }
.emoji { width: 40px; height: 44px; border: 0; border-radius: 10px; background: none; font-size: 20px; cursor: pointer; }
.emoji:hover { background: var(--raised); }

/* What a message holds */
.chat-picture { display: block; margin: -3px -6px 2px; border-radius: 12px; overflow: hidden; background: var(--raised); }
.chat-picture img { display: block; width: 100%; min-width: 200px; min-height: 120px; max-height: 280px; object-fit: cover; }
.chat-picture[data-kind=sticker] { background: none; }
.chat-picture[data-kind=sticker] img { min-width: 120px; width: 140px; object-fit: contain; }
.chat-icon { flex: none; width: 40px; height: 40px; padding: 8px; border-radius: 10px; background: var(--accent-soft); fill: none; stroke: var(--accent); stroke-width: 1.7; stroke-linecap: round; stroke-linejoin: round; }
[data-side=own] .chat-icon { background: var(--surface); }
.chat-file { display: flex; align-items: center; gap: 10px; padding: 3px 0; min-width: 0; }
.chat-file > div { display: grid; min-width: 0; }
.chat-file a:not(.chat-detail a) { font-weight: 600; }
.chat-cards { display: grid; gap: 8px; list-style: none; padding: 0; }
.chat-place { display: grid; gap: 2px; }
.chat-map { width: calc(100% + 12px); min-width: 220px; height: 96px; margin: -3px -6px 4px; border-radius: 12px; background: var(--good-soft); }
.chat-map-road { fill: none; stroke: var(--surface); stroke-width: 9; }
.chat-map-pin { fill: var(--bad); fill-rule: evenodd; }
.chat-preview { display: grid; gap: 2px; margin: -1px -4px 2px; padding: 8px 10px; border-radius: 10px; background: var(--raised); font-size: 13px; line-height: 1.4; }
.chat-preview span { color: var(--text-quiet); }

/* What can be tapped */
.taps { display: grid; gap: 3px; width: 100%; min-width: 200px; }
.tap {
  display: flex; flex-wrap: wrap; align-items: center; justify-content: center; gap: 0 6px; min-height: 44px; width: 100%; padding: 6px 14px;
  border: 0; border-radius: 14px; background: var(--surface); box-shadow: 0 1px 1px rgb(8 24 22 / 10%);
  color: var(--accent); font: 600 14.5px/1.3 var(--font); text-align: center; text-decoration: none; overflow-wrap: anywhere;
}
button.tap, a.tap { cursor: pointer; }
button.tap:hover, a.tap:hover { background: var(--accent-soft); color: var(--accent-strong); }
.dialog.sheet { margin: auto auto 0; border-radius: 20px 20px 0 0; max-height: 80vh; overflow-y: auto; }
.sheet-rows, .sheet-section { display: grid; gap: 4px; }
.sheet-rows { gap: 14px; }
.sheet-section h3 { color: var(--accent); font-size: 13px; }
.sheet-row {
  display: grid; gap: 1px; min-height: 48px; align-content: center; padding: 8px 12px; border: 1px solid var(--line); border-radius: 10px;
  background: var(--surface); color: var(--text); font: 500 15px/1.35 var(--font); text-align: left; cursor: pointer; overflow-wrap: anywhere;
}
.sheet-row:hover:not(:disabled) { background: var(--raised); }
.sheet-row:disabled { cursor: default; }
.sheet-detail { color: var(--text-quiet); font-size: 13px; font-weight: 400; }

/* Where the contact writes */
.phone-foot { display: grid; gap: 8px; padding: 10px 12px 14px; border-top: 1px solid var(--line); background: var(--surface); }
.answered { display: flex; align-items: center; gap: 8px; }
.answered .quote { flex: 1; min-width: 0; }
.composer { position: relative; display: grid; grid-template-columns: 44px minmax(0, 1fr); gap: 6px; }
.attach > summary { display: grid; place-items: center; width: 44px; height: 44px; border-radius: 50%; color: var(--text-quiet); list-style: none; }
.attach > summary:hover, .attach[open] > summary { background: var(--raised); color: var(--text); }
.attach[open] > summary svg { rotate: 45deg; }
.attach svg, .send svg { fill: none; stroke: currentcolor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.attach-sheet {
  position: absolute; left: 0; right: 0; bottom: calc(100% + 14px); z-index: 3; display: grid; gap: 14px; max-height: min(520px, 60vh); overflow-y: auto; padding: 16px;
  border: 1px solid var(--line-strong); border-radius: 18px; background: var(--surface); box-shadow: 0 12px 32px rgb(8 24 22 / 22%);
}
.attach-form { display: grid; gap: 6px; }
.attach-form + .attach-form { padding-top: 14px; border-top: 1px solid var(--line); }
.attach-form .button.primary { margin-top: 4px; }
.attach-pair { display: grid; grid-template-columns: 1fr 1fr; gap: 10px; }
.attach-title { font-weight: 600; font-size: 14px; }
.write { display: grid; grid-template-columns: minmax(0, 1fr) 44px; gap: 8px; }
.write input[type=text] { border-radius: 22px; padding-inline: 16px; background: var(--raised); border-color: transparent; }
.write input[type=text]:focus-visible { border-radius: 22px; }
.send { display: grid; place-items: center; width: 44px; height: 44px; border: 0; border-radius: 50%; background: var(--accent); color: var(--on-accent); cursor: pointer; }
.send:hover { background: var(--accent-strong); }
.send:focus-visible, .attach > summary:focus-visible { border-radius: 50%; }
.first-help { display: grid; gap: 10px; margin: auto 4px; padding: 18px; border-radius: 16px; background: var(--surface); border: 1px solid var(--line); font-size: 14px; }
.first-help ol { display: grid; gap: 8px; }

/* Beside the phone */
.contacts { display: grid; gap: 10px; scroll-margin-top: 12px; }
.contact-list { display: grid; gap: 2px; list-style: none; padding: 0; max-height: 560px; overflow-y: auto; margin: 0 -8px; }
.contact-list a { display: flex; align-items: center; gap: 10px; min-height: 56px; padding: 6px 8px; border-radius: 12px; color: var(--text); text-decoration: none; }
.contact-list a:hover { background: var(--raised); }
.contact-list a[aria-current] { background: var(--accent-soft); }
.contact-list a:focus-visible { outline-offset: -3px; }
.contact-list .avatar { width: 36px; height: 36px; background: var(--idle-soft); color: var(--idle); }
.contact-list a[aria-current] .avatar { background: var(--accent); color: var(--on-accent); }
.contact-words { display: grid; min-width: 0; }
.contact-name { font-weight: 600; font-size: 14px; }
.contact-detail { color: var(--text-quiet); font-size: 12.5px; line-height: 1.35; }
.contact-list a[aria-current] .contact-detail { color: var(--text); }
.phone-switches { display: grid; gap: 14px; min-width: 0; }
.phone-switches .card { gap: 12px; padding: 16px; }
.phone-switches h2 { font-size: 15px; }
.phone-switches .copy { display: grid; }
.phone-switches .copy .button { justify-self: start; }
.phone-switches .fold { display: block; padding: 4px 16px; }
.fold > summary { display: flex; align-items: center; justify-content: space-between; min-height: 44px; list-style: none; }
.fold > summary::-webkit-details-marker { display: none; }
.fold > summary::after { content: ''; width: 8px; height: 8px; margin-right: 4px; border: solid var(--text-quiet); border-width: 0 2px 2px 0; rotate: 45deg; translate: 0 -2px; }
.fold[open] > summary::after { rotate: 225deg; translate: 0 2px; }
.fold > :not(summary) { margin-bottom: 12px; }
.form.close { gap: 12px; }
.form.close .button { justify-self: start; }
.set-list { display: grid; gap: 10px; list-style: none; padding: 0; font-size: 14px; }
.set-list .badge { margin-right: 4px; }
@media (max-width: 1240px) {
  .phone-page { grid-template: 'phone contacts' auto 'phone switches' 1fr / minmax(330px, 400px) minmax(0, 1fr); }
}
@media (max-width: 800px) {
  .phone-page { grid-template: 'phone' auto 'contacts' auto 'switches' auto / minmax(0, 1fr); gap: 28px; }
  .phone { position: relative; top: 0; margin: 0 -6px; height: min(680px, 100dvh - 216px); border-radius: 22px; }
  .phone-others { display: flex; }
  .dialog.sheet { width: 100vw; max-width: none; }
}
`;
