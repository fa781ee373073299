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
  expect(() => render(h(TextField, city))).toThrow('A field outside a Form');
});

test('a field that is wrong says so beside its hint; the form too, if it is one of several', () => {
  const fields = ['city', 'street'].map((name) =>
    h(TextField, { name, label: name, hint: `Hint of ${name}` }),
  );
  const state = new FormState();
  const shown = () => render(h(Form, { action: '/panel/x', state, children: fields }));
  state.addIssue('city', 'No such city.');
  expect(shown()).toContain('class="notice of-one"');
  expect(shown()).toMatch(
    /<input[^>]* id="field-city"[^>]* aria-describedby="hint-city fault-city"[^>]* data-focus/,
  );
  expect(shown()).toContain('Hint of street');
  expect(shown()).toContain('Hint of city');
  state.addIssue('street', 'No such street.');
  expect(shown()).toContain('class="notice"');
  expect(shown()).not.toMatch(/<input[^>]* data-focus/);
});
