import { type DraftInput } from '../../../../gateway/templates/drafts/draft';
import { isoTime } from '../../../../gateway/time';
import { checkedPages } from '../../../support/panel/checked-pages';
import { addPanelUser, closingWindows, loggedIn, type VisitorOptions } from '../../../support/panel/visitor';
import { lineOf, sceneOf } from '../../../support/scene';

type Json = Record<string, unknown>;

closingWindows();

const scene = sceneOf();
lineOf(scene, { name: 'My shop' });

const BODY = {
  type: 'BODY',
  text: 'Hello {{1}}, your order {{2}} is on its way.',
  example: { body_text: [['Ana', '1042']] },
};
const languagesOf = (components: Json[], ...names: string[]) =>
  names.map((language) => ({ language, components }));

const draft = (
  more: Partial<DraftInput> = {},
  components: Json[] = [BODY],
  ...names: string[]
): DraftInput => ({
  name: 'order_shipped',
  category: 'UTILITY',
  content: {
    parameter_format: 'positional',
    languages: languagesOf(components, ...(names.length > 0 ? names : ['en_US'])),
  },
  ...more,
});

async function stored({ name, category, content }: DraftInput): Promise<number> {
  const at = isoTime(Date.now());
  const row = await scene.change(({ store }) =>
    store.templateDrafts.insert({
      ...{ name, category, content: JSON.stringify(content), customer_id: null, revision: 1 },
      ...{ created_at: at, updated_at: at, updated_by: 'ben' },
    }),
  );
  return row.id;
}

const RICH: Json[] = [
  { type: 'HEADER', format: 'IMAGE' },
  BODY,
  { type: 'FOOTER', text: 'Reply STOP to unsubscribe' },
  {
    type: 'BUTTONS',
    buttons: [
      { type: 'QUICK_REPLY', text: 'Yes' },
      { type: 'QUICK_REPLY', text: '' },
      { type: 'URL', text: 'Track it', url: 'https://www.example.com/{{1}}', example: ['7'] },
      { type: 'PHONE_NUMBER', text: 'Call us', phone_number: '+15550783881' },
      { type: 'FLOW', text: 'Book', flow_id: '7' },
    ],
  },
];
const CAROUSEL: Json[] = [
  { type: 'BODY', text: 'عروض اليوم لك يا {{1}} من متجرنا', example: { body_text: [['سارة']] } },
  {
    type: 'CAROUSEL',
    cards: [1, 2, 3].map((number) => ({
      components: [
        { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::aW'] } },
        { type: 'BODY', text: `بطاقة ${number}` },
        { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'افتح', url: 'https://www.example.com/a' }] },
      ],
    })),
  },
];
const CODE: Json[] = [
  { type: 'BODY', add_security_recommendation: true },
  { type: 'FOOTER', code_expiration_minutes: 10 },
  { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'ONE_TAP' }] },
];

const paths: string[] = [];
beforeAll(async () => {
  await addPanelUser(scene, 'ana');
  for (const each of [
    draft({ name: '', category: '' }, []),
    draft({}, RICH, 'en_US', 'pt_BR'),
    draft({ category: 'MARKETING' }, CAROUSEL, 'ar'),
    draft({ category: 'AUTHENTICATION' }, CODE, 'pt_BR'),
  ])
    paths.push(`/panel/templates/drafts/${await stored(each)}`);
});

describe('the editor of a template', () => {
  checkedPages(
    () => scene,
    [0, 1, 2, 3].flatMap((index) => [() => paths[index] ?? '', () => `${paths[index]}?check=1`]),
  );
});

const window = (options?: VisitorOptions) => loggedIn(scene, options);
void window;
