import { validateMessage } from '../../../../gateway/cloud-api/validate/validate-message';

const faultsOf = (contacts: unknown) =>
  validateMessage({ to: '16505551234', type: 'contacts', contacts }).map(({ path, rule }) => [path, rule]);

describe('contacts as JSON text, as a client sends them', () => {
  test('are judged as the list that the text holds', () => {
    expect(faultsOf('[{"name":{"formatted_name":"Ana"}}]')).toEqual([]);
    expect(faultsOf('[{"name":{}}]')).toEqual([['contacts[0].name.formatted_name', 'required']]);
    expect(faultsOf('[]')).toEqual([['contacts', 'minItems']]);
  });

  test('are refused where they are nested deeper than any message', () => {
    const nested = (depth: number) => `[${'['.repeat(depth)}${']'.repeat(depth)}]`;
    expect(faultsOf(nested(31))).toEqual([['contacts[0]', 'type']]);
    for (const depth of [32, 400_000]) expect(faultsOf(nested(depth))).toEqual([['contacts', 'type']]);
  });

  test.each(['Ana', '{"name":{}}', '[', 'null'])('are refused where it holds none: %s', (text) => {
    expect(faultsOf(text)).toEqual([['contacts', 'type']]);
  });
});
