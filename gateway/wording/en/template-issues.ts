import { type FactWords } from '../facts';
import { type TemplateFactValues, type TemplatePart } from '../template-issues';

const PARTS: Record<TemplatePart, string> = {
  header: 'The header',
  body: 'The body',
  footer: 'The footer',
  label: 'The button text',
  url: 'The URL',
  phone: 'The phone number',
  code: 'The sample code',
  offer: 'The offer text',
};

const EXPECTED = {
  text: 'text',
  list: 'a list',
  object: 'an object',
  number: 'a number',
  boolean: 'true or false',
};
const KINDS = { component: 'component', header: 'header', button: 'button' };
const INSIDE = {
  authentication: 'An authentication template',
  offer: 'A limited-time offer',
  card: 'A carousel card',
};

export const templateIssues: Pick<FactWords, keyof TemplateFactValues> = {
  'template.field.missing': ({ field }) => `"${field}" is missing.`,
  'template.field.type': ({ field, expected }) =>
    field === '' ? 'A template is a JSON object.' : `"${field}" must be ${EXPECTED[expected]}.`,
  'template.value.unknown': ({ field, given, possible }) =>
    `"${field}" can't be "${given}". Use ${possible.join(', ')}.`,
  'template.kind.unknown': ({ of, given }) => `"${given}" is not a known ${KINDS[of]}. Check the spelling.`,
  'template.text.long': ({ part, length, most }, { number }) =>
    `${PARTS[part]} has ${number(length)} characters. The limit is ${number(most)}.`,
  'template.number.range': ({ field, least, most }, { number }) =>
    `"${field}" must be a whole number from ${number(least)} to ${number(most)}.`,

  'template.name.format': ({ most }) =>
    `Use only lowercase letters, digits and underscores in the name, at most ${most} characters.`,
  'template.name.sample': ({ name }) =>
    `"${name}" is the name of a sample template of the platform. Choose another name.`,
  'template.name.taken': ({ name, language }) =>
    `A template "${name}" already exists in ${language}. Edit it, or choose another name.`,
  'template.name.deleted': ({ name, until }, { time }) =>
    `A template "${name}" was deleted. The name can be used again on ${time(until)}. Choose another name.`,
  'template.language.unknown': ({ given }) =>
    `The platform has no language "${given}". Use a code such as en_US or pt_BR.`,
  'template.category.other': ({ given, existing }) =>
    `The category is ${given}, but this template is ${existing} in its other languages. Use ${existing}.`,
  'template.category.unfit': ({ what, categories }) =>
    `${what} is only possible in the category ${categories.join(' or ')}.`,
  'template.category.promotional': ({ word }) =>
    `"${word}" sounds like an offer. The platform may change the category to MARKETING.`,
  'template.account.full': ({ most }, { number }) =>
    `The account has ${number(most)} templates, the most possible. Delete templates that are no longer used.`,

  'template.component.missing': ({ component }) => `Add the component ${component}.`,
  'template.component.twice': ({ component }) => `${component} appears twice. Keep one.`,
  'template.component.unfit': ({ component, in: place }) =>
    `${INSIDE[place]} can't have the component ${component}. Remove it.`,
  'template.carousel.beside': ({ component }) =>
    `A carousel usually has only a BODY beside it. ${component} may be refused.`,
  'template.carousel.cards': ({ least, most }) => `A carousel has ${least} to ${most} cards.`,
  'template.carousel.unlike': () =>
    'All cards need the same components, the same kind of header and the same kinds of buttons.',
  'template.header.unfit': ({ in: place, formats }) =>
    `The header of a ${place === 'card' ? 'carousel card' : 'limited-time offer'} must be ${formats.join(', ')}.`,
  'template.header.format': () => 'Remove line breaks, emojis and the characters * _ ~ ` from the header.',
  'template.header.variables': () => 'A header can have only one variable.',
  'template.body.lines': ({ most }) => `The body has more than ${most} line breaks in a row. Remove some.`,
  'template.body.emojis': ({ most }) => `The body has more than ${most} emojis. Remove some.`,
  'template.body.variables_only': () => 'The body has only variables. Add text.',
  'template.footer.format': () => 'Remove line breaks and emojis from the footer.',
  'template.footer.variables': () => "A footer can't have variables. Write its text in full.",

  'template.variable.format': () =>
    'Write each variable as {{1}} or {{name}}, with lowercase letters, digits and underscores.',
  'template.variable.mixed': () => 'Use either numbers or names for all variables.',
  'template.variable.gap': ({ missing }) =>
    `{{${missing}}} is missing. Number the variables from {{1}} without gaps.`,
  'template.variable.edge': () => 'The body starts or ends with a variable. Add text around it.',
  'template.variable.punctuation': () =>
    'Only punctuation follows the last variable. The platform may treat the body as ending with a variable.',
  'template.variable.adjacent': () => 'Two variables are next to each other. Add text between them.',
  'template.variable.ratio': ({ words, variables }, { plural }) =>
    `${plural(variables, 'One variable is', '# variables are')} too many for ${plural(words, 'one word', '# words')}. Add text.`,
  'template.sample.missing': ({ variable }) =>
    variable === null ? 'Add a sample.' : `Add a sample for {{${variable}}}.`,
  'template.sample.count': ({ needed, given }, { plural }) =>
    `${plural(needed, 'One sample is', '# samples are')} needed, but ${plural(given, 'one was', '# were')} given.`,
  'template.sample.personal': ({ given }) => `"${given}" looks like personal data. Use an invented sample.`,
  'template.link.shortener': ({ host }) =>
    `Links of ${host} hide their destination. Use the full address of your own site.`,

  'template.buttons.count': ({ most }) => `At most ${most} buttons are possible.`,
  'template.buttons.kind_count': ({ kind, most }, { plural }) =>
    `At most ${plural(most, 'one button', '# buttons')} of the kind ${kind} can be used.`,
  'template.buttons.grouping': () => 'Put all quick replies together, before or after the other buttons.',
  'template.button.format': () =>
    'Remove variables, line breaks, emojis and the characters * _ ~ ` from the button text.',
  'template.button.unfit': ({ kind, possible }) =>
    `A carousel card can't have a ${kind} button. Use ${possible.join(', ')}.`,
  'template.url.format': () => 'Enter a full address, such as https://example.com/orders',
  'template.url.variable': () => 'A URL can have one variable, at its end.',
  'template.offer.code_order': () => 'In a limited-time offer, the COPY_CODE button comes first.',

  'template.authentication.text': () =>
    'The platform writes the text of authentication templates. Remove "text".',
  'template.authentication.button': () =>
    'An authentication template needs one OTP button and no other button.',
  'template.authentication.apps': ({ most }) => `At most ${most} apps are possible.`,
  'template.authentication.package': ({ most }) =>
    `Enter the package name of an Android app, such as com.example.app, at most ${most} characters.`,
  'template.authentication.hash': ({ length }) =>
    `A signature hash has ${length} characters: letters, digits, +, / and =.`,
  'template.authentication.terms': () =>
    'ZERO_TAP requires "zero_tap_terms_accepted": true, which accepts the terms of the platform.',

  'template.edit.state': ({ status }) =>
    `The template is ${status}. Only APPROVED, REJECTED and PAUSED templates can be edited.`,
  'template.edit.empty': () =>
    'Nothing to change: send "components", "category" or "message_send_ttl_seconds".',
  'template.edit.category': () =>
    "The category of an approved template can't be changed. Create a new template instead.",
  'template.edit.fixed': ({ field }) => `"${field}" can't be edited. Create a new template instead.`,
  'template.edit.daily': ({ until }, { time }) =>
    `An approved template can be edited once a day. Edit it again after ${time(until)}.`,
  'template.edit.monthly': ({ most, until }, { time }) =>
    `An approved template can be edited ${most} times in 30 days. Edit it again after ${time(until)}.`,
};
