import { CONTACT, type Json } from '../../support/scene';
import { DATABASES } from '../../support/databases';
import {
  addTestLine,
  settings,
  startTestGateway,
  WABA_ID,
  PHONE_NUMBER_ID,
} from '../../support/test-gateway';
import { HEADS } from './support';

test.each(DATABASES)(
  'a file goes its whole way through the embedded sandbox on $name',
  async ({ createUrl }) => {
    const env = settings(await createUrl(), { GATEWAY_UPSTREAM_URL: 'sandbox' });
    const { token } = await addTestLine(env);
    const gateway = await startTestGateway(env);
    const root = `${gateway.url}/v22.0`;
    const headers = { authorization: `Bearer ${token}` };

    const form = new FormData();
    form.append('messaging_product', 'whatsapp');
    form.append('file', new Blob([new Uint8Array(HEADS.pdf)], { type: 'application/pdf' }), 'Olá "1".pdf');
    const uploaded = await fetch(`${root}/${PHONE_NUMBER_ID}/media`, { method: 'POST', headers, body: form });
    const { id, success } = (await uploaded.json()) as Json;
    expect([uploaded.status, success]).toEqual([200, true]);

    const described: Json = await (await fetch(`${root}/${id}`, { headers })).json();
    expect(described).toMatchObject({ mime_type: 'application/pdf', file_size: HEADS.pdf.length });
    const file = await fetch(described.url, { headers });
    expect(Buffer.from(await file.arrayBuffer())).toEqual(HEADS.pdf);

    const sent = await fetch(`${root}/${PHONE_NUMBER_ID}/messages`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ to: CONTACT, type: 'document', document: { id, filename: 'a.pdf' } }),
    });
    expect(sent.status).toBe(200);

    const removed = await fetch(`${root}/${id}`, { method: 'DELETE', headers });
    expect(await removed.json()).toEqual({ success: true });
    const gone = await fetch(described.url, { headers });
    expect([gone.status, ((await gone.json()) as Json).error_code]).toEqual([400, 'upstream_error']);

    const templates = await (await fetch(`${root}/${WABA_ID}/message_templates?limit=1`, { headers })).json();
    expect(templates).toMatchObject({
      data: [{ status: expect.any(String) }],
      paging: { next: expect.any(String) },
    });
    const node = await (await fetch(`${root}/${PHONE_NUMBER_ID}?fields=status`, { headers })).json();
    expect(node).toEqual({ status: 'CONNECTED', id: PHONE_NUMBER_ID });
    await gateway.stop();
  },
);
