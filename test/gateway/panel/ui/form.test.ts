import { h } from 'preact';
import { render } from 'preact-render-to-string';
import { FormState } from '../../../../gateway/panel/form-state';
import { Form, TextField } from '../../../../gateway/panel/ui/form';

test('a field shows what its form holds, or what it is given; one that has neither is refused', () => {
  const city = { name: 'city', label: 'City' };
  const state = new FormState({ city: 'Recife' });
  const inForm = h(Form, { action: '/panel/x', state, children: h(TextField, city) });
  expect(render(inForm)).toContain('value="Recife"');
  expect(render(h(TextField, { ...city, state }))).toContain('value="Recife"');
  expect(() => render(h(TextField, city))).toThrow('A field that stands in no Form');
});
