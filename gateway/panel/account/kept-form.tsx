import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { Form, SubmitOrCancel } from '../ui/form';
import { Narrow } from '../ui/frame/layout';
import { page, type PageResponse } from '../outcome';
import { type Vault } from '../../store/vault';
import { type RequestContext } from '../request-context';
import { t } from '../languages/t';

/** Largest form, in bytes, that is read to be kept during a log-in. */
export const MOST_KEPT = 256 * 1024;
/** The most bytes of a kept form after compression. It travels encrypted in the log-in form, which is small. */
const MOST_PACKED = 6 * 1024;

/** The name of the field with the kept form. */
export const KEPT = 'kept';

/** A form that waits until its user has logged in again. */
export interface KeptForm {
  userId: number;
  address: string;
  fields: [string, string][];
}

/** Packs the submitted form as text, to be encrypted; null if it is empty, too large, or has a file. */
export function packForm({ form, address }: RequestContext, userId: number): string | null {
  // Browsers send a field without a chosen file as an empty file.
  const given = [...form].filter(([, value]) => typeof value === 'string' || value.size > 0);
  const fields = given.filter((field): field is [string, string] => typeof field[1] === 'string');
  if (fields.length < given.length || !fields.length) return null;
  const packed = brotliCompressSync(JSON.stringify({ userId, address, fields } satisfies KeptForm));
  return packed.length <= MOST_PACKED ? packed.toString('base64url') : null;
}

/** The most characters of a packed form and its page that fit into the cookie of a log-in at a provider. */
const MOST_IN_COOKIE = 2200;

export const fitsInCookie = (packed: string, next: string): boolean =>
  packed.length + next.length <= MOST_IN_COOKIE;

/** Encrypted, because another person may be at the screen by now. */
export const sealForm = (vault: Vault, packed: string): string => vault.seal('panel.kept_form', packed);

/** @returns the packed form; null if there is none, or if it is forged or sealed with a removed key */
export function openForm(vault: Vault, sealed: FormDataEntryValue | null): string | null {
  if (typeof sealed !== 'string') return null;
  try {
    return vault.open('panel.kept_form', sealed);
  } catch {
    return null;
  }
}

/** @returns null if the form is another user's */
export function unpackForm(packed: string, userId: number): KeptForm | null {
  const kept = JSON.parse(brotliDecompressSync(Buffer.from(packed, 'base64url')).toString()) as KeptForm;
  return kept.userId === userId ? kept : null;
}

/** After the log-in, offers to submit the kept form. */
export const offerKept = ({ address, fields }: KeptForm, back: string): PageResponse =>
  page(
    null,
    <Narrow title={t('Submit the form now?')}>
      <p>{t('You are logged in again. Your form was kept, but not submitted yet.')}</p>
      <Form action={address}>
        {fields.map(([name, value], index) => (
          <input key={index} type="hidden" name={name} value={value} />
        ))}
        <SubmitOrCancel submit={t('Submit form')} back={back} />
      </Form>
    </Narrow>,
  );
