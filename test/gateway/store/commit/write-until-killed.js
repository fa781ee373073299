/**
 * Writes notifications until it is killed, as many at once as a busy gateway does, and prints the id of each event that
 * was acknowledged. Plain JavaScript, so that nothing stands between the kill and the compiled gateway.
 */
const { openStore } = require('../../../../gateway/build/store/store');

const [url, run] = process.argv.slice(2);
const now = new Date().toISOString();

const eventOf = (name) => ({
  id: `evt_${name}`,
  line_id: 1,
  subject: 'message',
  kind: 'text',
  identity: `message:${name}`,
  contact: '16505551234',
  wamid: null,
  phone_number_id: null,
  waba_id: null,
  body: JSON.stringify({ text: name.repeat(50) }),
  automation: null,
  received_at: now,
  deliveries: [{ destination_id: 1, lane: '16505551234', due_at: now }],
});

async function writeOn(store, writer) {
  for (let number = 0; ; number++) {
    const events = [eventOf(`${run}-${writer}-${number}-a`), eventOf(`${run}-${writer}-${number}-b`)];
    const { fresh } = await store.write({ kind: 'notification', events, messages: [], windows: [] });
    process.stdout.write(`${fresh.join('\n')}\n`);
  }
}

openStore(url).then((store) => {
  for (let writer = 0; writer < 40; writer++) void writeOn(store, writer);
});
