import { Buffer } from 'node:buffer';
import { type Json } from '../../cloud-api/json/json-value';
import { t } from '../languages/t';
import { type UserContext } from '../request-context';
import { samples } from './composer';
import { type PhoneParams } from './route-params';
import { askSandbox, contactPath, SandboxRefusal } from '../send/sandbox-client';

/** Largest form in bytes, including a file. */
export const FILE_MOST = 16 * 1024 * 1024;

/** Sends the form's message as the contact. @throws SandboxRefusal with a sentence for the user */
export async function writeAsContact(context: UserContext, { line, contact }: PhoneParams): Promise<void> {
  const { deps, form } = context;
  const text = (name: string): string => {
    const value = form.get(name);
    return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : '';
  };
  const action = await actionOf(form, text);
  await askSandbox(deps.sandboxUrl ?? '', 'POST', contactPath(contact, '/messages'), {
    ...action,
    ...(text('message') && { message: text('message') }),
    ...(text('name') && { name: text('name').slice(0, 200) }),
    line: line.phoneNumberId,
  });
}

async function actionOf(form: FormData, text: (name: string) => string): Promise<Json> {
  if (form.has('file')) return fileOf(form.get('file'), text('caption').trim());
  if (form.has('latitude')) return { location: locationOf(text) };
  if (form.has('here')) return { location: { latitude: -23.5505, longitude: -46.6333, name: t('Here') } };
  if (form.has('reaction')) return { reaction: text('reaction') };
  if (form.has('delete')) return { delete: true };
  if (form.has('button')) return { button: text('button') };
  if (form.has('row')) return { row: text('row') };
  if (form.has('flow')) return { flow: { answer: 'yes' } };
  if (form.has('sample')) return sampleOf(text('sample'));
  if (!text('text').trim()) throw new SandboxRefusal(t('Enter a message first.'));
  return { text: text('text') };
}

async function fileOf(file: FormDataEntryValue | null, caption: string): Promise<Json> {
  if (!(file instanceof File) || file.size === 0) throw new SandboxRefusal(t('Choose a file first.'));
  const kind = kindOf(file.type);
  const data = Buffer.from(await file.arrayBuffer()).toString('base64');
  const hasCaption = caption !== '' && !['audio', 'sticker'].includes(kind);
  return {
    [kind]: {
      data,
      mime_type: file.type || 'application/octet-stream',
      ...(hasCaption && { caption }),
      ...(kind === 'document' && { filename: file.name.slice(-240) || 'file' }),
    },
  };
}

/** The message type for a file's content type. */
function kindOf(type: string): string {
  if (['image/jpeg', 'image/png'].includes(type)) return 'image';
  if (type === 'image/webp') return 'sticker';
  if (['video/mp4', 'video/3gpp'].includes(type)) return 'video';
  return /^audio\/(aac|amr|mpeg|mp4|ogg)$/.test(type) ? 'audio' : 'document';
}

function locationOf(text: (name: string) => string): Json {
  const degrees = (name: 'latitude' | 'longitude', most: number): number => {
    const value = text(name).trim();
    if (value === '' || !(Math.abs(Number(value)) <= most))
      throw new SandboxRefusal(
        name === 'latitude'
          ? t('The latitude is a number from -{most} to {most}.', { most })
          : t('The longitude is a number from -{most} to {most}.', { most }),
      );
    return Number(value);
  };
  const name = text('place').trim();
  return {
    latitude: degrees('latitude', 90),
    longitude: degrees('longitude', 180),
    ...(name && { name }),
  };
}

const SAMPLE_CARD = [
  {
    name: { formatted_name: 'Ana Lima', first_name: 'Ana', last_name: 'Lima' },
    phones: [{ phone: '+1 202-555-0163', type: 'CELL' }],
  },
];

function sampleOf(sample: string): Json {
  if (!samples().some(([value]) => value === sample)) throw new SandboxRefusal(t('There is no such sample.'));
  return { [sample]: sample === 'contacts' ? SAMPLE_CARD : true };
}
