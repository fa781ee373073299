import { call, type Json } from '../../support/scene';
import { onEachDatabase } from './support';

onEachDatabase('2. Addresses: /openapi.json, /docs', (world) => {
  const document = async (): Promise<Json> => {
    const reply = await call(`${world.scene.gateway.url}/openapi.json`);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
    return reply.body;
  };
  /** Every value under a key, anywhere in the document. */
  const found = (value: Json, key: string): Json[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, inner]) => [
          ...(name === key ? [inner] : []),
          ...found(inner, key),
        ])
      : [];

  test('Versioning: 2. The machine-readable description is version 1.0.0 of the interface description, format OpenAPI 3.0.3.', async () => {
    expect(await document()).toMatchObject({ openapi: '3.0.3', info: { version: '1.0.0' } });
  });

  test.each([
    ['post', 'messages'],
    ['get', 'templates'],
    ['get', 'status'],
  ])(
    '/openapi.json has each operation with its answers and its token: %s …/{tid}/%s',
    async (method, word) => {
      const { paths, components, security } = await document();
      const [, item] = Object.entries<Json>(paths).find(([path]) => path.endsWith(`/{tid}/${word}`)) ?? [];
      const operation = item?.[method];
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['200', '401']));
      expect(Object.values<Json>(components.securitySchemes)).toContainEqual(
        expect.objectContaining({ type: 'http', scheme: 'bearer' }),
      );
      expect(operation.security ?? security).toBeTruthy();
    },
  );

  test('generated from the very schemas that validate requests: the limits of the specification stand in it', async () => {
    const limits = found(await document(), 'maxLength');
    expect(limits).toEqual(expect.arrayContaining([4096, 1024, 60, 20, 256, 200, 24, 72, 512]));
  });

  test('each reference in it leads somewhere', async () => {
    const whole = await document();
    for (const reference of found(whole, '$ref')) {
      const steps = String(reference).replace(/^#\//, '').split('/');
      expect([reference, steps.reduce((value, step) => value?.[step], whole)]).toEqual([
        reference,
        expect.anything(),
      ]);
    }
  });

  test('/docs renders it, with no asset loaded from another host.', async () => {
    const reply = await call(`${world.scene.gateway.url}/docs`);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toMatch(/^text\/html/);
    for (const [, address] of reply.text.matchAll(
      /<(?:script|link|img|iframe)[^>]*\s(?:src|href)="([^"]*)"/g,
    ))
      expect(address).not.toMatch(/^(?:[a-z]+:)?\/\//i);
    expect(reply.text).not.toMatch(/@import|url\(["']?(?:https?:)?\/\//);
  });

  test('Neither holds a token or a credential', async () => {
    for (const path of ['/openapi.json', '/docs']) {
      const { text } = await call(world.scene.gateway.url + path);
      expect(text).not.toContain(world.line.token);
      expect(text).not.toContain('upstream-access-token');
    }
  });
});
