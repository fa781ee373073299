import { createServer, request as httpRequest } from 'node:http';
import { type AddressInfo } from 'node:net';
import { openForm } from '../../../gateway/api/http/form';
import { type Refusal } from '../../../gateway/errors';
import { END, filePart, FORM, HEADS } from '../media/support';

/**
 * Reads a form to its end on a real server.
 * @param pause of the reader before each file, in milliseconds
 * @returns why it was given up, or what came
 */
async function readForm(
  write: (to: ReturnType<typeof httpRequest>) => void,
  stall: number,
  pause = 0,
): Promise<string> {
  const outcome = Promise.withResolvers<string>();
  const server = createServer(async (request, response) => {
    const form = openForm(request, stall);
    const names: string[] = [];
    try {
      for (;;) {
        const { value, done } = await form.parts.next();
        if (done) break;
        names.push(value.name);
        if (value.kind !== 'file') continue;
        await new Promise((resolve) => setTimeout(resolve, pause));
        let size = 0;
        for await (const chunk of value.content) size += chunk.length;
        names.push(String(size));
      }
      outcome.resolve(names.join());
    } catch (error) {
      const object = (error as Refusal).error;
      outcome.resolve('verbatim' in object ? '' : (object.error_data?.details ?? ''));
    }
    form.stop();
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const sent = httpRequest({ port, method: 'POST', headers: FORM, agent: false });
  sent.on('error', () => undefined);
  write(sent);
  const told = await outcome.promise;
  sent.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => void server.close(resolve));
  return told;
}

describe('a form', () => {
  test('that stops arriving is given up, before a part and in the middle of one', async () => {
    const sentence = 'The form stopped arriving. Nothing was uploaded. Send the form again.';
    expect(await readForm((to) => to.flushHeaders(), 50)).toBe(sentence);
    const half = (to: ReturnType<typeof httpRequest>) => {
      to.write(filePart('image/png'));
      to.write(HEADS.png);
    };
    expect(await readForm(half, 50)).toBe(sentence);
  });

  test('is waited for while it is the reader who takes his time', async () => {
    const size = 4 * 1024 * 1024;
    const whole = (to: ReturnType<typeof httpRequest>) => {
      to.write(filePart('application/pdf'));
      to.write(Buffer.alloc(size));
      to.end(END);
    };
    expect(await readForm(whole, 3000, 3300)).toBe(`file,${size}`);
  });

  test('whose sender goes away is given up', async () => {
    const gone = (to: ReturnType<typeof httpRequest>) => {
      to.write(filePart('image/png'), () => setImmediate(() => to.destroy()));
    };
    expect(await readForm(gone, 60_000)).toContain('broke off');
  });
});
